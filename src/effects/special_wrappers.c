/* Programs that start the program which their words name: sudo, env, timeout, ssh, npx. */
#include "base/words.h"
#include "shell/calls.h"

#include "effects/run.h"

enum wrapper_flags {
	ASSIGNS = 1 << 0, /* NAME=value may precede the command */
	PRIVILEGED = 1 << 1,
	REMOTE = 1 << 2,
	TEXT = 1 << 3, /* its operands, joined, are shell text */
	PACKAGE = 1 << 4, /* of a registry, or an address */
	AS_ROOT = 1 << 5, /* works for root alone */
	SHELL = 1 << 6, /* without a command it starts a shell */
	SECRETS = 1 << 7, /* puts some into the environment */
};

struct wrapper {
	const char *names;
	const char *valued; /* options with a value, by blanks */
	size_t operands; /* before the command */
	unsigned flags;
	const char *code; /* options whose value is shell text */
};

static const struct wrapper wrappers[] = {
	{ "env genv", "-u --unset -C --chdir -P", 0, ASSIGNS, "-S|--split-string" },
	{ "sudo",
	  "-C -D -g -h -p -R -r -T -t -u -U --user --group --host --prompt --chdir --chroot", 0,
	  ASSIGNS | PRIVILEGED | SHELL, NULL },
	{ "doas", "-C -a -u", 0, ASSIGNS | PRIVILEGED | SHELL, NULL },
	{ "pkexec", "--user", 0, PRIVILEGED, NULL },
	{ "run0", "-u --user -g --group --unit -D --chdir --setenv", 0, PRIVILEGED, NULL },
	{ "gosu su-exec", "", 1, PRIVILEGED, NULL },
	{ "runuser", "-u -g -G -s --user --group --shell", 0, PRIVILEGED, "-c|--command" },
	{ "su", "-g -G -s -w --group --shell", 1, PRIVILEGED | SHELL, "-c|--command" },
	{ "sg", "", 1, PRIVILEGED | TEXT, "-c" },
	{ "nohup setsid catchsegv unbuffer nocache eatmydata builtin dumb-init chronic ifne torify "
	  "gamemoderun optirun primusrun prime-run firejail dbus-launch torsocks tsocks",
	  "", 0, 0, NULL },
	{ "fakeroot fakechroot", "-l -s -i -b -d -c -e --lib --faked", 0, 0, NULL },
	{ "xvfb-run", "-e -f -n -p -s -w --server-args --server-num --auth-file --error-file", 0, 0,
	  NULL },
	{ "proxychains proxychains4", "-f", 0, 0, NULL },
	{ "xterm uxterm", "-display -geometry -title -T -fn -fa -fs -fg -bg -name -class", 0, TEXT,
	  NULL },
	{ "rlwrap", "-a_ -b -C -f -H -l -p_ -P -q -s -S -t -w", 0, 0, NULL },
	{ "caffeinate", "-t -w", 0, 0, NULL },
	{ "ssh-agent", "-a -E -O -P -t", 0, 0, NULL },
	{ "daemonize", "-c -e -o -p -l -u -E", 0, 0, NULL },
	{ "tini", "-p -e", 0, 0, NULL },
	{ "chpst", "-u -U -b -/ -n -l -L -m -d -o -p -f -c -r -t -e", 0, 0, NULL },
	{ "setuidgid", "", 1, 0, NULL },
	{ "dbus-run-session systemd-inhibit sem schroot cgexec bwrap",
	  "-s -e -p -n -f -g -j -c --what --who --why --mode --config-file --bind --ro-bind --dev --proc",
	  0, 0, NULL },
	{ "command", "", 0, 0, NULL },
	{ "time", "-o -f --output --format", 0, 0, NULL },
	{ "timeout gtimeout", "-k -s --kill-after --signal", 1, 0, NULL },
	{ "nice", "-n --adjustment", 0, 0, NULL },
	{ "ionice", "-c -n -p -P -u --class --classdata", 0, 0, NULL },
	{ "chrt taskset", "-T -P -D -p", 1, 0, NULL },
	{ "stdbuf", "-i -o -e --input --output --error", 0, 0, NULL },
	{ "numactl", "-N -m -C -i --membind --cpunodebind", 0, 0, NULL },
	{ "chroot", "", 1, AS_ROOT | SHELL, NULL },
	{ "unshare", "-S -G -w --setuid --setgid --wd --root", 0, SHELL, NULL },
	{ "newgrp", "", 1, SHELL, NULL },
	{ "nsenter", "-t -S -G -w --target --setuid --setgid --wd --root", 0, AS_ROOT | SHELL,
	  NULL },
	{ "setpriv prlimit", "--reuid --regid --groups --inh-caps --bounding-set -p --pid", 0, 0,
	  NULL },
	{ "setarch envdir faketime", "-f", 1, 0, NULL },
	{ "linux32 linux64", "", 0, 0, NULL },
	{ "exec", "-a", 0, 0, NULL },
	{ "cpulimit", "-l -p -e -P", 0, 0, NULL },
	{ "strace ltrace", "-e -o -p -s -u -a -E -O -P -I", 0, 0, NULL },
	{ "valgrind gdbserver", "", 0, 0, NULL },
	{ "perf", "-e -o -F -p", 1, 0, NULL },
	{ "hyperfine", "-w -r -m -M -n --warmup --runs --export-json --export-markdown", 0, TEXT,
	  "-p|--prepare|-c|--cleanup|-s|--setup" },
	{ "systemd-run",
	  "-u -p -E -M -H -C --unit --property --setenv --description --slice --uid --gid --nice "
	  "--working-directory --machine --host --on-calendar --on-active --on-boot --on-startup "
	  "--on-unit-active --on-unit-inactive --timer-property",
	  0, 0, NULL },
	{ "flock", "-w -E --timeout --wait", 1, 0, "-c|--command" },
	{ "watch", "-n -d --interval", 0, TEXT, NULL },
	{ "entr", "", 0, 0, "-s" },
	{ "script", "-I -O -B -T -m -o --log-out --log-in", 1, SHELL, "-c|--command" },
	{ "screen", "-S -c -s -t -T -e -h -p", 0, SHELL, NULL },
	{ "tmux", "-f -L -S -c -s -n -t -x -y -F -e", 1, TEXT, NULL },
	{ "dotenv", "-f -e -p -c -v", 0, 0, NULL },
	{ "arch", "-arch -d -e", 0, 0, NULL },
	{ "proot", "-r -b -w -m -q -R -S --rootfs --bind --cwd", 0, 0, NULL },
	{ "watchexec",
	  "-w -W -e -f -i -s -d --watch --exts --filter --ignore --signal --delay --workdir", 0,
	  TEXT, NULL },
	{ "ld.so ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ld-linux.so.2",
	  "--library-path --preload --argv0 --audit", 0, 0, NULL },
	{ "pdsh pssh parallel-ssh clush dsh", "-w -x -g -l -f -t -u -h -H -p -O -o -e -m -R", 0,
	  REMOTE | TEXT, NULL },
	{ "aws-vault", "-d -n", 2, SECRETS, NULL },
	{ "knife", "-x -i -p -P -a -C --ssh-user --ssh-password --attribute", 2, REMOTE | TEXT,
	  NULL },
	{ "busybox toybox", "", 0, 0, NULL },
	{ "npx bunx pnpx uvx pipx", "-p --package -c --call --from --with --python --spec", 0,
	  PACKAGE, "-c|--call" },
	{ "mosh", "-p --ssh", 1, REMOTE, NULL },
	{ "ssh autossh", "-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -M", 1,
	  REMOTE | TEXT, NULL },
	{ "sshpass", "-p -f -d -P", 0, 0, NULL },
	{ "mpirun srun mpiexec", "-n -np -N -c -p -t --host", 0, 0, NULL },
	{ "nix-shell", "-p -I -A", 0, 0, "--run|--command" },
	{ "bash-c", "", 0, 0, NULL },
};

static const struct wrapper *wrapper_find(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(wrappers); i++)
		if (word_in_text(name, wrappers[i].names))
			return &wrappers[i];
	return NULL;
}

/* The value of an option that holds shell text; *i goes to the last word of it. */
static bool code_option(const struct wrapper *w, const struct call *c, size_t *i,
			struct str *ret_text)
{
	struct str word = c->words[*i], one;

	if (!w->code)
		return false;
	for (struct str rest = str_from(w->code); str_split(&rest, '|', &one);) {
		bool last_letter = one.n == 2 && word.p[1] != '-' && word.p[word.n - 1] == one.p[1];

		if ((str_eq(word, one) || last_letter) && *i + 1 < c->n) {
			*ret_text = c->words[++*i];
			return true;
		}
		if (str_starts(word, one) && word.n > one.n &&
		    (one.n == 2 || word.p[one.n] == '=')) {
			*ret_text =
				str_sub(word, one.n + (one.n > 2 || word.p[one.n] == '='), word.n);
			return true;
		}
	}
	return false;
}

/* How many words an option takes. */
static size_t option_words(const struct wrapper *w, struct str word)
{
	if (word.n > 1 && word.p[1] == '-')
		return str_chr(word, '=', 0) < 0 && word_in_text(word, w->valued) ? 2 : 1;
	for (size_t k = 1; k < word.n; k++) {
		char z[2] = { '-', word.p[k] };

		if (word_in_text((struct str){ z, 2 }, w->valued))
			return k + 1 == word.n ? 2 : 1;
	}
	return 1;
}

/* A shell that waits for what is typed: as root everything may follow. */
void call_prompt(struct run *r, const struct call *c)
{
	if (r->has_in)
		call_input(r, c, CODE_SHELL);
	else if (r->e->privileged && !r->e->remote)
		call_add(r, c, (struct effect){ .kind = EFFECT_PRIVILEGES, .forced = true });
}

/* env -C DIR, sudo -D DIR, systemd-run --working-directory=DIR */
static void see_chdir(struct run *r, const struct call *c, size_t i, struct str word)
{
	static const char longs[] = "--chdir --working-directory --wd --workdir";
	struct str name = sh_file_name(c->words[0]),
		   next = i + 1 < c->n ? c->words[i + 1] : STR("");
	ptrdiff_t eq = str_chr(word, '=', 0);

	if (eq > 0 && word_in_text(str_sub(word, 0, (size_t)eq), longs))
		r->cwd = joined(r, str_sub(word, (size_t)eq + 1, word.n));
	else if (next.n && (word_in_text(word, longs) ||
			    (str_eqz(word, "-C") && word_in_text(name, "env genv")) ||
			    (str_eqz(word, "-D") && word_in_text(name, "sudo run0"))))
		r->cwd = joined(r, next);
}

static size_t wrapper_words(struct run *r, const struct wrapper *w, const struct call *c,
			    bool *ret_code)
{
	size_t i = 1, operands = w->operands;
	struct str text;

	while (i < c->n) {
		struct str word = c->words[i];

		if (str_eqz(word, "--")) {
			i++;
			if (!operands)
				break;
			continue;
		}
		if (word.n > 1 && word.p[0] == '-') {
			if (code_option(w, c, &i, &text)) {
				*ret_code = true;
				if (str_eqz(sh_file_name(c->words[0]), "env") && i + 1 < c->n) {
					struct str rest[2] = { text, text_join(r, c->words + i + 1,
									       c->n - i - 1, ' ') };

					text = text_join(r, rest, 2, ' ');
				}
				call_shell(r, c, text);
				i++;
				continue;
			}
			see_chdir(r, c, i, word);
			i += option_words(w, word);
		} else if (word.n == 1 && word.p[0] == '-') {
			i++;
		} else if ((w->flags & ASSIGNS) && str_chr(word, '=', 0) > 0 && word.p[0] != '-' &&
			   word.p[0] != '/') {
			ptrdiff_t eq = str_chr(word, '=', 0);

			if ((w->flags & PRIVILEGED) && str_starts(word, STR("LD_")))
				call_prompt(r, c);
			variable_set(r, str_sub(word, 0, (size_t)eq),
				     str_sub(word, (size_t)eq + 1, word.n));
			i++;
		} else if (operands) {
			operands--;
			i++;
		} else {
			break;
		}
	}
	return min_size(i, c->n);
}

/* sudo -l, -v, -k: about rights, without any. */
static bool only_asks(const struct call *c)
{
	static const char *const options[] = { "-l",
					       "-v",
					       "-k",
					       "-K",
					       "-V",
					       "-h",
					       "--list",
					       "--validate",
					       "--help",
					       "--version",
					       "-ll",
					       "--remove-timestamp",
					       "--reset-timestamp",
					       "-nv",
					       "-nl",
					       NULL };

	return c->n > 1 && sh_is_among(c->words[1], options);
}

/* Whose shell `su` opens: its operand, or root. */
static bool is_su_of_root(const struct call *c)
{
	struct str user = { 0 };

	for (size_t i = 1; i < c->n && !user.n; i++) {
		if (option_words(wrapper_find(STR("su")), c->words[i]) == 2 ||
		    str_eqz(c->words[i], "-c") || str_eqz(c->words[i], "--command"))
			i++;
		else if (c->words[i].n && c->words[i].p[0] != '-')
			user = c->words[i];
	}
	return !user.n || str_eqz(user, "root") || !value_known(user);
}

/* A shell of somebody else: sudo -i, sudo su, su - */
static bool opens_shell(const struct call *c)
{
	struct str last = c->words[c->n - 1];

	if (str_eqz(sh_file_name(c->words[0]), "su"))
		return is_su_of_root(c);
	if (c->n == 1)
		return true;
	for (size_t i = 1; i < c->n && c->words[i].n && c->words[i].p[0] == '-'; i++)
		if (sh_option_fits(c->words[i], "-i") || sh_option_fits(c->words[i], "-s") ||
		    str_eqz(c->words[i], "--login") || str_eqz(c->words[i], "--shell"))
			return true;
	for (size_t i = 1; i < c->n; i++)
		if (str_starts(c->words[i], STR("LD_PRELOAD=")) ||
		    str_starts(c->words[i], STR("LD_AUDIT=")))
			return true;
	return effects_is_shell(last) || str_eqz(sh_file_name(last), "su") || str_eqz(last, "-");
}

static bool has_option(const struct call *c, const char *option)
{
	for (size_t i = 1; i < c->n && !str_eqz(c->words[i], "--"); i++)
		if (str_eqz(c->words[i], option))
			return true;
	return false;
}

/* systemd-run with a timer */
static bool runs_later(const struct call *c)
{
	for (size_t i = 1; i < c->n && c->words[i].n && c->words[i].p[0] == '-'; i++)
		if (str_starts(c->words[i], STR("--on-")) ||
		    str_starts(c->words[i], STR("--timer-")))
			return true;
	return false;
}

/* tmux new -d \; send-keys TEXT: each command by itself. */
static bool run_tmux_commands(struct run *r, const struct call *c)
{
	size_t from = 1;
	bool several = false;

	for (size_t i = 1; i <= c->n; i++) {
		struct fields words = { 0 };

		if (i < c->n && !str_eqz(c->words[i], ";"))
			continue;
		several |= i < c->n;
		if (!several)
			return false;
		field_add(r, &words, c->words[0]);
		for (; from < i; from++)
			field_add(r, &words, c->words[from]);
		from = i + 1;
		run_call(r, words.p, words.n);
	}
	return true;
}

/* user@box.example.org, 203.0.113.9; a short name is one of one's own settings. */
static bool is_of_others(const struct call *c)
{
	for (size_t i = 1; i < c->n; i++)
		if (c->words[i].n && c->words[i].p[0] != '-' && str_chr(c->words[i], '/', 0) < 0 &&
		    str_chr(c->words[i], ' ', 0) < 0 && str_chr(c->words[i], '.', 0) > 0)
			return true;
	return false;
}

static bool run_wrapper(struct run *r, const struct call *c)
{
	struct str name = sh_file_name(c->words[0]);
	const struct wrapper *w = wrapper_find(name);
	bool code = false, remote = r->e->remote, privileged = r->e->privileged;
	bool secrets = r->e->state->secrets;
	const struct trap *traps = r->e->state->traps;
	struct run inner = *r;
	size_t i;

	if (str_eqz(name, "builtin") ||
	    (str_eqz(name, "command") && c->n > 1 && !str_starts(c->words[1], STR("-")))) {
		r->outside = true; /* in this shell: what it sets lasts */
		call_rest(r, c, 1);
		r->outside = false;
		return true;
	}
	if (str_eqz(name, "tmux") &&
	    (run_tmux_commands(r, c) ||
	     !call_has(c, "new-session new new-window neww split-window splitw run-shell run "
			  "respawn-pane send-keys send")))
		return true;
	if (str_eqz(name, "knife") && (c->n < 2 || !str_eqz(c->words[1], "ssh")))
		return false;
	if (word_in_text(name, "op doppler infisical") &&
	    (c->n < 2 || !str_eqz(c->words[1], "run")))
		return false;
	if (str_eqz(name, "command") && c->n > 1 &&
	    (sh_option_fits(c->words[1], "-v") || sh_option_fits(c->words[1], "-V"))) {
		run_emit(r, program_place(r, c->words[c->n - 1]));
		return true;
	}
	if ((w->flags & PRIVILEGED) && !only_asks(c))
		call_add(r, c,
			 (struct effect){ .kind = EFFECT_PRIVILEGES,
					  .forced = opens_shell(c) ||
						    binding_find(r->vars, STR("LD_PRELOAD")) });
	if (str_eqz(name, "systemd-run") && runs_later(c))
		call_add(r, c, (struct effect){ .kind = EFFECT_PERSIST });
	r->e->privileged |= (w->flags & (PRIVILEGED | AS_ROOT)) && !only_asks(c);
	r->e->state->secrets |= (w->flags & SECRETS) != 0;
	if (w->flags & REMOTE) {
		if (r->has_in &&
		    (value_has(r->in, MARK_SECRET) || (!value_known(r->in) && is_of_others(c))))
			call_add(r, c, (struct effect){ .kind = EFFECT_SEND });
		r->e->remote = true;
		inner.out = NULL;
	}
	if (w->flags & PACKAGE) {
		i = wrapper_words(&inner, w, c, &code);
		if (i < c->n)
			call_add(r, c,
				 (struct effect){ .kind = EFFECT_INSTALL,
						  .target = value_shown(r->a, c->words[i]) });
	}
	/* runuser USER -c TEXT: as su does it */
	if (str_eqz(name, "runuser") && !has_option(c, "-u") && !has_option(c, "--user"))
		w = wrapper_find(STR("su"));
	for (size_t k = 1; str_eqz(name, "systemd-run") && k < c->n; k++)
		if (str_starts(c->words[k], STR("--on-"))) {
			call_add(r, c, (struct effect){ .kind = EFFECT_PERSIST });
			break;
		}
	if (str_eqz(name, "su") || str_eqz(name, "script") || str_eqz(name, "runuser")) {
		(void)wrapper_words(&inner, w, c, &code);
		if (!code && str_eqz(name, "su") && r->has_in)
			call_prompt(&inner, c);
		if (code || str_eqz(name, "su"))
			goto done;
	}
	i = wrapper_words(&inner, w, c, &code);
	if (i >= c->n && !code && (w->flags & SHELL))
		call_prompt(r, c);
	if (i >= c->n && (str_eqz(name, "env") || str_eqz(name, "genv")))
		call_environment(r, c);
	if (i >= c->n) {
		if (w->flags & REMOTE && r->has_in && i > 1) /* ssh host < script, | ssh host sh */
			call_add(r, c, (struct effect){ .kind = EFFECT_SEND });
		if (w->flags & REMOTE && r->has_in && i > 1 && value_known(r->in))
			call_shell(&inner, c, r->in);
	} else if (w->flags & TEXT) {
		call_shell(&inner, c, text_join(&inner, c->words + i, c->n - i, ' '));
	} else if (!code || !str_eqz(name, "env")) {
		inner.outside = true;
		run_call(&inner, c->words + i, c->n - i);
		inner.outside = true;
		/* An option that is not known may have taken a value. */
		if (i > 1 && i + 1 < c->n && c->words[i - 1].n > 1 && c->words[i - 1].p[0] == '-' &&
		    !is_known_program(c->words[i]))
			run_call(&inner, c->words + i + 1, c->n - i - 1);
	}
done:
	traps_run(&inner, traps);
	(void)programs_apply(&inner, c, name);
	if (w->flags & REMOTE)
		run_emit(r, FETCHED);
	r->e->remote = remote;
	r->e->privileged = privileged;
	r->e->state->secrets = secrets;
	return true;
}

void wrappers_each(void (*each)(const char *names, special_fn *run))
{
	for (size_t i = 0; i < ARRAY_LEN(wrappers); i++)
		each(wrappers[i].names, run_wrapper);
}

special_fn *wrapper_special(struct str name)
{
	return wrapper_find(name) ? run_wrapper : NULL;
}

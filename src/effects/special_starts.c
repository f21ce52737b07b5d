/* Programs that start others: wrappers, shells, interpreters, containers, builders. */
#include "base/json.h"
#include "base/words.h"
#include "shell/calls.h"

#include "effects/project.h"

/* ---- wrappers ---- */

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
	{ "rlwrap", "-a_ -b -C -f -H -l -p_ -P -q -s -S -t -w", 0, 0, NULL },
	{ "caffeinate", "-t -w", 0, 0, NULL },
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

static bool is_assignment(struct str w)
{
	ptrdiff_t eq = str_chr(w, '=', 0);

	return eq > 0 && w.p[0] != '-' && w.p[0] != '/';
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
static void call_prompt(struct run *r, const struct call *c)
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
		} else if ((w->flags & ASSIGNS) && is_assignment(word)) {
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

static bool is_tmux_run(const struct call *c)
{
	static const char *const runs[] = { "new-session",  "new",       "new-window", "neww",
					    "split-window", "splitw",    "run-shell",  "run",
					    "respawn-pane", "send-keys", "send",       NULL };

	for (size_t i = 1; i < c->n; i++)
		if (sh_is_among(c->words[i], runs))
			return true;
	return false;
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
	static const char *const shells[] = {
		"su", "bash", "sh", "zsh", "fish", "dash", "ksh", NULL
	};
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
	return sh_is_among(sh_file_name(last), shells) || str_eqz(last, "-");
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
	struct run inner = *r;
	size_t i;

	if (str_eqz(name, "builtin") ||
	    (str_eqz(name, "command") && c->n > 1 && !str_starts(c->words[1], STR("-")))) {
		r->outside = true; /* in this shell: what it sets lasts */
		call_rest(r, c, 1);
		r->outside = false;
		return true;
	}
	if (str_eqz(name, "tmux") && (run_tmux_commands(r, c) || !is_tmux_run(c)))
		return true;
	if (str_eqz(name, "knife") && (c->n < 2 || !str_eqz(c->words[1], "ssh")))
		return false;
	if (word_in_text(name, "op doppler infisical") &&
	    (c->n < 2 || !str_eqz(c->words[1], "run")))
		return false;
	if (str_eqz(name, "command") && c->n > 1 &&
	    (sh_option_fits(c->words[1], "-v") || sh_option_fits(c->words[1], "-V"))) {
		run_emit(r, c->words[c->n - 1]);
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
	(void)programs_apply(&inner, c, name);
	if (w->flags & REMOTE)
		run_emit(r, FETCHED);
	r->e->remote = remote;
	r->e->privileged = privileged;
	r->e->state->secrets = secrets;
	return true;
}

/* ---- shells ---- */

/* The file that a variable names is run first. */
static void run_startup(struct run *r, struct str name)
{
	const struct binding *b = binding_find(r->vars, name);
	struct str words[2] = { STR("."), b ? b->value : STR("") };

	if (words[1].n && !str_eqz(words[1], "/dev/null"))
		run_call(r, words, 2);
}

/* fish: (x) is what $(x) is elsewhere. */
static struct str fish_text(struct run *r, struct str text)
{
	struct text t = { 0 };
	char quote = '\0';

	for (size_t i = 0; i < text.n; i++) {
		char ch = text.p[i];

		if (ch == '\\' && i + 1 < text.n && quote != '\'') {
			text_add(r, &t, str_sub(text, i, i + 2));
			i++;
			continue;
		}
		if (quote ? ch == quote : ch == '"' || ch == '\'')
			quote = quote ? '\0' : ch;
		if (!quote && ch == '(' && (!i || text.p[i - 1] != '$'))
			text_add(r, &t, STR("$"));
		text_add(r, &t, str_sub(text, i, i + 1));
	}
	return text_str(&t);
}

static bool run_sh(struct run *r, const struct call *c)
{
	struct run inner = *r;
	bool text = false, input = false, reads = false, asks = false;
	size_t i = 1;

	for (; i < c->n && c->words[i].n > 1 && strchr("-+", c->words[i].p[0]); i++) {
		struct str w = c->words[i];

		if (str_eqz(w, "--")) {
			i++;
			break;
		}
		if (w.p[1] == '-') {
			if (str_eqz(w, "--command"))
				text = true;
			else if (str_starts(w, STR("--command="))) {
				call_shell(&inner, c, str_sub(w, 10, w.n));
				return true;
			}
			if (str_eqz(w, "--rcfile") || str_eqz(w, "--init-file"))
				call_script(&inner, c, CODE_SHELL,
					    c->words[min_size(++i, c->n - 1)]);
			continue;
		}
		reads |= w.p[0] == '-' &&
			 (str_chr(w, 'n', 0) > 0 ||
			  (str_eqz(w, "-o") && i + 1 < c->n && str_eqz(c->words[i + 1], "noexec")));
		asks |= w.p[0] == '-' && str_chr(w, 'i', 0) > 0;
		text |= w.p[0] == '-' && (str_chr(w, 'c', 0) >= 0 || str_eqz(w, "-C"));
		input |= w.p[0] == '-' && str_chr(w, 's', 0) >= 0;
		i += w.p[w.n - 1] == 'o' || w.p[w.n - 1] == 'O';
	}
	i = min_size(i, c->n);
	if (reads && !asks) /* bash -n: whether it can be read, and no more */
		return true;
	run_startup(&inner, asks ? STR("ENV") : STR("BASH_ENV"));
	if (text && i < c->n) {
		binding_set(&inner, &inner.vars, STR("0"),
			    i + 1 < c->n ? c->words[i + 1] : c->words[0]);
		inner.args = text_join(r, c->words + min_size(i + 2, c->n),
				       c->n - min_size(i + 2, c->n), MARK_FIELD);
		inner.fish = str_eqz(sh_file_name(c->words[0]), "fish");
		call_shell(&inner, c, inner.fish ? fish_text(r, c->words[i]) : c->words[i]);
		return true;
	}
	if (!input && i < c->n && !str_eqz(c->words[i], "-") &&
	    !str_eqz(c->words[i], "/dev/stdin")) {
		call_script(&inner, c, CODE_SHELL, c->words[i]);
		return true;
	}
	inner.args = text_join(r, c->words + i, c->n - i, MARK_FIELD); /* of -s */
	call_prompt(&inner, c);
	return true;
}

/* ---- interpreters ---- */

/* php -S ADDRESS -t DIR: a server like others. */
static void run_php_server(struct run *r, const struct call *c)
{
	struct args a;
	const struct option *address, *dir;
	struct str words[4] = { STR("http-server"), STR("."), STR("-a") };

	args_read(r, &a, c, "-S -t -d -c -f -r -z");
	address = args_option(&a, "-S");
	dir = args_option(&a, "-t");
	if (!address)
		return;
	words[1] = dir ? dir->value : words[1];
	words[3] = address->value;
	run_call(r, words, ARRAY_LEN(words));
}

struct interpreter {
	const char *names;
	enum code_language lang;
	const char *code; /* options whose value is code */
	const char *valued; /* others with a value */
	unsigned operand; /* which operand is code; 0 = the first one is a script */
	bool input; /* standard input is code */
};

static const struct interpreter interpreters[] = {
	{ "python python2 python3 pypy pypy3 ipython micropython", CODE_PYTHON, "-c", "-W -X -m -Q",
	  0, true },
	{ "node nodejs electron", CODE_JAVASCRIPT, "-e|--eval|-p|--print|-pe",
	  "-r -C --require --import --loader --env-file", 0, true },
	{ "ts-node tsx zx vite-node babel-node jiti esno", CODE_JAVASCRIPT, "-e|--eval|-p|--print",
	  "-r -P -O --require --project", 0, true },
	{ "perl", CODE_PERL, "-e|-E", "-I", 0, true },
	{ "ruby jruby irb pry", CODE_RUBY, "-e", "-I -r -C -E", 0, true },
	{ "php", CODE_PHP, "-r|-B|-E|-R", "-d -c -f -S -t -z", 0, true },
	{ "lua luajit lua5.1 lua5.3 lua5.4", CODE_LUA, "-e", "-l", 0, true },
	{ "awk gawk mawk nawk original-awk", CODE_AWK, "--source|-e",
	  "-F -v -f --file --assign --field-separator", 1, false },
	{ "groovy scala swift kotlin dart", CODE_COMPILED, "-e", "-P -s", 0, true },
	{ "Rscript julia R elixir iex osascript tclsh expect ghc runghc guile racket clojure "
	  "jshell swipl octave erl gnuplot dc m4 sbcl ecl clisp maxima raku crystal nim wish "
	  "ocaml janet fennel csi gosh bb clj amm gforth",
	  CODE_OTHER, "-e|--eval|-eval|-c|-E|-g|--expr|--execute|-x|--batch-string", "-P -s -l", 0,
	  true },
	{ "pwsh powershell", CODE_POWERSHELL, "-c|-Command|-command|-EncodedCommand|-enc|-e|/c|-C",
	  "-executionpolicy -ep -ex -exec -workingdirectory -wd -w -windowstyle -version -v -inputformat "
	  "-outputformat -configurationname -settingsfile",
	  0, true },
};

static const struct interpreter *interpreter_find(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(interpreters); i++)
		if (word_in_text(name, interpreters[i].names))
			return &interpreters[i];
	return NULL;
}

struct code_read {
	struct text code;
	bool has_code, in_place;
	size_t behind; /* the words behind the code */
	struct fields names, values; /* awk -v */
	struct str module, file;
	size_t *operand; /* their words */
	size_t noperands;
};

static void code_add(struct run *r, struct code_read *k, struct str code)
{
	if (k->has_code)
		text_add(r, &k->code, STR("\n"));
	text_add(r, &k->code, code);
	k->has_code = true;
}

/* NAME=value of awk. */
static void code_variable_add(struct run *r, struct code_read *k, struct str w)
{
	ptrdiff_t eq = str_chr(w, '=', 0);

	if (eq <= 0 || !sh_is_name(str_sub(w, 0, (size_t)eq)))
		return;
	field_add(r, &k->names, str_sub(w, 0, (size_t)eq));
	field_add(r, &k->values, value_known(w) ? str_sub(w, (size_t)eq + 1, w.n) : ANY);
}

/* node -p process.env.API_KEY */
static void see_printed(struct run *r, const struct call *c, struct str code)
{
	static const char env[] = "process.env.";
	ptrdiff_t at = str_find(code, str_from(env), 0);
	size_t from = (size_t)at + strlen(env), to = from;

	while (at >= 0 && to < code.n && char_is_word(code.p[to]))
		to++;
	if (at >= 0 && is_secret_name(str_sub(code, from, to)))
		call_add(r, c, (struct effect){ .kind = EFFECT_READ, .places = PLACE_SECRET });
}

/* One word of options; how many words it took. */
static size_t interpreter_option(struct run *r, const struct interpreter *p, const struct call *c,
				 size_t i, struct code_read *k)
{
	struct str w = c->words[i], one, next = i + 1 < c->n ? c->words[i + 1] : STR("");

	for (struct str rest = str_from(p->code); str_split(&rest, '|', &one);) {
		if (str_eq(w, one)) {
			/* node -p: what its text gives is printed. */
			bool prints = p->lang == CODE_JAVASCRIPT && str_chr(w, 'p', 0) > 0 &&
				      str_chr(next, ';', 0) < 0 && str_chr(next, '\n', 0) < 0;

			if (prints)
				see_printed(r, c, next);
			code_add(r, k,
				 prints ? arena_printf(r->a, "console.log(%.*s)", STR_ARG(next))
					: next);
			return 2;
		}
		if (one.n > 2 && str_starts(w, one) && w.p[one.n] == '=') {
			code_add(r, k, str_sub(w, one.n + 1, w.n));
			return 1;
		}
	}
	if (w.p[1] == '-')
		return str_chr(w, '=', 0) < 0 && word_in_text(w, p->valued) ? 2 : 1;
	if (p->lang == CODE_POWERSHELL) {
		char *low = arena_z(r->a, w);

		for (size_t at = 0; at < w.n; at++)
			low[at] |= low[at] >= 'A' && low[at] <= 'Z' ? 32 : 0;
		return word_in_text((struct str){ low, w.n }, p->valued) ? 2 : 1;
	}
	for (size_t at = 1; at < w.n; at++) {
		char z[2] = { '-', w.p[at] };
		struct str option = { z, 2 }, value = str_sub(w, at + 1, w.n);

		/* What is behind some letters belongs to them: -MLWP::Simple, -i.bak */
		if ((p->lang == CODE_PERL || p->lang == CODE_RUBY) && strchr("MmFxDi", w.p[at])) {
			k->in_place |= w.p[at] == 'i';
			return 1;
		}
		for (struct str rest = str_from(p->code); str_split(&rest, '|', &one);)
			if (str_eq(option, one)) {
				code_add(r, k, value.n ? value : next);
				return value.n ? 1 : 2;
			}
		if (word_in_text(option, p->valued)) {
			value = value.n ? value : next;
			if (w.p[at] == 'm' && p->lang == CODE_PYTHON)
				k->module = value;
			if (w.p[at] == 'f' || w.p[at] == 'i')
				k->file = value;
			if (w.p[at] == 'v' && p->lang == CODE_AWK)
				code_variable_add(r, k, value);
			return at + 1 < w.n ? 1 : 2;
		}
	}
	return 1;
}

static void code_read(struct run *r, const struct interpreter *p, const struct call *c,
		      struct code_read *k)
{
	size_t i = 1;

	k->operand = ARENA_ARRAY(r->a, size_t, c->n);
	while (i < c->n) {
		struct str w = c->words[i];

		if (w.n > 1 && w.p[0] == '-' && !str_eqz(w, "--") && !k->module.n &&
		    !(k->noperands && p->operand == 0)) {
			i += interpreter_option(r, p, c, i, k);
			if (p->lang == CODE_PYTHON && k->has_code) /* the rest are arguments */
				for (k->behind = i; i < c->n; i++)
					k->operand[k->noperands++] = i;
			continue;
		}
		if (!str_eqz(w, "--"))
			k->operand[k->noperands++] = i;
		i++;
	}
}

/* "/inet/tcp/0/HOST/PORT" of awk: what it sends and gets, and runs when a pipe comes from what it got. */
static void see_connection(struct run *r, const struct call *c, struct str code)
{
	ptrdiff_t at = str_find(code, STR("/inet"), 0), first, end;
	struct str part, rest, host = STR("");

	if (at < 0 || (first = str_find(code, STR("getline"), 0)) < 0)
		return;
	rest = str_sub(code, (size_t)at, code.n);
	end = str_chr(rest, '"', 0);
	rest = end < 0 ? rest : str_sub(rest, 0, (size_t)end);
	for (size_t i = 0; i < 5 && str_split(&rest, '/', &part);
	     i++) /* "", inet, tcp, port, host */
		host = part;
	call_add(r, c,
		 (struct effect){ .kind = EFFECT_SEND,
				  .target = value_shown(r->a, host),
				  .places = address_is_local(host) ? PLACE_LOCAL_HOST : 0 });
	if (str_find(code, STR("getline"), (size_t)first + 7) >= 0)
		call_add(r, c, (struct effect){ .kind = EFFECT_RUN_FETCHED, .target = host });
}

/* A script; of languages that have no reader the text, when its name says so. */
static void run_named(struct run *r, const struct call *c, enum code_language lang, struct str file,
		      const struct str *text)
{
	static const char compiled[] = "kt kts swift scala groovy dart";
	static const char others[] = "R r jl tcl exs ex hs clj rkt scm lisp el erl nim nims ml cr";
	struct str end = file;

	for (ptrdiff_t dot; (dot = str_chr(end, '.', 0)) >= 0;)
		end = str_sub(end, (size_t)dot + 1, end.n);
	if ((lang == CODE_OTHER || lang == CODE_COMPILED) && word_in_text(end, compiled)) {
		call_script(r, c, CODE_COMPILED, file);
		if (text->n && word_in_text(end, "groovy scala")) /* "...".execute(), "...".! */
			(void)presume_code(r, c, *text, false);
	} else if (lang == CODE_OTHER && text->n &&
		   (word_in_text(end, others) || str_starts(file, STR("/dev/fd/"))))
		call_code(r, c, CODE_OTHER, *text);
	else
		call_script(r, c, lang == CODE_OTHER ? CODE_SHELL : lang, file);
}

/* Of what a subcommand is given: nim e --hints:off FILE. */
static struct str second_operand(const struct call *c, const struct code_read *k)
{
	for (size_t i = 1; i < k->noperands; i++)
		if (c->words[k->operand[i]].n && c->words[k->operand[i]].p[0] != '-')
			return c->words[k->operand[i]];
	return STR("");
}

static bool run_code(struct run *r, const struct call *c, const struct interpreter *p,
		     const struct code_read *k)
{
	size_t first = p->operand;
	struct str file = k->file, second = second_operand(c, k);

	if (k->has_code && p->lang == CODE_COMPILED) /* texts that it runs in its own ways */
		call_code(r, c, CODE_OTHER, text_str(&k->code));
	if (k->has_code)
		call_code(r, c, p->lang, text_str(&k->code));
	if (k->has_code || k->module.n)
		return true;
	if (first == 1 && k->noperands && !file.n) {
		if (p->lang == CODE_AWK)
			see_connection(r, c, c->words[k->operand[0]]);
		call_code(r, c, p->lang, c->words[k->operand[0]]);
		return true;
	}
	if (p->lang == CODE_OTHER && k->noperands > 1 &&
	    word_in_text(c->words[k->operand[0]], "eval e") &&
	    !(second.n && file_read(r, second, &(struct str){ 0 }))) { /* crystal eval CODE */
		call_code(r, c, p->lang, second.n ? second : c->words[k->operand[1]]);
		return true;
	}
	if (first == 0 && k->noperands && !file.n)
		file = c->words[k->operand[0]];
	if (second.n && word_in_text(file, "run r e c cpp") &&
	    (p->lang == CODE_OTHER || p->lang == CODE_COMPILED)) /* dart run FILE, nim r FILE */
		file = second;
	for (size_t i = 0; p->lang == CODE_MONGO && i < k->noperands; i++) {
		struct str text, name = c->words[k->operand[i]];

		if (str_ends(name, STR(".js")) && file_read(r, name, &text))
			call_code(r, c, p->lang, text);
	}
	if (file.n && !is_input_path(file)) {
		struct run inner = *r;

		if (p->lang == CODE_AWK) {
			struct str text;

			if (file_read(r, file, &text))
				call_code(&inner, c, p->lang, text);
			return true;
		}
		struct str text = { 0 };

		if (file_read(r, file, &text) || !project_module(&inner, c, p->lang, file))
			run_named(&inner, c, p->lang, file, &text);
		if (first == 0 && k->noperands)
			call_tables(r, c, k->operand[0]);
		return true;
	}
	if (p->input && r->has_in)
		call_input(r, c, p->lang);
	return true;
}

/* awk that takes every line: { print $2 } */
static bool only_prints(struct str code)
{
	static const char *const lines[] = { "NR>1", "NR > 1", "FNR>1", "NR!=1", "NR != 1" };

	code = str_trim(code);
	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		if (str_starts(code, str_from(lines[i])))
			code = str_trim(str_sub(code, strlen(lines[i]), code.n));
	return str_starts(code, STR("{")) && str_chr(code, '/', 0) < 0 &&
	       str_chr(code, '=', 0) < 0 && str_chr(code, '~', 0) < 0 &&
	       str_find(code, STR("if"), 0) < 0;
}

/* ruby -run -e rm -- -rf x: programs of its library, under their own names */
static bool run_ruby_library(struct run *r, const struct call *c)
{
	struct fields words = { 0 };
	size_t i = 1;

	while (i < c->n && !str_eqz(c->words[i], "-run"))
		i++;
	for (; i < c->n; i++)
		if (words.n && !str_eqz(c->words[i], "--"))
			field_add(r, &words, c->words[i]);
		else if (i + 1 < c->n && str_eqz(c->words[i], "-e"))
			field_add(r, &words, c->words[++i]);
	if (words.n)
		run_call(r, words.p, words.n);
	return words.n > 0;
}

/* What the code finds in sys.argv and its kin, and of awk in its variables. */
static void give_arguments(struct run *r, const struct call *c, const struct interpreter *p,
			   struct code_read *k)
{
	size_t skip = p->operand == 1 || !k->has_code, from = c->n;

	if (k->noperands > skip)
		from = k->operand[skip];
	if (k->behind)
		from = min_size(k->behind,
				c->n); /* an option whose value is missing is behind the end */
	r->args = text_join(r, c->words + from, c->n - from, MARK_FIELD);
	for (size_t i = 1; p->lang == CODE_AWK && i < k->noperands; i++)
		code_variable_add(r, k, c->words[k->operand[i]]);
	r->given_names = k->names;
	r->given_values = k->values;
	binding_set(r, &r->vars, STR("0"), STR(""));
}

/* Files that options load before the code: node -r x --import=y, ruby -r./x; node --run SCRIPT. */
static void interpreter_loads(struct run *r, const struct call *c, enum code_language lang)
{
	static const char options[] =
		"-r --require --import --loader --experimental-loader --preload";
	struct str value;

	for (size_t i = 1; i < c->n && (lang == CODE_JAVASCRIPT || lang == CODE_RUBY); i++) {
		struct str w = c->words[i];
		ptrdiff_t eq = str_chr(w, '=', 0);

		if (str_eqz(w, "--run") && i + 1 < c->n && lang == CODE_JAVASCRIPT)
			(void)project_script(r, c, c->words[i + 1]);
		if (word_in_text(w, options) && i + 1 < c->n)
			value = c->words[i + 1];
		else if (eq > 0 && word_in_text(str_sub(w, 0, (size_t)eq), options))
			value = str_sub(w, (size_t)eq + 1, w.n);
		else if (lang == CODE_RUBY && str_starts(w, STR("-r")))
			value = str_sub(w, 2, w.n);
		else
			continue;
		if (value.n && strchr("./", value.p[0]))
			(void)(project_load(r, c, lang, value) ||
			       project_load_first(
				       r, c, lang, STR(""),
				       arena_z(r->a,
					       arena_printf(r->a, "%.*s.js %.*s.rb", STR_ARG(value),
							    STR_ARG(value)))));
	}
}

/* perl -ne, ruby -pe: operands are files that are read line by line. */
static bool reads_lines(const struct interpreter *p, const struct call *c)
{
	if (p->lang != CODE_PERL && p->lang != CODE_RUBY)
		return false;
	for (size_t i = 1; i < c->n && c->words[i].n > 1 && c->words[i].p[0] == '-'; i++)
		if (c->words[i].p[1] != '-' &&
		    (str_chr(c->words[i], 'n', 0) > 0 || str_chr(c->words[i], 'p', 0) > 0))
			return true;
	return false;
}

static bool run_interpreter(struct run *r, const struct call *c)
{
	struct str name = sh_file_name(c->words[0]);
	const struct interpreter *p = interpreter_find(name);
	struct code_read k = { 0 };
	struct run inner = *r;

	while (!p && name.n && (char_is_digit(name.p[name.n - 1]) || name.p[name.n - 1] == '.')) {
		name.n--;
		p = interpreter_find(name);
	}
	if (!p)
		return false;
	if (p->lang == CODE_RUBY && run_ruby_library(r, c))
		return true;
	if (p->lang == CODE_PHP)
		run_php_server(r, c);
	code_read(r, p, c, &k);
	if (k.module.n) {
		struct fields words = { 0 };

		field_add(r, &words, k.module);
		for (size_t i = 0; i < k.noperands; i++)
			field_add(r, &words, c->words[k.operand[i]]);
		run_call(r, words.p, words.n);
		(void)project_module(&inner, c, p->lang, k.module);
	}
	if (str_eqz(name, "ipython") && k.has_code && str_starts(text_str(&k.code), STR("!")))
		call_shell(&inner, c, str_sub(text_str(&k.code), 1, k.code.n));
	give_arguments(&inner, c, p, &k);
	interpreter_loads(&inner, c, p->lang);
	(void)run_code(&inner, c, p, &k);
	for (size_t i = 0; k.in_place && i < k.noperands; i++)
		call_path(r, c, (struct effect){ .kind = EFFECT_OVERWRITE },
			  c->words[k.operand[i]]);
	for (size_t i = 0; reads_lines(p, c) && i < k.noperands; i++)
		call_path(r, c, (struct effect){ .kind = EFFECT_READ }, c->words[k.operand[i]]);
	for (size_t i = 1; p->lang == CODE_AWK && i < k.noperands; i++)
		call_path(r, c, (struct effect){ .kind = EFFECT_READ }, c->words[k.operand[i]]);
	if (p->lang == CODE_AWK && k.noperands == 1 && only_prints(c->words[k.operand[0]]))
		run_emit(r, r->in);
	else
		run_pass_on(r);
	return p->lang < CODE_SQL;
}

/* ---- containers and other machines ---- */

struct mount {
	struct str from, to;
};

/* A mount that shows the host: "-v /:/host". */
static bool mount_of(struct str value, struct mount *ret)
{
	ptrdiff_t colon = str_chr(value, ':', 0);
	struct str one;

	if (str_find(value, STR("source="), 0) >= 0 || str_find(value, STR("src="), 0) >= 0) {
		*ret = (struct mount){ 0 };
		for (struct str rest = value; str_split(&rest, ',', &one);) {
			ptrdiff_t eq = str_chr(one, '=', 0);
			struct str key = str_sub(one, 0, eq < 0 ? one.n : (size_t)eq);
			struct str v = eq < 0 ? STR("") : str_sub(one, (size_t)eq + 1, one.n);

			if (str_eqz(key, "source") || str_eqz(key, "src"))
				ret->from = v;
			if (str_eqz(key, "target") || str_eqz(key, "dst") ||
			    str_eqz(key, "destination"))
				ret->to = v;
		}
		return ret->from.n && ret->to.n;
	}
	if (colon <= 0)
		return false;
	ret->from = str_sub(value, 0, (size_t)colon);
	ret->to = str_sub(value, (size_t)colon + 1, value.n);
	colon = str_chr(ret->to, ':', 0);
	if (colon >= 0)
		ret->to.n = (size_t)colon;
	return ret->to.n > 0 && (ret->from.p[0] == '/' || ret->from.p[0] == '.' ||
				 ret->from.p[0] == '~' || !value_known(ret->from));
}

/* A whole home directory, its keys among them, for whatever the image holds. */
static bool see_volume(struct run *r, const struct call *c, struct str value, struct mount *ret)
{
	if (!mount_of(value, ret))
		return false;
	if (effects_places(r->e, ret->from, r->cwd) & (PLACE_HOME_WHOLE | PLACE_ROOT))
		call_add(r, c, (struct effect){ .kind = EFFECT_PRIVILEGES });
	return true;
}

/* What is below the mount's place, as the host calls it. */
static struct str on_host(struct run *r, struct str word, const struct mount *m)
{
	struct text t = { 0 };
	size_t at = 0;

	if (m->to.n < 2)
		return word;
	for (ptrdiff_t hit; (hit = str_find(word, m->to, at)) >= 0;) {
		text_add(r, &t, str_sub(word, at, (size_t)hit));
		if (!str_eqz(m->from, "/"))
			text_add(r, &t, m->from);
		else if ((size_t)hit + m->to.n >= word.n || word.p[(size_t)hit + m->to.n] != '/')
			text_add(r, &t, STR("/"));
		at = (size_t)hit + m->to.n;
	}
	if (!at)
		return word;
	text_add(r, &t, str_sub(word, at, word.n));
	return text_str(&t);
}

static void run_mounted(struct run *r, const struct fields *inside, const struct mount *m)
{
	struct fields words = { 0 };
	bool changed = false;

	for (size_t i = 0; i < inside->n; i++) {
		struct str w = on_host(r, inside->p[i], m);

		changed |= w.p != inside->p[i].p;
		field_add(r, &words, w);
	}
	if (changed)
		run_call(r, words.p, words.n);
}

/* In the container: what is below a mount is of the host, and judged as that. */
static void run_beside(struct run *r, const struct fields *inside, const struct mount *mounts,
		       size_t n)
{
	struct fields words = { 0 };

	for (size_t i = 0; i < inside->n; i++) {
		struct str w = inside->p[i];

		for (size_t k = 0; k < n; k++)
			w = on_host(r, w, &(struct mount){ STR("/tmp/mount"), mounts[k].to });
		field_add(r, &words, w);
	}
	run_call(r, words.p, words.n);
}

static const char docker_valued[] =
	"-e -p -u -v -w -l -h -m -c -a -n -f --name --network --env --publish --user --volume --workdir "
	"--mount --entrypoint --platform --env-file --hostname --memory --cpus --label --add-host --gpus "
	"--restart --ip --net --cap-add --cap-drop --device --dns --expose --group-add --ipc --link "
	"--log-driver --pid --security-opt --shm-size --stop-signal --tmpfs --ulimit --volumes-from "
	"--namespace --container --context --file --project-name --profile -t_";

enum { MOUNTS_MAX = 32 };

/* docker run --rm alpine rm -rf /: with nothing of the host's in it, its files are its own. */
static bool is_fresh_container(const struct call *c, size_t image)
{
	static const char programs[] = "docker podman nerdctl";
	static const char options[] =
		"--rm -i -t -it -ti -d -e -w -u -p --interactive --tty --detach --env --workdir --user "
		"--publish --name --entrypoint --platform --pull --hostname --init --cpus --memory -m "
		"--label -l --quiet -q --read-only --cap-drop";

	if (c->n < 2 || !word_in_text(sh_file_name(c->words[0]), programs) ||
	    !str_eqz(c->words[1], "run"))
		return false;
	for (size_t i = 2; i < image && i < c->n; i++) {
		struct str w = c->words[i];
		ptrdiff_t eq = str_chr(w, '=', 0);

		if (!value_known(w))
			return false;
		if (w.n && w.p[0] == '-' &&
		    !word_in_text(str_sub(w, 0, eq < 0 ? w.n : (size_t)eq), options))
			return false;
	}
	return true;
}

static bool run_container(struct run *r, const struct call *c)
{
	struct mount mounts[MOUNTS_MAX];
	size_t nmounts = 0, i = 1, operands = 1, before = r->e->n;
	bool found = false, remote = r->e->remote;
	static const char *const runs[] = { "run", "exec", "create", "rsh", NULL };
	struct str entry = { 0 }, workdir = { 0 };

	for (; i < c->n && !found; i++)
		found = sh_is_among(c->words[i], runs);
	if (!found)
		return false;
	for (; i < c->n; i++) {
		struct str w = c->words[i], value = { 0 };
		ptrdiff_t eq = str_chr(w, '=', 0);
		struct str name = str_sub(w, 0, eq < 0 ? w.n : (size_t)eq);

		if (w.n < 2 || w.p[0] != '-') {
			if (operands-- == 0)
				break;
			continue;
		}
		if (str_eqz(w, "--")) {
			i++;
			break;
		}
		if (eq >= 0)
			value = str_sub(w, (size_t)eq + 1, w.n);
		else if (word_in_text(name, docker_valued) && i + 1 < c->n)
			value = c->words[++i];
		else if (str_starts(w, STR("-v")) && w.n > 2)
			value = str_sub(w, 2, w.n), name = STR("-v");
		if (str_eqz(name, "--entrypoint"))
			entry = value;
		if (str_eqz(name, "-w") || str_eqz(name, "--workdir"))
			workdir = value;
		if ((str_eqz(name, "-v") || str_eqz(name, "--volume") ||
		     str_eqz(name, "--mount")) &&
		    nmounts < ARRAY_LEN(mounts))
			nmounts += see_volume(r, c, value, &mounts[nmounts]);
		else if (nmounts == ARRAY_LEN(mounts))
			effects_unjudged(r->e, STR("(too many mounts)"));
	}
	r->e->remote = true;
	if (i < c->n) {
		struct run inner = *r;
		struct fields words = { 0 };

		inner.has_in = r->has_in;
		inner.cwd = workdir.n ? workdir : ANY;
		for (size_t k = 0; k < nmounts && workdir.n; k++)
			if (str_starts(workdir, mounts[k].to))
				inner.cwd = joined(r, on_host(r, workdir, &mounts[k]));
		if (entry.n)
			field_add(r, &words, entry);
		for (size_t k = i; k < c->n; k++)
			field_add(r, &words, c->words[k]);
		run_beside(&inner, &words, mounts, nmounts);
		if (is_fresh_container(c, i))
			effects_undo(r->e, before,
				     1u << EFFECT_WRITE | 1u << EFFECT_OVERWRITE |
					     1u << EFFECT_DELETE | 1u << EFFECT_MOVE |
					     1u << EFFECT_PERMISSIONS);
		r->e->remote = remote;
		for (size_t k = 0; k < nmounts; k++)
			run_mounted(r, &words, &mounts[k]);
	}
	r->e->remote = remote;
	run_emit(r, ANY);
	return false;
}

static bool run_vagrant(struct run *r, const struct call *c)
{
	bool remote = r->e->remote;

	r->e->remote = true;
	for (size_t i = 2; i + 1 < c->n; i++)
		if (str_eqz(c->words[i], "-c") || str_eqz(c->words[i], "--command"))
			call_shell(r, c, c->words[i + 1]);
	r->e->remote = remote;
	return false;
}

/* ---- later: at, cron; editors ---- */

/* The commands of a crontab: what follows five times, or @daily. */
static void call_cron(struct run *r, const struct call *c, struct str text)
{
	struct str line;

	for (struct str rest = text; str_split(&rest, '\n', &line);) {
		size_t i = 0, skip = 5;

		line = str_trim(line);
		if (!line.n || line.p[0] == '#')
			continue;
		if (line.n == 1 && char_is_mark(line.p[0])) {
			call_shell(r, c, line);
			continue;
		}
		skip = line.p[0] == '@' ? 1 : 5;
		for (; skip && i < line.n; skip--) {
			while (i < line.n && line.p[i] != ' ' && line.p[i] != '\t')
				i++;
			while (i < line.n && (line.p[i] == ' ' || line.p[i] == '\t'))
				i++;
		}
		if (i < line.n)
			call_shell(r, c, str_sub(line, i, line.n));
	}
}

static bool run_later(struct run *r, const struct call *c)
{
	struct args a;
	struct str name = sh_file_name(c->words[0]), text;

	args_read(r, &a, c, "-f -q -t -u -l_");
	if (args_option(&a, "-l|-c|-V|--help|--version") || str_eqz(name, "atq")) {
		call_add(r, c, (struct effect){ .kind = EFFECT_READ });
		return true;
	}
	if (str_eqz(name, "crontab") && args_option(&a, "-r")) {
		call_add(r, c, (struct effect){ .kind = EFFECT_PERSIST });
		call_add(r, c, (struct effect){ .kind = EFFECT_DELETE, .places = PLACE_STARTUP });
		return true;
	}
	if (args_option(&a, "-e|-d|-r"))
		return true;
	/* No job is typed where nothing is read from. */
	if (!str_eqz(name, "crontab") && !r->has_in && !args_option(&a, "-f"))
		return true;
	call_add(r, c, (struct effect){ .kind = EFFECT_PERSIST });
	if (args_option(&a, "-f") && file_read(r, args_option(&a, "-f")->value, &text))
		call_shell(r, c, text);
	else if (str_eqz(name, "crontab") && a.noperands && !is_input_path(a.operands[0]) &&
		 file_read(r, a.operands[0], &text))
		call_cron(r, c, text);
	else if (r->has_in && str_eqz(name, "crontab"))
		call_cron(r, c, r->in);
	else if (r->has_in)
		call_shell(r, c, r->in);
	return true;
}

/* Options whose value is a command, or holds one behind a word. */
static const struct {
	const char *names, *options, *before;
} runs_options[] = {
	{ "ssh autossh sftp scp", "-o", "ProxyCommand" },
	{ "ssh autossh sftp scp", "-o", "LocalCommand" },
	{ "ssh autossh sftp scp", "-o", "KnownHostsCommand" },
	{ "sftp", "-S|-D", "" },
	{ "sort gsort", "--compress-program", "" },
	{ "ag bat batcat delta", "--pager", "" },
	{ "npm pnpm", "--script-shell", "" },
	{ "tcpdump", "-z", "" },
	{ "fzf sk", "--preview", "" },
	{ "fzf sk", "--bind", "(" },
	{ "man", "-P|-H|--pager|--html", "" },
	{ "zip", "-TT|--unzip-command", "" },
	{ "split", "--filter", "" },
};

static void run_option(struct run *r, const struct call *c, size_t i, struct str option,
		       const char *before)
{
	struct str w = c->words[i], value = { 0 };

	if (str_eq(w, option) && i + 1 < c->n)
		value = c->words[i + 1];
	else if (str_starts(w, option) && w.n > option.n)
		value = str_sub(w, option.n + (w.p[option.n] == '='), w.n);
	if (str_eqz(str_from(before), "(")) { /* ctrl-x:execute(rm {}) */
		ptrdiff_t open = str_chr(value, '(', 0);

		if (open > 0 && str_find(str_sub(value, 0, (size_t)open), STR("preview"), 0) < 0)
			run_inner(r, str_sub(value, (size_t)open + 1,
					     value.n - (value.p[value.n - 1] == ')')));
		return;
	}
	if (!value.n || !str_starts(value, str_from(before)))
		return;
	value = str_sub(value, strlen(before), value.n);
	while (*before && value.n && strchr("= \t", value.p[0]))
		value = str_sub(value, 1, value.n);
	run_inner(r, value);
}

/* ssh -R, -fNR: a port here for the other side. */
static bool opens_tunnel(const struct call *c)
{
	static const char valued[] = "BbcDEeFIiJLlmOopQSWw";

	for (size_t i = 1; i < c->n && str_ends(c->words[0], STR("ssh")); i++) {
		struct str w = c->words[i];

		if (w.n < 2 || w.p[0] != '-')
			continue;
		for (size_t k = 1; k < w.n; k++) {
			if (w.p[k] == 'R')
				return true;
			if (strchr(valued, w.p[k])) {
				i += k + 1 == w.n;
				break;
			}
		}
	}
	return false;
}

void options_run(struct run *r, const struct call *c)
{
	struct str option;

	for (size_t k = 0; k < ARRAY_LEN(runs_options); k++)
		for (size_t i = 1; i < c->n && word_in_text(c->words[0], runs_options[k].names);
		     i++)
			for (struct str rest = str_from(runs_options[k].options);
			     str_split(&rest, '|', &option);)
				run_option(r, c, i, option, runs_options[k].before);
}

static bool run_options(struct run *r, const struct call *c)
{
	special_fn *next = starts_find(c->words[0]);

	options_run(r, c);
	if (str_eqz(c->words[0], "man"))
		return true;
	if (str_eqz(c->words[0], "sftp"))
		return run_transfer(r, c);
	if (opens_tunnel(c))
		call_add(r, c,
			 (struct effect){ .kind = EFFECT_SEND, .target = STR("reverse tunnel") });
	return next && next(r, c);
}

/* ed and its kin read commands: !text is for a shell. */
static bool run_ed(struct run *r, const struct call *c)
{
	struct str line;

	for (struct str rest = r->has_in ? r->in : STR("");
	     rest.n && str_split(&rest, '\n', &line);)
		if (str_starts(str_trim(line), STR("!")))
			call_shell(r, c, str_sub(str_trim(line), 1, line.n));
	return false;
}

/* "w", "wq", "x" behind a bar or alone: an editor's command that saves the file. */
static bool saves(struct str text)
{
	struct str one, verb;

	while (str_split(&text, '|', &one)) {
		one = str_trim(one);
		for (size_t n = 0; n <= one.n; n++)
			if (n == one.n || !((one.p[n] | 32) >= 'a' && (one.p[n] | 32) <= 'z')) {
				verb = str_sub(one, 0, n);
				break;
			}
		if (word_in_text(verb, "w wq x up update wa wqa xa write saveas"))
			return true;
	}
	return false;
}

static bool run_editor(struct run *r, const struct call *c)
{
	struct args a;
	bool writes = false;

	args_read(r, &a, c, "-c -S -u -T --cmd --eval -l --load");
	for (size_t i = 0; i < a.noptions; i++) {
		struct str v = a.options[i].value;
		ptrdiff_t bang = str_chr(v, '!', 0);

		writes |= v.n && saves(v);
		if (bang >= 0 && !str_starts(v, STR("set")))
			call_shell(r, c, str_sub(v, (size_t)bang + 1, v.n));
		else
			(void)presume_code(r, c, v, true);
	}
	for (size_t i = 0; i < a.noperands; i++)
		writes |= str_starts(a.operands[i], STR("+")) &&
			  saves(str_sub(a.operands[i], 1, a.operands[i].n));
	for (size_t i = 0; i < a.noperands; i++) {
		ptrdiff_t bang = str_chr(a.operands[i], '!', 0);

		if (a.operands[i].n && a.operands[i].p[0] == '+' && bang > 0)
			call_shell(r, c, str_sub(a.operands[i], (size_t)bang + 1, a.operands[i].n));
		else if (a.operands[i].n && a.operands[i].p[0] != '+')
			call_path(
				r, c,
				(struct effect){ .kind = writes ? EFFECT_OVERWRITE : EFFECT_READ },
				a.operands[i]);
	}
	return true;
}

const struct special special_starts[] = {
	{ "sh bash dash zsh ksh ash mksh rbash fish csh tcsh yash posh nu elvish xonsh osh ysh oil murex",
	  run_sh },
	{ "docker podman nerdctl crictl kubectl oc docker-compose podman-compose k3s microk8s",
	  run_container },
	{ "vagrant lxc multipass", run_vagrant },
	{ "at batch crontab atq", run_later },
	{ "vi vim nvim view ex emacs nano gvim", run_editor },
	{ "ed red", run_ed },
	{ "ssh autossh sftp man zip split", run_options },
	{ NULL, NULL },
};

void starts_each(void (*each)(const char *names, special_fn *run))
{
	for (size_t i = 0; i < ARRAY_LEN(wrappers); i++)
		each(wrappers[i].names, run_wrapper);
	for (size_t i = 0; i < ARRAY_LEN(interpreters); i++)
		each(interpreters[i].names, run_interpreter);
}

special_fn *starts_find(struct str name)
{
	return wrapper_find(name) ? run_wrapper : interpreter_find(name) ? run_interpreter : NULL;
}

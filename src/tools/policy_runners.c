/*
 * Programs that start others, as their arguments say: sudo, xargs, bash -c, find -exec, git -c.
 * What they start becomes a part of its own, so that a rule for the one does not let the other slip
 * through.  Unknown options count as the worst.
 */
#include "tools/policy_shell_impl.h"

static bool is_assignment(struct str s)
{
	ptrdiff_t at = str_chr(s, '=', 0);

	for (ptrdiff_t i = 0; i < at; i++)
		if (!char_is_word(s.p[i]))
			return false;
	return at > 0;
}

static const struct runner {
	const char *name;
	const char *options; /* as for getopt(): a letter, ":" when a value follows */
	const char *const *flags; /* long options without a value; --name=value always is known */
	size_t operands; /* before the command */
	bool assigns; /* NAME=value may stand before the command */
	bool more; /* adds arguments of its own */
} runners[] = {
	{ "builtin", "", NULL, 0, false, false },
	{ "busybox", "", NULL, 0, false, false },
	{ "chroot", "", NULL, 1, false, false },
	{ "chrt", "abdfimopRrv", NULL, 1, false, false },
	{ "command", "pvV", NULL, 0, false, false },
	{ "doas", "LnsC:a:u:", NULL, 0, true, false },
	{ "env",
	  "0ivu:C:", (const char *const[]){ "--ignore-environment", "--null", "--debug", NULL }, 0,
	  true, false },
	{ "exec", "cla:", NULL, 0, false, false },
	{ "fakeroot", "", NULL, 0, false, false },
	{ "ionice", "tc:n:", NULL, 0, false, false },
	{ "nice", "n:", NULL, 0, false, false },
	{ "nohup", "", NULL, 0, false, false },
	{ "pkexec", "", NULL, 0, false, false },
	{ "setsid", "cfw", (const char *const[]){ "--ctty", "--fork", "--wait", NULL }, 0, false,
	  false },
	{ "stdbuf", "i:o:e:", NULL, 0, false, false },
	{ "sudo", "AbEeHiKklnPSsvVC:D:g:h:p:R:r:T:t:u:U:",
	  (const char *const[]){ "--preserve-env", "--non-interactive", "--login", "--shell",
				 "--stdin", NULL },
	  0, true, false },
	{ "taskset", "ac", NULL, 1, false, false },
	{ "time", "apqvo:f:", (const char *const[]){ "--portability", "--verbose", NULL }, 0, false,
	  false },
	{ "timeout", "k:s:v",
	  (const char *const[]){ "--foreground", "--preserve-status", "--verbose", NULL }, 1, false,
	  false },
	{ "toybox", "", NULL, 0, false, false },
	{ "xargs", "0rtpxoa:d:E:L:n:P:s:",
	  (const char *const[]){ "--null", "--no-run-if-empty", "--verbose", "--interactive",
				 "--exit", "--open-tty", NULL },
	  0, false, true },
};

/* They run programs in ways that are not followed. */
static const char *const opaque_runners[] = { "at",
					      "batch",
					      "catchsegv",
					      "dbus-run-session",
					      "entr",
					      "expect",
					      "firejail",
					      "flock",
					      "gdb",
					      "hyperfine",
					      "ltrace",
					      "nsenter",
					      "parallel",
					      "perf",
					      "proot",
					      "rlwrap",
					      "run0",
					      "runcon",
					      "runuser",
					      "screen",
					      "script",
					      "setarch",
					      "setpriv",
					      "sg",
					      "socat",
					      "ssh-agent",
					      "start-stop-daemon",
					      "strace",
					      "su",
					      "systemd-run",
					      "tmux",
					      "torsocks",
					      "unbuffer",
					      "unshare",
					      "valgrind",
					      "watch",
					      "xvfb-run",
					      NULL };

static const char *const shells[] = { "ash",  "bash",  "dash", "fish", "ksh",
				      "mksh", "rbash", "sh",   "zsh",  NULL };

/* Builtins that evaluate their arguments as arithmetic, where a subscript may hold a command. */
static const char *const evaluating[] = { "[",      "declare", "export",   "let",  "local",
					  "printf", "read",    "readonly", "test", "typeset",
					  "unset",  "wait",    NULL };
/* Builtins that run their arguments, or change what names mean. */
static const char *const meddling[] = { "alias", "bind", "compgen", "complete",  "enable",
					"hash",  "jobs", "mapfile", "readarray", NULL };

/* Options that make a program run another one. */
static const struct {
	const char *name;
	const char *options[12]; /* "-x" also fits "-xvalue", "--long" its beginning with "=" */
} hooked[] = {
	{ "fd", { "-x", "-X", "--exec", "--exec-batch" } },
	{ "fdfind", { "-x", "-X", "--exec", "--exec-batch" } },
	{ "man", { "-P", "-H", "--pager", "--html" } },
	{ "rg", { "--pre", "--hostname-bin" } },
	{ "rsync", { "-e", "--rsh", "--rsync-path" } },
	{ "scp", { "-S", "-o", "-F" } },
	{ "sftp", { "-S", "-o", "-F", "-D" } },
	{ "sort", { "--compress-program" } },
	{ "split", { "--filter" } },
	{ "ssh", { "-o", "-F" } },
	{ "tar",
	  { "-I", "-F", "--to-command", "--checkpoint-action", "--use-compress-program",
	    "--rsh-command", "--info-script", "--new-volume-script", "--rmt-command" } },
	{ "vi", { "-c", "--cmd", "+" } },
	{ "vim", { "-c", "-S", "--cmd", "+" } },
	{ "zip", { "-TT", "--unzip-command" } },
};

static const char *const awks[] = { "awk", "gawk", "mawk", "nawk", "original-awk", NULL };

static void add_inner(struct shell_split *s, const struct shell_part *of, size_t from, size_t n,
		      bool more, bool assigned)
{
	shell_add(s, &(struct shell_part){
			     .words = of->words + from,
			     .n = n,
			     .more = more || of->more,
			     .assigned = assigned,
			     .depth = of->depth,
		     });
}

/* A bundle of short options: how many words it takes, 0 when a letter is unknown. */
static size_t short_options(const char *known, struct str word)
{
	for (size_t i = 1; i < word.n; i++) {
		const char *at = word.p[i] == ':' ? NULL : strchr(known, word.p[i]);

		if (!at)
			return 0;
		if (at[1] == ':')
			return i + 1 < word.n ? 1 : 2;
	}
	return 1;
}

static bool is_among_starts(struct str s, const char *const *list)
{
	for (; *list; list++)
		if (str_starts(s, str_from(*list)))
			return true;
	return false;
}

/* env --split-string=..., xargs --replace=...: the command is not what stands there. */
static const char *const turning[] = { "--sp", "--re", "--s=", NULL };

/* Where the command of a runner begins; p->n when there is none, SIZE_MAX when nobody knows. */
static size_t runner_command(const struct runner *r, const struct shell_part *p, bool *assigned)
{
	size_t i = 1, operands = r->operands;

	while (i < p->n) {
		struct str w = p->words[i].text;
		size_t step = 1;

		if (p->words[i].opaque)
			return SIZE_MAX;
		if (str_eqz(w, "--")) {
			i++;
			break;
		}
		if (w.n == 0 || w.p[0] != '-' || (w.n == 1 && strcmp(r->name, "env") != 0))
			break;
		if (w.n > 1 && w.p[1] != '-')
			step = strcmp(r->name, "nice") == 0 && char_is_digit(w.p[1])
				       ? 1
				       : short_options(r->options, w);
		else if (w.n > 1 && !shell_is_among(w, r->flags))
			step = str_chr(w, '=', 0) > 0 && !is_among_starts(w, turning);
		if (!step)
			return SIZE_MAX;
		i += step;
	}
	for (; r->assigns && i < p->n && is_assignment(p->words[i].text); i++)
		*assigned = true;
	for (; operands && i < p->n; i++, operands--)
		if (p->words[i].opaque)
			return SIZE_MAX;
	return min_size(i, p->n);
}

static void unwrap_runner(struct shell_split *s, const struct runner *r, const struct shell_part *p)
{
	bool assigned = false;
	size_t at = runner_command(r, p, &assigned);

	if (at == SIZE_MAX)
		shell_add_unknown(s, p->depth);
	else if (at < p->n)
		add_inner(s, p, at, p->n - at, r->more, assigned);
}

static void parse_word(struct shell_split *s, const struct shell_part *p, size_t i)
{
	if (p->words[i].opaque)
		shell_add_unknown(s, p->depth);
	else
		shell_parse(s, p->words[i].text, p->depth + 1);
}

/*
 * bash -c TEXT: the text's commands.  A script is a program like others, but what comes from
 * standard input may be anything.
 */
static void unwrap_shell(struct shell_split *s, const struct shell_part *p)
{
	bool text = false;
	size_t i = 1;

	for (; i < p->n && !p->words[i].opaque; i++) {
		struct str w = p->words[i].text;

		if (w.n < 2 || (w.p[0] != '-' && w.p[0] != '+'))
			break;
		if (str_eqz(w, "--")) {
			i++;
			break;
		}
		if (w.p[1] == '-') {
			if (shell_is_among(w, (const char *const[]){ "--login", "--norc",
								     "--noprofile", "--posix",
								     "--verbose", NULL }))
				continue;
			shell_add_unknown(s, p->depth);
			return;
		}
		text |= w.p[0] == '-' && str_chr(w, 'c', 0) >= 0;
		i += w.p[w.n - 1] == 'o' || w.p[w.n - 1] == 'O';
	}
	if (i >= p->n || (!text && p->words[i].opaque) || (!text && shell_word_is(p, i, "-")) ||
	    str_starts(p->words[i].text, STR("/dev/")))
		shell_add_unknown(s, p->depth);
	else if (text)
		parse_word(s, p, i);
}

static void unwrap_eval(struct shell_split *s, const struct shell_part *p)
{
	struct shell_part args = { .words = p->words + 1, .n = p->n - 1 };

	if (shell_any_opaque(&args, 0) || p->more)
		shell_add_unknown(s, p->depth);
	else
		shell_parse(s, shell_part_text(s->arena, &args), p->depth + 1);
}

static void unwrap_find(struct shell_split *s, const struct shell_part *p)
{
	static const char *const actions[] = { "-exec", "-execdir", "-ok", "-okdir", NULL };
	struct shell_word *words = ARENA_ARRAY(s->arena, struct shell_word, p->n + 1);
	struct shell_part named = *p;

	/* {} is a name that nobody knows, also in the middle of a word. */
	named.words = words;
	for (size_t i = 0; i < p->n; i++)
		words[i] = (struct shell_word){ p->words[i].text,
						str_find(p->words[i].text, STR("{}"), 0) >= 0 };

	for (size_t i = 1; i < p->n; i++) {
		size_t end = i + 1;

		if (p->words[i].opaque) {
			shell_add_unknown(s, p->depth);
			return;
		}
		if (!shell_is_among(p->words[i].text, actions))
			continue;
		while (end < p->n && !shell_word_is(p, end, ";") && !shell_word_is(p, end, "+"))
			end++;
		add_inner(s, &named, i + 1, end - i - 1, false, false);
		i = end;
	}
}

/* Options of git itself, before the subcommand; SIZE_MAX when they may run something. */
static size_t git_subcommand(const struct shell_part *p)
{
	static const char *const flags[] = { "--no-pager",
					     "--bare",
					     "--no-optional-locks",
					     "--literal-pathspecs",
					     "-P",
					     "--version",
					     "--help",
					     "--no-replace-objects",
					     "-h",
					     "-v",
					     NULL };
	static const char *const valued[] = { "-C", "--git-dir", "--work-tree", "--namespace",
					      NULL };
	size_t i = 1;

	for (; i < p->n && !p->words[i].opaque; i++) {
		struct str w = p->words[i].text;
		ptrdiff_t eq = str_chr(w, '=', 0);

		if (w.n == 0 || w.p[0] != '-')
			return i;
		if (shell_is_among(w, valued))
			i++;
		else if (!shell_is_among(w, flags) &&
			 !shell_is_among(str_sub(w, 0, (size_t)eq), valued))
			return SIZE_MAX;
	}
	return i < p->n ? SIZE_MAX : p->n;
}

/* Does a subcommand of git run what its arguments say? */
static bool git_runs(const struct shell_part *p, size_t sub)
{
	static const struct {
		const char *name;
		const char *words[7]; /* beginnings of arguments; none = whatever they are */
	} subs[] = {
		{ "archive", { "--exec", "--remote" } },
		{ "bisect", { "run" } },
		{ "clone", { "-u", "--upload-pack", "-c", "--config", "--template", "ext::" } },
		{ "config", { NULL } },
		{ "difftool", { "-x", "--ext" } },
		{ "fetch", { "--upload-pack", "ext::" } },
		{ "filter-branch", { NULL } },
		{ "grep", { "-O", "--open" } },
		{ "help", { NULL } },
		{ "init", { "--template" } },
		{ "ls-remote", { "--upload-pack", "--exec", "ext::" } },
		{ "mergetool", { NULL } },
		{ "pull", { "--upload-pack", "ext::" } },
		{ "push", { "--receive-pack", "--exec", "ext::" } },
		{ "rebase", { "-x", "--exec", "-i", "--interactive" } },
		{ "remote", { "ext::" } },
		{ "send-email", { NULL } },
		{ "submodule", { "foreach", "ext::" } },
	};

	for (size_t k = 0; k < ARRAY_LEN(subs); k++) {
		if (!shell_word_is(p, sub, subs[k].name))
			continue;
		for (size_t i = sub + 1; i < p->n && subs[k].words[0]; i++) {
			if (p->words[i].opaque)
				return true;
			for (size_t j = 0; j < ARRAY_LEN(subs[k].words) && subs[k].words[j]; j++)
				if (shell_option_fits(p->words[i].text, subs[k].words[j]))
					return true;
		}
		return !subs[k].words[0];
	}
	return false;
}

static void unwrap_git(struct shell_split *s, const struct shell_part *p)
{
	size_t sub = git_subcommand(p);

	if (sub == SIZE_MAX) {
		shell_add_unknown(s, p->depth);
		return;
	}
	/* "git -C dir push" is a "git push", too. */
	if (sub > 1 && sub < p->n) {
		struct shell_word *words = ARENA_ARRAY(s->arena, struct shell_word, p->n - sub + 1);

		words[0] = p->words[0];
		memcpy(words + 1, p->words + sub, (p->n - sub) * sizeof *words);
		shell_add(s, &(struct shell_part){ .words = words,
						   .n = p->n - sub + 1,
						   .more = p->more,
						   .depth = p->depth });
	} else if (git_runs(p, sub)) {
		shell_add_unknown(s, p->depth);
	}
}

static bool hooked_runs(const struct shell_part *p, struct str name)
{
	for (size_t k = 0; k < ARRAY_LEN(hooked); k++) {
		if (!str_eqz(name, hooked[k].name))
			continue;
		/* tar xIf: letters without a dash */
		if (str_eqz(name, "tar") && p->n > 1 &&
		    (str_chr(p->words[1].text, 'I', 0) >= 0 ||
		     str_chr(p->words[1].text, 'F', 0) >= 0))
			return true;
		for (size_t i = 1; i < p->n; i++) {
			if (p->words[i].opaque)
				return true;
			for (size_t j = 0; j < ARRAY_LEN(hooked[k].options); j++)
				if (hooked[k].options[j] &&
				    shell_option_fits(p->words[i].text, hooked[k].options[j]))
					return true;
		}
	}
	return false;
}

static bool awk_runs(const struct shell_part *p)
{
	for (size_t i = 1; i < p->n; i++) {
		struct str w = p->words[i].text;

		if (p->words[i].opaque || str_find(w, STR("system"), 0) >= 0 ||
		    str_chr(w, '|', 0) >= 0 || str_chr(w, '@', 0) >= 0 ||
		    (w.n > 1 && w.p[0] == '-' && !strchr("Fv", w.p[1])))
			return true;
	}
	return false;
}

/* s/a/b/g, 1,5p, $d: what surely runs nothing (GNU sed has a command e and a flag e). */
static bool sed_is_plain(struct str w)
{
	size_t i = 0, parts = 0;

	while (i < w.n && (char_is_digit(w.p[i]) || w.p[i] == ',' || w.p[i] == '$'))
		i++;
	if (i + 1 == w.n && strchr("pdq=", w.p[i]))
		return true;
	if (i + 2 >= w.n || (w.p[i] != 's' && w.p[i] != 'y') || strchr("\\\n", w.p[i + 1]))
		return false;
	char c = w.p[i + 1];
	for (i += 2; i < w.n && parts < 2; i++) {
		parts += w.p[i] == c;
		i += w.p[i] == '\\';
	}
	while (i < w.n && (char_is_digit(w.p[i]) || strchr("gpiI", w.p[i])))
		i++;
	return parts == 2 && i == w.n;
}

static bool sed_runs(const struct shell_part *p)
{
	bool script = false;

	for (size_t i = 1; i < p->n; i++) {
		struct str w = p->words[i].text;
		bool expression = str_eqz(w, "-e") || str_eqz(w, "--expression");

		if (p->words[i].opaque)
			return true;
		if (!expression && w.n > 1 && w.p[0] == '-') {
			if (w.p[1] == '-' || str_chr(w, 'f', 0) >= 0 || str_chr(w, 'e', 0) >= 0)
				return true;
			continue;
		}
		i += expression;
		if (i >= p->n || (!expression && script))
			continue;
		if (p->words[i].opaque || !sed_is_plain(p->words[i].text))
			return true;
		script = true;
	}
	return false;
}

static bool evaluates(const struct shell_part *p)
{
	for (size_t i = 1; i < p->n; i++)
		if (str_find(p->words[i].text, STR("$("), 0) >= 0 ||
		    str_chr(p->words[i].text, '`', 0) >= 0)
			return true;
	return false;
}

void shell_unwrap(struct shell_split *s, size_t at)
{
	const struct shell_part part = s->p[at], *p = &part; /* s->p moves when parts are added */
	struct str name;

	if (!p->n || p->words[0].opaque || p->unknown)
		return;
	name = shell_file_name(p->words[0].text);
	for (size_t i = 0; i < ARRAY_LEN(runners); i++)
		if (str_eqz(name, runners[i].name))
			unwrap_runner(s, &runners[i], p);
	if (shell_is_among(name, shells))
		unwrap_shell(s, p);
	else if (str_eqz(name, "eval"))
		unwrap_eval(s, p);
	else if ((str_eqz(name, ".") || str_eqz(name, "source")) && p->n > 1 &&
		 (p->words[1].opaque || str_starts(p->words[1].text, STR("/dev/"))))
		shell_add_unknown(s, p->depth);
	else if (str_eqz(name, "trap") && p->n > 2)
		parse_word(s, p, 1);
	else if (str_eqz(name, "find"))
		unwrap_find(s, p);
	else if (str_eqz(name, "git"))
		unwrap_git(s, p);
	else if (shell_is_among(name, opaque_runners) || shell_is_among(name, meddling) ||
		 hooked_runs(p, name) || (shell_is_among(name, awks) && awk_runs(p)) ||
		 (str_eqz(name, "sed") && sed_runs(p)) ||
		 (shell_is_among(name, evaluating) && evaluates(p)))
		shell_add_unknown(s, p->depth);
}

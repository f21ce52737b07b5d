/*
 * Programs that start others by rules of their own, which are not in shell/programs.c: git, sed,
 * awk, tar.  What they start becomes a call of its own, so that a rule for the one does not let the
 * other slip through.  Unknown options count as the worst.
 */
#include "shell/calls.h"

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
static const char *const seds[] = { "sed", NULL };

/* Options of git itself, before the subcommand; SIZE_MAX when they may run something. */
static size_t git_subcommand(const struct sh_call *p)
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
		if (sh_is_among(w, valued))
			i++;
		else if (!sh_is_among(w, flags) && !sh_is_among(str_sub(w, 0, (size_t)eq), valued))
			return SIZE_MAX;
	}
	return i < p->n ? SIZE_MAX : p->n;
}

/* Does a subcommand of git run what its arguments say? */
static bool git_runs(const struct sh_call *p, size_t sub)
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
		if (!sh_call_is(p, sub, subs[k].name))
			continue;
		for (size_t i = sub + 1; i < p->n && subs[k].words[0]; i++) {
			if (p->words[i].opaque)
				return true;
			for (size_t j = 0; j < ARRAY_LEN(subs[k].words) && subs[k].words[j]; j++)
				if (sh_option_fits(p->words[i].text, subs[k].words[j]))
					return true;
		}
		return !subs[k].words[0];
	}
	return false;
}

static void unwrap_git(struct sh_calls *s, const struct sh_call *p)
{
	size_t sub = git_subcommand(p);

	if (sub == SIZE_MAX) {
		sh_calls_unknown(s, p->depth);
		return;
	}
	/* "git -C dir push" is a "git push", too. */
	if (sub > 1 && sub < p->n) {
		struct sh_arg *words = ARENA_ARRAY(s->arena, struct sh_arg, p->n - sub + 1);

		words[0] = p->words[0];
		memcpy(words + 1, p->words + sub, (p->n - sub) * sizeof *words);
		sh_calls_add(s, &(struct sh_call){ .words = words,
						   .n = p->n - sub + 1,
						   .more = p->more,
						   .depth = p->depth });
	} else if (git_runs(p, sub)) {
		sh_calls_unknown(s, p->depth);
	}
}

static bool hooked_runs(const struct sh_call *p, struct str name)
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
				    sh_option_fits(p->words[i].text, hooked[k].options[j]))
					return true;
		}
	}
	return false;
}

static bool awk_runs(const struct sh_call *p)
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

static bool sed_runs(const struct sh_call *p)
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

static bool evaluates(const struct sh_call *p)
{
	for (size_t i = 1; i < p->n; i++)
		if (str_find(p->words[i].text, STR("$("), 0) >= 0 ||
		    str_chr(p->words[i].text, '`', 0) >= 0)
			return true;
	return false;
}

/* `export PS4=...`: what programs run is changed. */
static bool sets_code(const struct sh_call *p)
{
	static const char *const setting[] = { "declare", "export",   "local",   "printf",
					       "read",    "readonly", "typeset", NULL };

	if (!sh_is_among(p->words[0].text, setting))
		return false;
	for (size_t i = 1; i < p->n; i++) {
		struct str w = p->words[i].text;
		size_t n = 0;

		while (n < w.n && char_is_word(w.p[n]))
			n++;
		if (sh_is_code_variable(str_sub(w, 0, n)))
			return true;
	}
	return false;
}

/* Programs that run something with certain words only. */
static const struct {
	const char *const *names;
	bool (*runs)(const struct sh_call *p);
} sometimes[] = {
	{ awks, awk_runs },
	{ seds, sed_runs },
	{ evaluating, evaluates },
	{ evaluating, sets_code },
};

void sh_calls_unwrap_runner(struct sh_calls *s, size_t at)
{
	const struct sh_call call = s->p[at], *p = &call; /* s->p moves when calls are added */
	struct str name = sh_file_name(p->words[0].text);
	bool runs;

	if (str_eqz(name, "git")) {
		unwrap_git(s, p);
		return;
	}
	runs = sh_is_among(name, meddling) || hooked_runs(p, name);
	for (size_t i = 0; i < ARRAY_LEN(sometimes) && !runs; i++)
		runs = sh_is_among(name, sometimes[i].names) && sometimes[i].runs(p);
	if (runs)
		sh_calls_unknown(s, p->depth);
}

/*
 * What a policy knows about programs: which ones only read and which are dangerous; and shell text
 * as a policy sees it.
 */
#include "policy/shell.h"

/* ---- safe ---- */

static bool safe_always(const struct sh_call *p)
{
	(void)p;
	return true;
}

static bool safe_base64(const struct sh_call *p)
{
	for (size_t i = 1; i < p->n; i++)
		if (p->words[i].opaque || str_starts(p->words[i].text, STR("-o")) ||
		    str_starts(p->words[i].text, STR("--o")))
			return false;
	return true;
}

static bool safe_find(const struct sh_call *p)
{
	static const char *const writes[] = { "-delete",  "-exec", "-execdir", "-ok",
					      "-okdir",   "-fls",  "-fprint",  "-fprint0",
					      "-fprintf", NULL };

	for (size_t i = 1; i < p->n; i++)
		if (p->words[i].opaque || sh_is_among(p->words[i].text, writes))
			return false;
	return true;
}

static bool safe_git(const struct sh_call *p)
{
	static const char *const reads[] = { "diff", "log", "show", "status", NULL };
	static const char *const lists[] = { "-a",        "-r",     "-v",        "-vv",
					     "--all",     "--list", "--remotes", "--show-current",
					     "--verbose", NULL };
	static const char *const writes[] = { "--exec", "--ext-diff", "--output", "--textconv",
					      NULL };
	bool branch = sh_call_is(p, 1, "branch");

	if (p->n < 2 || sh_call_opaque(p, 1) || !(branch || sh_is_among(p->words[1].text, reads)))
		return false;
	for (size_t i = 2; i < p->n; i++) {
		if (branch && !sh_is_among(p->words[i].text, lists))
			return false;
		for (size_t k = 0; writes[k]; k++)
			if (sh_option_fits(p->words[i].text, writes[k]))
				return false;
	}
	return true;
}

static bool safe_rg(const struct sh_call *p)
{
	for (size_t i = 1; i < p->n; i++) {
		struct str w = p->words[i].text;
		bool is_short = w.n > 1 && w.p[0] == '-' && w.p[1] != '-';

		if (p->words[i].opaque || (is_short && str_chr(w, 'z', 0) >= 0) ||
		    str_starts(w, STR("--pre")) || str_starts(w, STR("--hostname-bin")) ||
		    str_starts(w, STR("--search-zip")))
			return false;
	}
	return true;
}

/* sed -n 5p FILE, sed -n 5,9p FILE */
static bool safe_sed(const struct sh_call *p)
{
	struct str w;

	if (p->n < 3 || p->n > 4 || sh_call_opaque(p, 1) || !sh_call_is(p, 1, "-n") ||
	    (p->n == 4 && str_starts(p->words[3].text, STR("-"))))
		return false;
	w = p->words[2].text;
	for (size_t i = 0; i + 1 < w.n; i++)
		if (!char_is_digit(w.p[i]) && !(w.p[i] == ',' && i > 0))
			return false;
	return w.n > 1 && char_is_digit(w.p[w.n - 2]) && w.p[w.n - 1] == 'p';
}

/* Its second operand is a file that it writes. */
static bool safe_uniq(const struct sh_call *p)
{
	size_t operands = 0;

	for (size_t i = 1; i < p->n; i++)
		operands += !str_starts(p->words[i].text, STR("-")) || sh_call_is(p, i, "-") ||
			    p->words[i].opaque;
	return operands <= 1 && !sh_call_opaque(p, 1);
}

static const struct {
	const char *name;
	bool (*safe)(const struct sh_call *p);
} safe[] = {
	{ "base64", safe_base64 }, { "cat", safe_always },  { "cd", safe_always },
	{ "cut", safe_always },    { "echo", safe_always }, { "expr", safe_always },
	{ "false", safe_always },  { "find", safe_find },   { "git", safe_git },
	{ "grep", safe_always },   { "head", safe_always }, { "id", safe_always },
	{ "ls", safe_always },     { "nl", safe_always },   { "numfmt", safe_always },
	{ "paste", safe_always },  { "pwd", safe_always },  { "rev", safe_always },
	{ "rg", safe_rg },         { "sed", safe_sed },     { "seq", safe_always },
	{ "stat", safe_always },   { "tac", safe_always },  { "tail", safe_always },
	{ "tr", safe_always },     { "true", safe_always }, { "uname", safe_always },
	{ "uniq", safe_uniq },     { "wc", safe_always },   { "which", safe_always },
	{ "whoami", safe_always },
};

bool shell_is_safe(const struct sh_calls *s)
{
	const struct sh_call *p = s->p;

	if (s->n != 1 || s->compound || !p->n || p->words[0].opaque || p->assigned ||
	    p->redirects || p->unknown)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(safe); i++)
		if (sh_call_is(p, 0, safe[i].name))
			return safe[i].safe(p);
	return false;
}

/* ---- dangerous ---- */

/* Is one of the letters in a bundle of short options, or one of the long options given? */
static bool has_option(const struct sh_call *p, const char *letters, const char *const *longs)
{
	for (size_t i = 1; i < p->n; i++) {
		struct str w = p->words[i].text;

		if (w.n < 2 || w.p[0] != '-')
			continue;
		for (size_t k = 1; w.p[1] != '-' && k < w.n; k++)
			if (strchr(letters, w.p[k]))
				return true;
		for (const char *const *l = longs; *l; l++)
			if (w.n > 2 && sh_option_fits(w, *l))
				return true;
	}
	return false;
}

static bool danger_rm(const struct sh_call *p)
{
	return has_option(p, "rRf", (const char *const[]){ "--recursive", "--force", NULL });
}

static bool danger_find(const struct sh_call *p)
{
	/* What -exec starts is judged by itself. */
	for (size_t i = 1; i < p->n; i++)
		if (sh_call_is(p, i, "-delete") || str_starts(p->words[i].text, STR("-fprint")) ||
		    sh_call_is(p, i, "-fls"))
			return true;
	return false;
}

static bool danger_git(const struct sh_call *p)
{
	if (sh_call_is(p, 1, "clean"))
		return has_option(p, "f", (const char *const[]){ "--force", NULL });
	if (sh_call_is(p, 1, "reset"))
		return has_option(p, "", (const char *const[]){ "--hard", NULL });
	if (!sh_call_is(p, 1, "push"))
		return false;
	for (size_t i = 2; i < p->n; i++)
		if (str_starts(p->words[i].text, STR("+")) ||
		    str_starts(p->words[i].text, STR(":")))
			return true;
	return has_option(p, "fd",
			  (const char *const[]){ "--force", "--force-with-lease", "--delete",
						 "--mirror", NULL });
}

/* A shell that reads what it runs from a pipe. */
static bool danger_shell(const struct sh_call *p)
{
	return p->n == 1 || has_option(p, "s", (const char *const[]){ NULL });
}

static const struct {
	const char *name;
	bool (*dangerous)(const struct sh_call *p); /* NULL = always */
} dangers[] = {
	{ "bash", danger_shell }, { "dash", danger_shell }, { "dd", NULL },
	{ "doas", NULL },         { "fdisk", NULL },        { "find", danger_find },
	{ "git", danger_git },    { "halt", NULL },         { "mkfs", NULL },
	{ "parted", NULL },       { "pkexec", NULL },       { "poweroff", NULL },
	{ "reboot", NULL },       { "rm", danger_rm },      { "run0", NULL },
	{ "sh", danger_shell },   { "shred", NULL },        { "shutdown", NULL },
	{ "su", NULL },           { "sudo", NULL },         { "wipefs", NULL },
	{ "zsh", danger_shell },
};

bool shell_is_dangerous(const struct sh_call *p)
{
	struct str name;

	if (!p->n)
		return false;
	name = sh_file_name(p->words[0].text);
	if (str_starts(name, STR("mkfs.")))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(dangers); i++)
		if (str_eqz(name, dangers[i].name))
			return !dangers[i].dangerous || dangers[i].dangerous(p);
	return false;
}

/* ---- texts ---- */

void policy_calls(struct sh_calls *s, struct str command)
{
	s->strict = true;
	s->unwrap = sh_calls_unwrap_runner;
	sh_calls_read(s, command);
}

bool shell_prefix(struct arena *a, struct str text, const struct sh_arg **ret_words, size_t *ret_n)
{
	AUTO(sh_calls_done) struct sh_calls s = { .arena = a, .strict = true };
	struct str t = str_trim(text);

	/* "git log *" says what a prefix says anyway. */
	if (str_ends(t, STR(" *")))
		t = str_trim(str_sub(t, 0, t.n - 1));
	sh_calls_text(&s, t, 0);
	if (s.n != 1 || s.compound || !s.p[0].n || s.p[0].unknown || s.p[0].assigned ||
	    s.p[0].redirects || !str_eq(s.p[0].source, t) || sh_call_opaque(&s.p[0], 0))
		return false;
	*ret_words = s.p[0].words;
	*ret_n = s.p[0].n;
	return true;
}

struct str shell_roots(struct arena *a, struct str command)
{
	AUTO(sh_calls_done) struct sh_calls s = { .arena = a };
	AUTO(buf_done) struct buf out = { 0 };

	sh_calls_text(&s, command, 0);
	for (size_t i = 0; i < s.n; i++) {
		bool seen = s.p[i].n == 0;

		for (size_t k = 0; k < i && !seen; k++)
			seen = s.p[k].n && str_eq(s.p[k].words[0].text, s.p[i].words[0].text);
		if (seen)
			continue;
		buf_addz(&out, out.n ? ", " : "");
		buf_adds(&out, s.p[i].words[0].text);
	}
	return out.n ? arena_str(a, buf_str(&out)) : arena_str(a, command);
}

/*
 * What is known about programs: which ones only read (host.md F6.9) and which are dangerous
 * (F6.11); and what others ask about a split command.
 */
#include "base/buf.h"
#include "base/vec.h"
#include "tools/policy_shell_impl.h"

struct str shell_file_name(struct str s)
{
	size_t i = s.n;

	while (i > 0 && s.p[i - 1] != '/')
		i--;
	return str_sub(s, i, s.n);
}

bool shell_word_is(const struct shell_part *p, size_t i, const char *text)
{
	return i < p->n && str_eqz(p->words[i].text, text);
}

bool shell_is_among(struct str s, const char *const *list)
{
	for (; list && *list; list++)
		if (str_eqz(s, *list))
			return true;
	return false;
}

bool shell_any_opaque(const struct shell_part *p, size_t from)
{
	for (size_t i = from; i < p->n; i++)
		if (p->words[i].opaque)
			return true;
	return false;
}

bool shell_option_fits(struct str word, const char *option)
{
	struct str o = str_from(option);
	ptrdiff_t eq = str_chr(word, '=', 0);
	struct str name = eq < 0 ? word : str_sub(word, 0, (size_t)eq);

	if (o.n == 2 && o.p[0] == '-') /* alone, or somewhere in a bundle */
		return word.n > 1 && word.p[0] == '-' && word.p[1] != '-' &&
		       str_chr(word, o.p[1], 1) > 0;
	/* Long options may be shortened. */
	return str_starts(word, o) || (name.n > 2 && str_starts(o, name));
}

/* ---- safe ---- */

static bool safe_always(const struct shell_part *p)
{
	(void)p;
	return true;
}

static bool safe_base64(const struct shell_part *p)
{
	for (size_t i = 1; i < p->n; i++)
		if (p->words[i].opaque || str_starts(p->words[i].text, STR("-o")) ||
		    str_starts(p->words[i].text, STR("--o")))
			return false;
	return true;
}

static bool safe_find(const struct shell_part *p)
{
	static const char *const writes[] = { "-delete",  "-exec", "-execdir", "-ok",
					      "-okdir",   "-fls",  "-fprint",  "-fprint0",
					      "-fprintf", NULL };

	for (size_t i = 1; i < p->n; i++)
		if (p->words[i].opaque || shell_is_among(p->words[i].text, writes))
			return false;
	return true;
}

static bool safe_git(const struct shell_part *p)
{
	static const char *const reads[] = { "diff", "log", "show", "status", NULL };
	static const char *const lists[] = { "-a",        "-r",     "-v",        "-vv",
					     "--all",     "--list", "--remotes", "--show-current",
					     "--verbose", NULL };
	static const char *const writes[] = { "--exec", "--ext-diff", "--output", "--textconv",
					      NULL };
	bool branch = shell_word_is(p, 1, "branch");

	if (p->n < 2 || shell_any_opaque(p, 1) ||
	    !(branch || shell_is_among(p->words[1].text, reads)))
		return false;
	for (size_t i = 2; i < p->n; i++) {
		if (branch && !shell_is_among(p->words[i].text, lists))
			return false;
		for (size_t k = 0; writes[k]; k++)
			if (shell_option_fits(p->words[i].text, writes[k]))
				return false;
	}
	return true;
}

static bool safe_rg(const struct shell_part *p)
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
static bool safe_sed(const struct shell_part *p)
{
	struct str w;

	if (p->n < 3 || p->n > 4 || shell_any_opaque(p, 1) || !shell_word_is(p, 1, "-n") ||
	    (p->n == 4 && str_starts(p->words[3].text, STR("-"))))
		return false;
	w = p->words[2].text;
	for (size_t i = 0; i + 1 < w.n; i++)
		if (!char_is_digit(w.p[i]) && !(w.p[i] == ',' && i > 0))
			return false;
	return w.n > 1 && char_is_digit(w.p[w.n - 2]) && w.p[w.n - 1] == 'p';
}

/* Its second operand is a file that it writes. */
static bool safe_uniq(const struct shell_part *p)
{
	size_t operands = 0;

	for (size_t i = 1; i < p->n; i++)
		operands += !str_starts(p->words[i].text, STR("-")) || shell_word_is(p, i, "-") ||
			    p->words[i].opaque;
	return operands <= 1 && !shell_any_opaque(p, 1);
}

static const struct {
	const char *name;
	bool (*safe)(const struct shell_part *p);
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

bool shell_is_safe(const struct shell_split *s)
{
	const struct shell_part *p = s->p;

	if (s->n != 1 || s->compound || !p->n || p->words[0].opaque || p->assigned ||
	    p->redirects || p->unknown)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(safe); i++)
		if (shell_word_is(p, 0, safe[i].name))
			return safe[i].safe(p);
	return false;
}

/* ---- dangerous ---- */

/* Does one of the letters stand in a bundle of short options, or one of the long ones there? */
static bool has_option(const struct shell_part *p, const char *letters, const char *const *longs)
{
	for (size_t i = 1; i < p->n; i++) {
		struct str w = p->words[i].text;

		if (w.n < 2 || w.p[0] != '-')
			continue;
		for (size_t k = 1; w.p[1] != '-' && k < w.n; k++)
			if (strchr(letters, w.p[k]))
				return true;
		for (const char *const *l = longs; *l; l++)
			if (w.n > 2 && shell_option_fits(w, *l))
				return true;
	}
	return false;
}

static bool danger_rm(const struct shell_part *p)
{
	return has_option(p, "rRf", (const char *const[]){ "--recursive", "--force", NULL });
}

static bool danger_find(const struct shell_part *p)
{
	/* What -exec starts is judged by itself. */
	for (size_t i = 1; i < p->n; i++)
		if (shell_word_is(p, i, "-delete") ||
		    str_starts(p->words[i].text, STR("-fprint")) || shell_word_is(p, i, "-fls"))
			return true;
	return false;
}

static bool danger_git(const struct shell_part *p)
{
	if (shell_word_is(p, 1, "clean"))
		return has_option(p, "f", (const char *const[]){ "--force", NULL });
	if (shell_word_is(p, 1, "reset"))
		return has_option(p, "", (const char *const[]){ "--hard", NULL });
	if (!shell_word_is(p, 1, "push"))
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
static bool danger_shell(const struct shell_part *p)
{
	return p->n == 1 || has_option(p, "s", (const char *const[]){ NULL });
}

static const struct {
	const char *name;
	bool (*dangerous)(const struct shell_part *p); /* NULL = always */
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

bool shell_is_dangerous(const struct shell_part *p)
{
	struct str name;

	if (!p->n)
		return false;
	name = shell_file_name(p->words[0].text);
	if (str_starts(name, STR("mkfs.")))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(dangers); i++)
		if (str_eqz(name, dangers[i].name))
			return !dangers[i].dangerous || dangers[i].dangerous(p);
	return false;
}

/* ---- split commands ---- */

void shell_add(struct shell_split *s, const struct shell_part *part)
{
	if (s->n < SHELL_PARTS_MAX)
		*VEC_ADD(s) = *part;
	else
		s->p[s->n - 1] = (struct shell_part){ .unknown = true, .redirects = true };
}

void shell_add_unknown(struct shell_split *s, unsigned depth)
{
	shell_add(s, &(struct shell_part){ .unknown = true, .depth = depth });
}

void shell_split(struct shell_split *s, struct str command)
{
	s->compound = false;
	shell_parse(s, command, 0);
	for (size_t i = 0; i < s->n; i++)
		shell_unwrap(s, i);
}

void shell_split_done(struct shell_split *s)
{
	free(s->p);
	s->p = NULL;
	s->n = s->cap = 0;
}

bool shell_prefix(struct arena *a, struct str text, const struct shell_word **ret_words,
		  size_t *ret_n)
{
	AUTO(shell_split_done) struct shell_split s = { .arena = a };
	struct str t = str_trim(text);

	/* "git log *" says what a prefix says anyway. */
	if (str_ends(t, STR(" *")))
		t = str_trim(str_sub(t, 0, t.n - 1));
	shell_parse(&s, t, 0);
	if (s.n != 1 || s.compound || !s.p[0].n || s.p[0].unknown || s.p[0].assigned ||
	    s.p[0].redirects || !str_eq(s.p[0].source, t))
		return false;
	for (size_t i = 0; i < s.p[0].n; i++)
		if (s.p[0].words[i].opaque)
			return false;
	*ret_words = s.p[0].words;
	*ret_n = s.p[0].n;
	return true;
}

struct str shell_part_text(struct arena *a, const struct shell_part *part)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < part->n; i++) {
		buf_addz(&out, i ? " " : "");
		buf_adds(&out, part->words[i].text);
	}
	return arena_str(a, buf_str(&out));
}

struct str shell_roots(struct arena *a, struct str command)
{
	AUTO(shell_split_done) struct shell_split s = { .arena = a };
	AUTO(buf_done) struct buf out = { 0 };

	shell_parse(&s, command, 0);
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

/* What a word is when its variables are known, and a text as a word. */
#include "base/env.h"
#include "base/words.h"
#include "shell/shell.h"

/* Words that bash or a POSIX shell would not look for on PATH: builtins and keywords, sorted. */
static const char *const builtins[] = {
	"!",         ".",        ":",       "[",       "[[",     "alias",   "bg",       "bind",
	"break",     "builtin",  "caller",  "case",    "cd",     "command", "compgen",  "complete",
	"compopt",   "continue", "coproc",  "declare", "dirs",   "disown",  "do",       "done",
	"echo",      "elif",     "else",    "enable",  "esac",   "eval",    "exec",     "exit",
	"export",    "false",    "fc",      "fg",      "fi",     "for",     "function", "getopts",
	"hash",      "help",     "history", "if",      "in",     "jobs",    "kill",     "let",
	"local",     "logout",   "mapfile", "popd",    "printf", "pushd",   "pwd",      "read",
	"readarray", "readonly", "return",  "select",  "set",    "shift",   "shopt",    "source",
	"suspend",   "test",     "then",    "time",    "times",  "trap",    "true",     "type",
	"typeset",   "ulimit",   "umask",   "unalias", "unset",  "until",   "wait",     "while",
	"{",         "}"
};

bool sh_is_builtin(struct str name)
{
	return WORD_IN(name, builtins);
}

bool sh_is_plain(char c)
{
	return char_is_word(c) || (c && strchr("./:@%+,-=", c)) || (unsigned char)c >= 0x80;
}

bool sh_is_name(struct str s)
{
	return env_name_is_valid(s);
}

void sh_quote(struct buf *out, struct str s)
{
	buf_addc(out, '\'');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\'')
			buf_addz(out, "'\\''");
		else
			buf_addc(out, s.p[i]);
	}
	buf_addc(out, '\'');
}

/* ---- values ---- */

static struct str operand_value(struct arena *a, const struct sh_piece *p,
				const struct sh_values *v, bool *known)
{
	struct str s = { 0 };

	if (p->operand && !sh_value(a, p->operand, v, &s))
		*known = false;
	return s;
}

/* ${x%PATTERN} and its kin, where the pattern is text, or a star on one side of a slash. */
static bool cut(struct str value, const struct sh_piece *p, struct str pattern, bool literal,
		struct str *ret)
{
	bool suffix = p->op.p[0] == '%', longest = p->op.n == 2;
	ptrdiff_t first = str_chr(value, '/', 0), last = -1;

	for (ptrdiff_t at = first; at >= 0; at = str_chr(value, '/', (size_t)at + 1))
		last = at;
	*ret = value;
	/* Quotes around the whole do not change what a star in there means. */
	if (literal && !str_eqz(pattern, suffix ? "/*" : "*/")) {
		if (suffix && str_ends(value, pattern))
			ret->n -= pattern.n;
		else if (!suffix && str_starts(value, pattern))
			*ret = str_sub(value, pattern.n, value.n);
		return true;
	}
	if (!str_eqz(pattern, suffix ? "/*" : "*/"))
		return false;
	if (first >= 0 && suffix)
		*ret = str_sub(value, 0, (size_t)(longest ? first : last));
	else if (first >= 0)
		*ret = str_sub(value, (size_t)(longest ? last : first) + 1, value.n);
	return true;
}

static bool variable_value(struct arena *a, const struct sh_piece *p, const struct sh_values *v,
			   struct str *ret)
{
	enum sh_known k = SH_UNKNOWN;
	struct str value = { 0 };
	bool known = true;

	/* ${x[0]} is $x, of arrays too. */
	bool first = p->subscript == 3 && p->text.p[p->text.n + 1] == '0';
	if (v && v->variable && !p->indirect && !p->length && (!p->subscript || first))
		k = v->variable(v->data, p->text, &value);
	if (k == SH_UNKNOWN)
		return false;
	if (!p->op.n) {
		*ret = value;
		return true;
	}
	char op = p->op.p[p->op.n - 1];
	bool set = k == SH_KNOWN && (p->op.p[0] != ':' || value.n);
	if (strchr("-=", op)) {
		*ret = set ? value : operand_value(a, p, v, &known);
		return known;
	}
	if (op == '?' || op == '+') {
		*ret = op == '?' ? value : set ? operand_value(a, p, v, &known) : STR("");
		return known && (set || op == '+');
	}
	if (op != '%' && (op != '#' || p->op.p[0] == '/'))
		return false;
	struct str pattern = operand_value(a, p, v, &known);
	return cut(value, p, pattern, known, ret);
}

/* Would a shell make several words, or none, of an unquoted value? */
static bool is_split(const struct sh_word *w, struct str value)
{
	for (size_t i = 0; i < value.n; i++)
		if (strchr(" \t\n*?[\\", value.p[i]))
			return true;
	return value.n == 0 && w->n == 1;
}

static bool piece_value(struct arena *a, const struct sh_word *w, const struct sh_piece *p,
			const struct sh_values *v, struct str *ret)
{
	bool known = false;

	switch (p->kind) {
	case SH_TEXT:
		*ret = p->text;
		return true;
	case SH_GLOB:
		*ret = p->text;
		return w->n == 1 && str_eqz(p->text, "["); /* the program of that name */
	case SH_BRACE:
		*ret = p->text;
		return false;
	case SH_TILDE:
		*ret = p->text;
		return str_eqz(p->text, "~") && v && v->variable &&
		       v->variable(v->data, STR("HOME"), ret) == SH_KNOWN;
	case SH_VARIABLE:
		known = variable_value(a, p, v, ret);
		break;
	case SH_COMMAND:
		known = v && v->command && v->command(v->data, p->script, ret);
		break;
	case SH_ARITH:
	case SH_PROCESS:
		break;
	}
	return known && !(v->split && p->quote == SH_BARE && is_split(w, *ret));
}

bool sh_value(struct arena *a, const struct sh_word *w, const struct sh_values *v, struct str *ret)
{
	AUTO(buf_done) struct buf out = { 0 };
	bool known = true;

	for (size_t i = 0; i < w->n; i++) {
		struct str s = { 0 };

		known &= piece_value(a, w, &w->p[i], v, &s);
		buf_adds(&out, s);
	}
	*ret = arena_str(a, buf_str(&out));
	return known;
}

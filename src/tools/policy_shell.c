/*
 * The scanner behind policy_shell.h: bash's grammar as far as it takes to find every simple
 * command. It is lenient about what bash refuses to run and strict about what bash might read
 * differently: there it gives up (.lost), and an unknown part stands for the rest.
 */
#include "tools/policy_shell_impl.h"

#include "base/buf.h"
#include "base/vec.h"

enum { HEREDOCS_MAX = 8 };

struct heredoc {
	struct str end;
	bool quoted, tabs;
};

struct scan {
	struct shell_split *out;
	struct str text;
	size_t at;
	unsigned depth;
	bool lost;
	struct heredoc heredocs[HEREDOCS_MAX];
	size_t nheredocs;
};

/* A word while it is read. */
struct word {
	struct buf text;
	bool some, opaque, quoted;
	bool assigns; /* begins with NAME= or NAME+= */
};

struct words {
	struct shell_word *p;
	size_t n, cap;
};

/* Where a list ends. */
enum list_end { END_TEXT, END_PAREN, END_CASE };

static void take_list(struct scan *s, enum list_end end);
static void take_dollar(struct scan *s, struct word *w, bool in_quotes);

static char peek(const struct scan *s, size_t ahead)
{
	return s->at + ahead < s->text.n ? s->text.p[s->at + ahead] : '\0';
}

static bool at_end(const struct scan *s)
{
	return s->lost || s->at >= s->text.n;
}

static bool is_meta(char c)
{
	return c == '\0' || strchr(" \t\n;&|()<>", c) != NULL;
}

/*
 * A backslash before a line break, which is nothing: but for bash, not for this scanner, it joins
 * what stands on both sides to one operator ("$" and "(").
 */
static bool take_continuation(struct scan *s)
{
	if (peek(s, 0) != '\\' || peek(s, 1) != '\n')
		return false;
	s->lost |= s->at > 0 && strchr("$(<>;{`", s->text.p[s->at - 1]);
	s->at += 2;
	return true;
}

static void skip_blanks(struct scan *s)
{
	while (!at_end(s)) {
		char c = peek(s, 0);

		if (take_continuation(s))
			continue;
		if (c != ' ' && c != '\t')
			break;
		s->at++;
	}
	if (peek(s, 0) == '#')
		while (s->at < s->text.n && s->text.p[s->at] != '\n')
			s->at++;
}

/* ---- words ---- */

/* What stands between $( or ( and its bracket. */
static void take_nested(struct scan *s, size_t opening)
{
	if (s->depth >= SHELL_DEPTH_MAX || s->nheredocs) {
		s->lost = true;
		return;
	}
	s->depth++;
	s->at += opening;
	take_list(s, END_PAREN);
	s->lost |= peek(s, 0) != ')' || s->nheredocs;
	s->at++;
	s->depth--;
}

/*
 * $((...)): only what cannot hold a command.  The last two brackets stand together, or it is a
 * substitution whose first command is a subshell.
 */
static void take_arithmetic(struct scan *s)
{
	unsigned open = 2;

	for (s->at += 3; !at_end(s); s->at++) {
		char c = peek(s, 0);

		if (c == '(') {
			open++;
		} else if (c == ')' && --open == 1) {
			s->lost |= peek(s, 1) != ')';
			s->at += 2;
			return;
		} else if (c != ')' && !char_is_word(c) &&
			   (!c || !strchr(" \t+-*/%<>=!&|^~?:,", c))) {
			break;
		}
	}
	s->lost = true;
}

/* ${...}: a name and an operator; quotes in there have rules of their own. */
static void take_braces(struct scan *s)
{
	struct word unused = { 0 };

	s->at += 2;
	s->lost |= peek(s, 0) == '!' || s->depth >= SHELL_DEPTH_MAX;
	s->depth++;
	while (!at_end(s) && peek(s, 0) != '}') {
		char c = peek(s, 0);

		if (c == '$' || c == '`') {
			take_dollar(s, &unused, true);
		} else if (strchr("'\"{@<>", c) && !(c == '@' && strchr("]}", peek(s, 1)))) {
			s->lost = true;
		} else {
			s->at += 1 + (c == '\\');
		}
	}
	s->lost |= s->at >= s->text.n;
	s->at++;
	s->depth--;
	buf_done(&unused.text);
}

/* Another text whose commands are run, too. */
static void take_text(struct scan *s, struct str text)
{
	if (s->depth + 1 >= SHELL_DEPTH_MAX)
		s->lost = true;
	else
		shell_parse(s->out, text, s->depth + 1);
}

static void take_backquotes(struct scan *s, bool in_quotes)
{
	AUTO(buf_done) struct buf inner = { 0 };

	for (s->at++; s->at < s->text.n && s->text.p[s->at] != '`'; s->at++) {
		char next = peek(s, 1);

		if (peek(s, 0) == '\\' && next &&
		    (strchr("`\\$", next) || (in_quotes && next == '"')))
			s->at++;
		buf_addc(&inner, s->text.p[s->at]);
	}
	s->lost |= s->at >= s->text.n;
	s->at++;
	take_text(s, arena_str(s->out->arena, buf_str(&inner)));
}

/* $'...': its escapes are not read. */
static void take_ansi(struct scan *s, struct word *w)
{
	for (s->at += 2; !at_end(s) && peek(s, 0) != '\''; s->at++) {
		if (peek(s, 0) == '\\') {
			w->opaque = true;
			s->at++;
		}
		buf_addc(&w->text, peek(s, 0));
	}
	s->lost |= s->at >= s->text.n;
	s->at++;
	w->quoted = true;
}

static void take_name(struct scan *s, struct word *w)
{
	char c = peek(s, 1);

	if (!char_is_word(c) && (!c || !strchr("@*#?-$!", c))) {
		buf_addc(&w->text, '$');
		s->at++;
		return;
	}
	w->opaque = true;
	s->at += 2;
	if (char_is_word(c) && !char_is_digit(c))
		while (char_is_word(peek(s, 0)))
			s->at++;
}

/* A dollar or a backquote. */
static void take_dollar(struct scan *s, struct word *w, bool in_quotes)
{
	char c = peek(s, 1);

	w->some = true;
	s->lost |= c == '\\' && peek(s, 2) == '\n';
	if (peek(s, 0) == '`') {
		w->opaque = true;
		take_backquotes(s, in_quotes);
	} else if (c == '(') {
		w->opaque = true;
		if (peek(s, 2) == '(')
			take_arithmetic(s);
		else
			take_nested(s, 2);
	} else if (c == '{') {
		w->opaque = true;
		take_braces(s);
	} else if (c == '[') {
		s->lost = true;
	} else if (c == '\'' && !in_quotes) {
		take_ansi(s, w);
	} else if (c == '"' && !in_quotes) {
		s->at++;
	} else {
		take_name(s, w);
	}
}

static void take_single(struct scan *s, struct word *w)
{
	ptrdiff_t end = str_chr(s->text, '\'', s->at + 1);

	w->some = w->quoted = true;
	s->lost |= end < 0;
	if (end < 0)
		return;
	buf_adds(&w->text, str_sub(s->text, s->at + 1, (size_t)end));
	s->at = (size_t)end + 1;
}

static void take_double(struct scan *s, struct word *w)
{
	w->some = w->quoted = true;
	for (s->at++; !at_end(s) && peek(s, 0) != '"';) {
		char c = peek(s, 0), next = peek(s, 1);

		if (c == '$' || c == '`') {
			take_dollar(s, w, true);
			continue;
		}
		if (take_continuation(s))
			continue;
		if (c == '\\' && next && strchr("$`\"\\", next)) {
			s->at++;
			c = next;
		}
		buf_addc(&w->text, c);
		s->at++;
	}
	s->lost |= s->at >= s->text.n;
	s->at++;
}

/* NAME or NAME+, before "=". */
static bool is_name(struct str s)
{
	size_t n = s.n - (s.n > 1 && s.p[s.n - 1] == '+');

	for (size_t i = 0; i < n; i++)
		if (!char_is_word(s.p[i]) || char_is_digit(s.p[0]))
			return false;
	return n > 0;
}

static void take_char(struct scan *s, struct word *w)
{
	char c = peek(s, 0);

	if (take_continuation(s))
		return;
	if (c == '\\') {
		s->lost |= s->at + 1 >= s->text.n;
		w->quoted = true;
		s->at++;
		c = peek(s, 0);
	} else if (strchr("*?[", c) ||
		   (c == '{' && peek(s, 1) != '}' && (w->some || !is_meta(peek(s, 1))))) {
		w->opaque = true;
	}
	w->assigns |= c == '=' && !w->quoted && !w->opaque && is_name(buf_str(&w->text));
	w->some = true;
	buf_addc(&w->text, c);
	s->at++;
}

/* A word up to the next character that ends one; false when there is none. */
static bool take_word(struct scan *s, struct word *w)
{
	w->some = w->opaque = w->quoted = w->assigns = false;
	buf_clear(&w->text);
	while (!at_end(s)) {
		char c = peek(s, 0);

		if ((c == '<' || c == '>') && peek(s, 1) == '(') {
			w->some = w->opaque = true;
			take_nested(s, 2);
		} else if (is_meta(c)) {
			break;
		} else if (c == '\'') {
			take_single(s, w);
		} else if (c == '"') {
			take_double(s, w);
		} else if (c == '$' || c == '`') {
			take_dollar(s, w, false);
		} else {
			take_char(s, w);
		}
	}
	return w->some && !s->lost;
}

static struct shell_word word_done(struct scan *s, struct word *w)
{
	struct str text = arena_str(s->out->arena, buf_str(&w->text));

	return (struct shell_word){ text, w->opaque && !str_eqz(text, "[") };
}

/* ---- redirections and here-documents ---- */

/* The delimiter of a here-document: a plain word, quoted as a whole or not at all. */
static void take_delimiter(struct scan *s, bool tabs)
{
	char quote = peek(s, 0);
	struct heredoc *h = &s->heredocs[s->nheredocs];

	if (s->nheredocs == HEREDOCS_MAX) {
		s->lost = true;
		return;
	}
	quote = quote == '\'' || quote == '"' || quote == '\\' ? quote : '\0';
	s->at += quote != '\0';
	size_t from = s->at;
	while (char_is_word(peek(s, 0)))
		s->at++;
	*h = (struct heredoc){ str_sub(s->text, from, s->at), quote != '\0', tabs };
	s->lost |= h->end.n == 0;
	if (quote && quote != '\\') {
		s->lost |= peek(s, 0) != quote;
		s->at++;
	}
	s->lost |= !is_meta(peek(s, 0));
	s->nheredocs++;
}

/* The commands in a here-document whose delimiter is not quoted. */
static void take_body(struct scan *s, struct str body)
{
	struct scan in = { .out = s->out, .text = body, .depth = s->depth + 1 };
	struct word unused = { 0 };

	while (!at_end(&in)) {
		char c = peek(&in, 0);

		if (c == '\\' && peek(&in, 1) == '\n')
			in.lost = true; /* the line might be the delimiter, or not */
		else if (c == '$' || c == '`')
			take_dollar(&in, &unused, true);
		else
			in.at += 1 + (c == '\\');
	}
	s->lost |= in.lost || in.depth > SHELL_DEPTH_MAX;
	buf_done(&unused.text);
}

static void take_heredoc(struct scan *s, const struct heredoc *h)
{
	size_t from = s->at;

	while (s->at < s->text.n) {
		ptrdiff_t nl = str_chr(s->text, '\n', s->at);
		size_t start = s->at, end = nl < 0 ? s->text.n : (size_t)nl;

		for (size_t i = start; h->tabs && i < end && s->text.p[i] == '\t'; i++)
			s->at++;
		bool last = str_eq(str_sub(s->text, s->at, end), h->end);
		s->at = min_size(end + 1, s->text.n);
		if (last) {
			if (!h->quoted)
				take_body(s, str_sub(s->text, from, start));
			return;
		}
	}
	s->lost = true;
}

static void take_newline(struct scan *s)
{
	s->at++;
	for (size_t i = 0; i < s->nheredocs && !s->lost; i++)
		take_heredoc(s, &s->heredocs[i]);
	s->nheredocs = 0;
}

/* Does a redirection stand here?  "&>" is one, "<(" is a word. */
static bool at_redirection(const struct scan *s)
{
	char c = peek(s, 0), next = peek(s, 1);

	return (c == '<' || c == '>') ? next != '(' : c == '&' && next == '>';
}

static bool is_descriptor(struct str s)
{
	size_t n = s.n;

	if (str_eqz(s, "-"))
		return true;
	n -= n > 1 && s.p[n - 1] == '-';
	for (size_t i = 0; i < n; i++)
		if (!char_is_digit(s.p[i]))
			return false;
	return n > 0;
}

static void take_redirection(struct scan *s, struct shell_part *part, struct word *w)
{
	size_t from = s->at;

	while (s->at < s->text.n && s->at < from + 3 && strchr("<>&|", s->text.p[s->at]) &&
	       !(s->at > from && strchr("<>", s->text.p[s->at]) && peek(s, 1) == '('))
		s->at++;
	struct str op = str_sub(s->text, from, s->at);
	bool here = str_eqz(op, "<<");
	bool dup = str_eqz(op, ">&") || str_eqz(op, "<&");
	static const char *const ops[] = { "<",  ">",  ">>",  ">|", "<>", "<&",
					   ">&", "&>", "&>>", "<<", "<<<" };
	size_t known = 0;

	while (known < ARRAY_LEN(ops) && !str_eqz(op, ops[known]))
		known++;
	s->lost |= known == ARRAY_LEN(ops);
	bool tabs = here && peek(s, 0) == '-';
	s->at += tabs;
	while (peek(s, 0) == ' ' || peek(s, 0) == '\t')
		s->at++;
	if (here) {
		part->redirects = true;
		take_delimiter(s, tabs);
		return;
	}
	if (!take_word(s, w)) {
		s->lost = true;
		return;
	}
	struct str target = buf_str(&w->text);
	part->redirects |=
		w->opaque || !(str_eqz(target, "/dev/null") || (dup && is_descriptor(target)));
}

/* ---- commands ---- */

static void take_case(struct scan *s)
{
	struct word w = { 0 };

	skip_blanks(s);
	s->lost |= !take_word(s, &w);
	for (skip_blanks(s); peek(s, 0) == '\n'; skip_blanks(s))
		take_newline(s);
	s->lost |= !take_word(s, &w) || !str_eqz(buf_str(&w.text), "in");
	while (!s->lost) {
		for (skip_blanks(s); peek(s, 0) == '\n'; skip_blanks(s))
			take_newline(s);
		s->at += peek(s, 0) == '(';
		skip_blanks(s);
		if (!take_word(s, &w))
			s->lost = true;
		else if (!w.quoted && str_eqz(buf_str(&w.text), "esac"))
			break;
		for (skip_blanks(s); peek(s, 0) == '|' && !s->lost; skip_blanks(s)) {
			s->at++;
			skip_blanks(s);
			s->lost |= !take_word(s, &w);
		}
		s->lost |= peek(s, 0) != ')' || s->depth >= SHELL_DEPTH_MAX;
		s->at++;
		if (s->lost)
			break;
		s->depth++;
		take_list(s, END_CASE);
		s->depth--;
		if (peek(s, 0) != ';') {
			s->at += 4; /* esac, see at_esac() */
			break;
		}
		s->at += 2;
		s->at += peek(s, 0) == '&';
	}
	buf_done(&w.text);
}

/* for NAME [in WORDS], select likewise; what follows is a list with "do" in front. */
static void take_for(struct scan *s, struct word *w)
{
	skip_blanks(s);
	if (!take_word(s, w) || w->opaque || w->quoted) {
		s->lost = true;
		return;
	}
	for (skip_blanks(s); peek(s, 0) == '\n'; skip_blanks(s))
		take_newline(s);
	if (peek(s, 0) == ';')
		return;
	if (!take_word(s, w) || w->quoted || w->opaque) {
		s->lost = true;
		return;
	}
	if (str_eqz(buf_str(&w->text), "do"))
		return;
	s->lost |= !str_eqz(buf_str(&w->text), "in");
	for (skip_blanks(s); !s->lost && peek(s, 0) && !strchr(";\n", peek(s, 0)); skip_blanks(s))
		s->lost |= !take_word(s, w);
}

static void take_function(struct scan *s, struct word *w)
{
	skip_blanks(s);
	s->lost |= !take_word(s, w);
	skip_blanks(s);
	if (peek(s, 0) == '(') {
		s->at++;
		skip_blanks(s);
		s->lost |= peek(s, 0) != ')';
		s->at++;
	}
}

/* Words after which a command still begins. */
static const char *const transparent[] = { "!",  "do",   "done",  "elif",  "else", "fi",
					   "if", "then", "until", "while", "{",    "}" };
/* What is not followed: other rules of quoting, or of comments, hold in there. */
static const char *const strange[] = { "[[", "coproc", "esac", "in" };

static void take_flag(struct scan *s, struct str flag)
{
	skip_blanks(s);
	if (str_starts(str_sub(s->text, s->at, s->text.n), flag) && is_meta(peek(s, flag.n)))
		s->at += flag.n;
}

static bool is_one_of(struct str word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_eqz(word, list[i]))
			return true;
	return false;
}

/* Does the grammar, and not a program, own the first word of a command? */
static bool take_reserved(struct scan *s, struct word *w)
{
	struct str text = buf_str(&w->text);

	if (w->quoted || (w->opaque && !str_eqz(text, "{") && !str_eqz(text, "[[")))
		return false;
	if (is_one_of(text, transparent, ARRAY_LEN(transparent)))
		return true;
	if (str_eqz(text, "time")) {
		take_flag(s, STR("-p"));
		take_flag(s, STR("--"));
		return true;
	}
	if (is_one_of(text, strange, ARRAY_LEN(strange)))
		s->lost = true;
	else if (str_eqz(text, "case"))
		take_case(s);
	else if (str_eqz(text, "for") || str_eqz(text, "select"))
		take_for(s, w);
	else if (str_eqz(text, "function"))
		take_function(s, w);
	else
		return false;
	return true;
}

static bool all_digits(const struct word *w)
{
	return !w->quoted && !w->opaque && w->text.n && !str_eqz(buf_str(&w->text), "-") &&
	       is_descriptor(buf_str(&w->text)) && w->text.p[w->text.n - 1] != '-';
}

/* One word; false when the command is over. */
static bool take_item(struct scan *s, struct shell_part *part, struct words *words, struct word *w)
{
	skip_blanks(s);
	if (at_end(s))
		return false;
	if (at_redirection(s)) {
		take_redirection(s, part, w);
		return true;
	}
	if (peek(s, 0) == '(') {
		/* name () { ...: the body is a command like any other. */
		bool function = words->n == 1 && !part->assigned && !part->redirects;

		s->at++;
		skip_blanks(s);
		s->lost |= !function || peek(s, 0) != ')';
		s->at++;
		words->n = 0;
		return !s->lost;
	}
	if (!take_word(s, w))
		return false;
	if (all_digits(w) && at_redirection(s) && peek(s, 0) != '&') {
		take_redirection(s, part, w);
		return true;
	}
	if (words->n == 0 && w->assigns) {
		part->assigned = true;
		return true;
	}
	if (words->n == 0 && !part->assigned && !part->redirects && take_reserved(s, w))
		return !s->lost;
	*VEC_ADD(words) = word_done(s, w);
	return true;
}

static void take_command(struct scan *s)
{
	struct shell_part part = { .depth = s->depth };
	struct words words = { 0 };
	struct word w = { 0 };
	size_t from = s->at;

	while (take_item(s, &part, &words, &w))
		;
	part.source = str_trim(str_sub(s->text, from, s->at));
	part.n = words.n;
	part.words = ARENA_ARRAY(s->out->arena, struct shell_word, words.n + 1);
	if (words.n)
		memcpy((void *)part.words, words.p, words.n * sizeof *words.p);
	if (part.n || part.assigned || part.redirects)
		shell_add(s->out, &part);
	free(words.p);
	buf_done(&w.text);
}

static void take_operator(struct scan *s)
{
	char c = peek(s, 0), next = peek(s, 1);
	bool twice = c == next && c != ';';

	s->out->compound = true;
	s->at += 1 + (twice || (c == '|' && next == '&'));
}

/* The end of a branch of case; the word itself stays. */
static bool at_esac(const struct scan *s)
{
	return str_starts(str_sub(s->text, s->at, s->text.n), STR("esac")) && is_meta(peek(s, 4));
}

/* Commands up to the end, which is left where it is. */
static void take_list(struct scan *s, enum list_end end)
{
	for (skip_blanks(s); !at_end(s); skip_blanks(s)) {
		char c = peek(s, 0), next = peek(s, 1);

		if (c == ')') {
			s->lost |= end != END_PAREN;
			return;
		}
		if (end == END_CASE && ((c == ';' && (next == ';' || next == '&')) || at_esac(s)))
			return;
		if (c == '\n') {
			s->out->compound = true;
			take_newline(s);
		} else if (c == '(') {
			s->out->compound = true;
			s->lost |= next == '(';
			if (!s->lost)
				take_nested(s, 1);
		} else if (strchr(";&|", c) && !at_redirection(s)) {
			s->lost |= c == ';' && (next == ';' || next == '&');
			take_operator(s);
		} else {
			take_command(s);
		}
	}
	s->lost |= end != END_TEXT;
}

void shell_parse(struct shell_split *out, struct str text, unsigned depth)
{
	struct scan s = { .out = out, .text = text, .depth = depth };

	/* The shell would see the text end at a NUL. */
	s.lost = text.n > SHELL_TEXT_MAX || (text.n && memchr(text.p, '\0', text.n)) ||
		 depth > SHELL_DEPTH_MAX;
	if (!s.lost)
		take_list(&s, END_TEXT);
	if (s.lost || s.nheredocs)
		shell_add(out, &(struct shell_part){ .source = text,
						     .unknown = true,
						     .redirects = true,
						     .depth = depth });
}

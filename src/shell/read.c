/*
 * The reader: recursive descent over the text, without tokens of its own, because what a character
 * means depends on where it stands.  A line continuation is skipped by peek() and step(), so that
 * the rest sees none.
 */
#include "base/vec.h"
#include "shell/shell.h"

/* In what a piece of a word stands. */
enum context {
	IN_WORD,
	IN_DOUBLE, /* "..." */
	IN_BRACES, /* ${x...} */
	IN_QUOTED_BRACES, /* "${x...}" */
	IN_ARITH, /* ((...)) */
	IN_BRACKETS, /* $[...] */
	IN_BODY, /* a here-document */
	IN_REGEX, /* [[ x =~ ... ]] */
};

/* Where a list of commands ends. */
enum {
	END_PAREN = 1,
	END_BRACE = 2,
	END_THEN = 4,
	END_ELSE = 8, /* elif, else, fi */
	END_FI = 16,
	END_DO = 32,
	END_DONE = 64,
	END_CASE = 128, /* ;; ;& ;;& esac */
};

struct pieces {
	struct sh_piece *p;
	size_t n, cap;
};

struct words {
	struct sh_word *p;
	size_t n, cap;
};

struct bodies {
	const struct sh_node **p;
	size_t n, cap;
};

struct redirects {
	struct sh_redirect **p;
	size_t n, cap;
};

struct reader {
	struct arena *a;
	struct str text;
	size_t at, end;
	unsigned depth;
	size_t steps; /* left */
	const char *error;
	size_t error_at;
	bool limit, dubious;
	struct sh_redirect *pending[SH_HEREDOCS_MAX]; /* here-documents of this line */
	size_t npending;
};

static const struct sh_node *take_list(struct reader *r, unsigned ends, bool needed);
static struct sh_node *take_command(struct reader *r);
static void take_pieces(struct reader *r, struct pieces *v, enum context c);

/* ---- characters ---- */

static void fail(struct reader *r, const char *why)
{
	if (!r->error) {
		r->error = why;
		r->error_at = r->at;
	}
	r->at = r->end;
}

static void fail_limit(struct reader *r, const char *why)
{
	r->limit |= !r->error;
	fail(r, why);
}

static size_t skip_joins(const struct reader *r, size_t i)
{
	while (i + 1 < r->end && r->text.p[i] == '\\' && r->text.p[i + 1] == '\n')
		i += 2;
	return i;
}

/* The character so many ahead; NUL at the end. */
static char peek(const struct reader *r, size_t ahead)
{
	size_t i = skip_joins(r, r->at);

	while (ahead-- && i < r->end)
		i = skip_joins(r, i + 1);
	return i < r->end ? r->text.p[i] : '\0';
}

static void spend(struct reader *r, size_t n)
{
	if (r->steps < n)
		fail_limit(r, "the text is too complex");
	r->steps -= min_size(n, r->steps);
}

static void step(struct reader *r, size_t n)
{
	for (; n && r->at < r->end; n--) {
		size_t i = skip_joins(r, r->at);

		/* Older shells do not join an operator that is cut in two. */
		if (i > r->at && r->at > 0 && strchr("$(<>;{`", r->text.p[r->at - 1]))
			r->dubious = true;
		r->at = min_size(i + 1, r->end);
		spend(r, 1);
	}
}

static bool enter(struct reader *r)
{
	if (++r->depth > SH_DEPTH_MAX)
		fail_limit(r, "the text is nested too deeply");
	return !r->error;
}

static bool is_meta(char c)
{
	return c == '\0' || strchr(" \t\n;&|()<>", c) != NULL;
}

/* Does this stand here, joins aside? */
static bool at_text(const struct reader *r, const char *text)
{
	size_t i = 0;

	while (text[i] && peek(r, i) == text[i])
		i++;
	return !text[i];
}

static bool at_word(const struct reader *r, const char *word)
{
	return at_text(r, word) && is_meta(peek(r, strlen(word)));
}

static bool take_word_if(struct reader *r, const char *word)
{
	if (!at_word(r, word))
		return false;
	step(r, strlen(word));
	return true;
}

static void skip_blanks(struct reader *r)
{
	while (peek(r, 0) == ' ' || peek(r, 0) == '\t')
		step(r, 1);
	if (peek(r, 0) == '#')
		while (r->at < r->end && r->text.p[r->at] != '\n')
			r->at++;
}

/* ---- pieces of words ---- */

static struct sh_piece *add_piece(struct pieces *v, enum sh_piece_kind kind, enum sh_quote quote,
				  size_t at)
{
	struct sh_piece *p = VEC_ADD(v);

	*p = (struct sh_piece){ .kind = kind, .quote = quote, .at = at, .end = at };
	return p;
}

/* Text as it stands there, from `at` to here. */
static void add_raw(struct reader *r, struct pieces *v, enum sh_piece_kind kind,
		    enum sh_quote quote, size_t at)
{
	struct sh_piece *p = add_piece(v, kind, quote, at);

	spend(r, r->at - at + 4);
	p->end = r->at;
	p->text = str_sub(r->text, at, r->at);
}

static struct sh_word word_of(struct reader *r, const struct pieces *v, size_t at)
{
	struct sh_piece *p = ARENA_ARRAY(r->a, struct sh_piece, v->n + 1);

	if (v->n)
		memcpy(p, v->p, v->n * sizeof *p);
	return (struct sh_word){ .p = p, .n = v->n, .at = at, .end = r->at };
}

static const struct sh_word *operand(struct reader *r, enum context c)
{
	struct sh_word *w = ARENA_NEW(r->a, struct sh_word);
	struct pieces v = { 0 };
	size_t at = r->at;

	if (enter(r))
		take_pieces(r, &v, c);
	r->depth--;
	*w = word_of(r, &v, at);
	free(v.p);
	return w;
}

/* The commands up to the bracket that closes them, which is skipped. */
static const struct sh_script *take_script(struct reader *r)
{
	struct sh_script *s = ARENA_NEW(r->a, struct sh_script);
	size_t npending = r->npending;

	s->text = r->text;
	if (enter(r)) {
		/* The text of an outer here-document cannot begin in here. */
		r->dubious |= npending > 0;
		r->npending = 0;
		s->first = take_list(r, END_PAREN, false);
		if (r->npending)
			fail(r, "a here-document is not closed in its substitution");
		r->npending = npending;
		if (peek(r, 0) == ')')
			step(r, 1);
		else
			fail(r, "unmatched (");
	}
	r->depth--;
	return s;
}

/* `...`: in its own window, and with its escapes removed in a text of its own. */
static void take_backquotes(struct reader *r, struct pieces *v, enum sh_quote quote)
{
	struct sh_script *s = ARENA_NEW(r->a, struct sh_script);
	AUTO(buf_done) struct buf inner = { 0 };
	struct sh_piece *p;
	struct reader in;
	size_t at, from;

	step(r, 1);
	at = r->at - 1;
	from = r->at;
	while (r->at < r->end && r->text.p[r->at] != '`') {
		const char *special = quote == SH_DOUBLE ? "`\\$\"" : "`\\$";
		char next = r->at + 1 < r->end ? r->text.p[r->at + 1] : '\0';

		if (r->text.p[r->at] == '\\' && next) {
			s->copied = true;
			if (strchr(special, next))
				r->at++;
			else
				buf_addc(&inner, r->text.p[r->at++]);
		}
		buf_addc(&inner, r->text.p[r->at++]);
	}
	if (r->at >= r->end) {
		fail(r, "unmatched `");
		return;
	}
	in = *r;
	in.end = r->at;
	in.at = from;
	in.npending = 0;
	if (s->copied) {
		in.text = arena_str(r->a, buf_str(&inner));
		in.at = 0;
		in.end = in.text.n;
	}
	if (enter(&in)) {
		s->text = in.text;
		s->first = take_list(&in, 0, false);
		if (in.at < in.end)
			fail(&in, "unexpected text in `...`");
		in.dubious |= in.npending > 0;
	}
	r->steps = in.steps;
	r->dubious |= in.dubious;
	if (in.error) {
		r->limit |= in.limit && !r->error;
		fail(r, in.error);
		return;
	}
	r->at++;
	p = add_piece(v, SH_COMMAND, quote, at);
	p->end = r->at;
	p->script = s;
	p->text = str_sub(r->text, at, r->at);
}

static void add_code_point(struct buf *out, unsigned long c)
{
	if (c < 0x80) {
		buf_addc(out, (char)c);
	} else if (c < 0x800) {
		buf_addc(out, (char)(0xc0 | c >> 6));
		buf_addc(out, (char)(0x80 | (c & 0x3f)));
	} else if (c < 0x10000) {
		buf_addc(out, (char)(0xe0 | c >> 12));
		buf_addc(out, (char)(0x80 | (c >> 6 & 0x3f)));
		buf_addc(out, (char)(0x80 | (c & 0x3f)));
	} else {
		buf_addc(out, (char)(0xf0 | (c >> 18 & 7)));
		buf_addc(out, (char)(0x80 | (c >> 12 & 0x3f)));
		buf_addc(out, (char)(0x80 | (c >> 6 & 0x3f)));
		buf_addc(out, (char)(0x80 | (c & 0x3f)));
	}
}

static int digit_of(char c, int base)
{
	int d = char_is_digit(c)       ? c - '0'
		: c >= 'a' && c <= 'f' ? c - 'a' + 10
		: c >= 'A' && c <= 'F' ? c - 'A' + 10
				       : 99;

	return d < base ? d : -1;
}

/* \x41, \101, \u00e9: the number at text[*at], of at most so many digits. */
static unsigned long take_number(struct str s, size_t *at, int base, size_t digits)
{
	unsigned long c = 0;

	for (; digits && *at < s.n && digit_of(s.p[*at], base) >= 0; digits--)
		c = c * (unsigned long)base + (unsigned long)digit_of(s.p[(*at)++], base);
	return c;
}

/* $'...' between its quotes.  What follows a NUL is not part of the word for bash. */
static struct str decode_ansi(struct reader *r, struct str s)
{
	static const char letters[] = "abeEfnrtv", means[] = "\a\b\033\033\f\n\r\t\v";
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < s.n;) {
		char c = s.p[i++], next = i < s.n ? s.p[i] : '\0';
		const char *known = next ? strchr(letters, next) : NULL;
		size_t digits = next == 'x' ? 2 : next == 'u' ? 4 : next == 'U' ? 8 : 0;
		size_t from = i + (digits > 0);

		if (c != '\\' || !next) {
			buf_addc(&out, c);
			continue;
		}
		i = from;
		if (digits || digit_of(next, 8) >= 0) {
			unsigned long v = take_number(s, &i, digits ? 16 : 8, digits ? digits : 3);

			r->dubious |= v == 0 || i == from;
			if (next == 'u' || next == 'U')
				add_code_point(&out, v);
			else
				buf_addc(&out, (char)v);
			continue;
		}
		i++;
		if (known)
			buf_addc(&out, means[known - letters]);
		else if (strchr("\\'\"?", next))
			buf_addc(&out, next);
		else
			r->dubious = true; /* \c and what bash does not know */
		if (!known && !strchr("\\'\"?", next)) {
			buf_addc(&out, '\\');
			buf_addc(&out, next);
		}
	}
	return arena_str(r->a, buf_str(&out));
}

/* At the $ of $'...'; sh does not know it and ends it elsewhere when it has a \'. */
static void take_ansi(struct reader *r, struct pieces *v)
{
	size_t at = (step(r, 1), r->at - 1), from;
	struct sh_piece *p;

	step(r, 1);
	for (from = r->at; r->at < r->end && r->text.p[r->at] != '\''; r->at++) {
		if (r->text.p[r->at] != '\\')
			continue;
		r->at++;
		r->dubious |= r->at < r->end && r->text.p[r->at] == '\'';
	}
	if (r->at >= r->end) {
		fail(r, "unmatched '");
		return;
	}
	p = add_piece(v, SH_TEXT, SH_ANSI, at);
	p->text = decode_ansi(r, str_sub(r->text, from, r->at));
	p->end = ++r->at;
}

static void take_single(struct reader *r, struct pieces *v)
{
	size_t from = (step(r, 1), r->at);

	while (r->at < r->end && r->text.p[r->at] != '\'')
		r->at++;
	if (r->at >= r->end) {
		fail(r, "unmatched '");
		return;
	}
	add_raw(r, v, SH_TEXT, SH_SINGLE, from);
	r->at++;
}

/* What may stand between the name and the operand of ${...}, longest first. */
static const char *const operators[] = { ":-", ":=", ":?", ":+", "##", "%%", "//", "/#",
					 "/%", "^^", ",,", "-",  "=",  "?",  "+",  "#",
					 "%",  "/",  "^",  ",",  ":",  "@",  "*" };

static size_t take_name(struct reader *r)
{
	char c = peek(r, 0);
	size_t n = 1;

	if (char_is_digit(c))
		while (char_is_digit(peek(r, n)))
			n++;
	else if (char_is_word(c))
		while (char_is_word(peek(r, n)))
			n++;
	else if (!c || !strchr("@*#?-$!", c))
		return 0;
	step(r, n);
	return n;
}

static void take_subscript(struct reader *r, struct sh_piece *p)
{
	size_t from = r->at;

	if (peek(r, 0) != '[')
		return;
	r->dubious |= r->text.p[from] != '[';
	step(r, 1);
	p->index = operand(r, IN_BRACKETS);
	if (peek(r, 0) != ']') {
		fail(r, "a subscript is not ended");
		return;
	}
	step(r, 1);
	p->subscript = (unsigned)(r->at - from);
	for (size_t i = from; i < r->at; i++)
		r->dubious |= strchr("'\"\\`$(){}", r->text.p[i]) != NULL;
	if (p->index->n == 1 && p->index->p[0].kind == SH_TEXT)
		p->index = NULL;
}

/* Behind "${". */
static void take_braces(struct reader *r, struct sh_piece *p, bool in_double)
{
	char c = peek(r, 0), next = peek(r, 1);
	size_t from;

	p->braces = true;
	if (c == '#' && next != '}' && (char_is_word(next) || strchr("@*?-$!#", next))) {
		p->length = true;
		step(r, 1);
	} else if (c == '!' && next != '}' && (char_is_word(next) || strchr("@*#?-$", next))) {
		p->indirect = true;
		step(r, 1);
	}
	from = skip_joins(r, r->at);
	if (!take_name(r)) {
		fail(r, "bad substitution");
		return;
	}
	p->text = str_sub(r->text, from, r->at);
	r->dubious |= str_chr(p->text, '\\', 0) >= 0;
	take_subscript(r, p);
	for (size_t i = 0; i < ARRAY_LEN(operators); i++) {
		if (!at_text(r, operators[i]))
			continue;
		p->op = str_from(operators[i]);
		step(r, p->op.n);
		p->operand = operand(r, in_double ? IN_QUOTED_BRACES : IN_BRACES);
		break;
	}
	if (peek(r, 0) == '}')
		step(r, 1);
	else
		fail(r, "bad substitution");
}

/*
 * "((": arithmetic when it ends with "))", else commands in brackets, as bash decides it.  After
 * a failure the reader is where it was.
 */
static const struct sh_word *try_arith(struct reader *r)
{
	struct reader before = *r;
	const struct sh_word *w = operand(r, IN_ARITH);

	if (!r->error && peek(r, 0) == ')' && peek(r, 1) == ')') {
		step(r, 2);
		return w;
	}
	before.steps = r->steps;
	if (r->steps == 0)
		before.error = r->error, before.limit = r->limit;
	*r = before;
	return NULL;
}

static void take_parenthesis(struct reader *r, struct sh_piece *p)
{
	if (peek(r, 2) == '(') {
		struct reader before = *r;

		step(r, 3);
		p->operand = try_arith(r);
		if (p->operand) {
			p->kind = SH_ARITH;
			return;
		}
		before.steps = r->steps;
		*r = before;
		r->dubious = true;
	}
	step(r, 2);
	p->kind = SH_COMMAND;
	p->script = take_script(r);
}

/* $x and its kin; a $ that begins nothing is text. */
static void take_dollar(struct reader *r, struct pieces *v, enum context c)
{
	bool in_double = c == IN_DOUBLE || c == IN_BODY || c == IN_QUOTED_BRACES || c == IN_ARITH;
	enum sh_quote quote = in_double ? SH_DOUBLE : SH_BARE;
	char next = peek(r, 1);
	struct sh_piece p = { .kind = SH_VARIABLE, .quote = quote, .at = skip_joins(r, r->at) };

	if (next == '\'' && !in_double) {
		take_ansi(r, v);
		return;
	}
	if (next == '"' && !in_double) {
		step(r, 1); /* a translation: the text is the same, as far as we know */
		r->dubious = true;
		return;
	}
	if (next == '(') {
		take_parenthesis(r, &p);
	} else if (next == '{') {
		step(r, 2);
		take_braces(r, &p, in_double);
	} else if (next == '[') {
		r->dubious = true;
		p.kind = SH_ARITH;
		step(r, 2);
		p.operand = operand(r, IN_BRACKETS);
		if (peek(r, 0) == ']')
			step(r, 1);
		else
			fail(r, "unmatched $[");
	} else if (char_is_word(next) || (next && strchr("@*#?-$!", next))) {
		size_t from;

		step(r, 1);
		from = skip_joins(r, r->at);
		if (char_is_digit(next))
			step(r, 1);
		else
			(void)take_name(r);
		p.text = str_sub(r->text, from, r->at);
		r->dubious |= str_chr(p.text, '\\', 0) >= 0;
	} else {
		step(r, 1);
		add_raw(r, v, SH_TEXT, quote, p.at);
		return;
	}
	p.end = r->at;
	if (p.kind != SH_VARIABLE)
		p.text = str_sub(r->text, p.at, p.end);
	*VEC_ADD(v) = p;
}

static void take_backslash(struct reader *r, struct pieces *v, enum context c)
{
	bool in_double = c == IN_DOUBLE || c == IN_BODY || c == IN_QUOTED_BRACES;
	const char *special = c == IN_DOUBLE ? "$`\"\\" : c == IN_BODY ? "$`\\" : "$`\"\\}";
	size_t at = skip_joins(r, r->at);

	r->at = at + 1;
	if (r->at >= r->end) {
		/* bash keeps it, others say that the text is not over */
		r->dubious = true;
		add_raw(r, v, SH_TEXT, SH_BARE, at);
		return;
	}
	if (in_double && !strchr(special, r->text.p[r->at])) {
		add_raw(r, v, SH_TEXT, SH_DOUBLE, at);
		return;
	}
	r->at++;
	add_raw(r, v, SH_TEXT, in_double ? SH_DOUBLE : SH_ESCAPED, at);
	v->p[v->n - 1].text = str_sub(r->text, at + 1, r->at);
}

/* Characters that are text wherever they stand in this context, taken together. */
static void take_run(struct reader *r, struct pieces *v, enum context c)
{
	bool quoted = c == IN_DOUBLE || c == IN_BODY || c == IN_QUOTED_BRACES || c == IN_ARITH;
	const char *stops = c == IN_WORD ? " \t\n;&|()<>\\$`'\"*?[{" : "\\$`'\"}])(*?[{<> \t\n";
	size_t at;

	step(r, 1);
	at = r->at - 1;
	while (r->at < r->end && !strchr(stops, r->text.p[r->at]))
		r->at++;
	add_raw(r, v, SH_TEXT, quoted ? SH_DOUBLE : SH_BARE, at);
}

static bool ends_here(const struct reader *r, enum context c, char ch, size_t level)
{
	switch (c) {
	case IN_WORD:
		return is_meta(ch) && !((ch == '<' || ch == '>') && peek(r, 1) == '(');
	case IN_DOUBLE:
		return ch == '"';
	case IN_BRACES:
	case IN_QUOTED_BRACES:
		return ch == '}';
	case IN_ARITH:
		return ch == ')' && level == 0;
	case IN_BRACKETS:
		return ch == ']' && level == 0;
	case IN_BODY:
		return false;
	case IN_REGEX:
		return (strchr(" \t\n", ch) != NULL && level == 0) || (ch == ')' && level == 0);
	}
	return true;
}

/* A quote.  Where shells disagree on what it means, both readings are possible. */
static void take_quote(struct reader *r, struct pieces *v, enum context c, char ch)
{
	bool disputed = c == IN_QUOTED_BRACES || c == IN_ARITH || c == IN_BRACKETS;

	r->dubious |= disputed;
	if (c == IN_BODY || (c == IN_DOUBLE && ch == '\'') || (disputed && ch == '\'')) {
		take_run(r, v, c);
	} else if (ch == '\'') {
		take_single(r, v);
	} else {
		size_t n = v->n;

		step(r, 1);
		if (enter(r))
			take_pieces(r, v, IN_DOUBLE);
		r->depth--;
		if (v->n == n) /* "" is a word, too */
			add_raw(r, v, SH_TEXT, SH_DOUBLE, r->at);
		if (peek(r, 0) == '"')
			step(r, 1);
		else
			fail(r, "unmatched \"");
	}
}

/* An unquoted character that a shell would expand. */
static bool take_pattern(struct reader *r, struct pieces *v, char ch)
{
	char next = peek(r, 1);
	enum sh_piece_kind kind = SH_TEXT;
	size_t at;

	if (ch == '*' || ch == '?' || ch == '[')
		kind = SH_GLOB;
	else if (ch == '{' && next != '}' && (v->n || !is_meta(next)))
		kind = SH_BRACE;
	else if (ch == '~' && !v->n)
		kind = SH_TILDE;
	if (kind == SH_TEXT)
		return false;
	step(r, 1);
	at = r->at - 1;
	while (kind == SH_TILDE && !is_meta(peek(r, 0)) && !strchr("/\\'\"$`*?[{}", peek(r, 0)))
		step(r, 1);
	add_raw(r, v, kind, SH_BARE, at);
	return true;
}

/* Everything up to what ends the context, which stays. */
static void take_pieces(struct reader *r, struct pieces *v, enum context c)
{
	size_t level = 0;

	for (char ch; !r->error && (ch = peek(r, 0)) != '\0';) {
		bool open = c == IN_WORD || c == IN_BRACES;

		if (ends_here(r, c, ch, level))
			return;
		level += (ch == '(' && (c == IN_ARITH || c == IN_REGEX)) ||
			 (ch == '[' && c == IN_BRACKETS);
		level -= level && ((ch == ')' && (c == IN_ARITH || c == IN_REGEX)) ||
				   (ch == ']' && c == IN_BRACKETS));
		if (ch == '\\') {
			take_backslash(r, v, c);
		} else if (ch == '$') {
			take_dollar(r, v, c);
		} else if (ch == '`') {
			take_backquotes(r, v, open || c == IN_REGEX ? SH_BARE : SH_DOUBLE);
		} else if (ch == '\'' || ch == '"') {
			take_quote(r, v, c, ch);
		} else if (open && (ch == '<' || ch == '>') && peek(r, 1) == '(') {
			size_t at = skip_joins(r, r->at);
			struct sh_piece *p;
			const struct sh_script *s;

			step(r, 2);
			r->dubious |= peek(r, 0) == '('; /* for some bash looks for brackets only */
			s = take_script(r);
			p = add_piece(v, SH_PROCESS, SH_BARE, at);
			p->end = r->at;
			p->script = s;
			p->text = str_sub(r->text, at, r->at);
		} else if (!open || !take_pattern(r, v, ch)) {
			take_run(r, v, c);
		}
	}
}

/* False when there is none. */
static bool take_word(struct reader *r, struct sh_word *ret, enum context c)
{
	struct pieces v = { 0 };
	size_t at = skip_joins(r, r->at);

	take_pieces(r, &v, c);
	*ret = word_of(r, &v, at);
	for (size_t i = 0; i < v.n; i++)
		ret->quoted |= v.p[i].quote != SH_BARE;
	free(v.p);
	return ret->n > 0 && !r->error;
}

/* ---- redirections and here-documents ---- */

/* The line at i as a shell compares it with a delimiter, and where the next one begins. */
static struct str here_line(struct reader *r, const struct sh_redirect *h, size_t *at)
{
	AUTO(buf_done) struct buf line = { 0 };
	size_t i = *at, from = i;

	while (i < r->end && r->text.p[i] != '\n') {
		bool slash = !h->literal && r->text.p[i] == '\\' && i + 1 < r->end;

		if (slash && r->text.p[i + 1] == '\n') {
			buf_adds(&line, str_sub(r->text, from, i));
			from = i + 2;
			r->dubious = true;
		}
		i += slash ? 2 : 1;
	}
	*at = min_size(i + 1, r->end);
	if (line.n || from != i)
		buf_adds(&line, str_sub(r->text, from, i));
	return r->dubious ? arena_str(r->a, buf_str(&line)) : str_sub(r->text, from, i);
}

static void take_body(struct reader *r, struct sh_redirect *h)
{
	AUTO(buf_done) struct buf delimiter = { 0 };
	struct str end, line;
	size_t from = r->at, to = from, next = from;
	struct pieces v = { 0 };
	bool found = false;

	for (size_t i = 0; i < h->target.n; i++) {
		const struct sh_piece *p = &h->target.p[i];

		r->dubious |= p->script || p->kind == SH_VARIABLE || p->kind == SH_ARITH;
		buf_adds(&delimiter, p->text);
	}
	end = arena_str(r->a, buf_str(&delimiter));
	while (next < r->end && !found) {
		to = next;
		line = here_line(r, h, &next);
		while (h->tabs && line.n && line.p[0] == '\t')
			line = str_sub(line, 1, line.n);
		found = str_eq(line, end);
	}
	if (!found) {
		r->dubious = true; /* bash takes the rest, and warns */
		to = r->end;
	}
	size_t whole = r->end;
	r->end = to;
	if (h->literal) {
		r->at = to;
		add_raw(r, &v, SH_TEXT, SH_SINGLE, from);
	} else if (enter(r)) {
		take_pieces(r, &v, IN_BODY);
		r->depth--;
	}
	h->body = word_of(r, &v, from);
	free(v.p);
	r->end = whole;
	r->at = r->error ? whole : next;
}

static void skip_newlines(struct reader *r)
{
	for (skip_blanks(r); peek(r, 0) == '\n'; skip_blanks(r)) {
		size_t n = r->npending;

		/* A line end, and the here-documents that begin behind it. */
		step(r, 1);
		r->npending = 0;
		for (size_t i = 0; i < n && !r->error; i++)
			take_body(r, r->pending[i]);
	}
}

/* Does a redirection stand here: [digits or {name}] and an operator? */
static bool at_redirection(const struct reader *r, size_t *ret_fd)
{
	size_t n = 0;

	if (peek(r, 0) == '{') {
		for (n = 1; char_is_word(peek(r, n)); n++)
			;
		n = peek(r, n) == '}' && n > 1 ? n + 1 : 0;
	} else {
		while (char_is_digit(peek(r, n)))
			n++;
	}
	char c = peek(r, n), next = peek(r, n + 1);
	*ret_fd = n;
	return ((c == '<' || c == '>') && next != '(') || (n == 0 && c == '&' && next == '>');
}

static void take_redirection(struct reader *r, struct redirects *list, size_t nfd)
{
	/* Longest first. */
	static const char *const ops[] = { "&>>", "<<<", "<<-", "&>", "<<", ">>",
					   ">|",  "<>",  "<&",  ">&", "<",  ">" };
	struct sh_redirect *h = ARENA_NEW(r->a, struct sh_redirect);
	size_t k = 0;

	h->at = skip_joins(r, r->at);
	step(r, nfd);
	h->fd = str_sub(r->text, h->at, r->at);
	while (!at_text(r, ops[k]))
		k++;
	step(r, strlen(ops[k]));
	h->op = str_from(ops[k]);
	skip_blanks(r);
	if (!take_word(r, &h->target, IN_WORD)) {
		fail(r, "a redirection leads nowhere");
		return;
	}
	h->end = r->at;
	*VEC_ADD(list) = h;
	if (!str_starts(h->op, STR("<<")) || str_eqz(h->op, "<<<"))
		return;
	h->tabs = str_eqz(h->op, "<<-");
	h->op = STR("<<");
	h->literal = h->target.quoted;
	if (r->npending == SH_HEREDOCS_MAX)
		fail_limit(r, "too many here-documents");
	else
		r->pending[r->npending++] = h;
}

/* ---- simple commands ---- */

struct assigns {
	struct sh_assign *p;
	size_t n, cap;
};

/* NAME=value, NAME+=value, NAME[...]=value: from the first word of a command. */
static bool is_assignment(struct reader *r, const struct sh_word *w, struct sh_assign *ret)
{
	struct str raw = str_sub(r->text, w->at, w->end), rest;
	struct sh_piece *p;
	size_t n = 0, k = 0;

	while (n < raw.n && char_is_word(raw.p[n]))
		n++;
	if (!n || char_is_digit(raw.p[0]) || n >= raw.n || !strchr("=+[", raw.p[n]))
		return false;
	*ret = (struct sh_assign){ .name = str_sub(raw, 0, n), .subscript = raw.p[n] == '[' };
	/* The piece with the "=". */
	if (ret->subscript) {
		while (k < w->n && (w->p[k].quote != SH_BARE || w->p[k].kind != SH_TEXT ||
				    (str_find(w->p[k].text, STR("]="), 0) < 0 &&
				     str_find(w->p[k].text, STR("]+="), 0) < 0)))
			k++;
		if (k == w->n) {
			r->dubious |= str_chr(raw, ']', 0) < 0; /* a[1 + 2]=3 */
			return false;
		}
		for (size_t i = 0; i < k; i++) /* a[$(...)]=3 */
			r->dubious |= w->p[i].script || w->p[i].kind == SH_ARITH;
		ret->index = (struct sh_word){ .p = w->p, .n = k, .at = w->at, .end = w->end };
		/* What is in front of the bracket in the last piece: a[i]=, a[$x+1]= */
		p = ARENA_ARRAY(r->a, struct sh_piece, k + 1);
		memcpy(p, w->p, (k + 1) * sizeof *p);
		p[k].text = str_sub(p[k].text, 0, (size_t)str_chr(p[k].text, ']', 0));
		p[0].text = STR("");
		ret->index.p = p;
		ret->index.n = k + 1;
	}
	rest = w->p[k].text;
	ptrdiff_t eq = str_chr(rest, '=', ret->subscript ? (size_t)str_chr(rest, ']', 0) : 0);
	if (eq < 0 ||
	    (!ret->subscript && (size_t)eq != n && !((size_t)eq == n + 1 && raw.p[n] == '+')))
		return false;
	ret->append = eq > 0 && rest.p[eq - 1] == '+';
	p = ARENA_ARRAY(r->a, struct sh_piece, w->n - k + 2);
	memcpy(p + 1, w->p + k, (w->n - k) * sizeof *p);
	p[1].text = str_sub(rest, (size_t)eq + 1, rest.n);
	p[1].at += (size_t)eq + 1;
	/* ~ begins a home directory behind "=" and ":". */
	for (size_t i = 1; i <= w->n - k; i++)
		if (p[i].quote == SH_BARE && p[i].kind == SH_TEXT &&
		    ((i == 1 && str_starts(p[i].text, STR("~"))) ||
		     str_find(p[i].text, STR(":~"), 0) >= 0))
			p[i].kind = SH_TILDE;
	bool empty = p[1].text.n == 0;
	ret->value = (struct sh_word){ .p = p + 1 + empty,
				       .n = w->n - k - empty,
				       .at = p[1].at,
				       .end = w->end,
				       .quoted = w->quoted };
	return true;
}

/* [x]=y, an item of an array, is no pattern. */
static void keep_key(struct reader *r, struct sh_word *w)
{
	struct sh_piece *p;

	if (!w->n || w->p[0].kind != SH_GLOB || !str_eqz(w->p[0].text, "[") ||
	    str_find(str_sub(r->text, w->at, w->end), STR("]="), 0) < 0)
		return;
	p = ARENA_ARRAY(r->a, struct sh_piece, w->n);
	memcpy(p, w->p, w->n * sizeof *p);
	p[0].kind = SH_TEXT;
	w->p = p;
}

/* (a b c) behind NAME=. */
static void take_array(struct reader *r, struct sh_assign *to)
{
	struct words v = { 0 };
	struct sh_word w;

	to->array = true;
	step(r, 1);
	for (skip_newlines(r); peek(r, 0) != ')' && !r->error; skip_newlines(r)) {
		if (!take_word(r, &w, IN_WORD)) {
			fail(r, "an array is not ended");
			continue;
		}
		keep_key(r, &w);
		*VEC_ADD(&v) = w;
	}
	step(r, 1);
	struct sh_word *items = ARENA_ARRAY(r->a, struct sh_word, v.n + 1);
	if (v.n)
		memcpy(items, v.p, v.n * sizeof *items);
	to->items = items;
	to->nitems = v.n;
	free(v.p);
}

static void set_words(struct reader *r, struct sh_node *n, const struct words *v)
{
	struct sh_word *p = ARENA_ARRAY(r->a, struct sh_word, v->n + 1);

	if (v->n)
		memcpy(p, v->p, v->n * sizeof *p);
	n->words = p;
	n->nwords = v->n;
}

static void set_bodies(struct reader *r, struct sh_node *n, const struct bodies *v)
{
	const struct sh_node **p = ARENA_ARRAY(r->a, const struct sh_node *, v->n + 1);

	if (v->n)
		memcpy(p, v->p, v->n * sizeof *p);
	n->bodies = p;
	n->nbodies = v->n;
}

static void set_redirects(struct reader *r, struct sh_node *n, struct redirects *v)
{
	struct sh_redirect *p = ARENA_ARRAY(r->a, struct sh_redirect, v->n + 1);

	/* A here-document is filled at the end of its line, where this copy must be known. */
	for (size_t i = 0; i < v->n; i++) {
		p[i] = *v->p[i];
		for (size_t k = 0; k < r->npending; k++)
			if (r->pending[k] == v->p[i])
				r->pending[k] = &p[i];
	}
	n->redirects = p;
	n->nredirects = v->n;
	free(v->p);
}

static void set_body(struct reader *r, struct sh_node *n, const struct sh_node *body)
{
	set_bodies(r, n, &(struct bodies){ .p = &body, .n = 1 });
}

/* Builtins whose arguments may be arrays. */
static bool declares(struct reader *r, const struct words *v)
{
	static const char *const names[] = { "declare", "export", "local", "readonly", "typeset" };

	for (size_t i = 0; v->n && i < ARRAY_LEN(names); i++)
		if (str_eqz(str_sub(r->text, v->p[0].at, v->p[0].end), names[i]))
			return true;
	return false;
}

/* name () compound-command */
static bool take_function_body(struct reader *r, struct sh_node *n, struct str name)
{
	const struct sh_node *body;

	n->kind = SH_FUNCTION;
	n->name = name;
	skip_newlines(r);
	body = take_command(r);
	if (!r->error && body->kind == SH_SIMPLE)
		fail(r, "a function has no body");
	set_body(r, n, body);
	return false;
}

/* rm !(keep): a pattern of bash with extglob, and an error without: the first reading counts. */
static bool is_extglob(const struct reader *r, const struct sh_word *w)
{
	return w->n && peek(r, 0) == '(' && w->end == r->at &&
	       strchr("!@*+?", r->text.p[r->at - 1]);
}

/* Up to the bracket that ends it, and what is behind that: a star, whatever it leaves out. */
static void take_extglob(struct reader *r, struct sh_word *w)
{
	struct pieces v = { 0 };
	size_t depth = 0, at = r->at;
	struct str *last;

	for (size_t i = 0; i < w->n; i++)
		*VEC_ADD(&v) = w->p[i];
	last = &v.p[v.n - 1].text;
	if (last->n && strchr("!@+", last->p[last->n - 1]))
		last->n--;
	do {
		depth += peek(r, 0) == '(';
		depth -= peek(r, 0) == ')';
		step(r, 1);
	} while (depth && r->at < r->end);
	add_raw(r, &v, SH_GLOB, SH_BARE, at);
	v.p[v.n - 1].text = STR("*");
	take_pieces(r, &v, IN_WORD);
	*w = word_of(r, &v, w->at);
	free(v.p);
	r->dubious = true;
}

/* The next part of a simple command; false when it is over. */
static bool take_item(struct reader *r, struct sh_node *n, struct words *words,
		      struct assigns *assigns, struct assigns *arrays, struct redirects *redirects)
{
	struct sh_assign as;
	struct sh_word w;
	size_t nfd;

	skip_blanks(r);
	if (at_redirection(r, &nfd)) {
		take_redirection(r, redirects, nfd);
		return !r->error;
	}
	if (peek(r, 0) == '(') {
		struct str name;

		if (words->n != 1 || assigns->n || redirects->n) {
			fail(r, "unexpected (");
			return false;
		}
		name = str_sub(r->text, words->p[0].at, words->p[0].end);
		step(r, 1);
		skip_blanks(r);
		if (peek(r, 0) != ')') {
			fail(r, "unexpected (");
			return false;
		}
		step(r, 1);
		words->n = 0;
		return take_function_body(r, n, name);
	}
	if (!take_word(r, &w, IN_WORD))
		return false;
	if (words->n && is_extglob(r, &w))
		take_extglob(r, &w);
	bool first = words->n == 0, assignment = is_assignment(r, &w, &as);
	if (assignment && (first || declares(r, words)) && peek(r, 0) == '(' &&
	    r->text.p[r->at - 1] == '=') {
		take_array(r, &as);
		/* a=(1)#x: to bash the word goes on. */
		r->dubious |= r->at < r->end && !is_meta(peek(r, 0));
		if (!first) {
			*VEC_ADD(arrays) = as;
			*VEC_ADD(words) = w;
			r->dubious = true;
			return !r->error;
		}
	}
	if (first && assignment)
		*VEC_ADD(assigns) = as;
	else
		*VEC_ADD(words) = w;
	return true;
}

static const struct sh_assign *kept_assigns(struct reader *r, const struct assigns *v)
{
	struct sh_assign *p = v->n ? ARENA_ARRAY(r->a, struct sh_assign, v->n) : NULL;

	if (v->n)
		memcpy(p, v->p, v->n * sizeof *p);
	return p;
}

static void take_simple(struct reader *r, struct sh_node *n)
{
	struct words words = { 0 };
	struct assigns assigns = { 0 }, arrays = { 0 };
	struct redirects redirects = { 0 };

	while (take_item(r, n, &words, &assigns, &arrays, &redirects))
		;
	if (!words.n && !assigns.n && !redirects.n && n->kind == SH_SIMPLE)
		fail(r, "a command is missing");
	set_words(r, n, &words);
	n->assigns = kept_assigns(r, &assigns);
	n->nassigns = assigns.n;
	n->arrays = kept_assigns(r, &arrays);
	n->narrays = arrays.n;
	if (n->kind == SH_SIMPLE)
		set_redirects(r, n, &redirects);
	else
		free(redirects.p);
	free(words.p);
	free(assigns.p);
	free(arrays.p);
}

/* ---- compound commands ---- */

static void expect(struct reader *r, const char *word, const char *why)
{
	skip_newlines(r);
	if (!take_word_if(r, word))
		fail(r, why);
}

static void take_if(struct reader *r, struct sh_node *n)
{
	struct bodies v = { 0 };
	bool more = true;

	n->kind = SH_IF;
	while (more && !r->error) {
		*VEC_ADD(&v) = take_list(r, END_THEN, true);
		expect(r, "then", "an if has no then");
		*VEC_ADD(&v) = take_list(r, END_ELSE, true);
		more = take_word_if(r, "elif");
	}
	if (take_word_if(r, "else"))
		*VEC_ADD(&v) = take_list(r, END_FI, true);
	expect(r, "fi", "an if has no fi");
	set_bodies(r, n, &v);
	free(v.p);
}

/* do ... done, or for loops { ... }. */
static const struct sh_node *take_do(struct reader *r, bool braces)
{
	const struct sh_node *body;

	skip_newlines(r);
	if (braces && take_word_if(r, "{")) {
		body = take_list(r, END_BRACE, true);
		expect(r, "}", "unmatched {");
		return body;
	}
	expect(r, "do", "a loop has no do");
	body = take_list(r, END_DONE, true);
	expect(r, "done", "a loop has no done");
	return body;
}

static void take_while(struct reader *r, struct sh_node *n)
{
	struct bodies v = { 0 };

	n->kind = SH_WHILE;
	*VEC_ADD(&v) = take_list(r, END_DO, true);
	*VEC_ADD(&v) = take_do(r, false);
	set_bodies(r, n, &v);
	free(v.p);
}

static bool take_let(struct reader *r, struct sh_node *n)
{
	const struct sh_word *w;

	step(r, 2);
	w = try_arith(r);
	if (!w)
		return false;
	n->kind = SH_LET;
	n->words = w;
	n->nwords = 1;
	return true;
}

static void take_for(struct reader *r, struct sh_node *n)
{
	struct words v = { 0 };
	struct sh_word w;

	skip_blanks(r);
	if (at_text(r, "((")) {
		size_t at = r->at, semicolons = 0;

		if (!take_let(r, n)) {
			fail(r, "unmatched (( of a loop");
			return;
		}
		for (size_t i = at; i < r->at; i++)
			semicolons += r->text.p[i] == ';';
		if (semicolons != 2) {
			fail(r, "a loop needs two semicolons");
			return;
		}
		skip_blanks(r);
		if (peek(r, 0) == ';')
			step(r, 1);
		set_body(r, n, take_do(r, true));
		return;
	}
	n->kind = SH_FOR;
	if (!take_word(r, &w, IN_WORD)) {
		fail(r, "a loop has no name");
		return;
	}
	n->name = str_sub(r->text, w.at, w.end);
	if (!sh_is_name(n->name))
		fail(r, "a loop has no name");
	skip_newlines(r);
	if (take_word_if(r, "in")) {
		for (skip_blanks(r); take_word(r, &w, IN_WORD); skip_blanks(r))
			*VEC_ADD(&v) = w;
		if (peek(r, 0) != ';' && peek(r, 0) != '\n')
			fail(r, "a loop has no do");
	}
	if (peek(r, 0) == ';')
		step(r, 1);
	set_words(r, n, &v);
	free(v.p);
	set_body(r, n, take_do(r, true));
}

static bool at_branch_end(const struct reader *r)
{
	return peek(r, 0) == ';' && (peek(r, 1) == ';' || peek(r, 1) == '&');
}

static void take_branch(struct reader *r, struct words *v, struct bodies *bodies)
{
	struct sh_word w;

	if (peek(r, 0) == '(')
		step(r, 1);
	for (skip_blanks(r); take_word(r, &w, IN_WORD); skip_blanks(r)) {
		*VEC_ADD(v) = w;
		skip_blanks(r);
		if (peek(r, 0) != '|')
			break;
		step(r, 1);
	}
	if (peek(r, 0) != ')') {
		fail(r, "a branch of a case has no )");
		return;
	}
	step(r, 1);
	*VEC_ADD(bodies) = take_list(r, END_CASE, false);
	skip_newlines(r);
	if (at_branch_end(r))
		step(r, at_text(r, ";;&") ? 3 : 2);
	else if (!at_word(r, "esac"))
		fail(r, "a case has no esac");
}

static void take_case(struct reader *r, struct sh_node *n)
{
	struct words v = { 0 };
	struct bodies bodies = { 0 };
	struct sh_word w;

	n->kind = SH_CASE;
	skip_blanks(r);
	if (take_word(r, &w, IN_WORD))
		*VEC_ADD(&v) = w;
	else
		fail(r, "a case has no word");
	expect(r, "in", "a case has no in");
	for (skip_newlines(r); !r->error && !at_word(r, "esac"); skip_newlines(r))
		take_branch(r, &v, &bodies);
	expect(r, "esac", "a case has no esac");
	set_words(r, n, &v);
	set_bodies(r, n, &bodies);
	free(v.p);
	free(bodies.p);
}

/* ---- [[ ]] ---- */

static void take_condition(struct reader *r, struct words *v);

static bool at_close(const struct reader *r)
{
	return at_word(r, "]]") || peek(r, 0) == ')' || at_text(r, "&&") || at_text(r, "||");
}

static bool raw_is(struct reader *r, const struct sh_word *w, const char *const *list)
{
	for (; *list; list++)
		if (!w->quoted && str_eqz(str_sub(r->text, w->at, w->end), *list))
			return true;
	return false;
}

/* "< x", "-eq x", "=~ x", or nothing. */
static void take_comparison(struct reader *r, struct words *v)
{
	static const char *const binary[] = { "=",   "==",  "!=",  "=~",  "-eq", "-ne", "-lt",
					      "-le", "-gt", "-ge", "-nt", "-ot", "-ef", NULL };
	struct sh_word op, w;
	bool regex = false;

	if (at_close(r))
		return;
	if (peek(r, 0) == '<' || peek(r, 0) == '>') {
		step(r, 1);
	} else if (!take_word(r, &op, IN_WORD) || !raw_is(r, &op, binary)) {
		fail(r, "unknown operator in [[");
		return;
	} else {
		regex = str_eqz(str_sub(r->text, op.at, op.end), "=~");
	}
	skip_blanks(r);
	if (at_word(r, "]]") || !take_word(r, &w, regex ? IN_REGEX : IN_WORD))
		fail(r, "unmatched [[");
	else
		*VEC_ADD(v) = w;
}

static void take_primary(struct reader *r, struct words *v)
{
	struct sh_word w;

	for (skip_newlines(r); take_word_if(r, "!"); skip_newlines(r))
		;
	if (peek(r, 0) == '(') {
		step(r, 1);
		if (enter(r))
			take_condition(r, v);
		r->depth--;
		if (peek(r, 0) != ')')
			fail(r, "unmatched ( in [[");
		step(r, 1);
		return;
	}
	if (at_word(r, "]]") || !take_word(r, &w, IN_WORD)) {
		fail(r, "[[ has no condition");
		return;
	}
	struct str raw = str_sub(r->text, w.at, w.end);
	*VEC_ADD(v) = w;
	skip_newlines(r);
	if (!w.quoted && raw.n == 2 && raw.p[0] == '-' &&
	    strchr("abcdefghkLNnoOpGrRsStuvwxz", raw.p[1])) {
		if (at_close(r) || !take_word(r, &w, IN_WORD))
			return; /* a text alone */
		*VEC_ADD(v) = w;
		skip_newlines(r);
		if (!at_close(r))
			fail(r, "unknown operator in [[");
		return;
	}
	take_comparison(r, v);
	skip_newlines(r);
}

static void take_condition(struct reader *r, struct words *v)
{
	for (;;) {
		take_primary(r, v);
		skip_newlines(r);
		if (r->error || (!at_text(r, "&&") && !at_text(r, "||")))
			return;
		step(r, 2);
	}
}

static void take_test(struct reader *r, struct sh_node *n)
{
	struct words v = { 0 };

	n->kind = SH_TEST;
	take_condition(r, &v);
	expect(r, "]]", "unmatched [[");
	set_words(r, n, &v);
	free(v.p);
}

/* ---- commands ---- */

static void take_brackets(struct reader *r, struct sh_node *n)
{
	if (peek(r, 1) == '(') {
		size_t at = r->at;

		if (take_let(r, n))
			return;
		r->at = at;
		r->dubious = true;
	}
	n->kind = SH_SUBSHELL;
	step(r, 1);
	set_body(r, n, take_list(r, END_PAREN, true));
	if (peek(r, 0) == ')')
		step(r, 1);
	else
		fail(r, "unmatched (");
}

static void take_group(struct reader *r, struct sh_node *n)
{
	n->kind = SH_GROUP;
	set_body(r, n, take_list(r, END_BRACE, true));
	expect(r, "}", "unmatched {");
}

static void take_function(struct reader *r, struct sh_node *n)
{
	struct sh_word w;

	skip_blanks(r);
	if (!take_word(r, &w, IN_WORD)) {
		fail(r, "a function has no name");
		return;
	}
	skip_blanks(r);
	if (peek(r, 0) == '(') {
		step(r, 1);
		skip_blanks(r);
		if (peek(r, 0) != ')') {
			fail(r, "unexpected (");
			return;
		}
		step(r, 1);
	}
	(void)take_function_body(r, n, str_sub(r->text, w.at, w.end));
}

static bool at_compound(const struct reader *r)
{
	static const char *const words[] = { "{",   "if",   "while", "until",
					     "for", "case", "[[",    "select" };

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (at_word(r, words[i]))
			return true;
	return peek(r, 0) == '(';
}

static void take_coproc(struct reader *r, struct sh_node *n)
{
	struct reader before;
	struct sh_word w;

	n->kind = SH_COPROC;
	skip_blanks(r);
	before = *r;
	if (!at_compound(r) && take_word(r, &w, IN_WORD)) {
		skip_blanks(r);
		if (!at_compound(r))
			*r = before;
		else
			n->name = str_sub(r->text, w.at, w.end);
	}
	set_body(r, n, take_command(r));
}

/* What the grammar, and not a program, owns at the beginning of a command. */
static const struct {
	const char *word;
	void (*take)(struct reader *r, struct sh_node *n);
} keywords[] = {
	{ "{", take_group },       { "[[", take_test },     { "if", take_if },
	{ "while", take_while },   { "until", take_while }, { "for", take_for },
	{ "select", take_for },    { "case", take_case },   { "function", take_function },
	{ "coproc", take_coproc },
};

static const char *const misplaced[] = { "then", "elif", "else", "fi", "do", "done", "esac", "}" };

static void take_prefixes(struct reader *r, struct sh_node *n)
{
	for (;;) {
		skip_blanks(r);
		if (take_word_if(r, "!")) {
			n->negated = !n->negated;
		} else if (take_word_if(r, "time")) {
			n->timed = true;
			skip_blanks(r);
			(void)take_word_if(r, "-p");
			skip_blanks(r);
			(void)take_word_if(r, "--");
		} else {
			return;
		}
	}
}

static struct sh_node *take_command(struct reader *r)
{
	struct sh_node *n = ARENA_NEW(r->a, struct sh_node);
	bool found = false;

	spend(r, 12); /* for the memory */
	if (!enter(r))
		return n;
	take_prefixes(r, n);
	n->at = skip_joins(r, r->at);
	for (size_t i = 0; i < ARRAY_LEN(misplaced); i++)
		if (at_word(r, misplaced[i]))
			fail(r, "unexpected keyword");
	for (size_t i = 0; i < ARRAY_LEN(keywords) && !found; i++) {
		found = take_word_if(r, keywords[i].word);
		if (found)
			keywords[i].take(r, n);
	}
	if (!found && peek(r, 0) == '(')
		take_brackets(r, n);
	else if (!found)
		take_simple(r, n);
	if (n->kind != SH_SIMPLE && n->kind != SH_COPROC && n->kind != SH_FUNCTION) {
		struct redirects v = { 0 };
		size_t nfd;

		for (skip_blanks(r); !r->error && at_redirection(r, &nfd); skip_blanks(r))
			take_redirection(r, &v, nfd);
		set_redirects(r, n, &v);
	}
	n->end = r->at;
	r->depth--;
	return n;
}

static bool at_list_end(const struct reader *r, unsigned ends)
{
	static const struct {
		unsigned end;
		const char *words[4];
	} rows[] = {
		{ END_BRACE, { "}" } },
		{ END_THEN, { "then" } },
		{ END_ELSE, { "elif", "else", "fi" } },
		{ END_FI, { "fi" } },
		{ END_DO, { "do" } },
		{ END_DONE, { "done" } },
		{ END_CASE, { "esac" } },
	};

	if (!peek(r, 0) || ((ends & END_PAREN) && peek(r, 0) == ')') ||
	    ((ends & END_CASE) && at_branch_end(r)))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		for (size_t k = 0; (ends & rows[i].end) && rows[i].words[k]; k++)
			if (at_word(r, rows[i].words[k]))
				return true;
	return false;
}

/* The operator behind a command; SH_END when there is none. */
static enum sh_op take_operator(struct reader *r)
{
	static const struct {
		const char *text;
		enum sh_op op;
	} ops[] = { { "&&", SH_AND }, { "||", SH_OR },        { "|&", SH_PIPE },
		    { "|", SH_PIPE }, { "&", SH_BACKGROUND }, { ";", SH_THEN } };

	skip_blanks(r);
	if (peek(r, 0) == '\n')
		return SH_THEN;
	if (at_branch_end(r))
		return SH_END;
	for (size_t i = 0; i < ARRAY_LEN(ops); i++)
		if (at_text(r, ops[i].text)) {
			step(r, strlen(ops[i].text));
			return ops[i].op;
		}
	return SH_END;
}

/* Commands up to what ends the list, which stays; NULL when there is none. */
static const struct sh_node *take_list(struct reader *r, unsigned ends, bool needed)
{
	const struct sh_node *first = NULL;
	struct sh_node *last = NULL;

	for (skip_newlines(r); !r->error && !at_list_end(r, ends); skip_newlines(r)) {
		struct sh_node *n;

		if (last && last->op == SH_PIPE && at_word(r, "!"))
			fail(r, "! inside a pipeline");
		n = take_command(r);
		if (r->error)
			break;
		if (last)
			last->next = n;
		else
			first = n;
		last = n;
		n->op = take_operator(r);
		if (n->op == SH_END)
			break;
	}
	if (last && !r->error && (last->op == SH_AND || last->op == SH_OR || last->op == SH_PIPE))
		fail(r, "a command is missing");
	if (needed && !first)
		fail(r, "a list of commands is empty");
	return first;
}

bool sh_read(struct sh_script *ret, struct arena *a, struct str text)
{
	struct reader r = { .a = a, .text = text, .end = text.n };

	*ret = (struct sh_script){ .text = text };
	r.steps = text.n * 16 + 4096;
	if (text.n > SH_TEXT_MAX)
		fail_limit(&r, "the text is too long");
	else if (text.n && memchr(text.p, '\0', text.n))
		fail(&r, "the text has a NUL character");
	else
		ret->first = take_list(&r, 0, false);
	if (!r.error && r.at < r.end)
		fail(&r, "unexpected text");
	r.dubious |= r.npending > 0;
	ret->error = r.error;
	ret->error_at = r.error_at;
	ret->limit = r.limit;
	ret->dubious = r.dubious;
	return !r.error;
}

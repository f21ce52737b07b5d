/* Words and their pieces: quotes, backslashes, expansions, substitutions, patterns. */
#include "shell/reader.h"

static struct sh_piece *add_piece(struct pieces *v, enum sh_piece_kind kind, enum sh_quote quote,
				  size_t at)
{
	struct sh_piece *p = VEC_ADD(v);

	*p = (struct sh_piece){ .kind = kind, .quote = quote, .at = at, .end = at };
	return p;
}

void sh_add_raw(struct reader *r, struct pieces *v, enum sh_piece_kind kind, enum sh_quote quote,
		size_t at)
{
	struct sh_piece *p = add_piece(v, kind, quote, at);

	sh_spend(r, r->at - at + 4);
	p->end = r->at;
	p->text = str_sub(r->text, at, r->at);
}

struct sh_word sh_word_of(struct reader *r, const struct pieces *v, size_t at)
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

	if (sh_enter(r))
		sh_take_pieces(r, &v, c);
	r->depth--;
	*w = sh_word_of(r, &v, at);
	free(v.p);
	return w;
}

/* The commands up to the bracket that closes them, which is skipped. */
static const struct sh_script *take_script(struct reader *r)
{
	struct sh_script *s = ARENA_NEW(r->a, struct sh_script);
	size_t npending = r->npending;

	s->text = r->text;
	if (sh_enter(r)) {
		/* The text of an outer here-document cannot begin in here. */
		r->dubious |= npending > 0;
		r->npending = 0;
		s->first = r->list(r, END_PAREN, false);
		if (r->npending)
			sh_fail(r, "a here-document is not closed in its substitution");
		r->npending = npending;
		if (sh_peek(r, 0) == ')')
			sh_step(r, 1);
		else
			sh_fail(r, "unmatched (");
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

	sh_step(r, 1);
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
		sh_fail(r, "unmatched `");
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
	if (sh_enter(&in)) {
		s->text = in.text;
		s->first = in.list(&in, 0, false);
		if (in.at < in.end)
			sh_fail(&in, "unexpected text in `...`");
		in.dubious |= in.npending > 0;
	}
	r->steps = in.steps;
	r->dubious |= in.dubious;
	if (in.error) {
		r->limit |= in.limit && !r->error;
		sh_fail(r, in.error);
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
	int d = char_hex(c);

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
		char c = s.p[i++], next = str_at(s, i);
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
	size_t at = (sh_step(r, 1), r->at - 1), from;
	struct sh_piece *p;

	sh_step(r, 1);
	for (from = r->at; r->at < r->end && r->text.p[r->at] != '\''; r->at++) {
		if (r->text.p[r->at] != '\\')
			continue;
		r->at++;
		r->dubious |= r->at < r->end && r->text.p[r->at] == '\'';
	}
	if (r->at >= r->end) {
		sh_fail(r, "unmatched '");
		return;
	}
	p = add_piece(v, SH_TEXT, SH_ANSI, at);
	p->text = decode_ansi(r, str_sub(r->text, from, r->at));
	p->end = ++r->at;
}

/* What may stand between the name and the operand of ${...}, longest first. */
static const char *const operators[] = { ":-", ":=", ":?", ":+", "##", "%%", "//", "/#",
					 "/%", "^^", ",,", "-",  "=",  "?",  "+",  "#",
					 "%",  "/",  "^",  ",",  ":",  "@",  "*" };

static size_t take_name(struct reader *r)
{
	char c = sh_peek(r, 0);
	size_t n = 1;

	if (char_is_word(c))
		n = sh_span(r, 0, char_is_digit(c) ? char_is_digit : char_is_word);
	else if (!c || !strchr("@*#?-$!", c))
		return 0;
	sh_step(r, n);
	return n;
}

static void take_subscript(struct reader *r, struct sh_piece *p)
{
	size_t from = r->at;

	if (sh_peek(r, 0) != '[')
		return;
	r->dubious |= r->text.p[from] != '[';
	sh_step(r, 1);
	p->index = operand(r, IN_BRACKETS);
	if (sh_peek(r, 0) != ']') {
		sh_fail(r, "a subscript is not ended");
		return;
	}
	sh_step(r, 1);
	p->subscript = (unsigned)(r->at - from);
	for (size_t i = from; i < r->at; i++)
		r->dubious |= strchr("'\"\\`$(){}", r->text.p[i]) != NULL;
	if (p->index->n == 1 && p->index->p[0].kind == SH_TEXT)
		p->index = NULL;
}

/* Behind "${". */
static void take_braces(struct reader *r, struct sh_piece *p, bool in_double)
{
	char c = sh_peek(r, 0), next = sh_peek(r, 1);
	size_t from;

	p->braces = true;
	if (c == '#' && next != '}' && (char_is_word(next) || strchr("@*?-$!#", next))) {
		p->length = true;
		sh_step(r, 1);
	} else if (c == '!' && next != '}' && (char_is_word(next) || strchr("@*#?-$", next))) {
		p->indirect = true;
		sh_step(r, 1);
	}
	from = sh_skip_joins(r, r->at);
	if (!take_name(r)) {
		sh_fail(r, "bad substitution");
		return;
	}
	p->text = str_sub(r->text, from, r->at);
	r->dubious |= str_chr(p->text, '\\', 0) >= 0;
	take_subscript(r, p);
	for (size_t i = 0; i < ARRAY_LEN(operators); i++) {
		if (!sh_at_text(r, operators[i]))
			continue;
		p->op = str_from(operators[i]);
		sh_step(r, p->op.n);
		p->operand = operand(r, in_double ? IN_QUOTED_BRACES : IN_BRACES);
		break;
	}
	if (sh_peek(r, 0) == '}')
		sh_step(r, 1);
	else
		sh_fail(r, "bad substitution");
}

/*
 * "((": arithmetic when it ends with "))", else commands in brackets, as bash decides it.  After
 * a failure the reader is where it was.
 */
const struct sh_word *sh_try_arith(struct reader *r)
{
	struct reader before = *r;
	const struct sh_word *w = operand(r, IN_ARITH);

	if (!r->error && sh_peek(r, 0) == ')' && sh_peek(r, 1) == ')') {
		sh_step(r, 2);
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
	if (sh_peek(r, 2) == '(') {
		struct reader before = *r;

		sh_step(r, 3);
		p->operand = sh_try_arith(r);
		if (p->operand) {
			p->kind = SH_ARITH;
			return;
		}
		before.steps = r->steps;
		*r = before;
		r->dubious = true;
	}
	sh_step(r, 2);
	p->kind = SH_COMMAND;
	p->script = take_script(r);
}

/* $x and its kin; a $ that begins nothing is text. */
static void take_dollar(struct reader *r, struct pieces *v, enum context c)
{
	bool in_double = c == IN_DOUBLE || c == IN_BODY || c == IN_QUOTED_BRACES || c == IN_ARITH;
	enum sh_quote quote = in_double ? SH_DOUBLE : SH_BARE;
	char next = sh_peek(r, 1);
	struct sh_piece p = { .kind = SH_VARIABLE, .quote = quote, .at = sh_skip_joins(r, r->at) };

	if (next == '\'' && !in_double) {
		take_ansi(r, v);
		return;
	}
	if (next == '"' && !in_double) {
		sh_step(r, 1); /* a translation: the text is the same, as far as we know */
		r->dubious = true;
		return;
	}
	if (next == '(') {
		take_parenthesis(r, &p);
	} else if (next == '{') {
		sh_step(r, 2);
		take_braces(r, &p, in_double);
	} else if (next == '[') {
		r->dubious = true;
		p.kind = SH_ARITH;
		sh_step(r, 2);
		p.operand = operand(r, IN_BRACKETS);
		if (sh_peek(r, 0) == ']')
			sh_step(r, 1);
		else
			sh_fail(r, "unmatched $[");
	} else if (char_is_word(next) || (next && strchr("@*#?-$!", next))) {
		size_t from;

		sh_step(r, 1);
		from = sh_skip_joins(r, r->at);
		if (char_is_digit(next))
			sh_step(r, 1);
		else
			(void)take_name(r);
		p.text = str_sub(r->text, from, r->at);
		r->dubious |= str_chr(p.text, '\\', 0) >= 0;
	} else {
		sh_step(r, 1);
		sh_add_raw(r, v, SH_TEXT, quote, p.at);
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
	size_t at = sh_skip_joins(r, r->at);

	r->at = at + 1;
	if (r->at >= r->end) {
		/* bash keeps it, others say that the text is not over */
		r->dubious = true;
		sh_add_raw(r, v, SH_TEXT, SH_BARE, at);
		return;
	}
	if (in_double && !strchr(special, r->text.p[r->at])) {
		sh_add_raw(r, v, SH_TEXT, SH_DOUBLE, at);
		return;
	}
	r->at++;
	sh_add_raw(r, v, SH_TEXT, in_double ? SH_DOUBLE : SH_ESCAPED, at);
	v->p[v->n - 1].text = str_sub(r->text, at + 1, r->at);
}

/* Characters that are text wherever they stand in this context, taken together. */
static void take_run(struct reader *r, struct pieces *v, enum context c)
{
	bool quoted = c == IN_DOUBLE || c == IN_BODY || c == IN_QUOTED_BRACES || c == IN_ARITH;
	const char *stops = c == IN_WORD ? " \t\n;&|()<>\\$`'\"*?[{" : "\\$`'\"}])(*?[{<> \t\n";
	size_t at;

	sh_step(r, 1);
	at = r->at - 1;
	while (r->at < r->end && !strchr(stops, r->text.p[r->at]))
		r->at++;
	sh_add_raw(r, v, SH_TEXT, quoted ? SH_DOUBLE : SH_BARE, at);
}

static bool ends_here(const struct reader *r, enum context c, char ch, size_t level)
{
	switch (c) {
	case IN_WORD:
		return sh_is_meta(ch) && !((ch == '<' || ch == '>') && sh_peek(r, 1) == '(');
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
	size_t from;

	r->dubious |= disputed;
	if (c == IN_BODY || (c == IN_DOUBLE && ch == '\'') || (disputed && ch == '\'')) {
		take_run(r, v, c);
	} else if (ch == '\'') {
		sh_step(r, 1);
		from = r->at;
		while (r->at < r->end && r->text.p[r->at] != '\'')
			r->at++;
		if (r->at < r->end) {
			sh_add_raw(r, v, SH_TEXT, SH_SINGLE, from);
			r->at++;
		} else {
			sh_fail(r, "unmatched '");
		}
	} else {
		size_t n = v->n;

		sh_step(r, 1);
		if (sh_enter(r))
			sh_take_pieces(r, v, IN_DOUBLE);
		r->depth--;
		if (v->n == n) /* "" is a word, too */
			sh_add_raw(r, v, SH_TEXT, SH_DOUBLE, r->at);
		if (sh_peek(r, 0) == '"')
			sh_step(r, 1);
		else
			sh_fail(r, "unmatched \"");
	}
}

/* An unquoted character that a shell would expand. */
static bool take_pattern(struct reader *r, struct pieces *v, char ch)
{
	char next = sh_peek(r, 1);
	enum sh_piece_kind kind = SH_TEXT;
	size_t at;

	if (ch == '*' || ch == '?' || ch == '[')
		kind = SH_GLOB;
	else if (ch == '{' && next != '}' && (v->n || !sh_is_meta(next)))
		kind = SH_BRACE;
	else if (ch == '~' && !v->n)
		kind = SH_TILDE;
	if (kind == SH_TEXT)
		return false;
	sh_step(r, 1);
	at = r->at - 1;
	while (kind == SH_TILDE && !sh_is_meta(sh_peek(r, 0)) &&
	       !strchr("/\\'\"$`*?[{}", sh_peek(r, 0)))
		sh_step(r, 1);
	sh_add_raw(r, v, kind, SH_BARE, at);
	return true;
}

void sh_take_pieces(struct reader *r, struct pieces *v, enum context c)
{
	size_t level = 0;

	for (char ch; !r->error && (ch = sh_peek(r, 0)) != '\0';) {
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
		} else if (open && (ch == '<' || ch == '>') && sh_peek(r, 1) == '(') {
			size_t at = sh_skip_joins(r, r->at);
			struct sh_piece *p;
			const struct sh_script *s;

			sh_step(r, 2);
			r->dubious |=
				sh_peek(r, 0) == '('; /* for some bash looks for brackets only */
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

bool sh_take_word(struct reader *r, struct sh_word *ret, enum context c)
{
	struct pieces v = { 0 };
	size_t at = sh_skip_joins(r, r->at);

	sh_take_pieces(r, &v, c);
	*ret = sh_word_of(r, &v, at);
	for (size_t i = 0; i < v.n; i++)
		ret->quoted |= v.p[i].quote != SH_BARE;
	free(v.p);
	return ret->n > 0 && !r->error;
}

void sh_set_words(struct reader *r, struct sh_node *n, const struct words *v)
{
	struct sh_word *p = ARENA_ARRAY(r->a, struct sh_word, v->n + 1);

	if (v->n)
		memcpy(p, v->p, v->n * sizeof *p);
	n->words = p;
	n->nwords = v->n;
}

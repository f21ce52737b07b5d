/*
 * A reader of TOML by recursive descent.  Tables grow while the text is read (a header may come
 * back to one), so they are lists of nodes first and become JSON at the end.
 */
#include "base/toml.h"

#include <errno.h>

#include "base/utf8.h"

enum kind { VALUE, TABLE, TABLES };

struct node {
	struct str key;
	enum kind kind;
	uint32_t pos, key_pos;
	const struct json *v; /* VALUE */
	struct node *first, *last, *next;
	size_t n;
	bool defined; /* by a header of its own */
	bool dotted; /* by a dotted key */
	bool closed; /* written inline: nothing can be added */
};

struct toml {
	struct arena *a;
	struct arena nodes; /* goes with the reader */
	struct str text;
	size_t at, error_at;
	unsigned depth;
	struct err *err;
};

static int take_value(struct toml *t, struct node *into);

#define FAIL_AT(t, pos, ...) ((t)->error_at = (pos), err_set((t)->err, E_PARSE, __VA_ARGS__))
#define FAIL(t, ...) FAIL_AT(t, (t)->at, __VA_ARGS__)

static char peek(const struct toml *t, size_t ahead)
{
	return str_at(t->text, t->at + ahead);
}

static bool looks_at(const struct toml *t, const char *z)
{
	size_t i = 0;

	/* Asked at each character: the first one usually tells. */
	while (z[i] && t->at + i < t->text.n && t->text.p[t->at + i] == z[i])
		i++;
	return !z[i];
}

static bool is_control(char c)
{
	return ((unsigned char)c < 0x20 && c != '\t') || c == 0x7f;
}

static bool take_newline(struct toml *t)
{
	size_t n = looks_at(t, "\r\n") ? 2 : looks_at(t, "\n");

	t->at += n;
	return n > 0;
}

static void skip_blanks(struct toml *t)
{
	while (peek(t, 0) == ' ' || peek(t, 0) == '\t')
		t->at++;
}

static int skip_comment(struct toml *t)
{
	skip_blanks(t);
	if (peek(t, 0) != '#')
		return 0;
	while (t->at < t->text.n && !looks_at(t, "\n") && !looks_at(t, "\r\n")) {
		if (is_control(peek(t, 0)))
			return FAIL(t, "control character in a comment");
		t->at++;
	}
	return 0;
}

/* Blanks, comments and line breaks. */
static int skip_lines(struct toml *t)
{
	int r;

	do {
		r = skip_comment(t);
	} while (r == 0 && take_newline(t));
	return r;
}

static int end_line(struct toml *t)
{
	int r = skip_comment(t);

	if (r < 0)
		return r;
	if (t->at < t->text.n && !take_newline(t))
		return FAIL(t, "expected the end of the line here");
	return 0;
}

/* ---- strings ---- */

static int take_unicode(struct toml *t, size_t digits, struct buf *out)
{
	uint32_t cp = 0;
	char utf8[4];

	for (size_t i = 0; i < digits; i++) {
		static const char hex[] = "0123456789abcdef";
		char c = peek(t, i) | ('A' <= peek(t, i) && peek(t, i) <= 'F' ? 0x20 : 0);
		const char *at = c ? strchr(hex, c) : NULL;

		if (!at)
			return FAIL(t, "expected %zu hexadecimal digits here", digits);
		cp = cp << 4 | (uint32_t)(at - hex);
	}
	if (cp > 0x10ffff || (cp >= 0xd800 && cp < 0xe000))
		return FAIL(t, "not a Unicode character");
	t->at += digits;
	buf_add(out, utf8, utf8_encode(cp, utf8));
	return 0;
}

/* After a backslash; in a multi-line string it may precede a line break. */
static int take_escape(struct toml *t, bool multiline, struct buf *out)
{
	static const char from[] = "btnfre\"\\", to[] = "\b\t\n\f\r\033\"\\";
	char c = peek(t, 0);
	const char *at = c && c != 'e' ? strchr(from, c) : NULL;
	size_t start = t->at;

	if (at) {
		t->at++;
		buf_addc(out, to[at - from]);
		return 0;
	}
	if (c == 'u' || c == 'U') {
		t->at++;
		return take_unicode(t, c == 'u' ? 4 : 8, out);
	}
	skip_blanks(t);
	if (!multiline || !take_newline(t))
		return FAIL_AT(t, start, "unknown escape; write \\\\ for a backslash");
	do {
		skip_blanks(t);
	} while (take_newline(t));
	return 0;
}

/* The characters of a string, quoted so, that stand for themselves. */
static struct str take_plain(struct toml *t, char quote)
{
	size_t from = t->at, at = from;
	char escape = quote == '"' ? '\\' : quote;

	while (at < t->text.n && t->text.p[at] != quote && t->text.p[at] != escape &&
	       !is_control(t->text.p[at]))
		at++;
	t->at = at;
	return str_sub(t->text, from, at);
}

/* The quotes at the end of a multi-line string: up to two of its own precede them. */
static bool take_closing(struct toml *t, const char *close, struct buf *out)
{
	if (!looks_at(t, close))
		return false;
	for (size_t i = 0; i < 2 && close[1] && peek(t, 3) == close[0]; i++) {
		buf_addc(out, close[0]);
		t->at++;
	}
	t->at += strlen(close);
	return true;
}

static int take_string(struct toml *t, bool may_multiline, struct str *ret)
{
	static const char *const quotes[] = { "\"\"\"", "'''", "\"", "'" };
	AUTO(buf_done) struct buf out = { 0 };
	size_t start = t->at, k = may_multiline ? 0 : 2;
	int r = 0;

	while (!looks_at(t, quotes[k]))
		k++;
	bool multiline = k < 2;
	t->at += strlen(quotes[k]);
	if (multiline)
		(void)take_newline(t);
	for (;;) {
		struct str plain = take_plain(t, quotes[k][0]);

		if (!multiline && !out.n && looks_at(t, quotes[k])) {
			t->at++;
			*ret = arena_str(t->a, plain);
			return 0;
		}
		buf_adds(&out, plain);
		if (take_closing(t, quotes[k], &out))
			break;
		if (t->at >= t->text.n)
			return FAIL_AT(t, start, "unterminated string");
		if (multiline && take_newline(t)) {
			buf_addc(&out, '\n');
		} else if (is_control(peek(t, 0))) {
			return FAIL(t, "this character is not allowed in a string%s",
				    multiline ? "" : "; use three quotes for several lines");
		} else if (peek(t, 0) == '\\' && quotes[k][0] == '"') {
			t->at++;
			r = take_escape(t, multiline, &out);
			if (r < 0)
				return r;
		} else {
			buf_addc(&out, t->text.p[t->at++]);
		}
	}
	*ret = arena_str(t->a, buf_str(&out));
	return 0;
}

/* ---- tables ---- */

static struct node *node_find(const struct node *in, struct str key)
{
	for (struct node *n = in->first; n; n = n->next)
		if (str_eq(n->key, key))
			return n;
	return NULL;
}

static int node_add(struct toml *t, struct node *in, struct str key, enum kind kind, size_t pos,
		    struct node **ret)
{
	struct node *n = ARENA_NEW(&t->nodes, struct node);

	if (in->n >= TOML_KEYS_MAX) {
		t->error_at = pos;
		return err_set(t->err, E_LIMIT, "a table or an array has at most %d entries",
			       TOML_KEYS_MAX);
	}
	n->key = key;
	n->kind = kind;
	n->pos = n->key_pos = (uint32_t)pos;
	if (in->last)
		in->last->next = n;
	else
		in->first = n;
	in->last = n;
	in->n++;
	*ret = n;
	return 0;
}

static int take_key(struct toml *t, struct str *ret)
{
	size_t from = t->at;

	if (peek(t, 0) == '"' || peek(t, 0) == '\'')
		return take_string(t, false, ret);
	while (char_is_word(peek(t, 0)) || peek(t, 0) == '-')
		t->at++;
	if (t->at == from)
		return FAIL(t, "expected a key here");
	*ret = str_sub(t->text, from, t->at);
	return 0;
}

/* The table that a key leads to, with the last part of the key. */
static int take_path(struct toml *t, struct node **in, bool header, struct str *ret_key,
		     size_t *ret_pos)
{
	for (unsigned depth = 0;; depth++) {
		struct node *n;
		size_t pos = t->at;
		int r = take_key(t, ret_key);

		if (r < 0)
			return r;
		skip_blanks(t);
		if (peek(t, 0) != '.') {
			*ret_pos = pos;
			return 0;
		}
		t->at++;
		skip_blanks(t);
		n = node_find(*in, *ret_key);
		if (!n) {
			if (depth >= TOML_DEPTH_MAX)
				return FAIL_AT(t, pos, "tables nested too deeply");
			r = node_add(t, *in, *ret_key, TABLE, pos, &n);
			if (r < 0)
				return r;
			n->dotted = !header;
		} else if (header && n->kind == TABLES && !n->closed) {
			n = n->last;
		} else if (n->kind != TABLE || n->closed || (!header && !n->dotted)) {
			return FAIL_AT(t, pos, "\"%.*s\" cannot be extended here",
				       STR_ARG(*ret_key));
		}
		*in = n;
	}
}

/* key = value */
static int take_pair(struct toml *t, struct node *in)
{
	struct str key;
	struct node *n;
	size_t pos;
	int r = take_path(t, &in, false, &key, &pos);

	if (r < 0)
		return r;
	if (node_find(in, key))
		return FAIL_AT(t, pos, "\"%.*s\" is already defined", STR_ARG(key));
	if (peek(t, 0) != '=')
		return FAIL(t, "expected '=' after the key \"%.*s\"", STR_ARG(key));
	t->at++;
	skip_blanks(t);
	r = node_add(t, in, key, VALUE, t->at, &n);
	if (r < 0)
		return r;
	n->key_pos = (uint32_t)pos;
	return take_value(t, n);
}

/* [table] or [[table]] */
static int take_header(struct toml *t, struct node *root, struct node **ret_current)
{
	bool many = looks_at(t, "[[");
	struct node *in = root, *n;
	struct str key;
	size_t pos;
	int r;

	t->at += 1 + many;
	skip_blanks(t);
	r = take_path(t, &in, true, &key, &pos);
	if (r < 0)
		return r;
	if (!looks_at(t, many ? "]]" : "]"))
		return FAIL(t, "expected '%s' here", many ? "]]" : "]");
	t->at += 1 + many;
	n = node_find(in, key);
	if (n && (many ? n->kind != TABLES || n->closed
		       : n->kind != TABLE || n->defined || n->dotted || n->closed))
		return FAIL_AT(t, pos, "\"%.*s\" is already defined", STR_ARG(key));
	if (!n) {
		r = node_add(t, in, key, many ? TABLES : TABLE, pos, &n);
		if (r < 0)
			return r;
	}
	if (many) {
		r = node_add(t, n, STR(""), TABLE, pos, &n);
		if (r < 0)
			return r;
	}
	n->defined = true;
	*ret_current = n;
	return end_line(t);
}

/* ---- values ---- */

static int take_integer(struct toml *t, struct node *into)
{
	AUTO(buf_done) struct buf digits = { 0 };
	size_t start = t->at;
	bool sign = peek(t, 0) == '+' || peek(t, 0) == '-';
	int base = peek(t, sign) != '0' || sign ? 10
		   : peek(t, 1) == 'x'          ? 16
		   : peek(t, 1) == 'o'          ? 8
		   : peek(t, 1) == 'b'          ? 2
						: 10;
	char *end;

	if (sign && peek(t, 0) == '-')
		buf_addc(&digits, '-');
	t->at += sign ? 1 : base == 10 ? 0 : 2;
	if (!char_is_word(peek(t, 0)) ||
	    (base == 10 && peek(t, 0) == '0' && char_is_word(peek(t, 1))))
		return FAIL_AT(t, start,
			       "expected a value here: a string, a number, true, false, "
			       "an array or a table");
	for (char last = '_'; char_is_word(peek(t, 0)); last = t->text.p[t->at++]) {
		bool between = last != '_' && char_is_word(peek(t, 1)) && peek(t, 1) != '_';

		if (peek(t, 0) != '_')
			buf_addc(&digits, peek(t, 0));
		else if (!between)
			return FAIL(t, "'_' must be between two digits");
	}
	errno = 0;
	long long v = strtoll(buf_z(&digits), &end, base);
	if (*end || errno || peek(t, 0) == '.' || peek(t, 0) == '-' || peek(t, 0) == ':')
		return FAIL_AT(t, start, "expected a number or a date here; strings need quotes");
	into->v = json_new_int(t->a, v);
	return 0;
}

/* Where the digits from `from` on end, single '_' between them; 0 when it has none. */
static size_t digits_end(const struct toml *t, size_t from)
{
	size_t n = from;

	while (char_is_digit(peek(t, n)) ||
	       (n > from && peek(t, n) == '_' && peek(t, n - 1) != '_' &&
		char_is_digit(peek(t, n + 1))))
		n++;
	return n == from ? 0 : n;
}

/* The bytes of a number with a fraction or an exponent; 0 = here is none. */
static size_t float_bytes(const struct toml *t)
{
	size_t start = peek(t, 0) == '+' || peek(t, 0) == '-', whole = digits_end(t, start);
	size_t n = whole;

	if (!whole || (peek(t, start) == '0' && whole - start > 1))
		return 0;
	if (peek(t, n) == '.') {
		n = digits_end(t, n + 1);
		if (!n)
			return 0;
	}
	if ((peek(t, n) | ' ') == 'e') {
		n++;
		n = digits_end(t, n + (peek(t, n) == '+' || peek(t, n) == '-'));
	}
	return n == whole ? 0 : n;
}

/* d is a digit. */
static bool fits(const struct toml *t, size_t i, const char *shape)
{
	for (; *shape; shape++, i++)
		if (*shape == 'd' ? !char_is_digit(peek(t, i)) : peek(t, i) != *shape)
			return false;
	return true;
}

static int two_digits(const struct toml *t, size_t i)
{
	return 10 * (peek(t, i) - '0') + peek(t, i + 1) - '0';
}

static bool is_time(const struct toml *t, size_t i)
{
	return two_digits(t, i) < 24 && two_digits(t, i + 3) < 60;
}

/* The bytes of a date, a time of day, or both; 0 = here is none. */
static size_t date_bytes(const struct toml *t)
{
	bool date = fits(t, 0, "dddd-dd-dd");
	size_t n = date ? strlen("dddd-dd-dd") : 0;

	if (date && !str_is_date(str_sub(t->text, t->at, t->at + n)))
		return 0;
	if (date && !((peek(t, n) == 'T' || peek(t, n) == 't' || peek(t, n) == ' ') &&
		      fits(t, n + 1, "dd:dd:dd")))
		return n;
	n += date;
	if (!fits(t, n, "dd:dd:dd") || !is_time(t, n) || two_digits(t, n + 6) > 60)
		return 0;
	n += strlen("dd:dd:dd");
	if (peek(t, n) == '.')
		for (n++; char_is_digit(peek(t, n));)
			n++;
	if (!char_is_digit(peek(t, n - 1)))
		return 0;
	if (date && (peek(t, n) == 'Z' || peek(t, n) == 'z'))
		return n + 1;
	if (date && (peek(t, n) == '+' || peek(t, n) == '-'))
		return fits(t, n + 1, "dd:dd") && is_time(t, n + 1) ? n + strlen("+dd:dd") : 0;
	return n;
}

/* JSON has neither dates nor infinity: they are texts.  A fraction is written as in JSON. */
static bool take_other_number(struct toml *t, struct node *into)
{
	static const char *const words[] = { "inf", "+inf", "-inf", "nan", "+nan", "-nan" };
	AUTO(buf_done) struct buf digits = { 0 };
	size_t text = date_bytes(t), n = float_bytes(t);
	struct str s;

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (looks_at(t, words[i]) && !char_is_word(peek(t, strlen(words[i]))))
			text = strlen(words[i]);
	s = str_sub(t->text, t->at, t->at + max_size(text, n));
	if (!s.n)
		return false;
	if (text) {
		into->v = json_new_copy(t->a, s);
	} else {
		for (size_t i = s.p[0] == '+'; i < s.n; i++)
			if (s.p[i] != '_')
				buf_addc(&digits, s.p[i]);
		if (json_parse(t->a, arena_str(t->a, buf_str(&digits)), 0, &into->v, NULL) < 0)
			return false;
	}
	t->at += s.n;
	return true;
}

static int take_array(struct toml *t, struct node *into)
{
	int r;

	into->kind = TABLES;
	into->closed = true;
	for (t->at++;;) {
		struct node *item;

		r = skip_lines(t);
		if (r < 0)
			return r;
		if (peek(t, 0) == ']')
			break;
		r = node_add(t, into, STR(""), VALUE, t->at, &item);
		if (r >= 0)
			r = take_value(t, item);
		if (r >= 0)
			r = skip_lines(t);
		if (r < 0)
			return r;
		if (peek(t, 0) != ',' && peek(t, 0) != ']')
			return FAIL(t, "expected ',' or ']' here");
		t->at += peek(t, 0) == ',';
	}
	t->at++;
	return 0;
}

/* Its tables cannot be extended from outside. */
static void close_tables(struct node *n)
{
	n->closed = true;
	for (struct node *c = n->first; c; c = c->next)
		close_tables(c);
}

static int take_inline(struct toml *t, struct node *into)
{
	int r;

	into->kind = TABLE;
	t->at++;
	skip_blanks(t);
	for (bool first = true; peek(t, 0) != '}'; first = false) {
		if (!first && peek(t, 0) != ',')
			return FAIL(t, "expected ',' or '}' here");
		t->at += !first;
		skip_blanks(t);
		r = take_pair(t, into);
		if (r < 0)
			return r;
		skip_blanks(t);
	}
	t->at++;
	close_tables(into);
	return 0;
}

static int take_value(struct toml *t, struct node *into)
{
	static const char *const words[] = { "false", "true" };
	struct str s;
	int r;

	if (peek(t, 0) == '[' || peek(t, 0) == '{') {
		if (t->depth >= TOML_DEPTH_MAX) {
			t->error_at = t->at;
			return err_set(t->err, E_LIMIT, "values nest at most %d deep",
				       TOML_DEPTH_MAX);
		}
		t->depth++;
		r = peek(t, 0) == '[' ? take_array(t, into) : take_inline(t, into);
		t->depth--;
		return r;
	}
	if (peek(t, 0) == '"' || peek(t, 0) == '\'') {
		r = take_string(t, true, &s);
		if (r < 0)
			return r;
		into->v = json_new_str(t->a, s);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (looks_at(t, words[i]) && !char_is_word(peek(t, strlen(words[i])))) {
			t->at += strlen(words[i]);
			into->v = json_new_bool(t->a, i);
			return 0;
		}
	return take_other_number(t, into) ? 0 : take_integer(t, into);
}

/* ---- the document ---- */

static struct json node_json(struct arena *a, const struct node *n)
{
	struct json_member *members;
	const struct json **items;
	const struct json *v = n->v;
	size_t i = 0;

	if (n->kind == TABLE) {
		members = ARENA_ARRAY(a, struct json_member, n->n + 1);
		for (const struct node *c = n->first; c; c = c->next, i++)
			members[i] = (struct json_member){ .key = c->key,
							   .pos = c->key_pos,
							   .v = node_json(a, c) };
		v = json_new_members(a, members, n->n);
	} else if (n->kind == TABLES) {
		items = ARENA_ARRAY(a, const struct json *, n->n + 1);
		for (const struct node *c = n->first; c; c = c->next, i++) {
			struct json *item = ARENA_NEW(a, struct json);

			*item = node_json(a, c);
			items[i] = item;
		}
		v = json_new_arr(a, items, n->n);
	}
	struct json copy = *v;
	copy.pos = n->pos;
	return copy;
}

static int take_document(struct toml *t, struct node *root)
{
	struct node *current = root;
	int r = skip_lines(t);

	while (r >= 0 && t->at < t->text.n) {
		if (peek(t, 0) == '[') {
			r = take_header(t, root, &current);
		} else {
			r = take_pair(t, current);
			if (r >= 0)
				r = end_line(t);
		}
		if (r >= 0)
			r = skip_lines(t);
	}
	return r;
}

int toml_parse(struct arena *a, struct str text, const struct json **ret_v,
	       struct json_where *ret_where, struct err *err)
{
	struct toml t = { .a = a, .text = text, .err = err };
	struct node root = { .kind = TABLE };
	struct json *v;
	int r;

	t.error_at = utf8_valid(text);
	if (text.n > TOML_BYTES_MAX)
		r = err_set(err, E_LIMIT, "the file is larger than %d bytes", TOML_BYTES_MAX);
	else if (t.error_at < text.n)
		r = err_set(err, E_PARSE, "not valid UTF-8");
	else
		r = take_document(&t, &root);
	if (r < 0) {
		if (ret_where)
			*ret_where = json_locate(text, t.error_at);
	} else {
		v = ARENA_NEW(a, struct json);
		*v = node_json(a, &root);
		*ret_v = v;
	}
	arena_done(&t.nodes);
	return r < 0 ? r : 0;
}

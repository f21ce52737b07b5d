/*
 * The JSON parser: recursive descent over one copy of the text.
 *
 * What makes it quick: strings without escapes point into the copy, the others are decoded in their
 * place there (a decoded string is never longer); numbers stay text until somebody asks; members
 * and items of a container gather on a stack shared by all levels and are copied once, when their
 * number is known.
 */
#include <stdio.h>

#include "base/json_impl.h"
#include "base/vec.h"

static int parse_value(struct json_parser *ps, struct json *v);

int json_fail(struct json_parser *ps, const char *at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(ps->complaint, sizeof ps->complaint, fmt, ap);
	va_end(ap);
	ps->bad = at;
	return -E_PARSE;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || c == '-' || c == '+' || c == '.';
}

/* What stands at p, for a person: the end, a string, a word in full, a character. */
static void describe(const struct json_parser *ps, const char *p, struct buf *out)
{
	enum { WORD_MAX = 20 };
	struct str rest = { p, (size_t)(ps->end - p) };
	size_t n = 0;

	if (rest.n == 0) {
		buf_addz(out, "the end of the text");
		return;
	}
	if (*p == '"') {
		buf_addz(out, "a string");
		return;
	}
	while (n < rest.n && is_word(p[n]))
		n++;
	buf_addc(out, '"');
	if (n)
		(void)utf8_add_visible(out, str_sub(rest, 0, min_size(n, WORD_MAX)), false);
	else
		(void)utf8_add_visible(out, utf8_prefix(rest, 1), false);
	buf_addz(out, n > WORD_MAX ? "...\"" : "\"");
}

static int expected(struct json_parser *ps, const char *what)
{
	AUTO(buf_done) struct buf found = { 0 };

	describe(ps, ps->p, &found);
	return json_fail(ps, ps->p, "expected %s, found %s", what, buf_z(&found));
}

static int skip_comment(struct json_parser *ps)
{
	struct str rest = { ps->p, (size_t)(ps->end - ps->p) };
	ptrdiff_t at;

	if (!(ps->flags & JSON_COMMENTS))
		return 0; /* the slash is what the caller did not expect */
	if (str_starts(rest, STR("//"))) {
		at = str_chr(rest, '\n', 2);
		ps->p = at < 0 ? ps->end : ps->p + at;
		return 1;
	}
	if (!str_starts(rest, STR("/*")))
		return 0;
	at = str_find(rest, STR("*/"), 2);
	if (at < 0)
		return json_fail(ps, ps->p, "this comment has no end");
	ps->p += at + 2;
	return 1;
}

/* Past white space and comments. */
static int skip_slow(struct json_parser *ps)
{
	static const char spaces[] = "        ";
	int r;

	for (;;) {
		while (ps->end - ps->p > 8 && memcmp(ps->p, spaces, 8) == 0)
			ps->p += 8;
		if (ps->p == ps->end)
			return 0;
		if (*ps->p == ' ' || *ps->p == '\n' || *ps->p == '\r' || *ps->p == '\t') {
			ps->p++;
			continue;
		}
		if (*ps->p != '/')
			return 0;
		r = skip_comment(ps);
		if (r <= 0)
			return r;
	}
}

static inline int skip(struct json_parser *ps)
{
	if (LIKELY(ps->p < ps->end && (unsigned char)*ps->p > ' ' && *ps->p != '/'))
		return 0;
	return skip_slow(ps);
}

/* The next character, or 0 at the end (and for a U+0000, which is allowed nowhere). */
static inline char peek(const struct json_parser *ps)
{
	return LIKELY(ps->p < ps->end) ? *ps->p : '\0';
}

static inline const char *skip_digits(const char *p, const char *end)
{
	while (p < end && (unsigned char)(*p - '0') < 10)
		p++;
	return p;
}

static int parse_number(struct json_parser *ps, struct json *v)
{
	const char *start = ps->p, *p = start + (*start == '-'), *end = ps->end, *digits = p;

	p = skip_digits(p, end);
	ps->p = p;
	if (p == digits)
		return expected(ps, "a digit after '-'");
	if (*digits == '0' && p - digits > 1)
		return json_fail(ps, start, "a number may not begin with a needless 0");
	if (p < end && *p == '.') {
		digits = ps->p = p + 1;
		p = skip_digits(digits, end);
		if (p == digits)
			return expected(ps, "a digit after the point");
	}
	if (p < end && (*p == 'e' || *p == 'E')) {
		digits = p + 1;
		digits += digits < end && (*digits == '+' || *digits == '-');
		ps->p = digits;
		p = skip_digits(digits, end);
		if (p == digits)
			return expected(ps, "a digit of the exponent");
	}
	ps->p = p;
	v->type = J_NUM;
	v->s = start;
	v->n = (size_t)(p - start);
	return 0;
}

static int parse_word(struct json_parser *ps, struct json *v)
{
	struct str rest = { ps->p, (size_t)(ps->end - ps->p) };
	size_t n = 4;

	if (str_starts(rest, STR("true"))) {
		v->type = J_BOOL;
		v->yes = true;
	} else if (str_starts(rest, STR("false"))) {
		v->type = J_BOOL;
		n = 5;
	} else if (!str_starts(rest, STR("null"))) {
		return expected(ps, "a value");
	}
	ps->p += n;
	return 0;
}

static int go_deeper(struct json_parser *ps)
{
	if (ps->depth == ps->max_depth) {
		(void)json_fail(ps, ps->p, "more than %u values inside one another", ps->max_depth);
		return -E_LIMIT;
	}
	ps->depth++;
	ps->p++;
	return skip(ps);
}

/* After an item or member: 1 when another follows, 0 after the closing bracket. */
static int next_or_end(struct json_parser *ps, char close, const char *wanted)
{
	int r = skip(ps);
	char c = peek(ps);

	if (UNLIKELY(r < 0))
		return r;
	if (c == ',') {
		ps->p++;
		r = skip(ps);
		if (r < 0)
			return r;
		if (LIKELY(peek(ps) != close))
			return 1;
		if (!(ps->flags & JSON_TRAILING_COMMAS))
			return json_fail(ps, ps->p, "a ',' may not stand before '%c'", close);
		c = close;
	}
	if (c != close)
		return expected(ps, wanted);
	ps->p++;
	ps->depth--;
	return 0;
}

static int parse_array(struct json_parser *ps, struct json *v)
{
	size_t base = ps->items.n;
	struct json item, *own;
	int r = go_deeper(ps);

	if (r == 0 && peek(ps) == ']') {
		r = next_or_end(ps, ']', "");
	} else if (r == 0) {
		do {
			r = parse_value(ps, &item);
			if (UNLIKELY(r < 0))
				return r;
			*VEC_ADD(&ps->items) = item;
			r = next_or_end(ps, ']', "',' or ']' after an item");
		} while (r > 0);
	}
	if (r < 0)
		return r;
	v->type = J_ARR;
	v->n = ps->items.n - base;
	v->items = NULL;
	if (v->n) {
		own = arena_raw(ps->arena, v->n * sizeof *own);
		memcpy(own, &ps->items.p[base], v->n * sizeof *own);
		v->items = own;
		ps->items.n = base;
	}
	return 0;
}

static int parse_member(struct json_parser *ps)
{
	struct json_member m;
	int r;

	if (UNLIKELY(peek(ps) != '"'))
		return expected(ps, "a key in double quotes");
	m.pos = (uint32_t)(ps->p - ps->start);
	r = json_parse_string(ps, &m.key, &m.plain);
	if (r == 0)
		r = skip(ps);
	if (UNLIKELY(r < 0))
		return r;
	if (UNLIKELY(peek(ps) != ':'))
		return expected(ps, "':' after a key");
	ps->p++;
	r = skip(ps);
	if (r == 0)
		r = parse_value(ps, &m.v);
	if (r == 0)
		*VEC_ADD(&ps->members) = m;
	return r;
}

static int parse_object(struct json_parser *ps, struct json *v)
{
	size_t base = ps->members.n;
	int r = go_deeper(ps);

	if (r == 0 && peek(ps) == '}') {
		r = next_or_end(ps, '}', "");
	} else if (r == 0) {
		do {
			r = parse_member(ps);
			if (UNLIKELY(r < 0))
				return r;
			r = next_or_end(ps, '}', "',' or '}' after a member");
		} while (r > 0);
	}
	if (r < 0)
		return r;
	json_finish_object(ps->arena, ps->members.n > base ? &ps->members.p[base] : NULL,
			   ps->members.n - base, v);
	v->yes = v->n < ps->members.n - base;
	ps->members.n = base;
	return 0;
}

static int parse_value(struct json_parser *ps, struct json *v)
{
	char c = peek(ps);
	struct str s;
	int r;

	*v = (struct json){ .type = J_NULL, .pos = (uint32_t)(ps->p - ps->start) };
	if (c == '"') {
		r = json_parse_string(ps, &s, &v->plain);
		if (r < 0)
			return r;
		v->type = J_STR;
		v->s = s.p;
		v->n = s.n;
		return 0;
	}
	if (c == '{')
		return parse_object(ps, v);
	if (c == '[')
		return parse_array(ps, v);
	if (c == '-' || (c >= '0' && c <= '9'))
		return parse_number(ps, v);
	return parse_word(ps, v);
}

static int parse_text(struct json_parser *ps, struct json *v)
{
	struct str all = { ps->start, (size_t)(ps->end - ps->start) };
	int r;

	if ((ps->flags & JSON_BOM) && str_starts(all, STR("\xef\xbb\xbf")))
		ps->p += 3;
	r = skip(ps);
	if (r == 0)
		r = parse_value(ps, v);
	if (r == 0)
		r = skip(ps);
	if (r == 0 && ps->p < ps->end)
		r = expected(ps, "the end of the text");
	return r;
}

struct json_where json_locate_from(struct str text, size_t pos, struct json_where before)
{
	struct json_where where = { min_size(pos, text.n), before.line, before.column };
	size_t from = before.pos;

	for (ptrdiff_t at; (at = str_chr(text, '\n', from)) >= 0 && (size_t)at < where.pos;) {
		from = (size_t)at + 1;
		where.line++;
		where.column = 1;
	}
	where.column += (unsigned)utf8_count(str_sub(text, from, where.pos));
	return where;
}

struct json_where json_locate(struct str text, size_t pos)
{
	size_t bom = str_starts(text, STR("\xef\xbb\xbf")) ? 3 : 0;

	return json_locate_from(text, max_size(pos, bom), (struct json_where){ bom, 1, 1 });
}

static int report(const struct json_parser *ps, int code, struct json_where *ret_where,
		  struct err *err)
{
	struct json_where where = json_locate(ps->text, (size_t)(ps->bad - ps->start));

	if (ret_where) {
		/* The caller says where, as file:line:column. */
		*ret_where = where;
		return err_set(err, -code, "%s", ps->complaint);
	}
	return err_set(err, -code, "line %u, column %u: %s", where.line, where.column,
		       ps->complaint);
}

int json_parse_at(struct arena *a, struct str text, unsigned flags,
		  const struct json_limits *limits, const struct json **ret_v,
		  struct json_where *ret_where, struct err *err)
{
	size_t max_bytes = limits && limits->max_bytes ? limits->max_bytes : JSON_MAX_BYTES;
	unsigned max_depth = limits && limits->max_depth ? limits->max_depth : JSON_MAX_DEPTH;
	struct json_parser ps = {
		.arena = a,
		.text = text,
		.own = !(flags & JSON_BORROW),
		.flags = flags,
		.max_depth = max_depth,
	};
	struct json v, *own;
	int r;

	ps.start = ps.p = ps.bad = text.p ? text.p : "";
	ps.end = ps.start + text.n;
	max_bytes = min_size(max_bytes, UINT32_MAX - 1); /* struct json has 32 bits for a place */
	if (text.n > max_bytes) {
		(void)json_fail(&ps, ps.start, "the text has %zu bytes, more than the limit of %zu",
				text.n, max_bytes);
		return report(&ps, -E_LIMIT, ret_where, err);
	}
	if (ps.own) {
		ps.start = ps.p = arena_z(a, text);
		ps.end = ps.start + text.n;
	}
	r = parse_text(&ps, &v);
	free(ps.items.p);
	free(ps.members.p);
	if (r < 0)
		return report(&ps, r, ret_where, err);
	own = arena_raw(a, sizeof *own);
	*own = v;
	*ret_v = own;
	return 0;
}

int json_parse(struct arena *a, struct str text, unsigned flags, const struct json **ret_v,
	       struct err *err)
{
	return json_parse_at(a, text, flags, NULL, ret_v, NULL, err);
}

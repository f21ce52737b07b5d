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
#include "base/stack.h"
#include "base/vec.h"

/* Of the stack, for a level: what is read is written by functions that need more than these. */
enum { LEVEL_STACK = 640 };

struct parser {
	struct arena *arena;
	const char *start, *p, *end; /* the text, or our copy of it */
	struct str text; /* as given, for messages */
	bool own; /* start is our copy: strings may be decoded in place */
	unsigned flags;
	unsigned depth, max_depth;
	struct {
		struct json *p;
		size_t n, cap;
	} items;
	struct {
		struct json_member *p;
		size_t n, cap;
	} members;
	/* The error: where, and what to say. */
	const char *bad;
	char complaint[256];
};

/* Notes what is wrong, and where; returns -E_PARSE. */
static PRINTF_LIKE(3, 4) int fail(struct parser *ps, const char *at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(ps->complaint, sizeof ps->complaint, fmt, ap);
	va_end(ap);
	ps->bad = at;
	return -E_PARSE;
}

/* ---- strings ---- */

bool json_is_plain(struct str s)
{
	bool high = false;
	const char *end = s.n ? s.p + s.n : s.p;

	return json_scan(s.p, end, &high) == end && (!high || json_utf8_ok(s.p, end));
}

/* The values of hexadecimal digits + 1. */
static const unsigned char hex_digits[256] = {
	['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
	['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

/* What the character after a backslash means; 0 for 'u' and for what is no escape. */
static const char escapes[256] = {
	['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
	['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
};

/* The UTF-16 unit of the escape at p; -1 when it is no right \u escape. */
static int32_t unit_at(const char *p, const char *end)
{
	int32_t unit = 0;

	if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
		return -1;
	for (int i = 2; i < 6; i++) {
		int digit = hex_digits[(unsigned char)p[i]];

		if (!digit)
			return -1;
		unit = unit << 4 | (digit - 1);
	}
	return unit;
}

/* Decodes the escape at p (two of them when they are a surrogate pair); returns its length. */
static int decode_escape(struct parser *ps, const char *p, const char *end, char **to)
{
	int32_t unit, low;

	if (UNLIKELY(end - p < 2)) {
		**to = '\\';
		*to += 1;
		return 1; /* the string will turn out to have no end */
	}
	if (LIKELY(escapes[(unsigned char)p[1]])) {
		**to = escapes[(unsigned char)p[1]];
		*to += 1;
		return 2;
	}
	unit = unit_at(p, end);
	if (unit < 0) {
		AUTO(buf_done) struct buf found = { 0 };
		struct str rest = { p + 1, (size_t)(end - p) - 1 };

		if (rest.p[0] == 'u')
			return fail(ps, p, "\"\\u\" needs four hexadecimal digits");
		(void)utf8_add_visible(&found, utf8_prefix(rest, 1), false);
		return fail(ps, p, "\"\\%s\" is not an escape; a backslash is written \"\\\\\"",
			    buf_z(&found));
	}
	low = (unit & 0xfc00) == 0xd800 ? unit_at(p + 6, end) : -1;
	if (low >= 0xdc00 && low <= 0xdfff) {
		*to += utf8_encode(
			0x10000 + (((uint32_t)unit & 0x3ff) << 10) + ((uint32_t)low & 0x3ff), *to);
		return 12;
	}
	*to += utf8_encode((uint32_t)unit, *to);
	return 6;
}

static int bad_end(struct parser *ps, const char *quote, const char *at)
{
	if (at == ps->end)
		return fail(ps, quote, "unterminated string");
	if (*at == '\n' || *at == '\r')
		return fail(ps, quote, "unterminated string (a line break is \"\\n\")");
	return fail(ps, at, "a control character in a string is written \"\\u%04x\"",
		    (unsigned)(unsigned char)*at);
}

/* Puts U+FFFD where the text between the quotes is not UTF-8, and decodes it again. */
static int parse_unclean(struct parser *ps, const char *quote, const char *close, struct str *ret_s)
{
	AUTO(buf_done) struct buf fixed = { 0 };
	size_t from = (size_t)(quote - ps->start) + 1, to = (size_t)(close - ps->start);
	char *start, *out;
	const char *p, *end;
	bool high = false;

	(void)utf8_add_clean(&fixed, str_sub(ps->text, from, to));
	p = start = out = arena_z(ps->arena, buf_str(&fixed));
	end = p + fixed.n;
	while (p < end) {
		const char *run = p;

		p = json_scan(p, end, &high);
		memmove(out, run, (size_t)(p - run));
		out += p - run;
		if (p < end)
			p += decode_escape(ps, p, end, &out); /* known to be right */
	}
	*ret_s = (struct str){ start, (size_t)(out - start) };
	return 0;
}

/* The rest of a string with escapes; the first one is at p. */
static int parse_escaped(struct parser *ps, const char *quote, const char *p, bool high,
			 struct str *ret_s)
{
	size_t before = (size_t)(p - quote) - 1;
	char *start = (char *)(uintptr_t)(quote + 1), *to; /* our copy, unless it is borrowed */
	const char *run;
	bool any = false;
	int n;

	if (!ps->own) {
		/* Up to where it ends, with luck: its escapes are not examined. */
		run = json_scan(p, ps->end, &any);
		while (run < ps->end && *run == '\\')
			run = json_scan(run + (ps->end - run < 2 ? 1 : 2), ps->end, &any);
		start = arena_raw(ps->arena, (size_t)(run - quote));
		memcpy(start, quote + 1, before);
	}
	to = start + before;
	while (LIKELY(p < ps->end && *p == '\\')) {
		n = decode_escape(ps, p, ps->end, &to);
		if (UNLIKELY(n < 0))
			return n;
		run = p + n;
		p = json_scan(run, ps->end, &high);
		json_copy(to, run, (size_t)(p - run));
		to += p - run;
	}
	if (UNLIKELY(p == ps->end || *p != '"'))
		return bad_end(ps, quote, p);
	ps->p = p + 1;
	if (high && !json_utf8_ok(start, to))
		return parse_unclean(ps, quote, p, ret_s);
	*ret_s = (struct str){ start, (size_t)(to - start) };
	return 0;
}

/* The string whose opening quote is at ps->p. */
static int parse_string(struct parser *ps, struct str *ret_s, bool *ret_plain)
{
	const char *quote = ps->p, *p;
	bool high = false;

	p = json_scan(quote + 1, ps->end, &high);
	if (UNLIKELY(p == ps->end || (unsigned char)*p < 0x20))
		return bad_end(ps, quote, p);
	*ret_plain = *p == '"';
	if (*p == '\\')
		return parse_escaped(ps, quote, p, high, ret_s);
	ps->p = p + 1;
	if (UNLIKELY(high) && !json_utf8_ok(quote + 1, p))
		return parse_unclean(ps, quote, p, ret_s);
	*ret_s = (struct str){ quote + 1, (size_t)(p - quote) - 1 };
	return 0;
}

/* ---- values ---- */

static int parse_value(struct parser *ps, struct json *v);

static int expected(struct parser *ps, const char *what)
{
	enum { WORD_MAX = 20 };
	AUTO(buf_done) struct buf found = { 0 };
	struct str rest = { ps->p, (size_t)(ps->end - ps->p) };
	size_t n = 0;

	/* What is there, for a person: the end, a string, a word in full, a character. */
	while (n < rest.n && (char_is_word(rest.p[n]) || (rest.p[n] && strchr("$-+.", rest.p[n]))))
		n++;
	if (rest.n == 0) {
		buf_addz(&found, "the end of the text");
	} else if (*rest.p == '"') {
		buf_addz(&found, "a string");
	} else {
		buf_addc(&found, '"');
		(void)utf8_add_visible(
			&found, n ? str_sub(rest, 0, min_size(n, WORD_MAX)) : utf8_prefix(rest, 1),
			false);
		buf_addz(&found, n > WORD_MAX ? "...\"" : "\"");
	}
	return fail(ps, ps->p, "expected %s, found %s", what, buf_z(&found));
}

static int skip_comment(struct parser *ps)
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
		return fail(ps, ps->p, "unterminated comment");
	ps->p += at + 2;
	return 1;
}

/* Past white space and comments. */
static int skip_slow(struct parser *ps)
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

static inline int skip(struct parser *ps)
{
	if (LIKELY(ps->p < ps->end && (unsigned char)*ps->p > ' ' && *ps->p != '/'))
		return 0;
	return skip_slow(ps);
}

/* The next character, or 0 at the end (and for a U+0000, which is allowed nowhere). */
static inline char peek(const struct parser *ps)
{
	return LIKELY(ps->p < ps->end) ? *ps->p : '\0';
}

static inline const char *skip_digits(const char *p, const char *end)
{
	while (p < end && (unsigned char)(*p - '0') < 10)
		p++;
	return p;
}

static int parse_number(struct parser *ps, struct json *v)
{
	const char *start = ps->p, *p = start + (*start == '-'), *end = ps->end, *digits = p;

	p = skip_digits(p, end);
	ps->p = p;
	if (p == digits)
		return expected(ps, "a digit after '-'");
	if (*digits == '0' && p - digits > 1)
		return fail(ps, start, "a number must not have leading zeros");
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

static int go_deeper(struct parser *ps)
{
	if (ps->depth == ps->max_depth) {
		(void)fail(ps, ps->p, "values nested more than %u levels deep", ps->max_depth);
		return -E_LIMIT;
	}
	ps->depth++;
	ps->p++;
	return skip(ps);
}

/* After an item or member: 1 when another follows, 0 after the closing bracket. */
static int next_or_end(struct parser *ps, char close, const char *wanted)
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
			return fail(ps, ps->p, "trailing comma before '%c'", close);
		c = close;
	}
	if (c != close)
		return expected(ps, wanted);
	ps->p++;
	ps->depth--;
	return 0;
}

static int parse_array(struct parser *ps, struct json *v)
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

static int parse_member(struct parser *ps)
{
	struct json_member m;
	int r;

	if (UNLIKELY(peek(ps) != '"'))
		return expected(ps, "a key in double quotes");
	m.pos = (uint32_t)(ps->p - ps->start);
	r = parse_string(ps, &m.key, &m.plain);
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

static int parse_object(struct parser *ps, struct json *v)
{
	size_t base = ps->members.n, n;
	struct json_member *all = NULL;
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
	n = ps->members.n - base;
	if (ps->flags & JSON_REPEATS && n) {
		all = arena_raw(ps->arena, n * sizeof *all);
		memcpy(all, &ps->members.p[base], n * sizeof *all);
	}
	json_finish_object(ps->arena, n ? &ps->members.p[base] : NULL, n, v);
	v->yes = v->n < n;
	if (v->yes && all) {
		v->members = all;
		v->n = n;
		v->wide = false;
	}
	ps->members.n = base;
	return 0;
}

static int parse_value(struct parser *ps, struct json *v)
{
	char c = peek(ps);
	struct str s;
	int r;
	struct str rest = { ps->p, (size_t)(ps->end - ps->p) };
	size_t n = 4;

	*v = (struct json){ .type = J_NULL, .pos = (uint32_t)(ps->p - ps->start) };
	if (c == '"') {
		r = parse_string(ps, &s, &v->plain);
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

static int parse_text(struct parser *ps, struct json *v)
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

static int report(const struct parser *ps, int code, struct json_where *ret_where, struct err *err)
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
	struct parser ps = {
		.arena = a,
		.text = text,
		.own = !(flags & JSON_BORROW),
		.flags = flags,
		.max_depth = (unsigned)min_size(max_depth, stack_left() / LEVEL_STACK),
	};
	struct json v, *own;
	int r;

	ps.start = ps.p = ps.bad = text.p ? text.p : "";
	ps.end = ps.start + text.n;
	max_bytes = min_size(max_bytes, UINT32_MAX - 1); /* struct json has 32 bits for a place */
	if (text.n > max_bytes) {
		(void)fail(&ps, ps.start, "the text has %zu bytes, more than the limit of %zu",
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

/* Strings of JSON: their text, their escapes, and what is valid in them. */
#include <stdio.h>

#include "base/json_impl.h"

/* The length of the valid character of two or three bytes at p, for the leads that are easy. */
static size_t easy_length(const unsigned char *p, const unsigned char *end)
{
	if (p[0] >= 0xe1 && p[0] != 0xed && p[0] < 0xf0)
		return end - p > 2 && (p[1] & 0xc0) == 0x80 && (p[2] & 0xc0) == 0x80 ? 3 : 0;
	if (p[0] >= 0xc2 && p[0] < 0xe0)
		return end - p > 1 && (p[1] & 0xc0) == 0x80 ? 2 : 0;
	return 0;
}

static const unsigned char *skip_ascii(const unsigned char *p, const unsigned char *end)
{
#ifdef __SSE2__
	for (; end - p >= 16; p += 16) {
		__m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
		unsigned highs = (unsigned)_mm_movemask_epi8(x);

		if (highs)
			return p + __builtin_ctz(highs);
	}
#else
	for (uint64_t w; end - p >= 8; p += 8) {
		memcpy(&w, p, sizeof w);
		if (w & 0x8080808080808080u)
			break;
	}
#endif
	while (p < end && *p < 0x80)
		p++;
	return p;
}

bool json_utf8_ok(const char *text, const char *text_end)
{
	const unsigned char *p = (const unsigned char *)text;
	const unsigned char *end = (const unsigned char *)text_end;
	size_t n;

	while (p < end) {
		if (*p < 0x80) {
			p = skip_ascii(p, end);
			continue;
		}
		n = easy_length(p, end);
		if (n == 0 && utf8_decode((const char *)p, (size_t)(end - p), false, &n) == 0xfffd)
			return false; /* U+FFFD itself is one of the easy ones */
		p += n;
	}
	return true;
}

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

/* What the character after a backslash stands for; 0 for 'u' and for what is no escape. */
static const char escapes[256] = {
	['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
	['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
};

/* The UTF-16 unit that the escape at p stands for; -1 when it is no right \u escape. */
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
static int decode_escape(struct json_parser *ps, const char *p, const char *end, char **to)
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
			return json_fail(ps, p, "\"\\u\" needs four hexadecimal digits");
		(void)utf8_add_visible(&found, utf8_prefix(rest, 1), false);
		return json_fail(ps, p,
				 "\"\\%s\" is not an escape; a backslash is written \"\\\\\"",
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

static int bad_end(struct json_parser *ps, const char *quote, const char *at)
{
	if (at == ps->end)
		return json_fail(ps, quote, "this string has no end");
	if (*at == '\n' || *at == '\r')
		return json_fail(ps, quote,
				 "this string does not end on its line (a line break is \"\\n\")");
	return json_fail(ps, at, "a control character in a string is written \"\\u%04x\"",
			 (unsigned)(unsigned char)*at);
}

/* Where the string that p is inside of ends, with luck: its escapes are not examined. */
static const char *find_quote(const char *p, const char *end)
{
	bool high = false;

	for (p = json_scan(p, end, &high); p < end && *p == '\\'; p = json_scan(p, end, &high))
		p += end - p < 2 ? 1 : 2;
	return p;
}

/* Puts U+FFFD where the text between the quotes is not UTF-8, and decodes it again. */
static int parse_unclean(struct json_parser *ps, const char *quote, const char *close,
			 struct str *ret_s)
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

/* The rest of a string with escapes; the first one stands at p. */
static int parse_escaped(struct json_parser *ps, const char *quote, const char *p, bool high,
			 struct str *ret_s)
{
	size_t before = (size_t)(p - quote) - 1;
	char *start = (char *)(uintptr_t)(quote + 1), *to; /* our copy, unless it is borrowed */
	const char *run;
	int n;

	if (!ps->own) {
		start = arena_raw(ps->arena, (size_t)(find_quote(p, ps->end) - quote));
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

int json_parse_string(struct json_parser *ps, struct str *ret_s, bool *ret_plain)
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

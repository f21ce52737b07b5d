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

bool json_utf8_ok(const char *text, const char *text_end)
{
	const unsigned char *p = (const unsigned char *)text;
	const unsigned char *end = (const unsigned char *)text_end;
	uint64_t w;
	size_t n;

	while (p < end) {
		if (*p < 0x80) {
			for (; end - p >= 8; p += 8) {
				memcpy(&w, p, sizeof w);
				if (w & 0x8080808080808080u)
					break;
			}
			while (p < end && *p < 0x80)
				p++;
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

static int hex_value(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
	       c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* What the character after a backslash stands for; 0 for 'u' and for what is no escape. */
static const char escapes[256] = {
	['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
	['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
};

/* The length of the escape at p, which begins with a backslash. */
static int check_escape(struct json_parser *ps, const char *p)
{
	if (ps->end - p < 2)
		return 1; /* the string will turn out to have no end */
	if (escapes[(unsigned char)p[1]])
		return 2;
	if (p[1] != 'u') {
		AUTO(buf_done) struct buf found = {0};
		struct str rest = { p + 1, (size_t)(ps->end - p) - 1 };

		(void)utf8_add_visible(&found, utf8_prefix(rest, 1), false);
		return json_fail(ps, p,
				 "\"\\%s\" is not an escape; a backslash is written \"\\\\\"",
				 buf_z(&found));
	}
	for (int i = 2; i < 6; i++)
		if (p + i >= ps->end || hex_value(p[i]) < 0)
			return json_fail(ps, p, "\"\\u\" needs four hexadecimal digits");
	return 6;
}

static int bad_control(struct json_parser *ps, const char *quote, const char *at)
{
	if (at == ps->end)
		return json_fail(ps, quote, "this string has no end");
	if (*at == '\n' || *at == '\r')
		return json_fail(ps, quote,
				 "this string does not end on its line (a line break is \"\\n\")");
	return json_fail(ps, at, "a control character in a string is written \"\\u%04x\"",
			 (unsigned)(unsigned char)*at);
}

static uint32_t hex4(const char *p)
{
	return (uint32_t)(hex_value(p[0]) << 12 | hex_value(p[1]) << 8 | hex_value(p[2]) << 4 |
			  hex_value(p[3]));
}

/* Decodes the \u escape at p (two of them when they are a surrogate pair); returns its length. */
static size_t decode_u(const char *p, const char *end, char **to)
{
	uint32_t cp = hex4(p + 2), low;
	size_t n = 6;

	if ((cp & 0xfc00) == 0xd800 && end - p >= 12 && p[6] == '\\' && p[7] == 'u') {
		low = hex4(p + 8);
		if ((low & 0xfc00) == 0xdc00) {
			cp = 0x10000 + ((cp & 0x3ff) << 10) + (low & 0x3ff);
			n = 12;
		}
	}
	*to += utf8_encode(cp, *to);
	return n;
}

/* Decodes a string whose escapes are known to be right; to may be where the text stands. */
static size_t decode(char *to, const char *p, const char *end)
{
	char *start = to;

	while (p < end) {
		if (*p == '\\') {
			if (p[1] == 'u') {
				p += decode_u(p, end, &to);
			} else {
				*to++ = escapes[(unsigned char)p[1]];
				p += 2;
			}
			continue;
		}
		/* Runs between escapes are often short, so no call for the first bytes. */
		for (int i = 0; i < 16 && p < end && *p != '\\'; i++)
			*to++ = *p++;
		if (p == end || *p == '\\')
			continue;
		const char *run = memchr(p, '\\', (size_t)(end - p));
		size_t n = (size_t)((run ? run : end) - p);
		memmove(to, p, n);
		to += n;
		p += n;
	}
	return (size_t)(to - start);
}

/* A string with escapes or invalid UTF-8: text is what stands between its quotes. */
static struct str unescape(struct json_parser *ps, struct str text, bool clean)
{
	char *to;

	if (!clean) {
		AUTO(buf_done) struct buf fixed = {0};

		(void)utf8_add_clean(&fixed, text);
		text = arena_str(ps->arena, buf_str(&fixed));
	}
	if (!clean || ps->own)
		to = (char *)(uintptr_t)text.p; /* ours, so we may write there */
	else
		to = arena_raw(ps->arena, text.n);
	return (struct str){ to, decode(to, text.p, text.p + text.n) };
}

int json_parse_string(struct json_parser *ps, struct str *ret_s, bool *ret_plain)
{
	const char *quote = ps->p, *p = quote + 1;
	bool high = false, escaped = false;
	int n;

	for (;; escaped = true) {
		p = json_scan(p, ps->end, &high);
		if (UNLIKELY(p == ps->end || (unsigned char)*p < 0x20))
			return bad_control(ps, quote, p);
		if (*p == '"')
			break;
		n = check_escape(ps, p);
		if (UNLIKELY(n < 0))
			return n;
		p += n;
	}
	bool clean = !high || json_utf8_ok(quote + 1, p);
	struct str s = { quote + 1, (size_t)(p - quote) - 1 };

	ps->p = p + 1;
	*ret_s = LIKELY(clean && !escaped) ? s : unescape(ps, s, clean);
	*ret_plain = !escaped;
	return 0;
}

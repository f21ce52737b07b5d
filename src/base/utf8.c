#include "base/utf8.h"

#include "base/err.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

uint32_t utf8_decode(const char *text, size_t n, bool wtf8, size_t *ret_len)
{
	const unsigned char *s = (const unsigned char *)text;
	unsigned char lead = s[0], lo, hi;
	size_t want = lead < 0x80   ? 1
		      : lead < 0xc2 ? 0
		      : lead < 0xe0 ? 2
		      : lead < 0xf0 ? 3
		      : lead < 0xf5 ? 4
				    : 0;
	uint32_t cp;

	*ret_len = 1;
	if (want == 0)
		return 0xfffd;
	if (want == 1)
		return lead;
	/* Of the second byte: rules out overlong forms, surrogates and values over 10FFFF. */
	lo = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
	hi = lead == 0xf4 ? 0x8f : lead == 0xed && !wtf8 ? 0x9f : 0xbf;
	cp = lead & (0xffu >> (want + 1));
	for (size_t i = 1; i < want; i++) {
		if (i == n || (i == 1 ? s[i] < lo || s[i] > hi : (s[i] & 0xc0) != 0x80)) {
			*ret_len = i;
			return 0xfffd;
		}
		cp = cp << 6 | (s[i] & 0x3f);
	}
	*ret_len = want;
	return cp;
}

size_t utf8_encode(uint32_t cp, char out[4])
{
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		out[0] = (char)(0xc0 | cp >> 6);
		out[1] = (char)(0x80 | (cp & 0x3f));
		return 2;
	}
	if (cp < 0x10000) {
		out[0] = (char)(0xe0 | cp >> 12);
		out[1] = (char)(0x80 | (cp >> 6 & 0x3f));
		out[2] = (char)(0x80 | (cp & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | cp >> 18);
	out[1] = (char)(0x80 | (cp >> 12 & 0x3f));
	out[2] = (char)(0x80 | (cp >> 6 & 0x3f));
	out[3] = (char)(0x80 | (cp & 0x3f));
	return 4;
}

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

size_t utf8_valid(struct str s)
{
	const unsigned char *start = (const unsigned char *)s.p, *p = start;
	const unsigned char *end = s.n ? start + s.n : start;
	size_t n;

	while (p < end) {
		if (*p < 0x80) {
			p = skip_ascii(p, end);
			continue;
		}
		n = easy_length(p, end);
		if (n == 0 && utf8_decode((const char *)p, (size_t)(end - p), false, &n) == 0xfffd)
			break; /* U+FFFD itself is one of the easy ones */
		p += n;
	}
	return (size_t)(p - start);
}

int utf8_add_clean(struct buf *out, struct str s)
{
	size_t len;

	while (s.n) {
		size_t good = utf8_valid(s);

		buf_add(out, s.p, good);
		s = str_sub(s, good, s.n);
		if (!s.n)
			break;
		(void)utf8_decode(s.p, s.n, false, &len);
		buf_add(out, "\xef\xbf\xbd", 3);
		s = str_sub(s, len, s.n);
	}
	return out->full ? -E_LIMIT : 0;
}

bool utf8_is_hidden(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || (cp >= 0x202a && cp <= 0x202e) ||
	       (cp >= 0x2066 && cp <= 0x2069) || cp == 0x061c || cp == 0x200e || cp == 0x200f ||
	       cp == 0x2028 || cp == 0x2029 || cp == 0xfeff;
}

int utf8_add_visible(struct buf *out, struct str s, bool multiline)
{
	char enc[4];
	size_t len;

	for (size_t i = 0; i < s.n; i += len) {
		uint32_t cp = utf8_decode(s.p + i, s.n - i, false, &len);

		if (!utf8_is_hidden(cp) || (multiline && (cp == '\n' || cp == '\t')))
			buf_add(out, enc, utf8_encode(cp, enc));
		else if (cp == '\n')
			buf_addz(out, "\\n");
		else if (cp == '\t')
			buf_addz(out, "\\t");
		else if (cp == '\r')
			buf_addz(out, "\\r");
		else
			buf_addf(out, cp < 0x100 ? "\\x%02x" : "\\u%04x", cp);
	}
	return out->full ? -E_LIMIT : 0;
}

void utf8_add_uncoloured(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		size_t end = i + 2;

		if (end < s.n && s.p[i] == '\x1b' && s.p[i + 1] == '[') {
			while (end < s.n && (char_is_digit(s.p[end]) || s.p[end] == ';'))
				end++;
			if (end < s.n && s.p[end] == 'm') {
				i = end;
				continue;
			}
		}
		buf_addc(out, s.p[i]);
	}
}

struct str utf8_prefix(struct str s, size_t max)
{
	size_t i = 0, len;

	for (; i < s.n && max; max--, i += len)
		(void)utf8_decode(s.p + i, s.n - i, true, &len);
	return str_sub(s, 0, i);
}

size_t utf8_count(struct str s)
{
	size_t count = 0, len;

	for (size_t i = 0; i < s.n; i += len, count++) {
		len = 1;
		if (s.p[i] & 0x80)
			(void)utf8_decode(s.p + i, s.n - i, true, &len);
	}
	return count;
}

size_t utf8_units(struct str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		n += (c & 0xc0) != 0x80;
		n += c >= 0xf0;
	}
	return n;
}

static bool is_js_space(uint32_t cp)
{
	return cp == ' ' || (cp >= '\t' && cp <= '\r') || cp == 0xa0 || cp == 0x1680 ||
	       (cp >= 0x2000 && cp <= 0x200a) || cp == 0x2028 || cp == 0x2029 || cp == 0x202f ||
	       cp == 0x205f || cp == 0x3000 || cp == 0xfeff;
}

struct str utf8_trim(struct str s)
{
	size_t len;

	while (s.n && is_js_space(utf8_decode(s.p, s.n, false, &len)))
		s = str_sub(s, len, s.n);
	for (size_t n = s.n, from; n; n = from) {
		for (from = n - 1; from && ((unsigned char)s.p[from] & 0xc0) == 0x80;)
			from--;
		if (!is_js_space(utf8_decode(s.p + from, n - from, false, &len)) || from + len != n)
			return str_sub(s, 0, n);
	}
	return (struct str){ s.p, 0 };
}

struct str utf8_without_middle(struct arena *a, struct str text, size_t head, size_t max)
{
	AUTO(buf_done) struct buf joined = { 0 };
	struct str rest = str_trim(text), line;
	size_t all, skip;

	/* Line breaks, with the blanks around them, are one blank. */
	if (str_chr(rest, '\n', 0) >= 0) {
		while (str_split(&rest, '\n', &line)) {
			line = str_trim(line);
			buf_addf(&joined, "%s%.*s", joined.n && line.n ? " " : "", STR_ARG(line));
		}
		text = arena_str(a, buf_str(&joined));
	}
	all = utf8_count(text);
	if (all <= max)
		return text;
	skip = all - (max - head);
	return arena_printf(a, "%.*s...%.*s", STR_ARG(utf8_prefix(text, head)),
			    STR_ARG(str_sub(text, utf8_prefix(text, skip).n, text.n)));
}

/* Private to json_*.c: finding the end of a stretch of plain text, and the parts they share. */
#pragma once

#include "base/json.h"
#include "base/utf8.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Objects with more members than this get an index. */
enum { JSON_NARROW = 32 };

/* Room for any number that json_num_print() prints. */
enum { JSON_NUM_MAX = 32 };

/* Number::toString without a NUL; "null" for what is not finite.  Returns the length. */
size_t json_num_print(double d, char out[JSON_NUM_MAX]);
/* Is this JSON number already what Number::toString would print? False when that is not obvious. */
bool json_num_canonical(const char *s, size_t n);

/*
 * Makes *v an object of these members, which are copied into the arena (the array itself may be
 * changed); of a repeated key the last value stays, in the first place.
 */
void json_finish_object(struct arena *a, struct json_member *members, size_t n, struct json *v);

/* An object that is `written`: its members follow its compact text. */
struct json_kept {
	struct str text;
	struct json_member members[];
};

static inline struct str json_kept_text(const struct json *v)
{
	const char *members = (const char *)v->members;

	return ((const struct json_kept *)(const void *)(members - sizeof(struct json_kept)))->text;
}

/* Appends v whose lines are indented by depth more steps. */
int json_write_at(struct buf *out, const struct json *v, unsigned style, unsigned depth);

/* Appends a key and its colon. */
int json_write_key(struct buf *out, struct str key, unsigned style);

/* Is this valid UTF-8? (Lone surrogates are not.) */
static inline bool json_utf8_ok(const char *p, const char *end)
{
	return utf8_valid((struct str){ p, (size_t)(end - p) }) == (size_t)(end - p);
}
/* Can s be written between quotes as it is? */
bool json_is_plain(struct str s);

/* RFC 6901: undoes ~0 and ~1; false when another character follows a tilde. */
bool json_pointer_token(struct str raw, struct buf *out);
/* An array index: decimal without needless zeros. */
bool json_pointer_index(struct str token, size_t *ret_i);

static inline bool json_is_special(unsigned char c)
{
	return c == '"' || c == '\\' || c < 0x20;
}

/* memmove() without a call for the short texts that JSON is full of: first all is read. */
static inline void json_copy(char *to, const char *from, size_t n)
{
	char a[16], b[16];

	if (n > 32) {
		memmove(to, from, n);
	} else if (n >= 16) {
		memcpy(a, from, 16);
		memcpy(b, from + n - 16, 16);
		memcpy(to, a, 16);
		memcpy(to + n - 16, b, 16);
	} else if (n >= 8) {
		memcpy(a, from, 8);
		memcpy(b, from + n - 8, 8);
		memcpy(to, a, 8);
		memcpy(to + n - 8, b, 8);
	} else if (n >= 4) {
		memcpy(a, from, 4);
		memcpy(b, from + n - 4, 4);
		memcpy(to, a, 4);
		memcpy(to + n - 4, b, 4);
	} else {
		for (size_t i = 0; i < n; i++)
			to[i] = from[i];
	}
}

/*
 * The first quote, backslash or control character, or end.  *high becomes true when a byte over
 * 0x7f was passed.
 */
static inline const char *json_scan(const char *p, const char *end, bool *high)
{
#ifdef __SSE2__
	const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
	const __m128i control = _mm_set1_epi8(0x1f);
	unsigned seen = 0;

	for (int step; end - p >= 8; p += step) {
		step = end - p >= 16 ? 16 : 8;
		__m128i x = step == 16 ? _mm_loadu_si128((const __m128i *)(const void *)p)
				       : _mm_loadl_epi64((const __m128i *)(const void *)p);
		__m128i hit = _mm_or_si128(_mm_cmpeq_epi8(x, quote), _mm_cmpeq_epi8(x, slash));
		unsigned hits, highs = (unsigned)_mm_movemask_epi8(x);

		hit = _mm_or_si128(hit, _mm_cmpeq_epi8(_mm_min_epu8(x, control), x));
		hits = (unsigned)_mm_movemask_epi8(hit) & ((1u << step) - 1);
		if (hits) {
			/* Only what precedes the first hit was passed. */
			seen |= highs & (hits - 1) & ~hits;
			*high |= seen != 0;
			return p + __builtin_ctz(hits);
		}
		seen |= highs;
	}
	*high |= seen != 0;
#else
	const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
	uint64_t w, q, s;

	for (; end - p >= 8; p += 8) {
		memcpy(&w, p, sizeof w);
		q = w ^ ones * '"';
		s = w ^ ones * '\\';
		/* Finds too much at times (a byte over 0x7f always), never too little. */
		if (((q - ones) | (s - ones) | (w - ones * 0x20) | w) & tops)
			for (int i = 0; i < 8; i++) {
				if (json_is_special((unsigned char)p[i]))
					return p + i;
				*high |= (p[i] & 0x80) != 0;
			}
	}
#endif
	for (; p < end && !json_is_special((unsigned char)*p); p++)
		*high |= (*p & 0x80) != 0;
	return p;
}

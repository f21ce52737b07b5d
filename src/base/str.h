/*
 * struct str: bytes with a length, borrowed from somebody.  Used for text inside the program; at
 * its edges (paths, argv, the public API) text is a NUL-terminated char *.
 */
#pragma once

#include "base/util.h"

struct str {
	const char *p;
	size_t n;
};

#define STR(lit) ((struct str){ "" lit, sizeof(lit) - 1 })
static inline bool char_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* White space of ASCII, whatever the locale. */
static inline bool char_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Of ASCII alone. */
static inline bool char_is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static inline bool char_is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static inline bool char_is_letter(char c)
{
	return char_is_lower(c) || char_is_upper(c);
}

static inline bool char_is_alnum(char c)
{
	return char_is_digit(c) || char_is_letter(c);
}

/* A letter, a digit or an underscore. */
static inline bool char_is_word(char c)
{
	return char_is_alnum(c) || c == '_';
}

/* What else of ASCII can be seen. */
static inline bool char_is_punct(char c)
{
	return c > ' ' && c < 0x7f && !char_is_alnum(c);
}

/* For printf("%.*s", STR_ARG(s)). */
#define STR_ARG(s) (int)min_size((s).n, 0x7fffffff), ((s).p ? (s).p : "")

static inline struct str str_from(const char *s)
{
	return (struct str){ s ? s : "", s ? strlen(s) : 0 };
}

static inline bool str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool str_eqz(struct str a, const char *z)
{
	/* Tables are searched with it: the first character usually tells. */
	return (!a.n || (z && a.p[0] == z[0])) && str_eq(a, str_from(z));
}

static inline bool str_starts(struct str s, struct str prefix)
{
	return s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

static inline bool str_ends(struct str s, struct str suffix)
{
	return s.n >= suffix.n &&
	       (suffix.n == 0 || memcmp(s.p + s.n - suffix.n, suffix.p, suffix.n) == 0);
}

/* An ASCII letter is small; other bytes stay, whatever the locale. */
static inline char char_lower(char c)
{
	return char_is_upper(c) ? (char)(c + ('a' - 'A')) : c;
}

static inline char char_upper(char c)
{
	return char_is_lower(c) ? (char)(c - ('a' - 'A')) : c;
}

/* What a digit of a hexadecimal number counts; -1 when it is none. */
static inline int char_hex(char c)
{
	if (char_is_digit(c))
		return c - '0';
	c = char_lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The same where letters of ASCII may be small or capital. */
bool str_eq_icase(struct str a, struct str b);
bool str_eqz_icase(struct str a, const char *z);
bool str_starts_icase(struct str s, struct str prefix);
bool str_ends_icase(struct str s, struct str suffix);

/* Bytes from..to (exclusive); both are clamped to the string. */
static inline struct str str_sub(struct str s, size_t from, size_t to)
{
	to = min_size(to, s.n);
	from = min_size(from, to);
	return (struct str){ s.p ? s.p + from : NULL, to - from };
}

/* The byte there, NUL behind the end. */
static inline char str_at(struct str s, size_t i)
{
	return i < s.n ? s.p[i] : '\0';
}

/* Orders by bytes; a prefix comes first. */
int str_cmp(struct str a, struct str b);
/* The same where letters of ASCII may be small or capital. */
int str_cmp_icase(struct str a, struct str b);
/* Without the white space (JavaScript's ASCII part: space \t \n \v \f \r) at both ends. */
struct str str_trim(struct str s);
/* Offset of c at or after from, or -1. */
ptrdiff_t str_chr(struct str s, char c, size_t from);
/* Offset of needle at or after from, or -1. */
ptrdiff_t str_find(struct str s, struct str needle, size_t from);
/* The same where letters of ASCII may be small or capital. */
ptrdiff_t str_find_icase(struct str s, struct str needle, size_t from);
/* What follows the last `label` up to the end of the line; empty when there is none. */
struct str str_behind_last(struct str s, struct str label);
/* Has it white space or control characters of ASCII? */
bool str_has_blank(struct str s);
/* Is every byte one of these?  (strspn() would read on behind the end.) */
bool str_is_of(struct str s, const char *bytes);
/* Is every byte a letter or a digit of ASCII, an underscore, or one of `also`? */
bool str_is_word(struct str s, const char *also);
/* Is every byte a visible character of ASCII? */
bool str_is_visible(struct str s);
/*
 * Cuts the part before the first sep off *rest and returns it; *rest becomes what follows.
 * Returns false when *rest is exhausted (rest->p is NULL then).
 *
 *	for (struct str rest = line, word; str_split(&rest, ',', &word);)
 */
bool str_split(struct str *rest, char sep, struct str *ret_part);
/* Decimal integer, whole string, no white space.  False when it is not one or does not fit. */
bool str_to_int(struct str s, int64_t *ret_v);
/* Is it a day that the calendar has, "2024-02-29"? */
bool str_is_date(struct str s);
/* FNV-1a: *h begins as STR_HASH; the result of one string goes on with the next. */
#define STR_HASH UINT64_C(0xcbf29ce484222325)
uint64_t str_hash(uint64_t h, struct str s);
/* "Did you mean": Damerau-Levenshtein distance, strings longer than 64 bytes count as far. */
size_t str_distance(struct str a, struct str b);
/* The nearest of the n candidates when it is near enough to be a typo, else NULL. */
const char *str_nearest(struct str word, const char *const *candidates, size_t n);

/*
 * How secrets are recognised.  A row of the table has
 *
 *   anchor   a text that every secret of the format holds; the search is for these
 *   before   what precedes the anchor and belongs to the secret (at most LOOK_BACK bytes)
 *   after    what follows it
 *   entropy  the least that the characters of `after` must vary, in tenths of a bit (0: the usual)
 *   doubt    with SECRETS_DOUBT so many characters of a token behind the anchor suffice (0: never)
 *   check    what else must be true of the text behind the anchor
 *
 * `before` and `after` are shapes: literal characters, and %c{n} or %c{min,max}, as many as
 * possible of an alphabet:
 *
 *   d digits   x, X hexadecimal digits, small or any   l, u small or capital letters and digits
 *   a letters and digits   b a, - and _   t b and .   z t and ~   s a, + and /   c b, s and =
 *   q c and %   h a, / and .   j X, - and @   e =   M, T, k what identifiers of Discord begin with
 *
 * Rows that are read by a function (private keys, addresses, assignments...) have an anchor and a
 * reader; those of assignments (`key`) have words that must be in the name instead of an anchor,
 * and `after` is the whole value.
 */
#pragma once

#include "secrets/secrets.h"

enum {
	LOOK_BACK = 26, /* from an anchor to the beginning of its secret */
	LOOK_BEHIND = 160, /* from an anchor to anything that its reader looks at */
};

/* A text with an end that may be moved later: reading over it is remembered. */
struct look {
	struct str text;
	unsigned flags;
	size_t floor; /* secrets begin here or later */
	bool starved; /* somebody looked behind the end */
};

/* The byte at i, or -1. */
static inline int look_at(struct look *l, size_t i)
{
	if (LIKELY(i < l->text.n))
		return (unsigned char)l->text.p[i];
	l->starved = true;
	return -1;
}

/* Is z at i?  Letters of z may be capitals in the text when `fold`. */
bool look_has(struct look *l, size_t i, const char *z, bool fold);
/* Is the character that ends before i no part of the same word as what begins at i? */
bool look_begins_word(const struct look *l, size_t i);
bool look_ends_word(struct look *l, size_t i);

/* Is c in the alphabet of that letter? */
bool shape_has(char alphabet, int c);
/* Reads "{n}" or "{min,max}" at *p. */
void shape_counts(const char **p, size_t *ret_min, size_t *ret_max);
/* Where the shape that begins at i ends, or 0. */
size_t shape_end(struct look *l, const char *shape, size_t i);

/* What reads a format that is more than a shape; i is where the anchor is. */
typedef bool secret_reader(struct look *l, const struct secret_format *f, size_t i,
			   struct secret *ret);
secret_reader read_private_key, read_putty_key, read_base64_key, read_jwt, read_jwk, read_address,
	read_bearer, read_netrc, read_pgpass, read_user, read_argument, read_assigned;

struct secret_reading {
	const char *anchor; /* in small letters; found in any */
	bool exact; /* ... as it is */
	secret_reader *read;
	const char *format; /* its id in the table */
};

extern const struct secret_format secret_formats[];
extern const size_t secret_formats_n;
extern const struct secret_reading secret_readings[];
extern const size_t secret_readings_n;

/* Rows of assignments: the name of what is assigned has one of the words (`before`, by spaces). */
static inline bool secret_format_is_keyed(const struct secret_format *f)
{
	return !f->anchor && f->after;
}
/* Does the text begin as tokens of an issuer do, so that their row of the table judges it? */
bool secret_known(struct str text);
/* Is the text behind the anchor made up: repeated, counted, or with a word that says so? */
bool secret_made_up(struct str s);
/* A password that examples have, or something that only names one. */
bool secret_stand_in(struct str user, struct str password);
/* Do its characters vary enough for the format? */
bool secret_varies(const struct secret_format *f, struct str s);
/*
 * How surprising a text is to who knows words and identifiers: in bits, over all of it.  Words have
 * about 3 for each character, random letters and digits more than 6.
 */
unsigned secret_surprise(struct str s);

/* Checks. */
bool check_crc(struct str body); /* its last six characters are the CRC-32 of the rest, base 62 */
bool check_random(struct str body);

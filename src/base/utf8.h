/*
 * UTF-8 as JavaScript sees it.  Strings inside the program are WTF-8: UTF-8 in which lone
 * surrogates may be as three bytes, so that what a JSON text says survives a round trip.
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"

/*
 * The code point at s[0..n), n > 0, and its length in *ret_len.  Malformed input gives U+FFFD with
 * the length of the maximal ill-formed part (as the WHATWG decoder and Node do).  Lone surrogates
 * in three bytes are malformed unless wtf8.
 */
uint32_t utf8_decode(const char *s, size_t n, bool wtf8, size_t *ret_len);
/* Writes 1 to 4 bytes, returns how many; surrogates are written as three bytes. */
size_t utf8_encode(uint32_t cp, char out[4]);
/* Length of the prefix of s that is valid UTF-8. */
size_t utf8_valid(struct str s);
/* Appends s with every malformed part as U+FFFD. */
int utf8_add_clean(struct buf *out, struct str s);
/*
 * Appends s as it may be shown on a terminal or in a log: malformed parts as U+FFFD, control
 * characters (C0, DEL, C1) and the bidirectional overrides as visible escapes (\x1b, \u202e);
 * newline and tab are kept when multiline, else escaped too.
 */
int utf8_add_visible(struct buf *out, struct str s, bool multiline);
/* Appends s without the sequences that only colour a terminal's text (ESC [ 31 m). */
void utf8_add_uncoloured(struct buf *out, struct str s);
/* Does it change what a reader sees of the others? */
bool utf8_is_hidden(uint32_t cp);
/* The longest prefix of at most max characters (code points), never cut inside one. */
struct str utf8_prefix(struct str s, size_t max);
/*
 * At most max characters of a text in one line: of a longer one the first `head` and the end, with
 * "..." between them.
 */
struct str utf8_without_middle(struct arena *a, struct str text, size_t head, size_t max);
/* Without what JavaScript's trim() takes for white space (also U+FEFF, U+00A0...) at both ends. */
struct str utf8_trim(struct str s);
/* How many code points. */
size_t utf8_count(struct str s);
/* How long it is for JavaScript: units of UTF-16. */
size_t utf8_units(struct str s);

/*
 * Text on a terminal: how wide it is and where it may be broken.  By grapheme clusters of Unicode
 * (utf8proc), whatever the locale.  Text is valid UTF-8 without control characters (ui/clean.h);
 * escape sequences of ours (CSI ... m and OSC 8) may be in it and take no columns.
 */
#pragma once

#include <stdio.h>

#include "base/buf.h"

struct text_step {
	size_t n; /* bytes of the cluster, or of one escape sequence */
	size_t width; /* columns it takes: 0, 1 or 2 but for odd sequences */
	uint32_t cp; /* its first character; 0 for an escape sequence */
};

/* Columns that s takes. */
size_t text_width(struct str s);
/* The longest beginning of s that takes at most `columns`, whole clusters only. */
struct str text_fit(struct str s, size_t columns);
/* Takes such a row off *rest, and the blanks behind it; one cluster at least. */
struct str text_take_row(struct str *rest, size_t columns);
/*
 * Where the continued rows of a line begin: below its text, which follows the indent, or
 * behind a name and two blanks ("  /mode    show or change the mode").
 */
size_t text_hang(struct str line, size_t columns);
/* Writes it; to a terminal as text_add_hanging() does. */
void text_write(FILE *file, struct str text);
/* Appends s, cleaned, as rows of at most `columns`, each with a line break; returns how many. */
size_t text_add_wrapped(struct buf *out, struct str s, size_t columns);
/* The first cluster of s; empty when s is. */
struct str text_cluster(struct str s);
/* The same with what is known about it; s is not empty.  For loops over a text. */
struct text_step text_step(struct str s);
/* Characters that may be parted from each other without a blank: Japanese, Chinese, Hangul, emoji.
 */
bool char_is_wide(uint32_t cp);
/* May a line end between a and b, one of which is wide?  Not before closing punctuation or small
 * kana, not after opening punctuation. */
bool text_may_break(uint32_t a, uint32_t b);

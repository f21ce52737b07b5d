/*
 * Bytes that we did not write, made fit for a terminal: no escape sequence, control character or
 * change of direction gets through, and what is no UTF-8 becomes U+FFFD.
 *
 *	whole CSI and OSC sequences	dropped (colours of other programs, titles)
 *	other control characters	their pictures (U+2400...); C1 and bidirectional
 *					overrides become U+FFFD
 *	invisible characters		dropped (U+200B, U+FEFF, tags, ...) except where a
 *					script or an emoji needs them (ZWJ, ZWNJ, variation
 *selectors) accents				16 on one letter, the others are dropped
 *
 * Text that is clean already stays as it is.
 */
#pragma once

#include "base/buf.h"

/* Appends s; line breaks stay (\r\n, \r, U+2028 become \n), tabs become blanks up to the next
 * column that 8 divides, counted from the beginning of s or of its last line. */
void clean_add(struct buf *out, struct str s);
/* The same, for what somebody is asked to allow: nothing is dropped or replaced; characters
 * without a shape of their own are escaped (\\x1b, \\u{202e}). */
void clean_add_visible(struct buf *out, struct str s);
/* The same as clean_add() on one line: a line break becomes a blank. */
void clean_add_line(struct buf *out, struct str s);
/* The same on one line, with its tabs kept: source text that will be parsed. */
void clean_add_source(struct buf *out, struct str s);

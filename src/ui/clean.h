/*
 * Bytes that we did not write, made fit for a terminal: no escape sequence, control character or
 * change of direction gets through, and what is no UTF-8 becomes U+FFFD.
 */
#pragma once

#include "base/buf.h"

/* Appends s; line breaks stay, tabs become blanks up to the next column that 8 divides. */
void clean_add(struct buf *out, struct str s);
/* The same on one line: a line break becomes a blank. */
void clean_add_line(struct buf *out, struct str s);

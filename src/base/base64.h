/* Base64 (RFC 4648). */
#pragma once

#include "base/buf.h"

/* With padding. */
void base64_add(struct buf *out, struct str bytes);
/* The value of a digit, also of the alphabet for URLs; -1 when it is none. */
int base64_digit(char c);
/* The bytes up to the first character that is no digit, at most max; returns how many. */
size_t base64_decode(struct str s, char *out, size_t max);

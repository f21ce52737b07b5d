/* Where in a text a secret may begin; scan.c fills it, once, before anything is searched. */
#pragma once

#include "secrets/formats.h"

/* A row of the table (r NULL), or a reading of one; fold: letters of the anchor may be capitals. */
void index_add(const char *anchor, const char *after, bool fold, const struct secret_format *f,
	       const struct secret_reading *r);
/* The first place at or after i whose three bytes an anchor may have; n - 2 when there is none. */
size_t index_next(struct str s, size_t i);
/* The secret whose anchor is at i, of the first row that fits; three bytes are there. */
bool index_find(struct look *l, size_t i, struct secret *ret);

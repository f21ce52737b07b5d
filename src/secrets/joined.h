/* What the literals of a text are to the program that joins them; joined.c says how. */
#pragma once

#include "base/buf.h"

struct joined_gap {
	size_t at; /* of the joined text; what follows lies ... */
	size_t skipped; /* ... so many bytes further on in the text it was read from */
};

struct joined {
	struct buf text;
	struct joined_gaps {
		struct joined_gap *p;
		size_t n, cap;
	} gaps;
};

/* False when nothing is joined. */
bool joined_read(struct joined *j, struct str s);
/*
 * The pieces of the original text that *at to end of the joined text consists of, one for each
 * call; false when there is no more.
 */
bool joined_piece(const struct joined *j, size_t *at, size_t end, size_t *ret_at, size_t *ret_end);
void joined_done(struct joined *j);

DEFINE_AUTO(struct joined, joined_done)

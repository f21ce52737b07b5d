/*
 * Bytes in, lines out, cut anywhere.  A line that lies whole in one piece is read in place; one
 * over the limit is left out and told of once, so that memory stays what it is.
 */
#pragma once

#include "base/buf.h"

/* All-zero but for the first four is the start of a stream. */
struct lines {
	size_t max; /* bytes of a line */
	void (*on_line)(void *data, struct str line); /* without \n or \r\n */
	void (*on_long)(void *data);
	void *data;
	bool exact; /* \r stays */
	/* What is left out of a long line, piece by piece; .p is NULL at its end.  NULL allowed. */
	void (*on_skipped)(void *data, struct str bytes);
	/* private */
	struct buf part;
	bool skipping;
};

void lines_feed(struct lines *l, struct str bytes);
/* What the stream ends with, if it has no newline; the struct is ready for another stream. */
void lines_end(struct lines *l);
void lines_done(struct lines *l);

/*
 * Takes terminal control out of a text that arrives in pieces: escape sequences whole, also when
 * they are cut between two pieces, and control characters but newline, tab and the return of
 * "\r\n".  Malformed UTF-8 and lone surrogates become U+FFFD.
 */
#pragma once

#include "base/buf.h"

/* All-zero is the start of a text. */
struct plain {
	unsigned char state;
	bool was_return; /* an "\r" that waits for its "\n" */
	char part[4]; /* a character that is cut between two pieces */
	unsigned char part_n;
	unsigned skipped; /* bytes of the sequence so far */
};

/* Appends what is visible of the next piece. */
void plain_add(struct plain *p, struct str piece, struct buf *out);

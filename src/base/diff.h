/*
 * Differences of two texts by lines: Myers' algorithm in linear space with a cap on the cost, so
 * that texts that have nothing in common take milliseconds; the result is then right, but not the
 * shortest.
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

/* Lines old_at.. (from 0) of the old text are replaced by lines new_at.. of the new one. */
struct diff_change {
	size_t old_at, old_n, new_at, new_n;
};

struct diff {
	struct str *old_lines, *new_lines; /* with their newline, where there is one */
	size_t old_n, new_n;
	struct diff_change *changes; /* in order; between two there is at least one equal line */
	size_t n;
};

/* Everything lives in the arena and borrows both texts. */
void diff_lines(struct arena *a, struct str old_text, struct str new_text, struct diff *ret_d);

/* Changes that are so near that their context touches; what a hunk shows. */
struct diff_hunk {
	const struct diff_change *changes;
	size_t n;
	size_t old_at, old_n, new_at, new_n; /* with context */
};

/* The hunk that begins with d->changes[*at]; *at moves behind it.  False at the end. */
bool diff_next_hunk(const struct diff *d, size_t context, size_t *at, struct diff_hunk *ret_h);
/* Appends "@@ -1,2 +1,3 @@" and the lines of all hunks; nothing for equal texts. */
int diff_add_hunks(struct buf *out, const struct diff *d, size_t context);

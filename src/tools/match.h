/*
 * Finding the text that an edit means, although the model may have quoted it inexactly:
 * literally, by lines without their indentation, by tokens, and by lines that differ in
 * at most a tenth of their characters.  The first way that finds something decides.
 */
#pragma once

#include "base/arena.h"
#include "base/cancel.h"

/* Bytes from..to of the text become new_text. */
struct match_edit {
	size_t from, to;
	struct str new_text;
};

struct match_edits {
	struct match_edit *p; /* by place, not overlapping; free() */
	size_t n, cap;
	const char *way; /* "exact", "flexible", "regex", "fuzzy" */
};

/* All three texts with \n as line ending.  Work is bounded: what takes too long is not found. */
void match_find(struct arena *a, struct str text, struct str old, struct str new_text,
		struct cancel *cancel, struct match_edits *ret_edits);

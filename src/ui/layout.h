/*
 * A text that is being edited, broken into rows of a terminal: where each row begins and where the
 * cursor is.  Pure.  A tab and a control character are shown as something with a width (blanks,
 * ^X), so what the text holds can never act on the terminal.
 */
#pragma once

#include "base/buf.h"

struct layout {
	struct layout_row {
		size_t from, to; /* bytes of the text, without the line end */
	} * p;
	size_t n, cap;
	size_t row, column; /* of the cursor */
};

void layout_done(struct layout *l);
/* Rows of at most `columns`; at least one. */
void layout_make(struct layout *l, struct str text, size_t cursor, size_t columns);
/*
 * Appends a row as it looks; its width.  It will be `indent` columns from the left: after a
 * character of which terminals do not agree how wide it is, the cursor is placed.
 */
size_t layout_show(struct str text, struct layout_row row, size_t indent, struct buf *out);
/* The offset in the text of a column of a row, or the row's end. */
size_t layout_offset(struct str text, struct layout_row row, size_t column);

DEFINE_AUTO(struct layout, layout_done)

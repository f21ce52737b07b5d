/*
 * The live part as rows, and what must be written to change the rows that are on the terminal
 * into others: only rows that differ, in one piece.  Pure.
 *
 * Sequences used: CR, LF, CSI A (up), B (down), C (right), J and K (erase to the end of screen and
 * line), ?25 (cursor), ?2026 (draw all at once; terminals that do not know it ignore it).
 */
#pragma once

#include "base/buf.h"

struct frame {
	struct buf text; /* of all rows */
	struct frame_row {
		size_t from, n, width;
	} * p;
	size_t n, cap;
	size_t row, column; /* of the cursor; row < n when n > 0 */
	bool hidden; /* the cursor is not shown */
};

void frame_done(struct frame *f);
void frame_clear(struct frame *f);
/* A row is made by adding to f->text, and ended by this; width as the terminal has it. */
void frame_end_row(struct frame *f, size_t width);

/*
 * Appends what turns `old` (cursor at its place) into `new` below `above`, whole lines that stay.
 * Nothing when nothing changes.
 */
void frame_draw(const struct frame *old, const struct frame *new, struct str above, size_t columns,
		struct buf *out);
/* Erases the rows and what is below; the cursor is at the first column of the first. */
void frame_erase(const struct frame *old, struct buf *out);
/*
 * The terminal has become `columns` wide and has broken long rows anew, if it does that: how many
 * rows the cursor is below the first now.
 */
size_t frame_rows_above(const struct frame *f, size_t columns, bool reflows);

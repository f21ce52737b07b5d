/*
 * Tables on a terminal: cells are collected, then laid out within the width.  Cells that are too
 * wide are wrapped; where columns would be too narrow, each row becomes a list of "heading: text".
 */
#pragma once

#include "ui/markdown_page.h"

enum table_align { TABLE_LEFT, TABLE_CENTER, TABLE_RIGHT };

struct table_cell {
	size_t from, to; /* in the text */
	size_t run; /* rich_lines() */
	size_t width; /* of its widest line */
	enum table_align align;
};

/* The text of all cells is in one struct rich; the first row is the heading. */
struct table {
	struct {
		struct table_cell *p;
		size_t n, cap;
	} cells; /* row by row */
	size_t columns;
};

/* A cell of what was added to t since the last one. */
void table_cell(struct table *table, const struct rich *t, size_t from, size_t run,
		enum table_align align);
void table_put(const struct table *table, const struct rich *t, const struct str *links,
	       struct page *p);

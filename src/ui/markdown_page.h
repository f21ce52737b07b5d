/*
 * Where lines of Markdown go: what precedes them for the quotes and list items around, and the
 * empty lines between blocks.  Whoever writes a line asks for its beginning, adds text of at most
 * page_columns(), and ends it.
 */
#pragma once

#include "ui/markdown.h"
#include "ui/rich.h"

struct page_level {
	char mark[16]; /* of an item's first line; empty in a quote */
	size_t width;
	bool tight; /* no empty lines between blocks */
	bool started; /* the mark was written */
};

struct page {
	const struct markdown_style *style; /* columns > 0 */
	struct buf *out;
	struct {
		struct page_level *p;
		size_t n, cap;
	} levels;
	size_t shown; /* the outer levels, for which there is room */
	size_t indent; /* columns of those */
	char mark[16]; /* of an item without room, until it is written: it is in the text */
	bool gap; /* an empty line before the next block */
};

void page_done(struct page *p);
void page_quote(struct page *p);
void page_item(struct page *p, const char *mark, bool tight);
/* Leaves a quote or an item. */
void page_leave(struct page *p);

size_t page_columns(const struct page *p);
/* Before a block: the empty line, when one is due. */
void page_begin_block(struct page *p);
void page_end_block(struct page *p);
void page_begin_line(struct page *p);
void page_end_line(struct page *p);
/* Lines of a text, broken at the width. */
void page_text(struct page *p, const struct rich *t, const struct str *links);
/* A line of code, broken where it must; tabs are blanks then. */
void page_code(struct page *p, struct str line);
/* A line of its own in one style, cut at the width. */
void page_label(struct page *p, struct str text, unsigned style);
/* The beginning and the end of a code block; the first word of `language` is shown. */
void page_begin_code(struct page *p, struct str language);
void page_end_code(struct page *p);
void page_rule(struct page *p);

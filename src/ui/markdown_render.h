/* One block of Markdown on a terminal, by way of md4c. */
#pragma once

#include "ui/markdown.h"

/*
 * Characters that are in the source for our own purposes, as three bytes of UTF-8 that cleaned
 * text does not contain.  MARK_LETTER is nothing, but a letter for the parser; MARK_TILDE is a ~
 * that strikes nothing through.
 */
#define MARK_LETTER "\xef\xb7\x90"
#define MARK_TILDE "\xef\xb7\x91"

/*
 * Appends the line to what will be parsed, with marks put in: emphasis next to Japanese punctuation
 * works, a ~ alone stays what it is, and [name]: defines nothing (the definition is shown).
 */
void markdown_mend(struct buf *out, struct str line);
/* A line that may be the one below a table's heading: |-|:-| is for md4c written with three each.
 */
bool markdown_is_table_rule(struct str line);
void markdown_mend_table_rule(struct buf *out, struct str line);
/* Appends the block's lines.  `number`: of the first item, when the block is one of a numbered
 * list. `source`: cleaned and mended. */
void markdown_block(struct str source, unsigned number, const struct markdown_style *style,
		    struct buf *out);

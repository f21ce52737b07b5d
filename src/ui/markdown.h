/*
 * Markdown on a terminal, while it is being written: finished blocks are rendered once, the open
 * one can be looked at as often as wanted.  md4c parses a block at a time (tables, task lists,
 * strike-through, autolinks); code blocks, lists, tables, quotes and links are laid out for
 * `columns`.  Line breaks of the source stay, longer lines are wrapped.
 *
 *	struct markdown *m = markdown_new(&(struct markdown_style){ .columns = 80, .color = true });
 *	markdown_add(m, chunk, &out);    // as chunks come; appends finished blocks
 *	markdown_open(m, &live);         // what the unfinished block looks like now
 *	markdown_end(m, &out);           // appends the rest
 *
 * All that is appended is clean (ui/clean.h) but for our own CSI ... m and, with `links`, OSC 8;
 *each line ends with styles off.  What is appended does not depend on how the text was cut into
 *pieces, and markdown_open() shows what markdown_end() would append.
 */
#pragma once

#include "base/buf.h"

struct markdown;

struct markdown_style {
	size_t columns; /* 0 = 80; no line is wider, down to 4 */
	bool color; /* SGR sequences; without them marks like * and ` stay */
	bool links; /* OSC 8 hyperlinks; without them the address follows the text */
};

struct markdown *markdown_new(const struct markdown_style *style) MUST_CHECK;
void markdown_free(struct markdown *m); /* NULL allowed */
/* Foreign text, in pieces that may end anywhere, also in a character.  Whole lines are appended to
 * *out. */
void markdown_add(struct markdown *m, struct str piece, struct buf *out);
/* The block that is not finished, rendered as if it ended here; changes nothing.  Of code in a
 * fence that is the line that is not finished. */
void markdown_open(const struct markdown *m, struct buf *out);
/* The answer is over; m is ready for the next one. */
void markdown_end(struct markdown *m, struct buf *out);
/* For later blocks: the terminal has another width. */
void markdown_resize(struct markdown *m, size_t columns);

DEFINE_AUTO_PTR(struct markdown, markdown_free)

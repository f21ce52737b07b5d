/*
 * Styled text: characters, and from where on which style holds.  It is broken into lines without
 * being copied.
 *
 *	rich_style(&t, RICH_BOLD, 0); buf_addz(&t.text, "bold"); rich_style(&t, 0, 0);
 *	for (struct rich_lines l = rich_lines(&t, 0, t.text.n); rich_next(&l, columns); )
 *		rich_put(&l, &look, out);
 */
#pragma once

#include "base/buf.h"

enum rich_style {
	RICH_BOLD = 1 << 0,
	RICH_DIM = 1 << 1,
	RICH_ITALIC = 1 << 2,
	RICH_UNDERLINE = 1 << 3,
	RICH_STRIKE = 1 << 4,
	RICH_CODE = 1 << 5,
};

struct rich_run {
	size_t at;
	unsigned style;
	size_t link; /* number in rich_look.links, from 1; 0 = none */
};

struct rich {
	struct buf text; /* clean; '\n' breaks the line */
	struct {
		struct rich_run *p;
		size_t n, cap;
	} runs;
};

/* How styles are shown. */
struct rich_look {
	bool color; /* SGR sequences */
	const struct str *links; /* addresses for OSC 8; an empty one is no link */
};

/* Lines of a part of the text; private but for line, width and text. */
struct rich_lines {
	const struct rich *t;
	size_t at, to, run;
	struct str line;
	size_t width;
};

/* What is appended to t->text from now on has this style. */
void rich_style(struct rich *t, unsigned style, size_t link);
void rich_clear(struct rich *t);
void rich_done(struct rich *t);

/* `run`: a run that does not begin after `from`, as a hint for where to search; 0 is right always.
 */
struct rich_lines rich_lines(const struct rich *t, size_t from, size_t to, size_t run);
/* The next line of at most `columns` (more only when one cluster is wider); false at the end. */
bool rich_next(struct rich_lines *l, size_t columns);
/* Appends the line with its styles; all are off and links closed at its end. */
void rich_put(struct rich_lines *l, const struct rich_look *look, struct buf *out);
/* Appends s in one style. */
void rich_put_plain(struct str s, unsigned style, bool color, struct buf *out);

DEFINE_AUTO(struct rich, rich_done)

#include "ui/layout.h"

#include "base/utf8.h"
#include "base/vec.h"
#include "ui/width.h"

enum { TAB = 8 };

/* What is at an offset: how many bytes, how wide, and what is shown for it. */
struct piece {
	size_t n, width;
	struct str shown;
	bool odd; /* terminals differ about its width */
	char made[4];
};

static struct piece piece_at(struct str text, size_t at, size_t column)
{
	unsigned char c = (unsigned char)text.p[at];
	uint32_t cp;
	size_t length;

	if (c < ' ' || c == 0x7f) {
		struct piece p = { .n = 1, .width = 2 };

		if (c == '\t') {
			p.width = TAB - column % TAB;
			p.shown = str_sub(STR("        "), 0, p.width);
		} else {
			p.made[0] = '^';
			p.made[1] = (char)(c ^ 0x40);
		}
		return p;
	}
	if (c < 0x80 && (at + 1 == text.n || (unsigned char)text.p[at + 1] < 0x80))
		return (struct piece){ 1, 1, str_sub(text, at, at + 1), false, "" };
	cp = utf8_decode(text.p + at, text.n - at, false, &length);
	if (cp == 0xfffd || utf8_is_hidden(cp))
		return (struct piece){ length, 1, STR("?"), false, "" };
	struct text_step step = text_step(str_sub(text, at, text.n));

	return (struct piece){ step.n, step.width, str_sub(text, at, at + step.n),
			       cp >= 0x2000 && (step.n > length || cp >= 0x1f000), "" };
}

void layout_done(struct layout *l)
{
	free(l->p);
	*l = (struct layout){ 0 };
}

/* Where the row that is full at `at` ends: behind its last blank, so that no word is torn. */
static size_t row_end(struct str text, size_t from, size_t at)
{
	size_t n, blank = at;

	if (text.p[at] == ' ' || char_is_wide(utf8_decode(text.p + at, text.n - at, false, &n)))
		return at;
	while (blank > from && text.p[blank - 1] != ' ')
		blank--;
	/* Blanks of an indent are no place to break. */
	return str_trim(str_sub(text, from, blank)).n ? blank : at;
}

void layout_make(struct layout *l, struct str text, size_t cursor, size_t columns)
{
	size_t from = 0, column = 0, at = 0;
	bool found = false;

	l->n = 0;
	while (at < text.n) {
		struct piece p = { .n = 1 };
		bool ends = text.p[at] == '\n';

		if (!ends)
			p = piece_at(text, at, column);
		if (!ends && column > 0 && column + p.width > columns) {
			at = row_end(text, from, at);
			*VEC_ADD(l) = (struct layout_row){ from, at };
			from = at;
			column = 0;
			/* What goes to the next row is measured anew, and the cursor with it. */
			found = found && cursor < at;
			continue;
		}
		if (!found && cursor < at + p.n) {
			l->row = l->n;
			l->column = column;
			found = true;
		}
		at += p.n;
		column += p.width;
		if (ends) {
			*VEC_ADD(l) = (struct layout_row){ from, at - 1 };
			from = at;
			column = 0;
		}
	}
	if (!found) {
		l->row = l->n;
		l->column = column;
	}
	*VEC_ADD(l) = (struct layout_row){ from, text.n };
}

size_t layout_show(struct str text, struct layout_row row, size_t indent, struct buf *out)
{
	size_t column = 0;

	for (size_t at = row.from; at < row.to;) {
		struct piece p = piece_at(text, at, column);

		if (p.made[0])
			buf_addz(out, p.made);
		else
			buf_adds(out, p.shown);
		at += p.n;
		column += p.width;
		if (p.odd)
			buf_addf(out, "\033[%zuG", indent + column + 1);
	}
	return column;
}

size_t layout_offset(struct str text, struct layout_row row, size_t column)
{
	size_t at = row.from;

	for (size_t x = 0; at < row.to;) {
		struct piece p = piece_at(text, at, x);

		if (x + p.width > column)
			break;
		x += p.width;
		at += p.n;
	}
	return at;
}

#include "ui/screen_draw.h"

#include "base/vec.h"
#include "ui/width.h"

#define BEGIN "\033[?2026h\033[?25l"
#define END "\033[?2026l"

void frame_done(struct frame *f)
{
	buf_done(&f->text);
	free(f->p);
	*f = (struct frame){ 0 };
}

void frame_clear(struct frame *f)
{
	buf_clear(&f->text);
	f->n = f->row = f->column = 0;
	f->hidden = false;
}

void frame_end_row(struct frame *f, size_t width)
{
	size_t from = f->n ? f->p[f->n - 1].from + f->p[f->n - 1].n : 0;

	*VEC_ADD(f) = (struct frame_row){ from, f->text.n - from, width };
}

static struct str row_text(const struct frame *f, size_t i)
{
	return str_sub(buf_str(&f->text), f->p[i].from, f->p[i].from + f->p[i].n);
}

static void move(struct buf *out, size_t n, char how)
{
	if (n == 1)
		buf_addf(out, "\033[%c", how);
	else if (n > 0)
		buf_addf(out, "\033[%zu%c", n, how);
}

/* From row to row of the live part; going below its last row makes new ones. */
static void go_to_row(struct buf *out, size_t at, size_t to, size_t existing)
{
	if (to < at)
		move(out, at - to, 'A');
	size_t down = min_size(to, existing ? existing - 1 : 0);

	if (down > at)
		move(out, down - at, 'B');
	for (size_t i = max_size(at, down); i < to; i++)
		buf_addz(out, "\r\n");
	buf_addc(out, '\r');
}

/* A full row leaves the cursor on its last character: erasing would take that away. */
static void put_row(struct buf *out, const struct frame *f, size_t i, size_t columns)
{
	buf_adds(out, row_text(f, i));
	if (f->p[i].width < columns)
		buf_addz(out, "\033[K");
}

static void place_cursor(struct buf *out, const struct frame *f, size_t at)
{
	go_to_row(out, at, f->row, f->n);
	move(out, f->column, 'C');
	if (!f->hidden)
		buf_addz(out, "\033[?25h");
}

void frame_draw(const struct frame *old, const struct frame *new, struct str above, size_t columns,
		struct buf *out)
{
	if (above.n == 0 && old->n == new->n && str_eq(buf_str(&old->text), buf_str(&new->text)) &&
	    (old->n == 0 || memcmp(old->p, new->p, old->n * sizeof *old->p) == 0)) {
		if (old->row == new->row && old->column == new->column &&
		    old->hidden == new->hidden)
			return;
		if (new->hidden)
			buf_addz(out, "\033[?25l");
		place_cursor(out, new, old->row);
		return;
	}
	buf_addz(out, BEGIN);
	if (above.n > 0 || new->n == 0) {
		frame_erase(old, out);
		for (struct str rest = above, line; rest.n > 0 && str_split(&rest, '\n', &line);) {
			buf_adds(out, line);
			buf_addz(out, "\r\n");
		}
		for (size_t i = 0; i < new->n; i++) {
			buf_addz(out, i ? "\r\n" : "");
			put_row(out, new, i, columns);
		}
		place_cursor(out, new, new->n ? new->n - 1 : 0);
	} else {
		size_t at = old->row;

		for (size_t i = 0; i < new->n; i++) {
			if (i < old->n && str_eq(row_text(old, i), row_text(new, i)))
				continue;
			go_to_row(out, at, i, old->n);
			put_row(out, new, i, columns);
			at = i;
		}
		if (new->n < old->n) {
			go_to_row(out, at, new->n, old->n);
			buf_addz(out, "\033[J");
			at = new->n;
		}
		place_cursor(out, new, at);
	}
	buf_addz(out, END);
}

void frame_erase(const struct frame *old, struct buf *out)
{
	buf_addc(out, '\r');
	move(out, old->row, 'A');
	buf_addz(out, "\033[J");
}

/* In which row of its own the `stop`th column of a text is once it was broken: wide characters stay
 * whole, and behind the last character the cursor stays next to it. */
static size_t broken_row(struct str text, size_t stop, size_t columns)
{
	size_t row = 0, column = 0, total = 0;

	while (text.n > 0) {
		struct text_step step = text_step(text);

		if (text.n > 2 && text.p[0] == '\033' && text.p[1] == '[') {
			size_t n = 2;

			while (n < text.n && (text.p[n] < '@' || text.p[n] > '~'))
				n++;
			step = (struct text_step){ .n = n + 1 };
		}
		if (column > 0 && column + step.width > columns) {
			row++;
			column = 0;
		}
		if (step.width > 0 && total >= stop)
			break;
		column += step.width;
		total += step.width;
		text = str_sub(text, step.n, text.n);
	}
	return row;
}

size_t frame_rows_above(const struct frame *f, size_t columns, bool reflows)
{
	size_t n = 0;

	if (!reflows || f->n == 0)
		return f->row;
	for (size_t i = 0; i < f->row; i++)
		n += 1 + broken_row(row_text(f, i), SIZE_MAX, columns);
	return n + broken_row(row_text(f, f->row), f->column, columns);
}

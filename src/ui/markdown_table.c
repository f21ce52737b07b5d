/*
 * Layout of tables.
 *
 *	Name  │ Size
 *	──────┼─────
 *	a     │   12
 *
 * Columns that are wider than their share give way, all to the same width (the largest with which
 * the table fits).  Without room for MIN_WIDTH columns each, rows are written one below the other.
 */
#include "ui/markdown_table.h"

#include "base/vec.h"
#include "ui/marks.h"
#include "ui/width.h"

enum { MIN_WIDTH = 5, LABEL_MAX = 40 };

void table_cell(struct table *table, const struct rich *t, size_t from, size_t run,
		enum table_align align)
{
	struct table_cell cell = { .from = from, .to = t->text.n, .run = run, .align = align };
	struct rich_lines lines = rich_lines(t, from, t->text.n, run);

	while (rich_next(&lines, SIZE_MAX / 2))
		cell.width = max_size(cell.width, lines.width);
	*VEC_ADD(&table->cells) = cell;
}

/* Widths of the columns; false when the table does not fit. */
static bool find_widths(const struct table *table, size_t columns, size_t *widths)
{
	size_t between = 3 * (table->columns - 1), widest = 0, most = 0, room, high;

	for (size_t i = 0; i < table->cells.n; i++) {
		size_t *w = &widths[i % table->columns];

		*w = max_size(max_size(*w, table->cells.p[i].width), 1);
		widest = max_size(widest, *w);
	}
	if (columns < between + table->columns)
		return false;
	/* The largest width that no column needs to exceed so that all fit. */
	room = high = columns - between;
	while (most < high) {
		size_t mid = (most + high + 1) / 2, sum = 0;

		for (size_t i = 0; i < table->columns && sum <= room; i++)
			sum += min_size(widths[i], mid);
		if (sum <= room)
			most = mid;
		else
			high = mid - 1;
	}
	if (most < MIN_WIDTH && most < widest && table->columns > 1)
		return false;
	for (size_t i = 0; i < table->columns; i++)
		widths[i] = min_size(widths[i], max_size(most, 1));
	return true;
}

static void put_blanks(struct buf *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_addc(out, ' ');
}

static void put_row(const struct table *table, const struct table_cell *row, const size_t *widths,
		    struct rich_lines *lines, const struct rich *t, const struct rich_look *look,
		    struct page *p)
{
	AUTO(buf_done) struct buf bar = { 0 };
	size_t n = table->columns;
	bool goes_on;

	for (size_t i = 0; i < n; i++)
		lines[i] = rich_lines(t, row[i].from, row[i].to, row[i].run);
	buf_addf(&bar, " %s ", mark(MARK_BAR));
	do {
		goes_on = false;
		page_begin_line(p);
		for (size_t i = 0; i < n; i++) {
			size_t blanks, before;
			bool more;

			if (i)
				rich_put_plain(buf_str(&bar), RICH_DIM, p->style->color, p->out);
			/* One line of a cell, filled up to the column's width. */
			more = rich_next(&lines[i], widths[i]);
			blanks = widths[i] - min_size(widths[i], more ? lines[i].width : 0);
			before = row[i].align == TABLE_RIGHT    ? blanks
				 : row[i].align == TABLE_CENTER ? blanks / 2
								: 0;
			put_blanks(p->out, more ? before : 0);
			if (more)
				rich_put(&lines[i], look, p->out);
			if (!(i + 1 == n))
				put_blanks(p->out, more ? blanks - before : blanks);
			goes_on |= lines[i].at < lines[i].to;
		}
		page_end_line(p);
	} while (goes_on);
}

static void put_rule(const struct table *table, const size_t *widths, struct page *p)
{
	AUTO(buf_done) struct buf rule = { 0 };
	const char *line = mark(MARK_RULE);

	for (size_t i = 0; i < table->columns; i++) {
		if (i)
			buf_addf(&rule, "%s%s%s", line, mark(MARK_CROSS), line);
		for (size_t w = 0; w < widths[i]; w++)
			buf_addz(&rule, line);
	}
	page_label(p, buf_str(&rule), RICH_DIM);
}

/* "heading: text" */
static void put_record_line(struct str name, const struct table_cell *cell, const struct rich *t,
			    const struct rich_look *look, struct page *p)
{
	struct rich_lines lines = rich_lines(t, cell->from, cell->to, cell->run);
	size_t columns = page_columns(p), at = name.n ? text_width(name) + 2 : 0;

	page_begin_line(p);
	rich_put_plain(name, RICH_BOLD, look->color, p->out);
	buf_addz(p->out, name.n ? ": " : "");
	if (name.n && at + 2 > columns) {
		page_end_line(p);
		page_begin_line(p);
		at = 0;
	}
	for (bool more = rich_next(&lines, max_size(columns, at + 1) - at); more;) {
		rich_put(&lines, look, p->out);
		page_end_line(p);
		more = rich_next(&lines, columns);
		if (more)
			page_begin_line(p);
	}
}

void table_put(const struct table *table, const struct rich *t, const struct str *links,
	       struct page *p)
{
	AUTO(free) size_t *widths = xcalloc(table->columns, sizeof *widths);
	struct rich_look look = { .color = p->style->color, .links = links };

	if (find_widths(table, page_columns(p), widths)) {
		AUTO(free) struct rich_lines *lines = xcalloc(table->columns, sizeof *lines);

		for (size_t i = 0; i + table->columns <= table->cells.n; i += table->columns) {
			put_row(table, &table->cells.p[i], widths, lines, t, &look, p);
			if (i == 0)
				put_rule(table, widths, p);
		}
	} else {
		const struct table_cell *cells = table->cells.p;
		AUTO(buf_done) struct buf between = { 0 };
		bool only_heading = table->cells.n == table->columns;
		struct str name, label;

		buf_addf(&between, "%s%s", mark(MARK_RULE), mark(MARK_RULE));
		for (size_t i = only_heading ? 0 : table->columns; i < table->cells.n; i++) {
			if (i % table->columns == 0 && i > table->columns)
				page_label(p, buf_str(&between), RICH_DIM);
			/* The first line of the heading, shortened. */
			name = str_sub(buf_str(&t->text), cells[i % table->columns].from,
				       cells[i % table->columns].to);
			(void)str_split(&name, '\n', &label);
			label = text_fit(label, min_size(page_columns(p) / 2, LABEL_MAX));
			if (cells[i].from < cells[i].to)
				put_record_line(only_heading ? STR("") : label, &cells[i], t, &look,
						p);
		}
	}
}

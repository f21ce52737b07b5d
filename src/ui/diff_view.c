/*
 * Each line is numbered as it is in its file: removed ones by the old, others by the new one.  The
 * file names of the header are left out: the dialog says them.
 */
#include "ui/diff_view.h"

#include <stdio.h>

#include "ui/clean.h"
#include "ui/width.h"

struct view {
	size_t columns;
	bool color;
	long old_at, new_at;
	int digits;
	bool in_hunk, first_hunk;
	struct buf *out;
};

/* "@@ -12,7 +12,9 @@": where the hunk begins in both. */
static bool hunk_header(struct str line, long *ret_old, long *ret_new)
{
	char z[64];
	struct str s = text_fit(line, sizeof z - 1);

	if (!str_starts(line, STR("@@ -")) || s.n >= sizeof z)
		return false;
	memcpy(z, s.p, s.n);
	z[s.n] = '\0';
	return sscanf(z, "@@ -%9ld,%*9d +%9ld", ret_old, ret_new) == 2 ||
	       sscanf(z, "@@ -%9ld +%9ld", ret_old, ret_new) == 2;
}

static const char *line_color(const struct view *v, char mark)
{
	if (!v->color || mark == ' ')
		return "";
	return mark == '+' ? "\033[32m" : "\033[31m";
}

/* The line on as many rows as it takes, `max` of them at most; returns how many it takes. */
static size_t add_line(struct view *v, struct str line, size_t max)
{
	AUTO(buf_done) struct buf text = { 0 }, wrapped = { 0 };
	char mark = line.p[0];
	long number = mark == '-' ? v->old_at : v->new_at;
	size_t used = (size_t)v->digits + 3, n = 0;
	struct str row;

	clean_add_visible(&text, str_sub(line, 1, line.n));
	(void)text_add_wrapped(&wrapped, buf_str(&text), v->columns > used ? v->columns - used : 1);
	if (!wrapped.n)
		buf_addc(&wrapped, '\n');
	for (struct str rest = buf_str(&wrapped); rest.n && str_split(&rest, '\n', &row); n++) {
		if (n >= max)
			continue;
		if (n == 0)
			buf_addf(v->out, "%s%*ld%s %s%c ", v->color ? "\033[2m" : "", v->digits,
				 number, v->color ? "\033[0m" : "", line_color(v, mark), mark);
		else
			buf_addf(v->out, "%*s%s", (int)used, "", line_color(v, mark));
		buf_adds(v->out, row);
		buf_addz(v->out, line_color(v, mark)[0] ? "\033[0m\n" : "\n");
	}
	return n;
}

static void add_note(struct view *v, const char *text)
{
	buf_addf(v->out, "%s%.*s%s\n", v->color ? "\033[2m" : "",
		 STR_ARG(text_fit(str_from(text), v->columns)), v->color ? "\033[0m" : "");
}

struct shown {
	size_t rows; /* that all would take */
	size_t hidden; /* lines that are not shown, or not whole */
};

/* Shows as many rows as `max`. */
static struct shown walk(struct view *v, struct str unified, size_t max)
{
	struct shown shown = { 0 };
	struct str line;

	v->in_hunk = false;
	v->first_hunk = true;
	for (struct str rest = unified; rest.n > 0 && str_split(&rest, '\n', &line);) {
		size_t left = max - min_size(max, shown.rows), n = 1;

		if (hunk_header(line, &v->old_at, &v->new_at)) {
			bool is_first = v->first_hunk;

			v->in_hunk = true;
			v->first_hunk = false;
			if (is_first)
				continue;
			if (left)
				add_note(v, "...");
		} else if (v->in_hunk && line.n > 0 && strchr(" +-", line.p[0])) {
			n = add_line(v, line, left);
			v->old_at += line.p[0] != '+';
			v->new_at += line.p[0] != '-';
		} else {
			continue;
		}
		shown.rows += n;
		shown.hidden += n > left;
	}
	return shown;
}

size_t diff_view(struct str unified, size_t columns, size_t rows, bool color, struct buf *out)
{
	struct view v = { .columns = columns, .color = color, .out = out };
	struct shown shown;
	char note[64];

	if (rows == 0)
		return 0;
	(void)walk(&v, unified, 0); /* the biggest numbers */
	v.digits = snprintf(note, sizeof note, "%ld", v.old_at > v.new_at ? v.old_at : v.new_at);
	if (walk(&v, unified, 0).rows <= rows)
		return walk(&v, unified, rows).hidden;
	shown = walk(&v, unified, rows - 1);
	snprintf(note, sizeof note, "... %zu more lines", shown.hidden);
	add_note(&v, note);
	return shown.hidden;
}

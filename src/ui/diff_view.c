/*
 * Each line is numbered as it is in its file: removed ones by the old, others by the new one.  The
 * file names of the header are left out: the dialog says them.
 */
#include "ui/diff_view.h"

#include <stdio.h>

#include "ui/clean.h"
#include "ui/width.h"

struct view {
	size_t columns, rows, lines; /* lines: of all that could be shown */
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

static void add_line(struct view *v, struct str line)
{
	AUTO(buf_done) struct buf text = { 0 };
	char mark = line.p[0];
	long number = mark == '-' ? v->old_at : v->new_at;
	size_t used = (size_t)v->digits + 3;

	clean_add(&text, str_sub(line, 1, line.n));
	buf_addf(v->out, "%s%*ld%s %s%c ", v->color ? "\033[2m" : "", v->digits, number,
		 v->color ? "\033[0m" : "", line_color(v, mark), mark);
	struct str fit = text_fit(buf_str(&text), v->columns > used ? v->columns - used : 1);

	buf_adds(v->out, fit);
	buf_addz(v->out, line_color(v, mark)[0] ? "\033[0m\n" : "\n");
}

static void add_note(struct view *v, const char *text)
{
	buf_addf(v->out, "%s%.*s%s\n", v->color ? "\033[2m" : "",
		 STR_ARG(text_fit(str_from(text), v->columns)), v->color ? "\033[0m" : "");
}

/* Calls for each line that could be shown until `rows` are; returns how many there are in all. */
static size_t walk(struct view *v, struct str unified, size_t rows)
{
	size_t n = 0;
	struct str line;

	v->in_hunk = false;
	v->first_hunk = true;
	for (struct str rest = unified; rest.n > 0 && str_split(&rest, '\n', &line);) {
		if (hunk_header(line, &v->old_at, &v->new_at)) {
			if (!v->first_hunk && n++ < rows)
				add_note(v, "...");
			v->in_hunk = true;
			v->first_hunk = false;
			continue;
		}
		if (!(v->in_hunk && line.n > 0 &&
		      (line.p[0] == ' ' || line.p[0] == '+' || line.p[0] == '-')))
			continue;
		if (n++ < rows)
			add_line(v, line);
		v->old_at += line.p[0] != '+';
		v->new_at += line.p[0] != '-';
	}
	return n;
}

static int digits_of(long n)
{
	int digits = 1;

	for (; n >= 10; n /= 10)
		digits++;
	return digits;
}

void diff_view(struct str unified, size_t columns, size_t rows, bool color, struct buf *out)
{
	struct view v = { .columns = columns, .rows = rows, .color = color, .out = out };
	size_t n = walk(&v, unified, 0); /* how many lines, and the biggest numbers */
	char note[64];

	if (rows == 0)
		return;
	v.digits = digits_of(v.old_at > v.new_at ? v.old_at : v.new_at);
	if (n <= rows) {
		(void)walk(&v, unified, rows);
		return;
	}
	(void)walk(&v, unified, rows - 1);
	snprintf(note, sizeof note, "... %zu more lines", n - (rows - 1));
	add_note(&v, note);
}

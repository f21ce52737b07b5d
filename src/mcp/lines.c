#include "mcp/lines.h"

static void give(struct lines *l, struct str line)
{
	if (!l->exact && str_ends(line, STR("\r")))
		line.n--;
	l->on_line(l->data, line);
}

static void skip(struct lines *l, struct str bytes)
{
	if (l->on_skipped)
		l->on_skipped(l->data, bytes);
}

static void keep(struct lines *l, struct str bytes)
{
	if (l->skipping) {
		skip(l, bytes);
		return;
	}
	if (bytes.n <= l->max - l->part.n) {
		buf_adds(&l->part, bytes);
		return;
	}
	l->skipping = true;
	l->on_long(l->data);
	skip(l, buf_str(&l->part));
	skip(l, bytes);
	buf_done(&l->part);
}

static void end_line(struct lines *l, struct str rest)
{
	if (!l->skipping && !l->part.n && rest.n <= l->max) {
		give(l, rest);
		return;
	}
	keep(l, rest);
	if (!l->skipping)
		give(l, buf_str(&l->part));
	else
		skip(l, (struct str){ 0 });
	l->skipping = false;
	/* One long line is no reason to keep its memory. */
	buf_done(&l->part);
}

void lines_feed(struct lines *l, struct str bytes)
{
	while (bytes.n) {
		ptrdiff_t at = str_chr(bytes, '\n', 0);

		if (at < 0) {
			keep(l, bytes);
			return;
		}
		end_line(l, str_sub(bytes, 0, (size_t)at));
		bytes = str_sub(bytes, (size_t)at + 1, bytes.n);
	}
}

void lines_end(struct lines *l)
{
	if (l->part.n || l->skipping)
		end_line(l, STR(""));
	l->skipping = false;
}

void lines_done(struct lines *l)
{
	buf_done(&l->part);
	l->skipping = false;
}

/* What is shown, as rows. */
#include <stdio.h>

#include "base/utf8.h"
#include "ui/clean.h"
#include "ui/screen_impl.h"
#include "ui/width.h"

#define RESET "\033[0m"
#define END_LINK "\033]8;;\033\\"
#define DIM "\033[2m"
#define PROMPT_COLOR "\033[36m"

/* CSI digits m, or OSC 8 ... ST without control characters in it. */
static bool is_ours(struct str sequence)
{
	if (sequence.n < 3 || sequence.p[1] == '[')
		return sequence.n >= 3;
	if (!str_starts(sequence, STR("\033]8;")))
		return false;
	for (size_t i = 1; i + 2 < sequence.n; i++)
		if ((unsigned char)sequence.p[i] < ' ' || sequence.p[i] == 0x7f)
			return false;
	return true;
}

/* How many bytes at s may pass as they are; 0 = the first byte (or *ret_bad bytes) may not. */
static size_t passes(struct str s, bool plain, size_t *ret_bad)
{
	unsigned char c = (unsigned char)s.p[0];
	size_t n;

	*ret_bad = 1;
	if (c == '\033') {
		n = text_step(s).n;
		if (n > 1)
			*ret_bad = n;
		return n > 1 && !plain && is_ours(str_sub(s, 0, n)) ? n : 0;
	}
	if (c < 0x80)
		return (c >= ' ' && c != 0x7f) || c == '\n';
	uint32_t cp = utf8_decode(s.p, s.n, false, &n);

	*ret_bad = n;
	return (cp == 0xfffd && n != 3) || utf8_is_hidden(cp) ? 0 : n;
}

void screen_gate(struct str lines, bool plain, struct buf *out)
{
	size_t from = 0, at = 0, bad;

	while (at < lines.n) {
		size_t n = passes(str_sub(lines, at, lines.n), plain, &bad);

		if (n > 0) {
			at += n;
			continue;
		}
#ifndef __OPTIMIZE__
		if (!plain) /* a debug build shows who did not clean */
			BUG();
#endif
		buf_adds(out, str_sub(lines, from, at));
		if (!plain || lines.p[at] != '\033')
			buf_addc(out, '?');
		at += bad;
		from = at;
	}
	buf_adds(out, str_sub(lines, from, at));
}

static void add_live(struct screen *s, size_t rows)
{
	struct str live = buf_str(&s->live), line;
	size_t n = 0, skip;

	for (size_t i = 0; i < live.n; i++)
		n += live.p[i] == '\n' || i + 1 == live.n;
	skip = n > rows ? n - rows : 0;
	while (live.n > 0 && str_split(&live, '\n', &line)) {
		if (skip > 0) {
			skip--;
		} else {
			struct str fitting = text_fit(line, s->columns);
			bool has_escape = str_chr(line, '\033', 0) >= 0;

			/* A row of the live lines, cut at the right edge. */
			buf_adds(&s->next.text, fitting);
			if (has_escape && fitting.n < line.n &&
			    str_find(line, STR("\033]8;"), 0) >= 0)
				buf_addz(&s->next.text, END_LINK);
			if (has_escape)
				buf_addz(&s->next.text, RESET);
			frame_end_row(&s->next, text_width(fitting));
		}
	}
}

/* The prompt (a search's message is not ours: cleaned), cut to leave room for the text. */
static struct str prompt_text(const struct screen *s, struct buf *clean)
{
	const char *message = line_message();

	clean_add_line(clean, str_from(message ? message : s->prompt));
	return text_fit(buf_str(clean), message ? s->columns * 3 / 4 : s->columns / 4);
}

size_t screen_text_columns(const struct screen *s)
{
	AUTO(buf_done) struct buf clean = { 0 };
	size_t width = text_width(prompt_text(s, &clean));

	return s->columns > width + 2 ? s->columns - width - 1 : 1;
}

static void add_input(struct screen *s, size_t rows)
{
	AUTO(buf_done) struct buf clean = { 0 };
	struct str prompt = prompt_text(s, &clean), text = line_text();
	size_t indent = text_width(prompt), base = s->next.n;
	struct layout *l = &s->layout;

	layout_make(l, text, line_cursor(), screen_text_columns(s));
	s->top = min_size(s->top, l->n > rows ? l->n - rows : 0);
	if (l->row < s->top)
		s->top = l->row;
	if (l->row >= s->top + rows)
		s->top = l->row - rows + 1;
	for (size_t i = s->top; i < min_size(l->n, s->top + rows); i++) {
		if (i == 0) {
			buf_addz(&s->next.text, s->color ? PROMPT_COLOR : "");
			buf_adds(&s->next.text, prompt);
			buf_addz(&s->next.text, s->color ? RESET : "");
		} else {
			/* Below the prompt the text goes on; a mark says where more of it is
			 * hidden. */
			if ((i == s->top || (i + 1 == s->top + rows && i + 1 < l->n)) && indent > 0)
				buf_addf(&s->next.text, "%s:%s%*s", s->color ? DIM : "",
					 s->color ? RESET : "", (int)indent - 1, "");
			else
				buf_addf(&s->next.text, "%*s", (int)indent, "");
		}
		if (text.n == 0 && !line_message()) {
			struct str shown =
				text_fit(str_from(s->placeholder),
					 s->columns > indent ? s->columns - indent - 1 : 0);

			buf_addz(&s->next.text, s->color ? DIM : "");
			buf_adds(&s->next.text, shown);
			buf_addz(&s->next.text, s->color ? RESET : "");
			frame_end_row(&s->next, indent + text_width(shown));
			continue;
		}
		frame_end_row(&s->next, indent + layout_show(text, l->p[i], indent, &s->next.text));
	}
	s->next.row = base + l->row - s->top;
	s->next.column = min_size(indent + l->column, s->columns - 1);
}

void screen_compose(struct screen *s)
{
	size_t list = s->rows > 3 ? (s->rows - 1) / 2 : 0, left = s->rows;

	frame_clear(&s->next);
	add_live(s, s->grab ? s->rows : s->rows / 2);
	if (s->grab) {
		s->next.hidden = true;
		s->next.row = s->next.n ? s->next.n - 1 : 0;
		return;
	}
	left -= min_size(s->next.n, left - 1);
	list = min_size(min_size(list, s->complete.n), left - 1);
	add_input(s, left - list);
	if (list > 0)
		complete_draw(&s->complete, s->columns, list, s->color, &s->next);
}

void screen_echo(struct screen *s, struct str text, struct buf *out)
{
	AUTO(buf_done) struct buf clean = { 0 };
	struct str rest, line;
	size_t lines = 1, i = 0, width = text_width(str_from(s->prompt));
	size_t columns = s->columns > width ? s->columns - width : 1;

	clean_add(&clean, text);
	rest = buf_str(&clean);
	for (size_t k = 0; k < rest.n; k++)
		lines += rest.p[k] == '\n';
	for (; str_split(&rest, '\n', &line) && i < SCREEN_ECHO_LINES; i++) {
		if (i == 0)
			buf_addf(out, "%s%s%s", s->color ? PROMPT_COLOR : "", s->prompt,
				 s->color ? RESET : "");
		else
			buf_addf(out, "%*s", (int)width, "");
		buf_adds(out, text_take_row(&line, columns));
		while (line.n) {
			buf_addf(out, "\n%*s", (int)width, "");
			buf_adds(out, text_take_row(&line, columns));
		}
		buf_addc(out, '\n');
	}
	if (lines > i)
		buf_addf(out, "%*s%s... %zu more lines%s\n", (int)width, "", s->color ? DIM : "",
			 lines - i, s->color ? RESET : "");
}

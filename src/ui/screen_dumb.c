/*
 * A terminal that can only append: the kernel edits the line, text goes on where it is, the prompt
 * comes again when nothing is being waited for.
 */
#include "os/clock.h"
#include "os/term.h"
#include "ui/screen_impl.h"

enum { CTRL_C = 3, ESCAPE = 27, QUIET_MS = 100 };

static bool wants_prompt(const struct screen *s)
{
	return !s->prompted && s->live.n == 0 && s->above.n == 0 && !s->grab;
}

int screen_dumb_timeout_ms(const struct screen *s)
{
	if (s->dirty)
		return 0;
	if (!wants_prompt(s))
		return -1;
	return clock_ms_until(s->drawn_us + 1000 * QUIET_MS);
}

static void end_line(struct screen *s)
{
	AUTO(free) char *text = NULL;

	s->prompted = false;
	if (s->line.n > 0 && s->line.p[s->line.n - 1] == '\\' && !s->grab) {
		s->line.p[s->line.n - 1] = '\n';
		return;
	}
	text = buf_take(&s->line);
	if (s->grab) {
		struct str line = str_from(text);
		char one[2] = { 0 };

		for (size_t i = 0; i < line.n && s->grab; i++) {
			one[0] = line.p[i];
			s->grab(s->grab_data, one);
		}
		if (s->grab)
			s->grab(s->grab_data, "enter");
	} else if (str_trim(str_from(text)).n > 0) {
		screen_submit(s, str_from(text));
	}
}

static void take_byte(struct screen *s, char c)
{
	const struct screen_handler *h = &s->handler;
	bool had_text = s->line.n > 0;

	if (c == '\n' || c == '\r') {
		end_line(s);
		return;
	}
	if (c != CTRL_C && c != ESCAPE) {
		if (c)
			buf_addc(&s->line, c);
		return;
	}
	buf_clear(&s->line);
	s->prompted = false;
	screen_write(s, STR("\n"));
	if (s->grab)
		s->grab(s->grab_data, c == CTRL_C ? "ctrl-c" : "escape");
	else if (c == CTRL_C && h->interrupt)
		h->interrupt(h->data, had_text);
	else if (c == ESCAPE && h->escape)
		h->escape(h->data);
}

int screen_dumb_input(struct screen *s)
{
	const struct screen_handler *h = &s->handler;
	char bytes[4096];
	bool end = false;
	int r = term_read(bytes, sizeof bytes, &end);

	if (r < 0) {
		s->gone = true;
		return -E_NOTFOUND;
	}
	(void)term_events();
	term_size(&s->columns, &s->rows);
	for (int i = 0; i < r; i++)
		take_byte(s, bytes[i]);
	if (end && s->line.n == 0 && h->eof)
		h->eof(h->data);
	if (s->suspended)
		return 0;
	if (s->dirty)
		screen_flush(s);
	if (wants_prompt(s) && clock_us() - s->drawn_us >= 1000 * QUIET_MS) {
		screen_write(s, str_from(s->prompt));
		s->prompted = true;
	}
	return s->gone ? -E_NOTFOUND : 0;
}

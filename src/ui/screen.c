#include "ui/screen.h"

#include "os/clock.h"
#include "os/term.h"
#include "ui/screen_impl.h"

enum { ABOVE_MAX = 64 << 10 };

void screen_free(struct screen *s)
{
	if (!s)
		return;
	if (s->rows > 0) /* it had the terminal */
		screen_suspend(s);
	term_stop();
	line_stop();
	buf_done(&s->above);
	buf_done(&s->live);
	buf_done(&s->raw);
	buf_done(&s->line);
	buf_done(&s->shown);
	buf_done(&s->complete.text);
	frame_done(&s->drawn);
	frame_done(&s->next);
	keys_done(&s->typed);
	layout_done(&s->layout);
	free(s->placeholder);
	free(s->prompt);
	free(s);
}

/* ---- drawing ---- */

void screen_write(struct screen *s, struct str bytes)
{
	if (!s->gone && bytes.n > 0 && term_write(bytes) < 0)
		s->gone = true;
}

void screen_sequence(struct screen *s, struct str sequences)
{
	if (!s->dumb)
		screen_write(s, sequences);
}

void screen_touch(struct screen *s, bool urgent)
{
	s->dirty = true;
	s->urgent |= urgent;
}

void screen_forget_drawn(struct screen *s)
{
	frame_clear(&s->drawn);
	screen_touch(s, true);
}

void screen_follow_size(struct screen *s)
{
	size_t columns, rows;

	term_size(&columns, &rows);
	if (columns == s->columns && rows == s->rows)
		return;
	s->resized_us = clock_us();
	/* Where the live part begins now, as far as the terminal still has it. */
	s->drawn.row = min_size(frame_rows_above(&s->drawn, columns, s->reflows), rows - 1);
	s->columns = columns;
	s->rows = rows;
	frame_erase(&s->drawn, &s->raw);
	screen_forget_drawn(s);
}

/* A dumb terminal gets what is new at the end, and a question when it has changed. */
static void flush_dumb(struct screen *s)
{
	bool asks = s->grab && !str_eq(buf_str(&s->live), buf_str(&s->shown));

	if (s->prompted && (s->above.n > 0 || asks))
		screen_write(s, STR("\n"));
	if (s->above.n > 0 || asks)
		s->prompted = false;
	screen_write(s, buf_str(&s->above));
	buf_clear(&s->above);
	if (!asks)
		return;
	screen_write(s, buf_str(&s->live));
	screen_write(s, STR("\n"));
	buf_clear(&s->shown);
	buf_adds(&s->shown, buf_str(&s->live));
}

int screen_read_keys(struct screen *s)
{
	enum { READ_MAX = 256 << 10 };
	char bytes[8192];
	int r = 0;

	for (size_t n = 0; n < READ_MAX; n += (size_t)r) {
		r = term_read(bytes, sizeof bytes, NULL);
		if (r < 0)
			s->gone = true;
		if (r <= 0)
			break;
		keys_add(&s->typed, (struct str){ bytes, (size_t)r }, clock_us());
	}
	return s->gone ? -E_NOTFOUND : 0;
}

void screen_flush(struct screen *s)
{
	AUTO(buf_done) struct buf out = { 0 };

	if (s->suspended || s->gone)
		return;
	if (!s->dumb)
		screen_follow_size(s);
	s->dirty = s->urgent = false;
	s->drawn_us = clock_us();
	/* Before it is drawn: who sees it may answer before we are here again. */
	/* What was typed before the dialog was drawn does not answer it. */
	if (s->unseen) {
		s->unseen = false;
		if (s->dumb) {
			term_drop_input();
			buf_clear(&s->line);
		} else {
			(void)screen_read_keys(s);
			s->early = keys_waiting(&s->typed);
		}
	}
	if (s->dumb) {
		flush_dumb(s);
		return;
	}
	screen_compose(s);
	buf_adds(&out, buf_str(&s->raw));
	frame_draw(&s->drawn, &s->next, buf_str(&s->above), s->columns, &out);
	screen_write(s, buf_str(&out));
	buf_clear(&s->raw);
	buf_clear(&s->above);

	struct frame drawn = s->drawn;

	s->drawn = s->next;
	s->next = drawn;
}

void screen_print(struct screen *s, struct str lines)
{
	if (s->gone || lines.n == 0)
		return;
	screen_gate(lines, s->dumb, &s->above);
	if (s->above.p[s->above.n - 1] != '\n')
		buf_addc(&s->above, '\n');
	screen_touch(s, false);
	if (s->above.n > ABOVE_MAX)
		screen_flush(s);
}

void screen_live(struct screen *s, struct str lines, bool now)
{
	buf_clear(&s->live);
	screen_gate(lines, s->dumb, &s->live);
	screen_touch(s, now);
	if (now)
		screen_flush(s);
}

void screen_prompt(struct screen *s, const char *prompt)
{
	free(s->prompt);
	s->prompt = xstrdup(prompt);
	screen_touch(s, true);
}

bool screen_insert(struct screen *s, struct str text)
{
	if (s->dumb)
		return false;
	line_insert(text);
	screen_touch(s, true);
	return true;
}

void screen_clear(struct screen *s)
{
	screen_flush(s);
	if (s->dumb || s->suspended)
		return;
	buf_addz(&s->raw, "\033[H\033[2J");
	screen_forget_drawn(s);
}

void screen_submit(struct screen *s, struct str text)
{
	const struct screen_handler *h = &s->handler;

	if (!s->dumb)
		screen_echo(s, text, &s->above);
	s->top = 0;
	if (h->line)
		h->line(h->data, text);
}

size_t screen_columns(const struct screen *s)
{
	return s->columns;
}

size_t screen_rows(const struct screen *s)
{
	return s->rows;
}

bool screen_color(const struct screen *s)
{
	return s->color;
}

bool screen_is_dumb(const struct screen *s)
{
	return s->dumb;
}

bool screen_has_text(const struct screen *s)
{
	return s->dumb ? s->line.n > 0 : line_text().n > 0;
}

void screen_suspend(struct screen *s)
{
	AUTO(buf_done) struct buf out = { 0 };

	if (s->suspended)
		return;
	screen_flush(s);
	if (!s->dumb) {
		frame_erase(&s->drawn, &out);
		screen_write(s, buf_str(&out));
	}
	term_pause();
	frame_clear(&s->drawn);
	s->prompted = false;
	s->suspended = true;
}

void screen_resume(struct screen *s)
{
	if (!s->suspended)
		return;
	s->suspended = false;
	term_resume();
	/* That we were continued is known: what is drawn now is not drawn anew for it. */
	(void)term_events();
	term_size(&s->columns, &s->rows);
	buf_addc(&s->raw, '\r');
	screen_forget_drawn(s);
}

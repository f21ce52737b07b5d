/* What every part of the terminal's side uses: printing, drawing, orders to the session. */
#include <stdarg.h>
#include <stdio.h>

#include "cli/chat/chat.h"
#include "os/clock.h"
#include "ui/clean.h"
#include "ui/marks.h"
#include "ui/width.h"

void chat_add_wrapped(const struct chat *c, const char *sgr, struct str text, struct buf *out)
{
	size_t columns = screen_columns(c->screen);
	bool color = sgr && screen_color(c->screen);

	for (struct str rest = text, line; str_split(&rest, '\n', &line);) {
		AUTO(buf_done) struct buf clean = { 0 };
		size_t hang, indent = 0;

		clean_add_line(&clean, line);
		line = buf_str(&clean);
		hang = text_hang(line, columns);
		do {
			struct str row = line.n ? text_take_row(&line, columns - indent) : line;

			buf_addf(out, "%s%s%s%*s%.*s%s\n", color ? "\033[" : "", color ? sgr : "",
				 color ? "m" : "", (int)indent, "", STR_ARG(row),
				 color ? "\033[0m" : "");
			indent = hang;
		} while (line.n);
	}
}

void chat_print(struct chat *c, const char *sgr, struct str text)
{
	AUTO(buf_done) struct buf out = { 0 };

	chat_add_wrapped(c, sgr, text, &out);
	screen_print(c->screen, buf_str(&out));
}

void chat_printf(struct chat *c, const char *sgr, const char *fmt, ...)
{
	AUTO(buf_done) struct buf text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(&text, fmt, ap);
	va_end(ap);
	chat_print(c, sgr, buf_str(&text));
}

void chat_print_markdown(struct chat *c, struct str text)
{
	AUTO(buf_done) struct buf out = { 0 };

	markdown_add(c->markdown, text, &out);
	markdown_end(c->markdown, &out);
	screen_print(c->screen, buf_str(&out));
}

void chat_draw(struct chat *c, bool now)
{
	AUTO(buf_done) struct buf live = { 0 };
	size_t columns = screen_columns(c->screen);

	if (c->over)
		return;
	if (c->answering)
		markdown_open(c->markdown, &live);
	if (!c->asking)
		chat_tools_live(c, &live);
	if (c->asking)
		dialog_render(&c->dialog, columns, screen_rows(c->screen) - 1,
			      screen_color(c->screen), &live);
	AUTO(buf_done) struct buf retry = { 0 };

	if (c->retry && c->retry_at_us) {
		int64_t left = c->retry_at_us - clock_us();

		buf_addf(&retry, "asked again in %lld s: %s",
			 left > 0 ? (long long)((left + 999999) / 1000000) : 0LL, c->retry);
	}
	c->status.what = c->waiting ? c->waiting : c->busy ? "working" : NULL;
	c->status.mode = mode_name(c->mode);
	c->status.hooks = c->waiting && str_starts(str_from(c->waiting), STR("Executing Hook"))
				  ? c->waiting
				  : NULL;
	c->status.counts = retry.n > 0;
	if (retry.n)
		c->status.what = buf_z(&retry);
	if (c->asking) {
		c->status.what = "your answer";
		c->status.counts = false;
	}
	/* A terminal that only appends would get the question again with every tick. */
	if (!(c->asking && screen_is_dumb(c->screen))) {
		status_render(&c->status, clock_us(), columns, screen_color(c->screen), &live);
		buf_addc(&live, '\n');
	}
	screen_live(c->screen, buf_str(&live), now);
}

const char *chat_prompt(enum approval_mode mode)
{
	return mode == MODE_YOLO ? "* " : "> ";
}

void chat_order(struct chat *c, enum order_what what, const struct slash *command, struct str text)
{
	struct order *order = xcalloc(1, sizeof *order);

	/* A halt that was fired belongs to what is over. */
	if (halt_fired(&c->halt) && what != ORDER_END) {
		halt_done(&c->halt);
		if (!halt_init(&c->halt))
			chat_print(c, "33", STR("No descriptor is left: Esc will not work."));
	}
	order->what = what;
	order->command = command;
	order->halt = &c->halt;
	order->text = xstrndup(text.p ? text.p : "", text.n);
	if (what != ORDER_IDLE) {
		if (!c->busy)
			c->status.since_us = clock_us();
		c->busy = true;
	}
	c->idle_at_us = 0;
	queue_push(c->worker.orders, &order->m);
}

void chat_answer(struct chat *c, enum confirm_answer answer, char *take_changed)
{
	struct confirm_message *m = xcalloc(1, sizeof *m);

	m->answer = answer;
	m->changed = take_changed;
	queue_push(c->worker.answers, &m->m);
	screen_grab(c->screen, NULL, NULL);
	c->asking = false;
	dialog_done(&c->dialog);
	arena_done(&c->question_arena);
	said_free(&c->question->m);
	c->question = NULL;
}

void chat_quit(struct chat *c, const char *reason)
{
	if (c->ending)
		return;
	c->ending = true;
	if (c->asking)
		chat_answer(c, CONFIRM_NO, NULL);
	if (c->busy)
		halt_fire(&c->halt);
	chat_order(c, ORDER_END, NULL, str_from(reason));
}

void chat_end_answer(struct chat *c)
{
	AUTO(buf_done) struct buf out = { 0 };

	if (!c->answering)
		return;
	c->answering = false;
	markdown_end(c->markdown, &out);
	buf_addc(&out, '\n');
	screen_print(c->screen, buf_str(&out));
}

/*
 * The first that was queued goes back into the line, to be changed: prompts are never joined, with
 * each other or with what is in the line.  All are in the history.
 */
void chat_give_back(struct chat *c)
{
	for (size_t i = 0; i < c->ahead.n; i++) {
		AUTO(free) char *text = c->ahead.p[i];

		if (i > 0 || screen_has_text(c->screen) ||
		    !screen_insert(c->screen, str_from(text)))
			chat_printf(c, "2", "Not sent%s: %s",
				    screen_is_dumb(c->screen) ? "" : " (Up recalls it)", text);
	}
	c->ahead.n = 0;
}

/* Keys: to the dialog that asks, to the list of completions, to the line. */

#include "os/clock.h"
#include "os/term.h"
#include "ui/screen_impl.h"

enum {
	CTRL_C = 3,
	CTRL_D = 4,
	CTRL_Z = 26,
	KEY_BYTES_MAX = 64,
	HELD_US = 250000, /* a key that is held down comes again sooner */
	/* What answered one dialog may be what answers the next, by somebody who has read it. */
	REPEATED_US = 45000,
};

/* ---- completions ---- */

static void ask_for_completions(struct screen *s)
{
	const struct screen_handler *h = &s->handler;
	struct str text = line_text();
	size_t cursor = line_cursor();

	complete_close(&s->complete);
	if (h->complete)
		h->complete(h->data, text, cursor, &s->complete.text);
	complete_open(&s->complete, complete_word(text, cursor));
}

void screen_offer(struct screen *s)
{
	if (!s->typing)
		return;
	s->typing = false;
	if (complete_offers_itself(line_text(), line_cursor()))
		ask_for_completions(s);
	else
		complete_close(&s->complete);
}

static void accept(struct screen *s)
{
	struct str by = complete_replacement(&s->complete, s->complete.at);
	AUTO(free) char *copy = xasprintf("%.*s%s", STR_ARG(by), str_ends(by, STR("/")) ? "" : " ");

	line_replace(s->complete.from, line_cursor(), str_from(copy));
	complete_close(&s->complete);
	s->typing = true;
}

/* The first Enter completes a command, the next one runs it. */
static bool enter_completes(const struct screen *s)
{
	struct str text = line_text();

	if (s->complete.n == 0)
		return false;
	if (s->complete.moved)
		return true;
	return text.p[0] == '/' && s->complete.from == 0 && line_cursor() == text.n &&
	       !complete_has(&s->complete, text);
}

static bool tell_key(struct screen *s, const char *name)
{
	if (s->handler.key)
		s->handler.key(s->handler.data, name);
	return true;
}

bool screen_command(void *data, enum line_command command)
{
	struct screen *s = data;
	bool shown;

	screen_offer(s);
	switch (command) {
	case LINE_ENTER:
		if (!enter_completes(s))
			return false;
		accept(s);
		return true;
	case LINE_COMPLETE:
		shown = s->complete.n > 0;
		if (!shown)
			ask_for_completions(s);
		if (s->complete.n == 1 || shown) /* from the list, or when there is one choice */
			accept(s);
		return true;
	case LINE_UP:
	case LINE_DOWN:
		if (s->complete.n == 0) {
			int step = command == LINE_UP ? -1 : 1;
			struct layout *l = &s->layout;
			struct str text = line_text();

			layout_make(l, text, line_cursor(), screen_text_columns(s));
			if (step < 0 ? l->row == 0 : l->row + 1 >= l->n)
				return false;
			line_move(layout_offset(text, l->p[step < 0 ? l->row - 1 : l->row + 1],
						l->column));
			return true;
		}
		complete_move(&s->complete, command == LINE_UP ? -1 : 1);
		return true;
	case LINE_CLEAR:
		screen_clear(s);
		return tell_key(s, "ctrl-l");
	case LINE_APPROVE:
		return tell_key(s, "ctrl-y");
	case LINE_MODE:
		return tell_key(s, "shift-tab");
	case LINE_UNFOLD:
		return tell_key(s, "ctrl-o");
	}
	return false;
}

/* ---- keys that are not readline's ---- */

static void interrupt(struct screen *s)
{
	const struct screen_handler *h = &s->handler;
	bool had_text = line_text().n > 0;

	line_reset();
	complete_close(&s->complete);
	if (h->interrupt)
		h->interrupt(h->data, had_text);
}

static void escape(struct screen *s)
{
	const struct screen_handler *h = &s->handler;
	int64_t now = s->typed.since_us; /* when it was read, however late it is looked at */
	bool twice = now - s->escape_us < 1000 * SCREEN_TWICE_MS;

	screen_offer(s);
	if (line_leave())
		return;
	if (s->complete.n > 0) {
		complete_close(&s->complete);
		return;
	}
	if (line_text().n > 0 && line_wants_escape()) {
		line_feed(STR("\033"));
		return;
	}
	s->escape_us = twice ? 0 : now;
	if (twice && line_text().n > 0)
		line_reset();
	else if (h->escape)
		h->escape(h->data);
}

static void give_to_grab(struct screen *s, const struct key *key)
{
	AUTO(free) char *paste = NULL;
	char name[KEYS_NAME_SIZE];

	if (key->kind == KEY_PASTE) {
		paste = xasprintf("paste:%.*s", STR_ARG(key->bytes));
	} else {
		key_name(key, name);
		if (!name[0])
			return;
	}
	s->grab(s->grab_data, paste ? paste : name);
}

static void give_to_line(struct screen *s, struct str key)
{
	struct str before = line_text();
	size_t length = before.n, cursor = line_cursor();

	line_feed(key);
	if (line_was_typing())
		s->typing = true;
	else if (!s->typing && s->complete.n > 0 && !s->complete.moved &&
		 (line_text().n != length || line_cursor() != cursor))
		complete_close(&s->complete);
	AUTO(free) char *text = line_take();

	if (!text)
		return;
	s->typing = false;
	complete_close(&s->complete);
	screen_submit(s, str_from(text));
}

static struct held_key hold(const struct screen *s, const struct key *key, int64_t within_us)
{
	struct held_key held = { .at_us = s->typed.since_us, .within_us = within_us };

	held.n = min_size(key->bytes.n, sizeof held.bytes);
	memcpy(held.bytes, key->bytes.p, held.n);
	return held;
}

void screen_key(struct screen *s, const struct key *key)
{
	char copy[KEY_BYTES_MAX]; /* handlers may read more keys */
	const struct screen_handler *h = &s->handler;
	size_t n = key->bytes.n;

	if (n == 1 && key->bytes.p[0] == CTRL_Z && key->kind == KEY_TEXT &&
	    (s->grab || !line_binds(STR("\032")))) {
		screen_suspend(s);
		term_stop_process();
		screen_resume(s);
		return;
	}
	if (s->grab && s->early == 0 && !s->unseen) {
		/* Is it the last key before the dialog, still held down? */
		int64_t now = s->typed.since_us;
		bool held = s->held.n > 0 && now - s->held.at_us < s->held.within_us &&
			    str_eq(key->bytes, (struct str){ s->held.bytes, s->held.n });

		s->held.at_us = now;
		s->held.n = held ? s->held.n : 0;
		if (held)
			return;
		s->given = hold(s, key, REPEATED_US);
		give_to_grab(s, key);
		return;
	}
	s->held = hold(s, key, HELD_US);
	if (key->kind == KEY_PASTE) {
		line_insert(key->bytes);
		complete_close(&s->complete);
		return;
	}
	if (n > sizeof copy || n == 0)
		return;
	memcpy(copy, key->bytes.p, n);
	if (key->kind == KEY_ESC) {
		escape(s);
	} else if (n == 1 && copy[0] == CTRL_C) {
		interrupt(s);
	} else if (n == 1 && copy[0] == CTRL_D && line_text().n == 0 && !line_leave()) {
		if (h->eof)
			h->eof(h->data);
	} else {
		give_to_line(s, (struct str){ copy, n });
	}
}

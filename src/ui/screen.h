/*
 * The terminal, inline: text scrolls up and stays, and below it is a live part that is drawn again
 *and again: a few lines (the open block of an answer, a status line, a dialog) and the line that
 *the user is typing (GNU readline, callback interface).  One thread owns the screen; nobody else
 *writes to the terminal.
 *
 *	screen_new() ─► loop { poll(screen_fds); screen_input() ─► handlers; screen_print(),
 *screen_live()... } ─► screen_free(), which leaves the terminal as it was
 *
 * Without a terminal on both sides there is no screen.  NO_COLOR and TERM=dumb are honoured; on a
 *dumb terminal nothing is drawn twice: live lines are left out.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"

struct screen;

/* What the user does.  Called from screen_input(), on its thread; text is borrowed. */
struct screen_handler {
	void *data;
	/* A whole input, several lines perhaps, never empty after trimming. */
	void (*line)(void *data, struct str text);
	/* Esc while nothing is completed or edited (a turn is to be cancelled). */
	void (*escape)(void *data);
	/* Ctrl+C: a line that was being typed is thrown away first (had_text). */
	void (*interrupt)(void *data, bool had_text);
	/* Ctrl+D on an empty line. */
	void (*eof)(void *data);
	/* Keys that readline does not take: "shift-tab", "ctrl-y", "ctrl-l". */
	void (*key)(void *data, const char *name);
	/*
	 * Completions for the word before the cursor of `line`: appended to *out, one a line:
	 * replacement, a tab, and a help text (may be empty).  What begins with / is a command,
	 * with @ a path.
	 */
	void (*complete)(void *data, struct str line, size_t cursor, struct buf *out);
};

struct screen_options {
	const char *prompt; /* "> " */
	const char *placeholder; /* shown dim while the line is empty */
	const char *history_path; /* inputs of all sessions, 0600; NULL = none */
	size_t history_max; /* 0 = 1000 */
	struct screen_handler handler;
};

/* NULL with *err when stdin or stdout is no terminal. */
struct screen *screen_new(const struct screen_options *o, struct err *err);
void screen_free(struct screen *s); /* NULL allowed */

/* For the owner's poll(): the terminal's descriptor, and when screen_input() wants to be called all
 * the same (a lone Esc, a resize); -1 = no such time.  Resizes arrive through screen_resized(),
 * which a SIGWINCH handler may call. */
int screen_fd(const struct screen *s);
int screen_timeout_ms(const struct screen *s);
/* Reads what was typed and calls the handlers.  -E_NOTFOUND when the terminal has gone away. */
int screen_input(struct screen *s);
void screen_resized(struct screen *s); /* async-signal-safe */
size_t screen_columns(const struct screen *s);
size_t screen_rows(const struct screen *s);
bool screen_color(const struct screen *s);

/* Text that stays: whole lines, cleaned already (ui/clean.h, ui/markdown.h). */
void screen_print(struct screen *s, struct str lines);
/* The lines above the input; at most half of the screen is shown, the last ones. Drawn when the
 * handlers are done, at most 30 times a second unless `now`. */
void screen_live(struct screen *s, struct str lines, bool now);
/* Changes the mark before the input ("> ", "* ", "! "). */
void screen_prompt(struct screen *s, const char *prompt);
/* While a dialog asks, what is typed goes to `keys` instead of the line, which is kept and hidden:
 * names of keys
 * ("enter", "escape", "up", "down", "tab", "backspace", "ctrl-c") or the typed character.  NULL
 * ends it. */
void screen_grab(struct screen *s, void (*keys)(void *data, const char *key), void *data);
/* Clears the screen as Ctrl+L does. */
void screen_clear(struct screen *s);
/* Lets another program have the terminal (an editor), and takes it back. */
void screen_suspend(struct screen *s);
void screen_resume(struct screen *s);

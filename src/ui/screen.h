/*
 * The terminal, inline: text scrolls up and stays, and below it is a live part that is drawn again
 * and again: a few lines (the open block of an answer, a status line, a dialog), the line that the
 * user is typing (GNU readline as an editor, ui/line.h), and a list of completions.  One thread
 *owns the screen; no other code writes to the terminal.  There is one in a process.
 *
 *	screen_new() ─► loop { poll(screen_fd, screen_signal_fd, screen_timeout_ms);
 *	screen_input() ─► handlers; screen_print(), screen_live()... } ─► screen_free(), which
 *leaves the terminal as it was
 *
 * Nothing is written before screen_input() (or screen_flush()) draws: what is printed and set in
 *one turn of the loop becomes one write.  Without a terminal on both sides there is no screen.
 *NO_COLOR and TERM=dumb are honoured; on a dumb terminal the kernel edits the line, nothing is
 *drawn twice, live lines are left out unless a dialog asks.
 *
 * What is submitted is left on the screen by the screen itself, prompt and text; handlers need not
 * print it.
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
	/* Esc while nothing is completed or searched (a turn is to be cancelled).  Twice within
	 * SCREEN_TWICE_MS the line is thrown away, too. */
	void (*escape)(void *data);
	/* Ctrl+C: a line that was being typed is thrown away first (had_text). */
	void (*interrupt)(void *data, bool had_text);
	/* Ctrl+D on an empty line. */
	void (*eof)(void *data);
	/* Keys that readline does not take: "shift-tab", "ctrl-o", "ctrl-y" (as long as nothing of this line
	 * was cut: else it yanks), "ctrl-l" (the screen has cleared itself). */
	void (*key)(void *data, const char *name);
	/*
	 * Completions for the word before the cursor of `line`: appended to *out, one a line:
	 * replacement of the word, a tab, and a help text (may be empty).  What begins with / is a
	 * command, with @ a path; these are asked for while typing, everything else by Tab.  A
	 * single replacement gets a blank behind it unless it ends in a slash.
	 */
	void (*complete)(void *data, struct str line, size_t cursor, struct buf *out);
};

enum { SCREEN_TWICE_MS = 500, SCREEN_FRAME_MS = 33, SCREEN_ECHO_LINES = 20 };

struct screen_options {
	const char *prompt; /* "> " */
	const char *placeholder; /* shown dim while the line is empty */
	const char *history_path; /* inputs of all sessions, 0600; NULL = none */
	size_t history_max; /* 0 = 1000 */
	struct screen_handler handler;
};

/* Before any thread is started: it chooses a locale.  Texts of *o are copied.  NULL with *err when
 * stdin or stdout is no terminal. */
struct screen *screen_new(const struct screen_options *o, struct err *err);
void screen_free(struct screen *s); /* NULL allowed */

/*
 * For the owner's poll(): the terminal's descriptor, one that is readable after a resize or
 * Ctrl+Z, and when screen_input() wants to be called all the same (something is to be drawn, a lone
 * Esc); -1 = no such time.
 */
int screen_fd(const struct screen *s);
int screen_signal_fd(const struct screen *s);
int screen_timeout_ms(const struct screen *s);
/*
 * Reads what was typed, calls the handlers, draws.  -E_NOTFOUND when the terminal has gone away:
 * end the session; nothing is written any more.
 */
int screen_input(struct screen *s);
size_t screen_columns(const struct screen *s);
size_t screen_rows(const struct screen *s);
bool screen_color(const struct screen *s);
/* Nothing is drawn again: what is shown stays. */
bool screen_is_dumb(const struct screen *s);
/* Something is in the line. */
bool screen_has_text(const struct screen *s);

/* Text that stays: whole lines, cleaned already (ui/clean.h, ui/markdown.h). */
void screen_print(struct screen *s, struct str lines);
/* Sequences that change nothing of what is shown (titles, notices, BEL), as they are. */
void screen_sequence(struct screen *s, struct str sequences);
/* The lines above the input; at most half of the screen is shown (all of it while keys are
 * grabbed), the last ones.  Drawn at most 30 times a second unless `now`. */
void screen_live(struct screen *s, struct str lines, bool now);
/* Draws what is to be drawn, at once. */
void screen_flush(struct screen *s);
/* Changes the mark before the input ("> ", "* ", "! "). */
void screen_prompt(struct screen *s, const char *prompt);
/*
 * While a dialog asks, what is typed goes to `keys` instead of the line, which is kept and hidden:
 * names of keys ("enter", "escape", "up", "down", "tab", "backspace", "ctrl-c"), the typed
 * character, or "paste:" and a pasted text.  What was typed before the dialog was drawn is no answer:
 * it goes to the line (a dumb terminal drops it).  A key that is held down since then, or since it
 * answered the dialog before, is nothing.
 * NULL ends it.
 */
void screen_grab(struct screen *s, void (*keys)(void *data, const char *key), void *data);
/* Text for the line, where the cursor is, as if it was pasted; false where the kernel edits
 * the line. */
bool screen_insert(struct screen *s, struct str text);
/* Clears the screen as Ctrl+L does. */
void screen_clear(struct screen *s);
/* Lets another program have the terminal (an editor), and takes it back. */
void screen_suspend(struct screen *s);
void screen_resume(struct screen *s);

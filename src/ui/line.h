/*
 * The line that is being typed: GNU readline as an editor only.  It gets whole keys, never reads or
 * writes the terminal, and draws nothing: the screen shows line_text() as it likes.  What readline
 * gives: key bindings and macros of ~/.inputrc (`$if trotline`), emacs and vi mode, undo, kill
 * ring, searching the history.  There is one in a process.
 *
 * Commands for inputrc: trotline-enter, trotline-newline, trotline-complete, trotline-up,
 * trotline-down, trotline-clear, trotline-approve (Ctrl+Y: yank when something was cut from this
 * line), trotline-mode (Shift+Tab) and trotline-unfold (Ctrl+O).
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"

enum line_command {
	LINE_ENTER,
	LINE_COMPLETE,
	LINE_UP,
	LINE_DOWN,
	LINE_CLEAR,
	LINE_APPROVE,
	LINE_MODE,
	LINE_UNFOLD
};

struct line_options {
	const char *history_path; /* NULL = none */
	size_t history_max;
	/* Asked first when a command's key was pressed; false = what readline does then. */
	bool (*command)(void *data, enum line_command command);
	void *data;
};

/*
 * Sets LC_CTYPE to UTF-8 whatever the environment says: before any thread is started.
 */
int line_start(const struct line_options *o, struct err *err);
void line_stop(void);

/* A whole key (ui/keys.h). */
void line_feed(struct str key);
/* Text as it is, at the cursor. */
void line_insert(struct str text);
/* Bytes from..to are replaced, the cursor is behind them. */
void line_replace(size_t from, size_t to, struct str by);
void line_move(size_t cursor);
/* Thrown away, with searches and half-typed keys. */
void line_reset(void);
/* Ends a search or a half-typed key, the text stays; false when there was none. */
bool line_leave(void);
/* In vi mode and inserting: Esc is for readline. */
bool line_wants_escape(void);
bool line_binds(struct str key);

/* Borrowed until the next call. */
struct str line_text(void);
size_t line_cursor(void);
/* What readline asks instead of the prompt ("(reverse-i-search)`ab': "), or NULL. */
const char *line_message(void);
/* The newest key typed or removed a character. */
bool line_was_typing(void);
/* The submitted text (free()), or NULL; it is in the history already. */
char *line_take(void) MUST_CHECK;

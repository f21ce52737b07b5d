/*
 * The terminal of the process, on descriptors 0 and 1: its mode, its size, what is read and
 *written, and that it is given back as it was whatever happens.  One user at a time.
 *
 *	term_start() ─► term_read(), term_write(), term_events() ... ─► term_stop()
 *
 * From start to stop the terminal is restored at exit(), at abort() and at signals that end the
 * process, unless the host has a handler for them; Ctrl+Z and `kill -TSTP` restore it, stop
 *the process, and take it again afterwards.  SIGWINCH, SIGTSTP and SIGCONT are handled here, too.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

struct term_mode {
	/* Every key at once, none means anything.  Else lines come whole, as the kernel edits them;
	 * Ctrl+C and Esc end one, too. */
	bool raw;
	/* Escape sequences that prepare the terminal and undo that: static strings. */
	const char *enter, *leave;
};

enum term_event {
	TERM_RESIZED = 1 << 0,
	TERM_CONTINUED = 1 << 1, /* others may have written to it: draw everything again */
};

enum { TERM_IN = 0, TERM_OUT = 1 };

/* Both descriptors are terminals. */
bool term_present(void);
int term_start(const struct term_mode *mode, struct err *err);
void term_stop(void);
/* As it was before term_start(), for another program; and ours again.  term_pause() is
 * async-signal-safe: a handler that calls _exit() calls it first. */
void term_pause(void);
void term_resume(void);
/* Stops the process as Ctrl+Z does elsewhere; returns when it is continued.  While paused. */
void term_stop_process(void);

/* What has happened since the last call (enum term_event); term_event_fd() is readable then. */
int term_events(void);
int term_event_fd(void);
/* 80 by 24 when the terminal does not know. */
void term_size(size_t *ret_columns, size_t *ret_rows);

/* Of any descriptor; 80 when it is no terminal, and when the terminal does not know. */
size_t term_columns(int fd);

/* What has been typed, at once: the number of bytes, 0 = nothing, -E_NOTFOUND = the terminal has
 * gone.  *ret_end (NULL allowed): end of file was typed (not in raw mode). */
int term_read(char *p, size_t n, bool *ret_end);
/* Forgets what was typed and not read, also of a line that is not ended. */
void term_drop_input(void);
/* (waits) As long as the terminal takes no more.  -E_NOTFOUND when it has gone. */
int term_write(struct str bytes);

/*
 * One line on a terminal that says what is waited for, and for how long.  It is on stderr, is
 * erased before anything else is written, and does not appear elsewhere than on a terminal.
 */
#pragma once

#include <stdio.h>

#include "base/str.h"

struct progress;

/* NULL when the stream is no terminal that can move its cursor; NULL is accepted below. */
struct progress *progress_new(FILE *to);
/* (waits) Erases the line. */
void progress_free(struct progress *p);
/* What is waited for from now on; NULL = nothing. */
void progress_set(struct progress *p, const char *what);
/* Other words for what goes on; from any thread. */
void progress_say(struct progress *p, const char *what);
/* Around writing to the terminal; the line comes back when at_line_start. */
void progress_hide(struct progress *p);
void progress_show(struct progress *p, bool at_line_start);

/* The line without its control sequences: for tests. */
void progress_line(char *ret_line, size_t size, const char *what, int64_t elapsed_ms,
		   size_t columns);

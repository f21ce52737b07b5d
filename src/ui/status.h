/*
 * The status line: what is being waited for, how long already, tokens, model, approval mode.  Pure.
 *
 *	⠹ run_shell_command: npm test  (esc to cancel, 12s)          1.2k tokens · gemini-2.5-pro ·
 *yolo
 */
#pragma once

#include "base/buf.h"

struct status {
	const char *what; /* NULL = nothing is waited for: the line shows the right part only */
	int64_t since_us; /* clock_us() when it began */
	int64_t tokens; /* of the conversation; 0 = unknown */
	const char *model, *mode; /* mode "default" is not shown */
	bool counts; /* `what` says a time itself and is to be read: the rest gives way to it */
	const char *hooks; /* "Executing Hook: a" or "Executing Hooks: a (1/2), b (2/2)" instead of
			      what; NULL = none */
};

/* One line without its end, at most `columns` wide. */
void status_render(const struct status *s, int64_t now_us, size_t columns, bool color,
		   struct buf *out);

/*
 * A question with a list of answers: digits, arrows (or j and k), Enter, Esc.  Pure: keys in, lines
 * out; the screen draws it as its live part and sends it the keys.
 */
#pragma once

#include "base/buf.h"

enum { DIALOG_OPEN = -1, DIALOG_ESCAPE = -2 };

struct dialog {
	struct str title; /* bold: "Apply this change?" */
	struct str body; /* above it: a diff, a command, a hook's message; cleaned, rendered */
	const char *more; /* how the rest of a long body is seen ("press v"); NULL = it is not */
	const char *const *options; /* at least one; NULL-terminated */
	size_t n, at; /* at: the chosen one, from 0 */
	bool has_text; /* the last option takes a typed text */
	struct buf text;
	int result; /* DIALOG_OPEN, DIALOG_ESCAPE or the option */
};

void dialog_open(struct dialog *d, const char *const *options);
void dialog_done(struct dialog *d);
/* Takes a key (names as in screen.h); d->result says when it is answered. */
void dialog_key(struct dialog *d, const char *key);
/* The dialog for the screen; long lines are wrapped, and a body that is too high keeps its
 * beginning and its end and says how much is hidden. */
void dialog_render(const struct dialog *d, size_t columns, size_t rows, bool color,
		   struct buf *out);

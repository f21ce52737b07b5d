/* The marks at the beginning of lines: one set for all, and the same in ASCII. */
#pragma once

#include "base/str.h"

enum mark {
	MARK_BEGUN, /* a tool that runs */
	MARK_OK,
	MARK_FAILED,
	MARK_INFO,
	MARK_WARNING,
	MARK_MORE, /* something was left out */
	MARK_TODO,
	MARK_DOING,
	MARK_DROPPED, /* a todo that is cancelled or blocked */
	MARK_DOT, /* between things on one line */
	MARK_BULLET,
	MARK_BAR,
	MARK_RULE,
	MARK_CROSS,
};

/*
 * Before any thread is started: ASCII where the locale of the environment has no UTF-8, or the
 * terminal cannot show it.  An environment that says nothing means UTF-8.
 */
void marks_choose(void);
const char *mark(enum mark which);
/* The i-th picture of something that turns. */
const char *mark_spinner(size_t i);

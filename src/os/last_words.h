/*
 * What a program says however it ends: a guard that crashes, runs out of time or memory, or is
 * asked to end must not leave the agent that waits for it without an answer.
 *
 *	last_words_arm(60000);
 *	last_words_set(&denial);
 *	... anything ...
 *	last_words_end(&answer);
 *
 * For programs only: it takes over signal handlers and the process's timer.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

struct last_words {
	struct str out, err; /* each complete; must live until the end */
	int status;
	/* In the place of err and status where `out` cannot be written; .p NULL = these stay. */
	struct str unheard;
	int unheard_status;
};

/*
 * From now on a crash, a limit, a request to end, or this many milliseconds (0 = any time) say what
 * was set last and end the process with its status; its children are killed.
 */
int last_words_arm(unsigned deadline_ms, struct err *err);
/* `words` must live until others are set. */
void last_words_set(const struct last_words *words);
/* The program's own end: says these and nothing else, whatever arrives meanwhile. */
_Noreturn void last_words_end(const struct last_words *words);

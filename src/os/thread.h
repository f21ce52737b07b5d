/* Work at the same time: the only threads that a session has are joined before it goes on. */
#pragma once

#include "base/util.h"

/*
 * (waits) Calls fn for each item, all at once, the first on the calling thread.  Where no thread
 * can be made the rest is done one after another.
 */
void threads_run(void (*fn)(void *item), void **items, size_t n);

/* A thread of its own, in which no signal arrives: those are the business of who started it.
 */
struct thread;
struct thread *thread_start(void (*fn)(void *arg), void *arg)
	MUST_CHECK; /* NULL = there is no room */
/* (waits) Until it has ended; frees.  NULL allowed. */
void thread_join(struct thread *t);

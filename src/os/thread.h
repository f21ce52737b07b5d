/* Work beside each other: the only threads that a session has are joined before it goes on. */
#pragma once

#include "base/util.h"

/*
 * (waits) Calls fn for each item, all at once, the first on the calling thread.  Where no thread
 * can be made the rest is done one after another.
 */
void threads_run(void (*fn)(void *item), void **items, size_t n);

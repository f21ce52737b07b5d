/* A thread that calls a function every so often, for what moves while the program waits. */
#pragma once

#include "base/util.h"

struct ticker;

/* tick() is called on a thread of its own that gets no signals.  NULL when there is no thread. */
struct ticker *ticker_new(int every_ms, void (*tick)(void *data), void *data);
/* (waits) for a tick that is under way; none comes afterwards.  NULL allowed. */
void ticker_free(struct ticker *t);

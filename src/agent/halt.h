/*
 * The one button that ends what a session is doing: its work and its hooks.  Pressed from any
 * thread and from signal handlers; once pressed it stays so.
 */
#pragma once

#include "base/cancel.h"
#include "trotline.h"

struct halt {
	struct cancel *work; /* both without children: firing them is all that a handler may do */
	struct tl_cancel *hooks;
};

/* False when the process has no descriptor left; *h is usable (never fires) all the same. */
bool halt_init(struct halt *h) MUST_CHECK;
void halt_done(struct halt *h);
/* Async-signal-safe. */
void halt_fire(const struct halt *h);
static inline bool halt_fired(const struct halt *h)
{
	return cancel_fired(h->work);
}

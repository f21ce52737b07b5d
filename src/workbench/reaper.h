/*
 * SessionEnd (C2.3): the session's end waits for its hooks at most 1.5 seconds.  They run under a
 * small process of their own, the reaper, which keeps their deadlines and writes their record when
 * no thread waits any longer.
 */
#pragma once

#include "workbench/event_args.h"

/*
 * (waits) Fires the event in a reaper; shows what it says when it is done in time, else says that
 * the hooks go on.  Returns the exit status.
 */
int reaper_fire(struct wb *wb, const struct load_args *load, const struct event_made *m,
		bool record);
/*
 * What identifies the hooks that may run under a reaper, as hex in the arena: a session gives it to
 * its reapers, which load the configuration again, when whoever works in the project may have
 * changed it.
 */
const char *reaper_digest(const struct tl_hooks *hooks, struct arena *a);

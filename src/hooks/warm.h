/*
 * Processes of hooks that were started ahead of time and wait for their stdin (C6.9), in one pool
 * for each snapshot.  One serves a firing that would start the very same: of the same hook and
 * session, with the same program, arguments, environment, directory and scripts.
 *
 * They are started by a thread of the pool's, after the firing, which waits for none of them; and
 * it sees to the end of those that announce it (hooks/announce.h).  Any thread may take and fill.
 */
#pragma once

#include "hooks/firing.h"
#include "os/proc.h"

enum {
	WARM_MAX = 8,
	WARM_SECONDS = 300,
	WARM_SECONDS_MAX = 86400,
	WARM_END_MS = 1000, /* what has announced its end, when the pool goes */
};

struct warms;

/* The user's home directory; lives as long as the pool. */
struct warms *warms_new(const char *home);
/* (waits) NULL allowed. */
void warms_free(struct warms *ws);
/*
 * The oldest one that fits what would be started, with scripts of this stamp; false = it is to be
 * started.  The caller asks it (proc_ask()).
 */
bool warm_take(const struct firing *f, const struct hook *hook, const struct proc_spec *spec,
	       uint64_t stamp, struct proc *ret);
/* What a firing is done with: killed, unless it has announced its end.  Any process. */
void warm_leave(const struct tl_hooks *h, struct proc *take_proc);
/*
 * For the firings to come: starts as many as the hook is to have, if any, and ends those of another
 * kind or too old.  What cannot be started is tried again by the next call.
 */
void warm_fill(struct firing *f, const struct hook *hook);
/* The same for all hooks, when a session begins (SessionStart). */
void warm_fill_all(struct firing *f);
/* (waits) Ends those of a session (NULL = of all) that wait. */
void warms_end(struct warms *ws, const char *session);

/*
 * Processes of hooks that were started ahead of time and wait for their stdin (C6.9), in one pool
 * for each snapshot.  One serves a firing that would start the very same: of the same hook and
 * session, with the same program, arguments, environment, directory and scripts.
 *
 * Any thread may take and fill.
 */
#pragma once

#include "hooks/firing.h"
#include "os/proc.h"

enum { WARM_MAX = 8, WARM_SECONDS = 300, WARM_SECONDS_MAX = 86400 };

struct warms;

struct warms *warms_new(void);
/* (waits) NULL allowed. */
void warms_free(struct warms *ws);
/*
 * The oldest one that fits what would be started, with scripts of this stamp; false = it is to be
 * started.  The caller asks it (proc_ask()).
 */
bool warm_take(const struct firing *f, const struct hook *hook, const struct proc_spec *spec,
	       uint64_t stamp, struct proc *ret);
/*
 * For the firings to come: starts as many as the hook is to have, if any, and ends those of another
 * kind or too old.  What cannot be started now is started by the next call.
 */
void warm_fill(struct firing *f, const struct hook *hook);
/* The same for all hooks, when a session begins (SessionStart). */
void warm_fill_all(struct firing *f);
/* (waits) Ends those of a session (NULL = of all). */
void warms_end(struct warms *ws, const char *session);

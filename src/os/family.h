/* The last resort of a program that must end now. */
#pragma once

#include <signal.h>

enum { FAMILY_HOLD_MS = 200 };

/*
 * Between these two a child is given what it needs to go on without us: no signal that ends the
 * program is handled on this thread, and family_kill() on another one waits for FAMILY_HOLD_MS.
 */
void family_hold(sigset_t *ret_before);
void family_release(const sigset_t *before);
/*
 * Kills the process groups that this process has started (os/spawn.h: every child leads one), but
 * not the ones of its own program: those see to their children themselves.  Async-signal-safe.
 * Does nothing where /proc does not tell.
 */
void family_kill(void);

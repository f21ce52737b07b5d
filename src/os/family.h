/* The last resort of a program that must end now. */
#pragma once

/*
 * Kills the process groups that this process has started (os/spawn.h: every child leads one), but
 * not the ones of its own program: those see to their children themselves.  Async-signal-safe.
 * Does nothing where /proc does not tell.
 */
void family_kill(void);

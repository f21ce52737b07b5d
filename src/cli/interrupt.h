/*
 * Ctrl-C and its kin while hooks or the agent run: they are asked to end and waited for, so that
 * nothing is left behind.  What they have started has sessions of its own, and no signal of the
 * terminal reaches it.  The second signal ends the program at once, and kills what it started;
 * unless one of the two is SIGHUP, after which no user is there to press it again.
 */
#pragma once

#include "agent/halt.h"
#include "trotline.h"

/*
 * From now on SIGINT, SIGTERM and SIGHUP fire the object that is returned (NULL when there is no
 * descriptor for it).  It lives as long as the program and must get no children.
 */
struct tl_cancel *interrupt_cancel(void);
/* The same for a session: they fire the halt, which must live as long as the program. */
void interrupt_halt(const struct halt *h);
/* The signal that came first, 0 = none. */
int interrupt_signal(void);
/* The exit status after a firing that was cancelled: 128 + the signal. */
int interrupt_status(void);

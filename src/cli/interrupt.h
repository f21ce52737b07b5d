/*
 * Ctrl-C and its kin while hooks run: they are asked to end and waited for, so that nothing is left
 * behind.  Hooks have sessions of their own, and no signal of the terminal reaches them.  The
 * second signal ends the program at once.
 */
#pragma once

#include "trotline.h"

/*
 * From now on SIGINT, SIGTERM and SIGHUP fire the object that is returned (NULL when there is no
 * descriptor for it).  It lives as long as the program and must get no children.
 */
struct tl_cancel *interrupt_cancel(void);
/* The exit status after a firing that was cancelled: 128 + the signal. */
int interrupt_status(void);

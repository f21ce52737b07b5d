/*
 * Ends the processes of a host that was killed, and could not end them itself.
 *
 * The host has a table in shared memory: which process groups it has started, and until when each
 * may run.  Keeping it costs no system call.  A program that the host has named is started with the
 * first entry; it waits for the end of the host, which is the end of a pipe, and then keeps the
 * deadlines in its place.
 */
#pragma once

#include <stdatomic.h>

#include "base/util.h"

enum {
	WATCH_MAX = 256, /* processes at once; more are not watched */
	WATCH_GRACE_MS = 2000, /* between SIGTERM and SIGKILL */
	WATCH_IDLE_MS = 1000, /* what waits for the host has this long once it is gone */
};

struct watch;

/*
 * The program, copied; it is to call watch_run().  Its environment lives as long as this.  Nothing
 * is started yet.
 */
struct watch *watch_new(const char *const *argv, const char *const *env);
/* NULL allowed.  (waits) Ends the program, unless processes are left that were given up. */
void watch_free(struct watch *w);
/* Starts the program if need be, so that an entry can be made; NULL allowed.  Any thread. */
void watch_start(struct watch *w);
/*
 * An entry; -1 when nothing watches.  until_us is of clock_us(), or 0: it waits for the host.  It
 * counts once *ret_group is set, which the new process does itself: it could run before we do.
 */
int watch_add(struct watch *w, int64_t until_us, atomic_int **ret_group);
void watch_set(struct watch *w, int entry, int64_t until_us);
/* To be called before the group's leader is reaped. */
void watch_remove(struct watch *w, int entry);

/* (waits) The program: returns its exit status when the host and its processes are gone. */
int watch_run(void);

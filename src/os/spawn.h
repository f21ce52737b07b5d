/*
 * The pipes of a new process and the process itself; see os/proc.h, which supervises it then.
 */
#pragma once

#include <sys/types.h>

#include "base/util.h"

struct proc_spec;

/*
 * Of a function of the child between clone() and execve(): it has our memory while we wait for it,
 * so that it makes system calls only, past the library and past sanitizers, which would take it for
 * us.
 */
#define ALONE __attribute__((no_sanitize("address", "thread", "undefined")))

/* What a child sends us, and the descriptor that it sees. */
enum spawn_stream {
	SPAWN_STDOUT,
	SPAWN_STDERR,
	SPAWN_RESULT,
	SPAWN_REPORT,
	SPAWN_NOTICE, /* a socket: it waits there until we close our end */
	SPAWN_STREAMS
};

struct spawn_ends {
	int in; /* written by us */
	int from[SPAWN_STREAMS]; /* read by us; non-blocking, as is in */
	int child_in, child_to[SPAWN_STREAMS];
};

#define SPAWN_NO_ENDS                                                                              \
	((struct spawn_ends){ -1, { -1, -1, -1, -1, -1 }, -1, { -1, -1, -1, -1, -1 } })

/*
 * Makes the pipes, of `extra` a bit for each of SPAWN_RESULT, SPAWN_REPORT and SPAWN_NOTICE; all
 * are close-on-exec and none has a number that the child needs.  0 or a negative errno; *ends is
 * usable (-1) in both cases.
 */
int spawn_pipes(struct spawn_ends *ends, unsigned extra);
/*
 * Starts the process with them.  0 or a negative errno.  *ret_pidfd is -1 where the kernel has
 * none, or spawn_is_old().
 */
int spawn_process(const struct proc_spec *spec, const struct spawn_ends *ends, pid_t *ret_pid,
		  int *ret_pidfd);
/*
 * Act as if the kernel had no pidfds?  Yes if TROTLINE_NO_PIDFD (any value) is in the environment
 * of the new process: another thread of the host may be changing ours just now.
 */
bool spawn_is_old(const struct proc_spec *spec);
/* The path of its program as we see it. */
char *spawn_path(const struct proc_spec *spec) MUST_CHECK;
/* Closes the child's ends, or all. */
void spawn_close_child_ends(struct spawn_ends *ends);
void spawn_close(struct spawn_ends *ends);

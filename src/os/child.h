/*
 * One child process by its pid: noticing that it ended, signalling its group, reaping it.  What
 * os/proc.h is built on; no other file needs it.
 *
 * A pid may be used again once its process was reaped, by us or by a host that reaps everything.
 * Hence two rules: we reap last, after the last signal to the group, and before each signal we ask
 * whether the child (a zombie at least) is still ours.
 */
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include "base/util.h"

struct child {
	pid_t pid; /* also the id of its group and session */
	pid_t parent; /* who has started it: after a fork() of the host it is the other's */
	int fd; /* readable or hung up once the process has ended */
	uint64_t file; /* which a pidfd is of */
	bool is_pidfd;
	bool borrowed; /* another process of ours has it, and tells over fd how it ended */
	bool has_thread; /* where there are no pidfds: a thread waits and closes the other end */
	pthread_t thread;
};

enum child_end {
	CHILD_EXITED, /* code is the exit status */
	CHILD_SIGNALLED, /* code is the signal */
	CHILD_LOST, /* the host has reaped it, or ignores SIGCHLD, and the kernel does not tell */
};

/*
 * Starts watching, with a thread when pidfd is -1.  Returns 0, or a negative errno; the child was
 * killed and reaped then, and the pidfd closed.
 */
int child_watch(struct child *c, pid_t pid, int pidfd);
/* The message that tells how it ended. */
struct child_end_message {
	int32_t end, code; /* enum child_end */
};
/*
 * A process that somebody else has started and lends us.  Over this socket, which becomes the
 * child's, comes how it ended; until we close it the lender does not reap.
 */
void child_borrow(struct child *c, pid_t pid, int socket);
/* The borrower's last message: for how long the process may go on without it. */
struct child_bequest {
	int64_t ms;
};
void child_bequeath(const struct child *c, int64_t ms);
/*
 * Whether the exit status of a child will be lost: the host ignores SIGCHLD, or reaps all children
 * as host_reaps says, and the kernel does not keep the status for us, which an old one never does.
 */
bool child_is_lost(bool host_reaps, bool is_old);
/* False in a process that was forked off since: there it is no child, and left alone. */
bool child_is_ours(const struct child *c);
/* Sends sig to the process group, unless the pid may be another's by now. */
void child_signal(const struct child *c, int sig);
/* How it has ended, without reaping it; false while it runs. */
bool child_peek(const struct child *c, enum child_end *ret_end, int *ret_code);
/* (waits) True once the process has ended, false after timeout_ms. */
bool child_wait(const struct child *c, int timeout_ms);
/* Reaps a process that has ended and frees what watched it. */
enum child_end child_reap(struct child *c, int *ret_code);
/* Frees what watches a process that not even SIGKILL ended; it stays until it pleases to go. */
void child_abandon(struct child *c);

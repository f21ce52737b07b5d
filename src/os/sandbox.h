/*
 * What a process may reach (contract C6.12): files by Landlock, everything else by a filter of its
 * system calls.  Both hold for whatever it starts, and cannot be taken off.
 *
 * A description goes into struct proc_spec; os/spawn.c makes a cage of it, and the new process
 * enters it before its program runs.  A kernel that cannot keep what is described starts nothing.
 */
#pragma once

#include <linux/filter.h>

#include "base/err.h"

/* Strings must live until the process was started. */
struct sandbox {
	/*
	 * Absolute paths, NULL-terminated; NULL = none.  A directory is meant with all that is in
	 * it, what may be written may be read, and what is not there is left out.  The system's
	 * programs and libraries may always be read.
	 */
	const char *const *read, *const *write;
	const char *inside; /* of paths in this directory none counts that links lead out of it */
	const char *program; /* one more file to be executed; NULL = none */
	bool network; /* TCP and UDP; never Unix sockets, which reach other programs */
	bool roams; /* may start sessions and groups of its own, that a deadline does not end */
};

/* The kernel's version of Landlock, 0 = it has none. */
int sandbox_abi(void);
/* 0, or -E_SPAWN and why a kernel with this version keeps nothing in. */
int sandbox_check(int abi, struct err *err);

/* So few that a jump leads past all of them. */
enum { CAGE_STEPS = 256 };

struct cage {
	int ruleset; /* a descriptor, or -1: no sandbox */
	struct sock_filter steps[CAGE_STEPS];
	struct sock_fprog filter;
	bool drops; /* root's capabilities, but for those about owners of files */
	unsigned keeps;
};

/* Opens all that is needed; 0 or a negative errno (-ENOSYS: sandbox_check()).  `file` is what is
 * started, which the sandbox may read. */
int cage_make(struct cage *cage, const struct sandbox *sandbox, const char *file);
/*
 * In the child, by system calls alone.  Files first, while the descriptor is open; the calls last,
 * right before execve().  0, or -1 and errno.
 */
long cage_enter_files(const struct cage *cage);
long cage_enter_calls(const struct cage *cage);
void cage_done(struct cage *cage);

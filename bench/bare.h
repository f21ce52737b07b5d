/*
 * The least that running processes costs: posix_spawn, three pipes, one poll loop, waitpid; no
 * limit, deadline or result pipe.  What we do is measured against it.  Each process leads a session
 * of its own, as every hook must (C6.2): Linux shares the processors out by sessions, which on a
 * busy machine would decide the comparison.
 */
#pragma once

#include <sys/types.h>

#include "base/util.h"

enum { BARE_MAX = 50 };

struct bare_command {
	const char *const *argv;
	const char *input; /* written to stdin */
	size_t ninput;
	size_t n; /* processes at once, at most BARE_MAX */
};

/* (waits) Until all have ended; ends the program when something fails. */
void bare_run(const struct bare_command *c);

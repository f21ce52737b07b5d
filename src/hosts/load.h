/* The hooks that count where another program fires: those of trotline's own settings (C8.1). */
#pragma once

#include "base/util.h"
#include "trotline.h"

enum { HOST_ROOTS_MAX = 16 }; /* folders of a workspace */

struct host_load {
	const char *home; /* the user's; "" = there is none */
	const char *cwd; /* NULL = the process's */
	/* Whose projects count, where they have settings of ours, before the process's directory;
	 * NULL-terminated, NULL = none. */
	const char *const *dirs;
	bool once; /* the host fires and ends: warm hooks are the keeper's */
	const struct tl_handler *handlers; /* as in struct tl_options */
	size_t nhandlers;
	const char *reads; /* dialects whose files the agent reads itself, separated by blanks */
};

/*
 * The user's and the system's hooks with those of the first project, then those of each further
 * project alone.  The number of them, one at least, or a negative code.
 */
int host_load_all(const struct host_load *l, struct tl_hooks *ret_hooks[HOST_ROOTS_MAX],
		  struct tl_err *err);

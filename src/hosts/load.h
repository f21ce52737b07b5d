/* The hooks that count where another program fires: those of trotline's own settings (C8.1). */
#pragma once

#include "trotline.h"

enum { HOST_ROOTS_MAX = 16 }; /* folders of a workspace */

struct host_load {
	const char *home; /* the user's; "" = there is none */
	const char *cwd; /* NULL = the process's */
	/* Whose project counts, if they are in one that has settings of ours: the first of these
	 * (NULL-terminated; NULL = none), else the process's directory. */
	const char *const *dirs;
	const char *reads; /* dialects whose files the agent reads itself, separated by blanks */
};

int host_load(const struct host_load *l, struct tl_hooks **ret_hooks, struct tl_err *err);
/*
 * The same of every project that these directories are in: first as host_load() does, then those
 * of each further project alone.  The number of them, one at least, or a negative code.
 */
int host_load_all(const struct host_load *l, struct tl_hooks *ret_hooks[HOST_ROOTS_MAX],
		  struct tl_err *err);

/*
 * The files that run when a hook runs: what its command names, in any way that the shell reader can
 * follow, what those files import by a literal name, and what the hook's "watch" names.  Where that
 * cannot be told the hook is unwatched (C7.4).
 *
 * Of most hooks these are files of the project.  Of a guard they are all files that this account
 * can change, those that it reads, and what would take the place of one of them.
 */
#pragma once

#include "hooks/config.h"

enum { SCRIPTS_MAX = 256 };

enum script_kind {
	SCRIPT_FILE,
	SCRIPT_ABSENT, /* it would run if it were there */
	SCRIPT_PROGRAM, /* found on PATH: told by its status, as it may be large */
	SCRIPT_MODULES, /* a directory: which modules python finds in it */
	SCRIPT_PACKAGE, /* a directory: whether python takes it as a package */
};

struct script_paths {
	struct script_path {
		const char *path; /* absolute */
		enum script_kind kind;
		bool data; /* the hook reads it, and runs nothing of it */
		bool notes; /* it does not count when the hook writes it, too */
	} p[SCRIPTS_MAX];
	size_t n;
	const char *unwatched; /* why there may be more of them, or NULL */
};

void scripts_find(struct tl_hooks *h, const struct hook *hook, struct script_paths *ret);

/*
 * The files of a project that run when a hook runs: what its command names, in any way that the
 * shell reader can follow, what those files import by a literal name, and what the hook's "watch"
 * names.  Where that cannot be told the hook is unwatched (C7.4).
 */
#pragma once

#include "hooks/config.h"

enum { SCRIPTS_MAX = 256 };

struct script_paths {
	struct script_path {
		const char *path; /* absolute */
		bool absent; /* it would run if it were there */
	} p[SCRIPTS_MAX];
	size_t n;
	const char *unwatched; /* why there may be more of them, or NULL */
};

void scripts_find(struct tl_hooks *h, const struct hook *hook, struct script_paths *ret);

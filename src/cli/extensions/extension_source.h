/* Where an extension comes from: a directory, or a repository that git clones. */
#pragma once

#include "workbench/wb.h"

#include "base/arena.h"
#include "base/err.h"

struct extension_source {
	bool git;
	const char *where; /* an absolute path, or the URL as it was given */
	const char *ref; /* branch, tag or full commit; NULL = the default branch */
};

/* -E_INVAL for what is neither, or must not be cloned. */
int source_parse(struct arena *a, const char *text, const char *ref,
		 struct extension_source *ret_source, struct err *err);
/* (waits) Makes the directory `to` with the files of the source. */
int source_fetch(struct wb *wb, const struct extension_source *s, const char *to, struct err *err);
/*
 * (waits) The same for a directory.  Links that lead out of it are left out, and named; those that
 * stay in `fence` (real), which is around it, become copies.
 */
int source_copy(struct wb *wb, const char *from, const char *fence, const char *to,
		struct err *err);

/*
 * What an update changes in the files of an extension that may run: all but those that people or
 * the model read.  What a script imports is not found out: any other file may be it.
 */
#pragma once

#include "cli/extensions/extension_brings.h"

struct file_change {
	const char *name;
	char mark; /* '+' has come, '-' has gone, ' ' differs */
	const char *note; /* about its lines */
};

struct file_changes {
	struct arena arena;
	struct file_change *p; /* by their names */
	size_t n, cap;
	size_t more; /* that are not here */
};

/* Without those whose lines both `before` and `after` have. */
void file_changes_find(const char *old, const char *now, const struct brings *before,
		       const struct brings *after, struct file_changes *ret_changes);
void file_changes_done(struct file_changes *c);
DEFINE_AUTO(struct file_changes, file_changes_done)
/* To stdout. */
void file_changes_show(struct sheet *p, const struct file_changes *c);

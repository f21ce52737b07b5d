/*
 * Files whose changes are of interest.  What tells a change is the file itself, looked at when
 * asked; the kernel's news (inotify) only say when it is worth asking, and are never needed.
 */
#pragma once

#include "base/util.h"

struct changes;

struct change {
	const char *path; /* until the next call */
	int kind; /* as it was added */
	enum change_how { CHANGE_CHANGED, CHANGE_ADDED, CHANGE_UNLINKED } how;
};

struct changes *changes_new(void) MUST_CHECK;
void changes_free(struct changes *c); /* NULL allowed */
/*
 * From now on these files (absolute, NULL-terminated) are the watched ones of this kind.  Those
 * that were watched before keep what is known of them.
 */
void changes_set(struct changes *c, int kind, const char *const *paths);
/* The next file that is not what it was when it was asked about last. */
bool changes_next(struct changes *c, struct change *ret);
/* Readable when a directory of a watched file has news; -1 = nothing will ever be. */
int changes_fd(const struct changes *c);
/* Takes the news: are they about a watched file? */
bool changes_heard(struct changes *c);

/*
 * The files of an extension as a whole: copied, looked over, compared, removed.  They are somebody
 * else's: how many, how large and how deep they are is limited, links stay inside, and what comes
 * of them is the user's alone.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"

enum { TREE_ENTRIES_MAX = 100000, TREE_DEPTH_MAX = 64 };
#define TREE_BYTES_MAX ((uint64_t)512 << 20)

/*
 * Makes `to` (0700) with what is in `from`, but for the files of an installation (.git, .env,
 * .gemini-extension-install.json at the top).  A link that leads out of it is not copied, and its
 * name becomes a line of left_out; where it leads to a place in `fence` (real, around `from`) that
 * is copied in its place.  -E_CANCEL after a signal.  What was made stays on failure: the caller
 * removes it.
 */
int tree_copy(const char *from, const char *fence, const char *to, struct buf *left_out,
	      struct err *err);
/* The same rules for files that are there already, a clone: modes are set, .git stays. */
int tree_tidy(const char *dir, struct buf *left_out, struct err *err);
/* Only looks. */
int tree_check(const char *dir, struct buf *left_out, struct err *err);
/* Is there more in it, .git and all, than a clone may need?  It may change meanwhile. */
bool tree_is_over(const char *dir);
#define TREE_CLONE_MAX (2 * TREE_BYTES_MAX)
/* Does `dir` have every file of `part`, with the same bytes? */
bool tree_has(const char *dir, const char *part);
/* The same for two files, links or directories; the mode of a program is looked at. */
bool tree_same(const char *a, const char *b);
/* Follows no link.  0 also when there is nothing. */
int tree_remove(const char *dir, struct err *err);

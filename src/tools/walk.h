/*
 * Walking a directory tree: names sorted by bytes, a directory before what is in it.  Symbolic
 * links are entries and never followed; ignore rules are those of .gitignore (repository's
 * info/exclude too) and, over them, .geminiignore, of every directory from `top` on.
 *
 *	struct walk *w = walk_new(&(struct walk_options){ .root = dir, .top = dir }, err);
 *	while (walk_next(w, &e) > 0)
 *		...
 *	walk_free(w);
 */
#pragma once

#include "base/cancel.h"
#include "base/err.h"

enum walk_flags { WALK_GITIGNORE = 1 << 0, WALK_GEMINIIGNORE = 1 << 1 };
enum walk_type { WALK_FILE, WALK_DIR, WALK_LINK, WALK_OTHER /* FIFO, device, socket */ };
enum { WALK_DEPTH_MAX = 100, WALK_ENTRIES_MAX = 1000000 };

struct walk_options {
	const char *root; /* absolute and real */
	const char *top; /* root or above it; NULL = root */
	unsigned flags;
	const char *const
		*skip; /* names of directories that are not entered nor shown; NULL-terminated */
	unsigned max_depth; /* 0 = WALK_DEPTH_MAX; 1 = root's own entries */
	size_t max_entries; /* 0 = WALK_ENTRIES_MAX */
	struct cancel *cancel;
};

struct walk_entry {
	const char *path; /* from root, valid until the next call */
	const char *name;
	int dir_fd; /* of its directory, for fstatat(dir_fd, name) */
	enum walk_type type;
};

struct walk;

/* NULL when root cannot be read. */
struct walk *walk_new(const struct walk_options *o, struct err *err) MUST_CHECK;
/* 1 with an entry, 0 at the end, -E_CANCEL. */
int walk_next(struct walk *w, struct walk_entry *ret_e);
/* Entries that a rule or `skip` kept back. */
size_t walk_ignored(const struct walk *w);
/* Something was left out: too deep, too many entries, or a directory that cannot be read. */
bool walk_cut(const struct walk *w);
void walk_free(struct walk *w);

/* Would a walk from top keep this path (absolute, below top) back? */
bool walk_ignores(const char *top, const char *path, unsigned flags);

DEFINE_AUTO_PTR(struct walk, walk_free)

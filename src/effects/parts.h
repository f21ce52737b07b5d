/* A path as guards look at it: its parts, of which some are not known. */
#pragma once

#include "effects/effects.h"

enum { PARTS_MAX = 64 };

struct path {
	struct str part[PARTS_MAX];
	size_t n;
	bool all; /* what is in it: a glob was its last part */
	size_t deeper; /* parts below those that are kept */
	bool unknown;
	bool relative;
};

bool part_is_glob(char c);
/* Is something of it not known? */
bool part_is_unknown(struct str part);
struct path parts_read(struct str path, struct str cwd);

enum relation { APART, INSIDE, COVERS };

/* How a path lies to a directory: in it, or holding all of it. */
enum relation parts_relate(const struct path *p, struct str dir, bool unknown_fits);
/* Do the parts from i on begin with the pattern? */
bool parts_fit(const struct path *p, size_t i, const char *pattern);
/* As people read it; `written` when it is relative. */
struct str parts_shown(struct arena *a, const struct path *p, struct str written);

/* ---- places_own.c ---- */

/* .git itself, or the objects in it. */
bool path_is_repository(const struct path *p);
/* Several files of a project, by a pattern or as all of a directory. */
bool path_is_sources(const struct effects_world *w, const struct path *p);
/*
 * What programs keep below a home directory to be faster, and fetch or build again.  `home`: the
 * parts of that directory, 0 = it is in none.
 */
bool path_is_cache(const struct path *p, size_t home);
/* Where a user keeps programs of their own, under a name that takes no other's place. */
bool path_is_own_program(const struct path *p, size_t home);

/* Where settings are: directories and files of every tier and dialect (C7.1, dialects.md part 2).
 */
#pragma once

#include "base/arena.h"
#include "hooks/dialects.h"
#include "trotline.h"

struct dirs {
	const char *cwd, *project, *home; /* absolute; home may be "" */
	const char *const *env;
};

/* The value of a variable in a NULL-terminated environment, or NULL. */
const char *env_get(const char *const *env, const char *name);

/*
 * The project of a directory: the directory itself, or inside of a git work tree its nearest parent
 * (up to the root of the work tree) that has settings, else the root.  A parent outside of the work
 * tree is never asked: somebody else may own it.
 */
char *project_find(const char *cwd, const char *home) MUST_CHECK;

/* One place where a settings file can be. */
struct settings_place {
	enum tl_tier tier;
	enum dialect_id dialect;
	bool defaults; /* the system's defaults: lowest of all for scalars */
	bool optional_source; /* only read when hooksConfig.sources names the dialect */
	const char *base; /* "home", "project" or an absolute directory */
	const char *file;
	const char *override; /* environment variable that replaces the path, or NULL */
};

/* In the order in which scalars override each other (later wins). */
extern const struct settings_place settings_places[];
extern const size_t settings_places_n;

/* The path of a place, or NULL when it does not apply (no home, project is home). */
const char *settings_path(const struct settings_place *p, const struct dirs *dirs, struct arena *a);

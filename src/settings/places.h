/*
 * Where configuration is: one row for every file and directory that any part of the program reads,
 * whoever's it is.  Engine, agent, policies, skills, sub-agents, custom commands, extensions, lint
 * and the commands that edit settings all ask this table.
 *
 *	for (const struct settings_place *p = NULL; (p = place_next(p, "gemini", PLACE_SERVERS));)
 *		use(place_path(p, &dirs, arena));
 */
#pragma once

#include "base/arena.h"
#include "base/env.h"
#include "base/err.h"
#include "settings/tiers.h"

struct dirs {
	const char *cwd, *project, *home; /* absolute; home may be "" */
	const char *const *env;
};

/* What is there.  The first three are in files, the others are directories. */
enum {
	PLACE_HOOKS = 1 << 0,
	PLACE_SETTINGS = 1 << 1, /* of the agent: model, tools, skills ... */
	PLACE_SERVERS = 1 << 2, /* mcpServers */
	PLACE_POLICIES = 1 << 3,
	PLACE_SKILLS = 1 << 4,
	PLACE_AGENTS = 1 << 5, /* sub-agents */
	PLACE_COMMANDS = 1 << 6,
	PLACE_EXTENSIONS = 1 << 7,
};

/* trotline's own, below the home directory and below a project. */
#define OWN_SETTINGS ".trotline/settings.json"

enum place_root { ROOT_SYSTEM, ROOT_HOME, ROOT_PROJECT };

enum place_use {
	PLACE_READ, /* always */
	PLACE_WANTED, /* its hooks, when hooksConfig.sources names the dialect */
	PLACE_FOREIGN, /* another program's: only looked at and edited where asked for */
};

struct settings_place {
	enum tl_tier tier;
	const char *dialect; /* the name of a row of hooks/dialects.c */
	enum place_root root;
	const char *path; /* below the root; of the system absolute */
	unsigned holds;
	enum place_use use;
	const char *override; /* environment variable that replaces the path, or NULL */
	bool defaults; /* the system's: everybody's settings override it */
	bool personal; /* in the project, but of one person */
	bool claude; /* in Claude Code's formats, of which we take what we know */
	bool own; /* trotline's alone: read whichever agent we are the hook of */
};

/* In the order in which single values override each other (later wins): the next place (NULL: the
 * first one) of the dialect (NULL = any) that holds one of these. */
const struct settings_place *place_next(const struct settings_place *after, const char *dialect,
					unsigned holds);
/* The next one of a tier. */
const struct settings_place *place_next_in(const struct settings_place *after, enum tl_tier tier,
					   const char *dialect, unsigned holds);
/* The first one of a tier, or NULL.  Of files this is the one that we add to. */
const struct settings_place *place_find(enum tl_tier tier, const char *dialect, unsigned holds);
/* The path of a place, or NULL when it does not apply (no home, or the project is the home). */
const char *place_path(const struct settings_place *p, const struct dirs *dirs, struct arena *a);
/*
 * Whose settings file this looks like: by its name, else by the directory that it is in; NULL =
 * not known.  *ret_root_n: bytes of the path up to the home directory or project, 0 = not in one.
 */
const struct settings_place *place_by_path(const char *path, const char *const *env,
					   size_t *ret_root_n);

/* Removes what killed processes have left next to the files of the user and the project. */
void places_sweep(const struct dirs *dirs);
/*
 * The project of a directory: the directory itself, or inside of a git work tree its nearest parent
 * (up to the root of the work tree) that has settings, else the root.  A parent outside of the work
 * tree is never asked: somebody else may own it.
 */
char *project_find(const char *cwd, const char *home) MUST_CHECK;
/* The outermost directory above the project, in its work tree, that has settings, too; or NULL. */
char *project_outer(const char *project, const char *home) MUST_CHECK;
/* The home directory is no project: its settings are the user's. */
bool dirs_at_home(const struct dirs *dirs);

/* The environment of hooks (C6.6): inherited, redacted when asked for, and our variables. */
#pragma once

#include "hooks/firing.h"

enum { VARS_MAX = 16, ENV_OF_RUN_MAX = 4 };

/*
 * The variables that the engine gives to hooks.  Those of which a command may also be written with
 * the value substituted come first.
 */
struct vars {
	struct env_pair v[VARS_MAX];
	size_t n;
};

/* Drops what looks secret from the environment, when the settings say so. */
const char *const *env_inherited(struct arena *a, const char *const *env,
				 const struct settings *set);
/* What hooks of this dialect get for a session in a directory. */
void vars_fill(struct vars *vars, struct arena *a, const struct tl_hooks *h,
	       const struct dialect *d, const char *cwd, const char *session_id);
/* The inherited environment, the variables, the hook's own on top; `extra` ("NAME=value") may be
 * NULL. */
const char *const *env_for_hook(struct arena *a, const struct tl_hooks *h, const struct vars *vars,
				const struct hook *hook, const char *const *extra, size_t nextra);
/* What only this run's environment has, as "NAME=value"; returns how many. */
size_t env_of_run(struct firing *f, const struct hook *hook, const char *extra[ENV_OF_RUN_MAX]);
/*
 * The names of all variables that hooks of some dialect get, the vars' own first; NULL behind the
 * last one.  *ret_here: those of this dialect get it, in a run at least.
 */
const char *env_name_at(struct arena *a, const struct vars *vars, const struct dialect *d, size_t i,
			bool *ret_here);
/* Is it a variable of the engine, or of an extension?  A hook's own are the shell's business. */
bool vars_is_ours(const struct vars *vars, const struct hook *hook, struct str name);
/* The root or the data of a plugin, which Claude Code puts in as text, whatever is around it. */
bool vars_is_plugins(struct str name);
/* The value of a variable: of the hook, then of the engine; NULL when neither sets it. */
const char *vars_get(const struct vars *vars, const struct hook *hook, struct str name);

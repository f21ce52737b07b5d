/* The home directory: where the user's settings are, and with them the user's guards. */
#pragma once

#include "base/err.h"

/*
 * GEMINI_CLI_HOME; HOME; else what the password database says, since a HOME that is unset, empty or
 * relative must not lose the user's guards.  Absolute, a directory that exists, free()d by the
 * caller.  -E_CONFIG with a sentence when there is none: then the guards are unknown.
 */
int home_find(const char *const *env, char **ret_home, struct err *err);
/* For what has none and cannot do without: why the environment gives none, as an error. */
int home_missing(struct err *err);
/*
 * The one that was written down at installation, whatever the environment says: what another agent
 * starts with another HOME has the user's guards all the same.  NULL = as home_find() finds it.
 */
int home_installed(const char *dir, const char *const *env, char **ret_home, struct err *err);
/*
 * Where a file of an agent is: below the home directory, unless the environment moves the agent's
 * folder (CODEX_HOME for .codex).  A variable that is no absolute path moves nothing.
 */
char *home_file(const char *home, const char *const *env, const char *name) MUST_CHECK;

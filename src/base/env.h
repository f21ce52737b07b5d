/* NULL-terminated environments, each entry "NAME=value". */
#pragma once

#include "base/arena.h"
#include "base/str.h"

/* The value of a variable, or NULL. */
const char *env_get(const char *const *env, const char *name);
const char *env_find(const char *const *env, struct str name);
/* Letters, digits and _, not beginning with a digit. */
bool env_name_is_valid(struct str name);
/* The environment with these entries instead of its own of the same names; NULL = none. */
const char *const *env_with(struct arena *a, const char *const *env, const char *const *more);

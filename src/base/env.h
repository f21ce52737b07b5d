/* NULL-terminated environments, each entry "NAME=value". */
#pragma once

#include "base/str.h"

/* The value of a variable, or NULL. */
const char *env_get(const char *const *env, const char *name);
const char *env_find(const char *const *env, struct str name);
/* Letters, digits and _, not beginning with a digit. */
bool env_name_is_valid(struct str name);

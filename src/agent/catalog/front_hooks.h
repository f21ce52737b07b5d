/* The member "hooks" in the front matter of an agent or a skill. */
#pragma once

#include "base/err.h"
#include "base/json.h"

/*
 * 1 with a settings file in JSON that holds these hooks alone, each value in the line that it has
 * in the text; 0 when there are none; -E_PARSE with "LINE:COLUMN: why" when they cannot be read.
 */
int front_hooks_read(struct arena *a, struct str text, struct str *ret_json, struct err *err);

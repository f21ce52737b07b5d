/* Patches of Codex and its kind ("*** Begin Patch"): which files they touch, and what they do. */
#pragma once

#include "base/json.h"

/*
 * An object of arguments for each file and each of its changes, as `replace` and `write_file` have
 * them: file_path, and old_string with new_string or content.  A line that is no part of the format
 * makes no file; *ret_n is 0 when there is none at all.
 */
const struct json **patch_files(struct arena *a, struct str text, size_t *ret_n);

/*
 * Patches of Codex and its kind ("*** Begin Patch"): which files they touch and what they do, and
 * the patch that does what a call of ours does.
 */
#pragma once

#include "base/json.h"

/*
 * An object of arguments for each file and each of its changes, as `replace` and `write_file` have
 * them: file_path, and old_string with new_string or content.  A line that is no part of the format
 * makes no file; *ret_n is 0 when there is none at all.
 */
const struct json **patch_files(struct arena *a, struct str text, size_t *ret_n);
/*
 * The other way, for the arguments of one call.  A file's name never ends its line, and no text
 * begins one, so that nothing in them can be read as another file.
 */
struct str patch_of(struct arena *a, const struct json *args);

/*
 * Reading one settings file: JSON with comments, an object; of Codex also TOML (*.toml), which
 * becomes one.  Everybody reads them with this.
 */
#pragma once

#include "base/json.h"

enum { SETTINGS_MAX_BYTES = 8 << 20 };

/*
 * The text of the file at path as an object; white space only is an empty one.  -E_PARSE or
 * -E_CONFIG with file:line:column.
 */
int settings_parse(struct arena *a, const char *path, struct str text, const struct json **ret_doc,
		   struct err *err);
/*
 * 1 and the file; 0 when there is none.  What is there and cannot be read, also a directory on the
 * way that is a link to nothing or a file, is -E_CONFIG: it might hold a guard.  The text is in the
 * arena.
 */
int settings_read(struct arena *a, const char *path, struct str *ret_text,
		  const struct json **ret_doc, struct err *err);

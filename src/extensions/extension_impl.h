/* What the files of this module share; no other file includes it. */
#pragma once

#include "extensions/extension.h"

/* A file that holds a JSON object.  -E_NOTFOUND when there is none. */
int extension_json(struct arena *a, const char *path, const struct json **ret_v, struct err *err);

/* ---- claude_plugins.c ---- */

/* Where Claude Code has installed "NAME@MARKETPLACE", and what its marketplace says of it (NULL =
 * nothing); NULL when it is not there. */
const char *claude_plugin_dir(struct arena *a, const char *home, const char *project, struct str id,
			      const struct json **ret_said);
/* The directory that Claude Code gives it to write to. */
const char *claude_plugin_data(struct arena *a, const char *home, struct str id);

/* ---- plugin.c ---- */

/* Is the directory a plugin's, or did somebody who installed it say so? */
bool plugin_is(const struct extension *e);
/* Everything in one form (plugin.c); own: plugin.json, an object, or NULL when there is none. */
const struct json *plugin_manifest(struct arena *a, struct extension *e, const struct json *own);
/* The directory that it may write to; NULL without a home directory. */
const char *plugin_data(struct arena *a, const char *home, struct str name);

/* What a project's settings file may say: it may ask for more security, and grants itself nothing.
 */
#pragma once

#include "settings/settings.h"

/*
 * Where the project's lists of tools are in the merged settings: no file has a member of this
 * name.  They count less than what the user says (policy/settings.c).
 */
#define SETTINGS_OF_PROJECT "$project"
#define SETTINGS_SERVERS "mcpServers" /* in it: the names of the project's own, each true */

/*
 * The file without what no project says.  What was left out is complained of, and *granted (an
 * object, or NULL) takes what counts less.
 */
const struct json *settings_of_project(struct arena *a, const struct settings_dirs *d,
				       const char *path, const struct json *before,
				       const struct json *file, const struct json **granted);
/*
 * Which servers of a project's .mcp.json Claude Code's settings let start: "off" and "on", objects of
 * names, and "all".  No file has a member of this name.
 */
#define SETTINGS_OF_MCP_JSON "$mcpJson"
/* The servers of .mcp.json that may start, as a settings file; other settings' count more. */
const struct json *settings_of_mcp_json(struct arena *a, const struct settings_dirs *d,
					const char *path, const struct json *before,
					const struct json *file);
/*
 * Claude Code's file as ours: permissions.defaultMode, .disableBypassPermissionsMode and
 * .additionalDirectories, which come to those of before.  A mode counts where nothing was said
 * before, or as a stricter one; the system's always.
 */
const struct json *settings_of_claude(struct arena *a, const struct settings_dirs *d,
				      const char *path, const struct json *before,
				      const struct json *file, enum tl_tier tier);

/*
 * Extensions: directories under ~/.gemini/extensions that add hooks, MCP servers, context files,
 * skills and commands.  This is where they are found and judged; what each of
 * their parts means is the business of who uses it.
 *
 *	struct extensions *all = extensions_read(arena, &options);
 *	for (i = 0; i < all->n; i++)
 *		if (extension_is_active(&all->p[i]))
 *			use(extension_path(arena, &all->p[i], "skills"));
 *
 * Manifests are not trusted: what is wrong with one makes that extension unusable, and says so.
 *
 * Plugins of Claude Code are extensions, too: the same list, with parts in Claude's formats.
 */
#pragma once

#include "base/json.h"

#define EXTENSION_MANIFEST "gemini-extension.json"
#define EXTENSION_INSTALL_FILE ".gemini-extension-install.json"
#define EXTENSION_ENABLEMENT "extension-enablement.json"
#define EXTENSION_HOOKS "hooks/hooks.json"
#define PLUGIN_MANIFEST ".claude-plugin/plugin.json"
#define PLUGIN_MARKETPLACE ".claude-plugin/marketplace.json"
#define PLUGIN_OPTION "CLAUDE_PLUGIN_OPTION_" /* before the name of a setting */

enum { EXTENSION_FILE_MAX = 8 << 20, EXTENSIONS_MAX = 500, EXTENSION_NAME_MAX = 100 };

struct extension_options {
	const char *home; /* "" = there is none */
	const char *project; /* absolute: ${workspacePath}, and what enablement rules look at */
	/* -e: these alone (any case), enabled or not; "none" alone = no one; NULL = as enabled. */
	const char *const *only;
	bool untrusted; /* the project is not trusted: what is in it is not active */
	/* {"NAME@MARKETPLACE": true}: what is enabled of Claude Code's own plugins; with "off" in
	 * the place of true the project has switched it off.  NULL = none. */
	const struct json *plugins;
	bool project_env; /* it is trusted: its .env has values of settings, before the user's */
	/* Of extension_read(): what the file of an installation would say of a plugin; NULL. */
	const struct json *plugin;
	const char *data; /* of extension_read(): where it may write; NULL = in ~/.trotline */
	const char
		*shown; /* of extension_read(): how messages name the directory; NULL = as it is */
};

struct extension {
	const char *name; /* valid; of one with a problem the name of its directory */
	const char *version, *description; /* "" when not given */
	const char *root; /* ~/.gemini/extensions/DIR */
	const char *dir; /* absolute: where its content is; of a link the source, else root */
	const struct json *manifest; /* expanded, an object; NULL when broken */
	const struct json *written; /* the same before that; also of some that are broken */
	const struct json *install; /* .gemini-extension-install.json, an object, or NULL */
	const char *const *env; /* "NAME=VALUE" of its settings, NULL-terminated */
	bool enabled; /* by the enablement file, in this project */
	bool chosen; /* by `only`, without it because it is enabled */
	bool in_project; /* its content is in the project: the project's trust counts */
	bool untrusted; /* in_project, and the project is not trusted */
	const char *problem; /* why it cannot be used, with its file; NULL = it can */
	bool lost; /* a problem that hides what it brings: its directory is gone, say */
	bool is_plugin; /* of Claude Code; the manifest is that of plugin.c */
	bool is_both; /* and it has a manifest of Gemini CLI, whose name and context count */
	const char *data; /* of a plugin: what it keeps, over updates; NULL = it can keep nothing */
	const char *claudes; /* installed by Claude Code: "NAME@MARKETPLACE", else NULL */
	bool project_off; /* one of these that the project has switched off */
};

struct extensions {
	struct extension *p; /* sorted by the names of their directories */
	size_t n;
	/* What is wrong with the enablement file or the directory of all, with its path: without
	 * rules all are enabled.  NULL = nothing. */
	const char *problem;
	const char *const
		*missing; /* of options.plugins what is nowhere; NULL-terminated, or NULL */
};

/* Never NULL; everything is in the arena. */
struct extensions *extensions_read(struct arena *a, const struct extension_options *o);
/* One directory as if it was installed (before an installation, and of lint); problem says what is
 * wrong. */
struct extension extension_read(struct arena *a, const struct extension_options *o,
				const char *dir);
static inline bool extension_is_active(const struct extension *e)
{
	return !e->problem && e->chosen && !e->untrusted;
}
/* NULL when there is none of this name (any case). */
const struct extension *extension_find(const struct extensions *all, struct str name);
/* The real path of a file or directory of its content; NULL when there is none, or a link leads out
 * of the extension. */
const char *extension_path(struct arena *a, const struct extension *e, const char *relative);
/* Directories of this name in active extensions ("skills", "policies"), NULL-terminated. */
const char *const *extensions_dirs(struct arena *a, const struct extensions *all, const char *name);
/* Where its hooks are, in their order; whether a file is there is not looked at. */
struct extension_hooks {
	const char *file; /* absolute */
	const char *pointer; /* JSON Pointer to the object of events */
};
size_t extension_hook_files(struct arena *a, const struct extension *e,
			    const struct extension_hooks **ret_files);
/* Of a plugin: files of hooks where neither Claude Code nor we look for any; NULL-terminated. */
const char *const *extension_misplaced_hooks(struct arena *a, const struct extension *e);
/* The directories and files of its "commands", "skills" or "agents" that exist: real,
 * NULL-terminated. */
const char *const *extension_places(struct arena *a, const struct extension *e, const char *kind);
/* Which of `only` is not installed, as a sentence that names those that are; NULL = none. */
const char *extensions_unknown(struct arena *a, const struct extensions *all,
			       const char *const *only);
/* ${extensionPath} and the like in a text; unknown ones stay, and so does what would become too
 * long. */
struct str extension_expand(struct arena *a, const struct extension *e, const char *project,
			    struct str text);
/* Letters, digits, '-', '_' and '.', not beginning with '.'; not "none", which means no one.
 */
bool extension_name_is_valid(struct str name);
/* What tells it from others of its name: a digest (hex) of where it was installed from, or of its
 * name. */
const char *extension_id(struct arena *a, const struct extension *e);

/* mcpServers of all active ones as one object (`trust` is taken out), NULL when there are none.  Of
 * equal names the first stays. */
#define EXTENSION_OF_SERVER "$extension" /* {extension_name, extension_id} */
const struct json *extensions_servers(struct arena *a, const struct extensions *all);
/* Context files of all active ones that exist, absolute, NULL-terminated. */
const char *const *extensions_context_files(struct arena *a, const struct extensions *all);
/* excludeTools of all active ones, an array of strings; NULL when there are none. */
const struct json *extensions_excluded_tools(struct arena *a, const struct extensions *all);

/* Both of these as settings, over which the settings files are merged. */
const struct json *extensions_settings(struct arena *a, const struct extensions *all);

/* ---- enablement.c ---- */

/* A new text of the enablement file in which the extension is on or off at this path (a directory
 * and all below; NULL = everywhere).  -E_PARSE when the old text is none. */
int enablement_set(struct str old_text, struct str name, const char *path, bool on, struct buf *out,
		   struct err *err);
/* Without any rule for the extension. */
int enablement_forget(struct str old_text, struct str name, struct buf *out, struct err *err);
bool enablement_is_on(const struct json *enablement, struct str name, struct str path);

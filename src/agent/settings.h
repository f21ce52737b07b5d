/*
 * The settings that the agent itself reads: all tiers merged into one object (host.md A1).  What
 * concerns hooks is read by the engine.
 */
#pragma once

#include "extensions/extension.h"

struct settings_dirs {
	const char *home, *project;
	const char *const *env;
	const char *cwd; /* where relative paths start; NULL = the project */
	bool trusted; /* an untrusted project's settings are not read */
	/* What they bring stands below all settings (host.md H5.5); NULL = none. */
	const struct extensions *extensions;
	/* Told what a file says in vain; NULL = nobody. */
	void (*complain)(void *data, const char *text);
	void *data;
};

/* What is said, behind the file, of mcpServers that are left out; %s = json_type_name(). */
#define SETTINGS_SERVERS_SHAPE                                                                     \
	"mcpServers must be an object, { \"NAME\": { \"command\": ... } }, and is of type "        \
	"%s: it does not count"

/* The merged settings, an object, in the arena; -E_PARSE with file:line:column. */
int settings_load(struct arena *a, const struct settings_dirs *d, const struct json **ret_settings,
		  struct err *err);
/* Look-ups by JSON Pointer ("/model/name"). */
const char *settings_str(struct arena *a, const struct json *s, const char *pointer,
			 const char *dflt);
double settings_num(const struct json *s, const char *pointer, double dflt);
bool settings_bool(const struct json *s, const char *pointer, bool dflt);

/*
 * The settings that the agent itself reads: all tiers merged into one object.  What concerns
 * hooks is read by the engine, from the same places.
 */
#pragma once

#include "base/json.h"
#include "settings/places.h"

struct settings_dirs {
	struct dirs dirs;
	bool trusted; /* an untrusted project's settings are not read */
	/* Other agents whose files count: what their permissions say of mode and directories.
	 * Names of dialects with blanks between; NULL = none. */
	const char *sources;
	/* What extensions bring counts less than all settings: mcpServers and tools.exclude, or
	 * NULL. */
	const struct json *below;
	/* Told what has no effect in a file; NULL = no report. */
	void (*complain)(void *data, const char *text);
	void *data;
};

/* Of a server of an extension: texts that only itself is told.  No file has such a member. */
#define SETTINGS_SECRETS "$secrets"

/* What is said, behind the file, of mcpServers that are left out; %s = json_type_name(). */
#define SETTINGS_SERVERS_SHAPE                                                                     \
	"mcpServers must be an object, { \"NAME\": { \"command\": ... } }, and is of type "        \
	"%s: it does not count"

/* The merged settings, an object, in the arena; -E_PARSE with file:line:column. */
int settings_load(struct arena *a, const struct settings_dirs *d, const struct json **ret_settings,
		  struct err *err);
/* Settings of Gemini CLI that ask for something that trotline does not do. */
struct setting_in_vain {
	struct str pointer;
	const char *name; /* as people write it */
};
/* The next one in these settings that asks for something, behind `after` (NULL = the first). */
const struct setting_in_vain *settings_in_vain(const struct json *s,
					       const struct setting_in_vain *after);
/* Look-ups by JSON Pointer ("/model/name"). */
const char *settings_str(struct arena *a, const struct json *s, const char *pointer,
			 const char *dflt);
double settings_num(const struct json *s, const char *pointer, double dflt);
bool settings_bool(const struct json *s, const char *pointer, bool dflt);

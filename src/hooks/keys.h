/*
 * The keys of settings files that concern hooks, each with its type and a sentence: what the reader
 * accepts and what the schema says come from these tables.
 */
#pragma once

#include "base/object.h"

/* Where a key counts that only some hooks have. */
enum {
	KEY_CLAUDE_FILE = 1 << 0, /* in a file of that dialect */
	KEY_CLAUDE_HOOK = 1 << 1, /* in a hook that says that dialect, wherever it is */
	/* In hooks of these types. */
	KEY_HTTP = 1 << 2,
	KEY_MCP_TOOL = 1 << 3,
	KEY_PROMPT = 1 << 4,
};

/* hooksConfig */
enum {
	C_ENABLED,
	C_DISABLED,
	C_NOTIFICATIONS,
	C_ON_FAILURE,
	C_MAX_RETRIES,
	C_SOURCES,
	C_DIALECT,
	C_RESIDENT,
	C_SANDBOX_PROJECT,
	CONFIG_KEYS
};
/* a definition */
enum { D_MATCHER, D_SEQUENTIAL, D_HOOKS, D_DESCRIPTION, D_DIALECT, DEFINITION_KEYS };
/* a hook */
enum {
	K_TYPE,
	K_COMMAND,
	K_NAME,
	K_DESCRIPTION,
	K_TIMEOUT,
	K_ENV,
	K_GUARD,
	K_ON_FAILURE,
	K_MODE,
	K_DIALECT,
	K_PERSISTENT,
	K_WARM,
	K_WARM_SECONDS,
	K_WATCH,
	K_SANDBOX,
	K_ARGS,
	K_ASYNC,
	K_ASYNC_REWAKE,
	K_REWAKE_MESSAGE,
	K_REWAKE_SUMMARY,
	K_IF,
	K_ONCE,
	K_SHELL,
	K_STATUS_MESSAGE,
	K_URL,
	K_HEADERS,
	K_ALLOWED_ENV,
	K_SERVER,
	K_TOOL,
	K_INPUT,
	K_PROMPT,
	K_MODEL,
	K_CONTINUE_ON_BLOCK,
	HOOK_KEYS
};

extern const struct object_key config_keys[CONFIG_KEYS];
extern const struct object_key definition_keys[DEFINITION_KEYS];
extern const struct object_key hook_keys[HOOK_KEYS];

/* Is the member, however it is spelled, one that makes hooks stricter? */
bool key_is_strict(const struct json_member *m);

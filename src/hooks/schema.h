/*
 * The keys of settings files that concern hooks, each with its type and a sentence: what the reader
 * accepts and what the schema says come from these tables.
 */
#pragma once

#include "base/json.h"

struct known_key {
	const char *name;
	enum json_type type;
	bool claude_only; /* means something in the claude dialect only */
	bool moves; /* and also in a hook that says that dialect, wherever it stands */
	bool dialects; /* its value, or every item of it, is the name of a dialect */
	const char *values; /* the words that it can be, separated by blanks; NULL = open */
	const char *rule, *rule_json; /* one more keyword of its schema, and its value */
	const char *text;
};

enum { CONFIG_KEYS = 7, DEFINITION_KEYS = 5, HOOK_KEYS = 19 };

extern const struct known_key config_keys[CONFIG_KEYS]; /* of hooksConfig */
extern const struct known_key definition_keys[DEFINITION_KEYS];
extern const struct known_key hook_keys[HOOK_KEYS];

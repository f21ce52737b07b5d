/*
 * Sub-agents: who they are.  Three are built in, others are Markdown files whose front matter says
 * what they are for and what they may use, and whose text is their instruction.
 */
#pragma once

#include "agent/catalog/catalog.h"
#include "tools/tool.h"

enum {
	AGENT_FILE_MAX = 1 << 20,
	AGENT_DESCRIPTION_MAX = 2000, /* characters; what is longer is cut */
	AGENTS_MAX = 200,
	AGENT_TURNS = 30, /* where nothing else is said */
	AGENT_MINUTES = 10,
};

struct agent_def {
	const char *name; /* a-z, 0-9, - and _; of a plugin with its name and a colon before it */
	const char *description; /* on one line, without control characters */
	const char *file; /* real; NULL of a built-in one */
	enum catalog_origin origin;
	struct str body; /* its instruction */
	struct str hooks; /* of its front matter, as front_hooks_read(); .p NULL = none */
	const char *extension; /* that has it, or NULL */
	const char *const *tools; /* patterns, NULL-terminated; NULL = what the session has */
	const char *model; /* NULL = the session's */
	double temperature; /* negative = as the session's */
	int max_turns, max_minutes;
	const char *role; /* of its requests in statistics; NULL = "subagent" */
};

struct agents {
	struct agent_def *p; /* sorted by name, without disabled ones */
	size_t n;
};

/* NULL when settings switch sub-agents off; in the arena. */
struct agents *agents_read(struct arena *a, const struct catalog_options *o);
/* One file's text.  -E_PARSE with "LINE:COLUMN: why". */
int agent_read(struct arena *a, struct str text, struct agent_def *ret_def, struct err *err);
/* By its name, or a plugin's by what is behind the colon when only one is called so; NULL. */
const struct agent_def *agent_find(const struct agents *all, struct str name);
/* May its model be told of the tool?  Never of those that would lead out of it. */
bool agent_may_use(const struct agent_def *def, const struct tool *t);

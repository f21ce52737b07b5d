/* Other agents whose settings we edit or migrate: one row each; the rest is in their dialect. */
#pragma once

#include "hooks/dialects.h"

/* What help and messages say of the table; tests/unit/test_schema.c compares them. */
#define AGENT_TARGETS "gemini, trotline, tabnine, terminai or claude"
#define AGENT_SOURCES "claude, codex, tabnine, terminai or jpfork"

struct agent {
	const char *name; /* "claude", of --into and --from */
	const char *title; /* "Claude Code" */
	const struct dialect *dialect;
	const char *files; /* the dialect whose settings files (settings/places.h) are its own */
	const char *env_prefix; /* of PREFIX_PROJECT_DIR in commands */
	bool is_target, is_source; /* of --into, of migrate --from */
	bool at_home; /* its hooks are in the file of Gemini CLI already */
	bool own; /* trotline: of these files those that no other agent reads */
};

/* Does trotline itself run what the files of this one have? */
bool agent_is_read(const struct agent *agent);
/* NULL when no such agent exists, or it cannot be used so. */
const struct agent *agent_target(const char *name);
const struct agent *agent_source(const char *name);

/* An event of an agent, and what becomes of it in Gemini CLI. */
struct agent_event {
	const char *name;
	const struct event *to; /* NULL = no event of Gemini CLI corresponds to it */
	/* What is lost on the way to Gemini CLI, or why it cannot be done; NULL = nothing. */
	const char *loss;
};

/* False when the agent has no event of this name. */
bool agent_event_find(const struct agent *agent, struct str name, struct agent_event *ret);
/* What this agent calls Gemini's event (or its own); NULL when it has no such event. */
const char *agent_event_name(const struct agent *agent, const char *event);

/* What Gemini CLI calls a tool of the agent: "a|b", "" when it has none, NULL for an unknown name. */
const char *agent_tool(struct arena *a, const struct agent *agent, struct str name);

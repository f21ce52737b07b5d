/* Other agents: where their settings are and how they call things.  One row each (agents.c). */
#pragma once

#include "base/str.h"

struct agent {
	const char *name; /* "claude", of --into and --from */
	const char *title; /* "Claude Code" */
	const char *files; /* the dialect whose settings files (settings/places.h) are its own */
	const char *env_prefix; /* of PREFIX_PROJECT_DIR in commands */
	bool seconds; /* the unit of timeout; else milliseconds */
	bool names_hooks; /* a hook may have a name */
	bool star; /* a matcher for all is written as "*" */
	bool is_target, is_source; /* of --into, of migrate --from */
};

/* NULL when there is none, or it cannot be used so. */
const struct agent *agent_target(const char *name);
const struct agent *agent_source(const char *name);

/* An event of an agent that calls it otherwise than Gemini CLI. */
struct agent_event {
	const char *name;
	const char *gemini; /* NULL = no event of Gemini corresponds to it */
	/* What is lost on the way to Gemini, or why there is no way; NULL = nothing. */
	const char *loss;
	int timeout_ms; /* when the hook has none; 0 = Gemini's */
};

/* NULL when the agent has no event of this name. */
const struct agent_event *agent_event_find(const struct agent *agent, struct str name);
/* What this agent calls Gemini's event (or its own); NULL when it has no such event. */
const char *agent_event_name(const struct agent *agent, const char *event);
/* Row i of the agent's events, NULL behind the last one. */
const struct agent_event *agent_event_at(const struct agent *agent, size_t i);
bool is_tool_event(const char *gemini_event);

/* What Gemini CLI calls a tool of the agent: "a|b", "" when it has none, NULL for a strange name.
 */
const char *agent_tool(const struct agent *agent, struct str name);
/* The same for the word that a matcher of Notification looks at. */
const char *agent_notification(const struct agent *agent, struct str type);

/*
 * What rules are about: a tool, as far as a policy has to know it.  Whoever has tools fills it: the
 * agent from a tool's row, the engine from what a host says of a call.
 */
#pragma once

#include "base/str.h"

enum tool_kind {
	TOOL_READ,
	TOOL_SEARCH,
	TOOL_EDIT,
	TOOL_EXECUTE,
	TOOL_FETCH,
	TOOL_ASK,
	TOOL_THINK
};

struct policy_subject {
	const char *name;
	/* Of an MCP tool, as the server and its tool are really called; NULL = it is none. */
	const char *mcp_server, *mcp_tool;
	enum tool_kind kind;
	bool harmless; /* changes nothing that lasts: the built-in policy never asks about it */
	const char *path_arg; /* the argument that names its file or directory; NULL = none */
	const char *command_arg; /* the argument that is a shell command; NULL = none */
};

/* A built-in tool of the agent by any of its names, for hosts that have no rows of tools; what is
 * none of them has its name alone. */
struct policy_subject policy_subject_of(const char *name, const char *server, const char *tool);
/* A built-in tool's name of today for one that it had before, else the name itself. */
struct str tool_current_name(struct str name);
/* The same for the names by which a model may still call it. */
struct str tool_callable_name(struct str name);
struct tool_old_name {
	const char *old, *name;
	bool callable; /* by a model; the others are of settings and policies alone */
};
/* All of them; NULL = no more. */
const struct tool_old_name *tool_old_name_at(size_t i);

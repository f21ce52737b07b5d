/*
 * Names of tools that people write: those of the rows, older ones, those of other agents.  What is
 * none of them was probably meant to be one.
 */
#pragma once

#include "agent/toolbox.h"

struct tool_name {
	const char *name, *tool; /* the tool's own name */
};

struct tool_names {
	struct toolbox *tools; /* of the agent itself */
	struct tool_name *p;
	size_t n, cap;
};

void tool_names_init(struct tool_names *names);
void tool_names_done(struct tool_names *names);
DEFINE_AUTO(struct tool_names, tool_names_done)

/* Is it a tool's own name, an older one, or the name of a server's tool (mcp_...)? */
bool tool_is_called(const struct tool_names *names, struct str word);
/* The tool that was probably meant, or NULL. */
const char *tool_meant(const struct tool_names *names, struct str word);
/* `no tool "Bash"; did you mean "run_shell_command"?`, or NULL when it is called so. */
const char *tool_unknown(struct arena *a, struct str word);

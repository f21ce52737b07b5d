/* Tools that stand on the agent itself, beside those of tools/rows.h. */
#pragma once

#include "tools/tool.h"

extern const struct tool tool_activate_skill; /* activate_skill.c */
extern const struct tool tool_list_mcp_resources; /* mcp_resources.c */
extern const struct tool tool_read_mcp_resource; /* mcp_resources.c */

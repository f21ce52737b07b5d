/* Tools that are on the agent itself, besides those of tools/registry.h. */
#pragma once

#include "tools/tool.h"

extern const struct tool tool_activate_skill; /* catalog/activate_skill.c */
/* The same with the names of these skills in its schema, in the arena. */
const struct tool *activate_skill_row(struct arena *a, const struct skills *all);
extern const struct tool tool_complete_task; /* catalog/invoke_agent.c */
extern const struct tool tool_invoke_agent; /* catalog/invoke_agent.c */
/* The same with these agents in its description, in the arena. */
const struct tool *invoke_agent_row(struct arena *a, const struct agents *all);
extern const struct tool tool_enter_plan_mode; /* plan_mode.c */
extern const struct tool tool_exit_plan_mode; /* plan_mode.c */
extern const struct tool tool_list_mcp_resources; /* mcp_resources.c */
extern const struct tool tool_read_mcp_resource; /* mcp_resources.c */

/* activate_skill: the body of a skill and what lies beside it (host.md H3.5, H3.7). */
#include "agent/rows.h"
#include "agent/skills.h"

static void run(struct tool_call *call, struct tool_result *r)
{
	tool_fail(call, r, "invalid_tool_params", "There is no such skill.");
}

const struct tool tool_activate_skill = {
	.name = "activate_skill",
	.display_name = "Activate Skill",
	.description = "Loads the instructions of a skill.",
	.parameters = "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},"
		      "\"required\":[\"name\"]}",
	.kind = TOOL_READ,
	.run = run,
};

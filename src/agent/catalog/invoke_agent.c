/* invoke_agent starts a sub-agent, complete_task ends one: their rows.  The conversation itself is
 * agent/sub_agent.c's. */
#include "agent/catalog/agent_defs.h"
#include "agent/rows.h"
#include "base/json_pack.h"
#include "tools/files.h"

static bool check(struct tool_call *call, struct tool_result *r)
{
	struct str name = arg_str(call, "agent_name");

	if (agent_find(call->env->agents, name))
		return true;
	tool_fail(call, r, "invalid_tool_params", "Subagent '%.*s' not found.", STR_ARG(name));
	return false;
}

static void invoke(struct tool_call *call, struct tool_result *r)
{
	if (check(call, r))
		call->env->run_agent(call->env->agent_data, call, r);
}

static const struct json *confirm(struct tool_call *call)
{
	struct arena *a = call->arena;

	return json_pack(a, "type:z title:s prompt:s", "info",
			 arena_printf(a, "Start the agent %.*s",
				      STR_ARG(tool_clean(a, arg_str(call, "agent_name")))),
			 tool_clean(a, arg_str(call, "prompt")));
}

static struct str describe(struct tool_call *call)
{
	struct arena *a = call->arena;

	return tool_clean(a, arena_printf(a, "%.*s: %.*s", STR_ARG(arg_str(call, "agent_name")),
					  STR_ARG(arg_str(call, "prompt"))));
}

const struct tool tool_invoke_agent = {
	.name = "invoke_agent",
	.display_name = "Invoke Agent",
	.description = "Delegates a piece of work to an agent with its own conversation.",
	.parameters =
		"{\"type\":\"object\",\"properties\":{"
		"\"agent_name\":{\"type\":\"string\",\"description\":\"The name of the agent.\"},"
		"\"prompt\":{\"type\":\"string\",\"description\":\"Everything the agent must know: what is "
		"wanted, what is already known, what the answer should look like. It sees "
		"nothing else of this conversation.\"}," WAIT_PARAMETER
		"},\"required\":[\"agent_name\",\"prompt\"]}",
	.need = NEED_AGENTS,
	.kind = TOOL_THINK,
	.check = check,
	.run = invoke,
	.confirm = confirm,
	.describe = describe,
};

const struct tool *invoke_agent_row(struct arena *a, const struct agents *all)
{
	struct tool *t = ARENA_NEW(a, struct tool);
	AUTO(buf_done) struct buf out = { 0 };

	*t = tool_invoke_agent;
	buf_addf(&out,
		 "%s You see only its result, which keeps this conversation short. The agents:",
		 t->description);
	for (size_t i = 0; all && i < all->n; i++)
		buf_addf(&out, "\n- %s: %s", all->p[i].name, all->p[i].description);
	t->description = arena_z(a, buf_str(&out));
	return t;
}

static void complete(struct tool_call *call, struct tool_result *r)
{
	tool_ok(call, r, arg_str(call, "result"), STR("The agent is done."));
}

static struct str describe_result(struct tool_call *call)
{
	return tool_clean(call->arena, arg_str(call, "result"));
}

const struct tool tool_complete_task = {
	.name = "complete_task",
	.display_name = "Complete Task",
	.description = "Ends your work and returns its result. Call it once, at the end.",
	.parameters = "{\"type\":\"object\",\"properties\":{\"result\":{\"type\":\"string\","
		      "\"description\":\"The complete result.\"}," WAIT_PARAMETER
		      "},\"required\":[\"result\"]}",
	.need = NEED_AGENT,
	.kind = TOOL_THINK,
	.harmless = true,
	.run = complete,
	.describe = describe_result,
};

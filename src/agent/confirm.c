/* Asking the user whether a tool may run: the Notification hook, the question, the answer. */
#include "agent/call.h"
#include "base/json_pack.h"

static void announce(struct turn *t, struct call *c, const struct json *details)
{
	/* What the tool wants, by the kind of the confirmation. */
	static const struct {
		const char *type, *wants;
	} kinds[] = {
		{ "edit", "requires editing" },
		{ "exec", "requires execution" },
		{ "mcp", "requires MCP" },
		{ "info", "requires information" },
	};
	struct str message = STR("Tool requires confirmation");
	struct tl_field fields[2];

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (str_eqz(json_get_str(details, "type"), kinds[i].type))
			message = arena_printf(&c->arena, "Tool %.*s %s",
					       STR_ARG(json_get_str(details, "title")),
					       kinds[i].wants);
	fields[0] = field_str(&c->arena, "message", message);
	fields[1] = field_json(&c->arena, "details", details);
	session_announce(t->s, &(struct fire_args){ .event = "Notification",
						    .subject = "ToolPermission",
						    .fields = fields,
						    .nfields = ARRAY_LEN(fields),
						    .turn_id = t->id,
						    .call_id = c->id });
}

/* "Allow for this session": of a shell command its first program, of any other tool the tool. */
static void allow_for_session(struct turn *t, struct call *c, const struct json *details)
{
	struct str roots = json_get_str(details, "rootCommand");
	const struct tool *tool = c->tool;
	struct str root = { 0 };

	/* To approve one plan is not to approve all. */
	if (tool == &tool_exit_plan_mode)
		return;
	if (tool->mcp_server) {
		policy_always_server_tool(t->s->o.policy, str_from(tool->mcp_server),
					  str_from(tool->mcp_tool));
		return;
	}
	while (str_split(&roots, ',', &root))
		(void)policy_always(t->s->o.policy, str_from(c->tool->name), str_trim(root));
	if (!json_getz(details, "rootCommand"))
		(void)policy_always(t->s->o.policy, str_from(c->tool->name), STR(""));
}

/*
 * The call as the user wants it: of write_file the content, of replace the whole file for the whole
 * file, since only a piece of it is in the arguments.
 */
static void change(struct call *c, const struct json *details, struct str content)
{
	struct arena *a = &c->arena;
	const struct json *text = json_new_str(a, tool_clean(a, content));

	if (json_getz(c->args, "content")) {
		c->args = json_set(a, c->args, STR("content"), text);
	} else {
		c->args = json_set(a, c->args, STR("old_string"),
				   json_getz(details, "originalContent"));
		c->args = json_set(a, c->args, STR("new_string"), text);
	}
	c->by_user = true;
}

enum confirm_answer call_confirm(struct turn *t, struct call *c, const char *hook_message)
{
	const struct agent_sink *sink = &t->s->o.sink;
	const struct json *d = c->tool->confirm ? c->tool->confirm(&c->run) : NULL;
	const struct json *details =
		d ? d
		  : json_pack(&c->arena, "type:z title:z prompt:s", "info", c->tool->display_name,
			      json_text(&c->arena, c->args, JSON_PRETTY));
	struct confirmation question = { .tool = c->tool->name,
					 .display_name = c->tool->display_name,
					 .agent = t->s->agent ? t->s->agent->name : NULL,
					 .details = details,
					 .hook_message = hook_message,
					 .can_always = !*hook_message };
	enum confirm_answer answer;

	announce(t, c, details);
	/* People also see the arguments of an MCP tool, which the notification does not carry. */
	if (c->tool->mcp_server)
		question.details = json_set(&c->arena, details, STR("toolArgs"), c->args);
	answer = sink->confirm(sink->data, &question);
	c->run.always = answer == CONFIRM_SESSION;
	AUTO(free) char *changed = question.changed;
	if (answer == CONFIRM_SESSION)
		allow_for_session(t, c, details);
	if (answer == CONFIRM_SERVER && c->tool->mcp_server)
		policy_always_server(t->s->o.policy, str_from(c->tool->mcp_server));
	if (answer == CONFIRM_CHANGED && changed)
		change(c, details, str_from(changed));
	return answer;
}

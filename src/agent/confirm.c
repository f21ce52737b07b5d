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
	while (str_split(&roots, ',', &root))
		(void)policy_say(
			t->s->o.policy,
			&(struct policy_said){ .tool = tool->name,
					       .prefix = arena_z(&c->arena, str_trim(root)) });
	if (!json_getz(details, "rootCommand"))
		(void)policy_say(t->s->o.policy, &(struct policy_said){ tool_said_name(tool),
									tool->mcp_server, NULL });
}

/* "Always allow": for this session and all that come. */
struct always {
	const struct policy_said *p;
	size_t n;
	struct str text; /* for people */
};

/* What the option says is what is kept; a hook's question is asked again, whatever is kept. */
static void find_always(struct turn *t, struct call *c, struct always *ret)
{
	AUTO(buf_done) struct buf text = { 0 };

	*ret = (struct always){ 0 };
	if (t->s->agent || c->tool == &tool_exit_plan_mode)
		return;
	ret->n = policy_sayable(t->s->o.policy, tool_subject(c->tool), c->args, &c->arena, &ret->p);
	for (size_t i = 0; i < ret->n; i++) {
		buf_addz(&text, i ? ", and " : "");
		buf_adds(&text, policy_said_text(&c->arena, &ret->p[i]));
	}
	ret->text = arena_str(&c->arena, buf_str(&text));
}

static void allow_always(struct turn *t, const struct always *always)
{
	struct err err;

	for (size_t i = 0; i < always->n; i++)
		(void)policy_say(t->s->o.policy, &always->p[i]);
	if (policy_save(t->s->o.home, always->p, always->n, &err) < 0)
		session_note(t->s, NOTE_WARNING,
			     "%s. Nothing was written; it is allowed for this session only.",
			     err.text);
	else
		session_note(t->s, NOTE_INFO, "Always allowed: %.*s. /permissions takes it back.",
			     STR_ARG(always->text));
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

enum confirm_answer call_confirm(struct turn *t, struct call *c, const char *hook_message,
				 bool *ret_same)
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
	struct always always = { 0 };
	const struct json *now;

	announce(t, c, details);
	if (question.can_always)
		find_always(t, c, &always);
	question.always = always.text;
	/* People also see the arguments of an MCP tool, which the notification does not carry. */
	if (c->tool->mcp_server)
		question.details = json_set(&c->arena, details, STR("toolArgs"), c->args);
	answer = sink->confirm(sink->data, &question);
	/* While the user looked, the file may have changed, or the link to it. */
	now = c->tool->confirm ? c->tool->confirm(&c->run) : NULL;
	*ret_same = (!now || json_equal(now, details)) && !call_leads_elsewhere(c);
	c->run.always = answer == CONFIRM_SESSION;
	AUTO(free) char *changed = question.changed;
	if (answer == CONFIRM_SESSION)
		allow_for_session(t, c, details);
	if (answer == CONFIRM_ALWAYS)
		allow_always(t, &always);
	if (answer == CONFIRM_SERVER && c->tool->mcp_server)
		(void)policy_say(t->s->o.policy,
				 &(struct policy_said){ .server = c->tool->mcp_server });
	if (answer == CONFIRM_CHANGED && changed)
		change(c, details, str_from(changed));
	return answer;
}

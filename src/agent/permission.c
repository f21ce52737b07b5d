/*
 * Hooks in the user's place: PermissionRequest before the user would be asked, PermissionDenied
 * when a policy has denied a call or no user could be asked.  A hook's allowance answers a question
 * of a policy or of another hook; it changes no denial, and a guard's question is for a person.
 */
#include "agent/call.h"
#include "base/json_pack.h"

/* ---- rules for the rest of the session ---- */

static bool allow_rule(struct turn *t, const struct json *rule)
{
	struct policy *p = t->s->o.policy;
	struct str name = json_get_str(rule, "toolName");
	struct str content = str_trim(json_get_str(rule, "ruleContent"));
	const struct tool *tool = session_tool(t->s, name);

	if (!tool || tool == &tool_exit_plan_mode)
		return false;
	if (content.n && !str_eqz(content, "*")) {
		/* "git push:*", "git push *": the prefix of a command; others mean more or less
		 * than we can keep. */
		if (!str_ends(content, STR(":*")) && !str_ends(content, STR(" *")))
			return false;
		content.n -= 2;
		return tool->command_arg && content.n &&
		       policy_say(p,
				  &(struct policy_said){ .tool = tool->name,
							 .prefix = arena_z(&t->arena, content) });
	}
	return policy_say(p, &(struct policy_said){ tool_said_name(tool), tool->mcp_server, NULL });
}

/*
 * All of a session only, modes in Claude Code's words, and bypassing everything is the user's to
 * say; what cannot be kept is said once for each update.
 */
static void take_permissions(struct turn *t, struct call *c, const struct tl_outcome *o)
{
	const struct json *updates = outcome_change(&c->arena, o, TL_CHANGE_PERMISSIONS);

	for (size_t i = 0; json_is(updates, J_ARR) && i < updates->n; i++) {
		const struct json *update = json_at(updates, i),
				  *rules = json_getz(update, "rules");
		struct str type = json_get_str(update, "type");
		enum approval_mode mode;
		struct err err;
		bool kept = str_eqz(type, "setMode") && t->s->o.change_mode &&
			    mode_find(json_get_str(update, "mode"), &mode) && mode != MODE_YOLO &&
			    session_take_mode(t->s, mode_name(mode), &err) == 0;

		if (str_eqz(type, "addRules") &&
		    str_eqz(json_get_str(update, "behavior"), "allow")) {
			kept = json_is(rules, J_ARR) && rules->n > 0;
			for (size_t k = 0; json_is(rules, J_ARR) && k < rules->n; k++)
				kept &= allow_rule(t, json_at(rules, k));
		}
		if (!kept)
			session_note(t->s, NOTE_WARNING,
				     "PermissionRequest: an update of permissions (%.*s) from hook "
				     "%s cannot be kept here; the call itself is allowed.",
				     STR_ARG(type),
				     outcome_changer(&c->arena, o, TL_CHANGE_PERMISSIONS));
	}
}

/* What would save the question next time: "always allow" of the dialog. */
static const struct json *suggestions(struct call *c)
{
	struct arena *a = &c->arena;
	const struct json *details = c->tool->confirm ? c->tool->confirm(&c->run) : NULL;
	struct str roots = json_get_str(details, "rootCommand"), root;
	struct json_list rules = { 0 };

	while (str_split(&roots, ',', &root))
		json_list_add(&rules,
			      json_pack(a, "toolName:z ruleContent:s", c->tool->name,
					arena_printf(a, "%.*s:*", STR_ARG(str_trim(root)))));
	if (!json_getz(details, "rootCommand"))
		json_list_add(&rules, json_pack(a, "toolName:z", c->tool->name));
	const struct json *update =
		json_pack(a, "type:z rules:j behavior:z destination:z", "addRules",
			  json_list_take(a, &rules), "allow", "session");
	return json_new_arr(a, &update, 1);
}

/* ---- the events ---- */

/* An allowance, with other arguments if the hook wants those: then everybody looks again. */
static void allow(struct turn *t, struct call *c, const struct tl_outcome *o)
{
	const struct json *args = outcome_change(&c->arena, o, TL_CHANGE_TOOL_INPUT);
	const char *by = outcome_changer(&c->arena, o, TL_CHANGE_TOOL_INPUT);

	if (!args && tl_outcome_change(o, TL_CHANGE_TOOL_INPUT)) {
		call_fail(c, "policy_violation", "The arguments from hook %s cannot be read.", by);
		return;
	}
	if (args) {
		c->args = args;
		c->changed = true;
		if (!call_check_args(t, c, by))
			return;
	}
	take_permissions(t, c, o);
	c->permitted = c->args;
	c->decision = "accept";
	c->state = args ? CALL_CHANGED : CALL_READY;
}

bool call_ask_hooks(struct turn *t, struct call *c, const struct tl_outcome *before)
{
	struct fire_args event = call_event(t, c, "PermissionRequest");
	bool guarded = before && outcome_guard_asks(before);
	struct tl_field fields[CALL_FIELDS + 1];
	struct tl_outcome *o;
	enum end end;

	/* They allowed these arguments, and the question was not asked again. */
	if (c->permitted && json_equal(c->permitted, c->args) &&
	    !(before && tl_outcome_verdict(before) == TL_VERDICT_ASK)) {
		c->decision = "accept";
		c->state = CALL_READY;
		return true;
	}
	if (c->asked_hooks || !session_wants_this(t->s, &event))
		return false;
	c->asked_hooks = true;
	event.fields = fields;
	event.nfields = call_fields(t, c, fields);
	fields[event.nfields++] = field_json(&c->arena, "permission_suggestions", suggestions(c));
	o = session_fire(t->s, &event);
	end = outcome_end(o);
	if (end != END_DONE)
		call_denied(c, o);
	else if (tl_outcome_approved(o) && !guarded)
		allow(t, c, o);
	if (c->state != CALL_NEW && c->state != CALL_READY && c->state != CALL_CHANGED)
		c->decision = "reject";
	tl_outcome_free(o);
	return c->state != CALL_NEW;
}

void call_tell_denied(struct turn *t, struct call *c)
{
	struct fire_args event = call_event(t, c, "PermissionDenied");
	struct tl_field fields[CALL_FIELDS + 1];
	struct tl_outcome *o;

	if (!session_wants_this(t->s, &event))
		return;
	event.fields = fields;
	event.nfields = call_fields(t, c, fields);
	fields[event.nfields++] = field_str(&c->arena, "reason", c->result.error);
	o = session_fire(t->s, &event);
	if (o && tl_outcome_change(o, TL_CHANGE_RETRY))
		call_add_text(c, STR("A hook says that you may try this call again."));
	tl_outcome_free(o);
}

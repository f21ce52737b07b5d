#include "hooks/firing.h"

enum { FIELD_DEPTH_MAX = 4096 };

struct str firing_field(const struct firing *f, const char *name)
{
	for (size_t i = 0; f->in.fields && i < f->in.nfields; i++)
		if (f->in.fields[i].name && strcmp(f->in.fields[i].name, name) == 0)
			return (struct str){ f->in.fields[i].json, f->in.fields[i].length };
	return (struct str){ 0 };
}

const struct json *firing_value(const struct firing *f, const char *name)
{
	struct str text = firing_field(f, name);
	const struct json *v = NULL;

	if (text.p)
		(void)json_parse(f->arena, text, 0, &v, NULL);
	return v;
}

const struct json *firing_tool_input(struct firing *f)
{
	const struct json *v =
		f->event->chained ? firing_current(f) : firing_value(f, "tool_input");

	return v ? v : json_new_obj(f->arena);
}

int firing_init(struct firing *f, struct tl_hooks *h, const struct tl_event *event,
		struct arena *arena, struct err *err)
{
	*f = (struct firing){ .h = h, .arena = arena };
	if (!h)
		return err_set(err, E_INVAL, "a firing needs hooks");
	if (!api_has(event, offsetof(struct tl_event, env_file)))
		return err_set(err, E_INVAL, "struct tl_event whose size is not set");
	api_copy_in(&f->in, sizeof f->in, event);
	f->event = f->in.name ? event_find(str_from(f->in.name)) : NULL;
	if (!f->event)
		return err_set(err, E_INVAL, "unknown event \"%s\"", f->in.name ? f->in.name : "");
	if (f->event->subject_kind != SUBJECT_NONE && !f->in.subject)
		return err_set(err, E_INVAL, "a %s event needs its %s as subject", f->event->name,
			       f->event->subject);
	/* An event of sub-agents is inside of the one that it is about. */
	if (f->event->subject && strcmp(f->event->subject, "agent_type") == 0 && !f->in.agent_type)
		f->in.agent_type = f->in.subject;
	f->cwd = f->in.cwd ? f->in.cwd : h->dirs.cwd;
	f->session_id = f->in.session_id ? f->in.session_id : "";
	if (f->event->chained)
		f->original = firing_field(f, f->event->chained);
	return 0;
}

int firing_check_fields(const struct firing *f, struct err *err)
{
	for (size_t i = 0; i < f->in.nfields; i++)
		if (!f->in.fields || !f->in.fields[i].name || !f->in.fields[i].json)
			return err_set(err, E_INVAL,
				       "field %zu of the event has no name or no value", i);
	return 0;
}

void firing_key(const struct firing *f, struct plan_key *ret)
{
	*ret = (struct plan_key){
		.event = f->event,
		.subject = f->event->subject_kind == SUBJECT_NONE ? NULL : f->in.subject,
		.mcp_server = f->in.mcp_server,
		.mcp_tool = f->in.mcp_tool,
		.also = f->event->subject_kind == SUBJECT_TOOL ? f->in.subject_also : NULL,
		.failed = f->in.failed,
		.agent = f->h->for_agents ? f->in.agent_type : NULL,
		.skills = f->h->for_skills ? f->in.skills : NULL,
		.further = f->in.nth > 0,
		.seen_whole = f->in.patch_part > 0,
		.guards_only = f->in.guards_only != 0,
	};
}

const struct json *firing_original(struct firing *f)
{
	static const struct json_limits limits = { .max_depth = FIELD_DEPTH_MAX };

	if (!f->original_json && f->original.p)
		(void)json_parse_at(f->arena, f->original, 0, &limits, &f->original_json, NULL,
				    NULL);
	return f->original_json;
}

const struct json *firing_current(struct firing *f)
{
	return f->current ? f->current : firing_original(f);
}

void firing_change(struct firing *f, const struct json *now)
{
	f->current = now;
	f->current_text = (struct str){ 0 };
	f->version++;
}

struct str firing_changed_text(struct firing *f)
{
	if (f->current && !f->current_text.p)
		f->current_text = json_text(f->arena, f->current, JSON_COMPACT);
	return f->current_text;
}

bool firing_is_readable(struct firing *f)
{
	return !f->original.p || firing_original(f);
}

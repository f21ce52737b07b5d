/* Which tools the model is told of, and may call. */
#include "agent/session_impl.h"
#include "base/vec.h"

static struct toolbox_options options_of(const struct session *s)
{
	return (struct toolbox_options){ s->o.mcp, s->o.skills, s->o.agents };
}

void session_make_toolbox(struct session *s)
{
	struct toolbox_options o = options_of(s);

	toolbox_unref(s->toolbox);
	s->toolbox = toolbox_new(&o);
}

void session_look_at_servers(struct session *s)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct str text = context_instructions(&a, &s->context);
	struct toolbox_options o = options_of(s);
	const struct mcp_resource *list;
	size_t n;

	toolbox_refresh(&s->toolbox, &o);
	/* Templates alone are nothing that could be listed or read by its URI. */
	s->resources = 0;
	n = s->o.mcp ? mcp_servers_resources(s->o.mcp, &list) : 0;
	for (size_t i = 0; i < n; i++)
		s->resources += !list[i].is_template;
	if (!str_eq(text, json_get_str(s->instructions, "text")))
		s->instructions = text.n ? text_part(&s->arena, arena_str(&s->arena, text)) : NULL;
}

const struct tool *session_tool(const struct session *s, struct str name)
{
	return toolbox_find(s->toolbox, name);
}

bool tool_selected(struct session *s, const struct selection *sel, struct str name)
{
	const struct tool *wanted = session_tool(s, name);

	if (sel->none)
		return false;
	for (size_t i = 0; sel->names && i < sel->names->n; i++) {
		struct str listed = json_str(json_at(sel->names, i), STR(""));

		if (str_eq(listed, name) || (wanted && session_tool(s, listed) == wanted))
			return true;
	}
	return !sel->names;
}

/* Is there anything that the tool could do? */
static bool has_use(const struct session *s, const struct tool *t)
{
	switch (t->need) {
	case NEED_AGENT:
		return s->agent;
	case NEED_AGENTS:
		return s->o.agents && s->o.agents->n > 0;
	case NEED_PERSON:
		return s->o.interactive;
	/* Out of plan mode one is let by a person, or as one came. */
	case NEED_NO_PLAN:
		return s->o.mode != MODE_PLAN && s->o.change_mode && s->o.trusted;
	case NEED_PLAN:
		return s->o.mode == MODE_PLAN && s->o.change_mode &&
		       (s->o.interactive || s->tools.plan_from);
	case NEED_SKILLS:
		return skills_any(s->o.skills);
	case NEED_RESOURCES:
		return s->resources > 0;
	case NEED_NOTHING:
		break;
	}
	return true;
}

bool tool_offered(const struct session *s, const struct tool *t)
{
	struct fire_args asking = { .event = "PermissionRequest",
				    .subject = t->name,
				    .mcp_server = t->mcp_server,
				    .mcp_tool = t->mcp_tool };

	if (s->agent && t->need != NEED_AGENT && !agent_may_use(s->agent, t))
		return false;
	if (!has_use(s, t))
		return false;
	if (!policy_hides(s->o.policy, tool_subject(t)))
		return true;
	/* A hook, or one of Claude's rules, could let it run where no person can be asked. */
	return !policy_forbids(s->o.policy, tool_subject(t)) &&
	       (session_wants_this(s, &asking) || session_may_allow(s, &asking));
}

const struct json *tool_declarations(struct session *s, const struct selection *sel,
				     struct arena *a)
{
	struct toolbox *box = s->toolbox;
	const struct json **list = ARENA_ARRAY(a, const struct json *, box->n);
	size_t n = 0;

	for (size_t i = 0; i < box->n; i++)
		if (tool_offered(s, box->p[i]) && tool_selected(s, sel, str_from(box->p[i]->name)))
			list[n++] = toolbox_declaration(box, i);
	return json_new_arr(a, list, n);
}

void session_open_dir(struct session *s, const char *dir)
{
	for (size_t i = 0; i + 1 < s->opened.n; i++)
		if (strcmp(s->opened.p[i], dir) == 0)
			return;
	if (s->opened.n)
		s->opened.n--;
	*VEC_ADD(&s->opened) = arena_z(&s->arena, str_from(dir));
	*VEC_ADD(&s->opened) = NULL;
	s->tools.readable = s->opened.p;
}

void session_activate(struct session *s, struct str skill)
{
	const struct skill *known = skill_find(s->o.skills, skill);

	for (size_t i = 0; known && i + 1 < s->active.n; i++)
		if (strcmp(s->active.p[i], known->name) == 0)
			return;
	if (!known)
		return;
	if (s->active.n)
		s->active.n--;
	*VEC_ADD(&s->active) = arena_z(&s->arena, str_from(known->name));
	*VEC_ADD(&s->active) = NULL;
}

/* The names around the texts of skills, in a result or in a prompt, and in a summary. */
static void activate_named_in(struct session *s, struct str text)
{
	static const struct str tag = STR(ACTIVATED_SKILL);

	for (ptrdiff_t at = 0; (at = str_find(text, tag, (size_t)at)) >= 0;) {
		ptrdiff_t end = str_chr(text, '"', (size_t)at + tag.n);

		at += (ptrdiff_t)tag.n;
		if (end > at)
			session_activate(s, str_sub(text, (size_t)at, (size_t)end));
	}
}

void session_activate_again(struct session *s)
{
	s->active.n = 0;
	if (s->active.p)
		s->active.p[0] = NULL;
	for (size_t i = 0; i < s->history.n; i++) {
		const struct json *parts = json_getz(s->history.p[i], "parts");

		for (size_t k = 0; json_is(parts, J_ARR) && k < parts->n; k++) {
			const struct json *part = json_at(parts, k);
			const struct json *call = json_getz(part, "functionCall");

			activate_named_in(s, json_get_str(part, "text"));
			if (str_eqz(json_get_str(call, "name"), "activate_skill"))
				session_activate(s, json_get_str(json_getz(call, "args"), "name"));
		}
	}
}

const struct json *session_tools(struct session *s, struct arena *a)
{
	struct selection all = { 0 };

	session_look_at_servers(s);
	return tool_declarations(s, &all, a);
}

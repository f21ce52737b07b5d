/* activate_skill: the body of a skill and what lies beside it (host.md H3.5, H3.7). */
#include "agent/catalog/skills.h"
#include "agent/context/context_impl.h"
#include "agent/rows.h"

static const struct skill *find(const struct tool_call *call)
{
	return skill_find(call->env->skills, json_get_str(call->args, "name"));
}

static void add_names(struct buf *out, const struct skills *all)
{
	size_t n = 0;

	for (size_t i = 0; all && i < all->n; i++)
		if (!all->p[i].disabled)
			buf_addf(out, "%s%s", n++ ? ", " : "", all->p[i].name);
}

/* A skill that has gone since the model was told of it. */
static void fail_unknown(struct tool_call *call, struct tool_result *r)
{
	AUTO(buf_done) struct buf names = { 0 };

	add_names(&names, call->env->skills);
	tool_fail(call, r, "invalid_tool_params",
		  "Skill \"%.*s\" not found. Available skills are: %s",
		  STR_ARG(json_get_str(call->args, "name")), buf_z(&names));
}

static bool check(struct tool_call *call, struct tool_result *r)
{
	if (find(call))
		return true;
	fail_unknown(call, r);
	return false;
}

static struct str content_of(struct arena *a, const struct skill *s, struct str resources)
{
	AUTO(buf_done) struct buf out = { 0 };

	buf_addz(&out, "<activated_skill name=\"");
	frame_add_name(&out, str_from(s->name));
	buf_addz(&out, "\">\n  <instructions>\n    ");
	frame_add(&out, s->body, FRAME_CONTEXT | FRAME_SKILL);
	buf_addz(&out, "\n  </instructions>\n\n  <available_resources>\n    ");
	buf_adds(&out, resources);
	buf_addz(&out, "\n  </available_resources>\n</activated_skill>");
	return arena_str(a, buf_str(&out));
}

static void run(struct tool_call *call, struct tool_result *r)
{
	const struct skill *s = find(call);
	struct arena *a = call->arena;
	struct str resources, shown;

	if (!s) {
		fail_unknown(call, r);
		return;
	}
	resources = skill_resources(a, s);
	shown = arena_printf(a, "Skill **%s** activated. Resources loaded from `%s`:\n\n%.*s",
			     s->name, s->dir, STR_ARG(resources));
	tool_ok(call, r, content_of(a, s, resources), shown);
	r->opens = s->dir;
}

static const struct json *confirm(struct tool_call *call)
{
	const struct skill *s = find(call);
	struct arena *a = call->arena;
	const struct json *d = json_set(a, NULL, STR("type"), json_new_str(a, STR("info")));
	struct str text;

	if (!s)
		return NULL;
	text = arena_printf(a, "Activate Skill: %s", s->name);
	d = json_set(a, d, STR("title"), json_new_str(a, text));
	text = arena_printf(a,
			    "The model wants to follow the instructions of the %s skill **%s**.\n\n"
			    "**Description:**\n%s\n\n"
			    "**Files that the model may read from then on:**\n%.*s",
			    catalog_origin_name(s->origin), s->name, s->description,
			    STR_ARG(skill_resources(a, s)));
	return json_set(a, d, STR("prompt"), json_new_str(a, tool_clean(a, text)));
}

static struct str describe(struct tool_call *call)
{
	struct str name = json_get_str(call->args, "name");
	const struct skill *s = call->env ? find(call) : NULL;

	if (s)
		return arena_printf(call->arena, "\"%s\": %s", s->name, s->description);
	return tool_clean(call->arena, name);
}

const struct tool tool_activate_skill = {
	.name = "activate_skill",
	.display_name = "Activate Skill",
	.description =
		"Gives the instructions of a skill, in <activated_skill> tags, and names the files "
		"beside them, which may be read from then on. Use it when a task is of the kind "
		"that the skill is for. Only names of <available_skills> are known.",
	.parameters = "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},"
		      "\"required\":[\"name\"],\"additionalProperties\":false}",
	.need = NEED_SKILLS,
	.kind = TOOL_READ,
	.check = check,
	.run = run,
	.confirm = confirm,
	.describe = describe,
};

const struct tool *activate_skill_row(struct arena *a, const struct skills *all)
{
	struct tool *t = ARENA_NEW(a, struct tool);
	AUTO(buf_done) struct buf out = { 0 };
	struct jw w = { .out = &out };

	*t = tool_activate_skill;
	jw_obj(&w);
	jw_kv_z(&w, "type", "object");
	jw_key(&w, "properties");
	jw_obj(&w);
	jw_key(&w, "name");
	jw_obj(&w);
	jw_kv_z(&w, "type", "string");
	jw_kv_z(&w, "description", "Which skill.");
	jw_key(&w, "enum");
	jw_arr(&w);
	for (size_t i = 0; all && i < all->n; i++)
		if (!all->p[i].disabled)
			jw_z(&w, all->p[i].name);
	for (int i = 0; i < 3; i++)
		jw_end(&w);
	jw_key(&w, "required");
	jw_arr(&w);
	jw_z(&w, "name");
	jw_end(&w);
	jw_kv_bool(&w, "additionalProperties", false);
	jw_end(&w);
	t->parameters = arena_z(a, buf_str(&out));
	return t;
}

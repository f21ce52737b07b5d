/* activate_skill: the body of a skill, and the files that come with it. */
#include "agent/catalog/skills.h"
#include "agent/context/context_impl.h"
#include "agent/rows.h"
#include "base/json_pack.h"

static const struct skill *find(const struct tool_call *call)
{
	return skill_find(call->env->skills, json_get_str(call->args, "name"));
}

/* A skill that has gone since the model was told of it. */
static void fail_unknown(struct tool_call *call, struct tool_result *r)
{
	const struct skills *all = call->env->skills;
	AUTO(buf_done) struct buf names = { 0 };

	for (size_t i = 0; all && i < all->n; i++)
		if (!all->p[i].disabled)
			buf_addf(&names, "%s%s", names.n ? ", " : "", all->p[i].name);
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

static void run(struct tool_call *call, struct tool_result *r)
{
	const struct skill *s = find(call);
	struct arena *a = call->arena;
	struct str resources, shown;
	AUTO(buf_done) struct buf out = { 0 };

	if (!s) {
		fail_unknown(call, r);
		return;
	}
	resources = skill_resources(a, s);
	shown = arena_printf(a, "Skill **%s** activated. Resources loaded from `%s`:\n\n%.*s",
			     s->name, s->dir, STR_ARG(resources));
	buf_addz(&out, ACTIVATED_SKILL);
	frame_add_name(&out, str_from(s->name));
	buf_addz(&out, "\">\n  <instructions>\n    ");
	frame_add(&out, s->body, FRAME_CONTEXT | FRAME_SKILL);
	buf_addz(&out, "\n  </instructions>\n\n  <available_resources>\n    ");
	buf_adds(&out, resources);
	buf_addz(&out, "\n  </available_resources>\n</activated_skill>");
	tool_ok(call, r, arena_str(a, buf_str(&out)), shown);
	r->opens = s->dir;
	r->activates = s->name;
}

static const struct json *confirm(struct tool_call *call)
{
	const struct skill *s = find(call);
	struct arena *a = call->arena;
	struct str text;

	if (!s)
		return NULL;
	text = arena_printf(a,
			    "The model wants to follow the instructions of the %s skill **%s**.\n\n"
			    "**Description:**\n%s\n\n"
			    "**Files that the model may read from now on:**\n%.*s",
			    catalog_origin_name(s->origin), s->name, s->description,
			    STR_ARG(skill_resources(a, s)));
	return json_pack(a, "type:z title:s prompt:s", "info",
			 arena_printf(a, "Activate Skill: %s", s->name), tool_clean(a, text));
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
		"Returns the instructions of a skill in <activated_skill> tags, and lists the files "
		"that come with it, which you may then read. Use it when a task matches the "
		"description of a skill. Only the names in <available_skills> are valid.",
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
	struct json_list names = { 0 };
	const struct json *name, *required = json_pack_str(a, "name");

	for (size_t i = 0; all && i < all->n; i++)
		if (!all->p[i].disabled)
			json_list_add(&names, json_pack_str(a, all->p[i].name));
	name = json_pack(a, "type:z description:z enum:j", "string", "The name of the skill.",
			 json_list_take(a, &names));
	*t = tool_activate_skill;
	t->parameters =
		json_text(a,
			  json_pack(a, "type:z properties:j required:j additionalProperties:b",
				    "object", json_pack(a, "name:j", name),
				    json_new_arr(a, &required, 1), false),
			  JSON_COMPACT)
			.p;
	return t;
}

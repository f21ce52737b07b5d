#include "agent/toolbox.h"

#include "agent/mcp_tools.h"
#include "agent/rows.h"
#include "tools/registry.h"

static const struct tool *const agent_tools[] = {
	&tool_enter_plan_mode,   &tool_exit_plan_mode, &tool_invoke_agent,
	&tool_complete_task,     &tool_activate_skill, &tool_list_mcp_resources,
	&tool_read_mcp_resource,
};

static uint64_t hash_of(const struct mcp_tool *list, size_t n)
{
	uint64_t h = STR_HASH;

	for (size_t i = 0; i < n; i++) {
		h = str_hash(h, str_from(list[i].name));
		h = (h ^ list[i].hash) * STR_HASH;
	}
	return h ^ n;
}

struct toolbox *toolbox_new(const struct toolbox_options *o)
{
	struct toolbox *b = xcalloc(1, sizeof *b);
	const struct mcp_tool *list = NULL;
	size_t n = o->mcp ? mcp_servers_tools(o->mcp, &list) : 0;

	*b = (struct toolbox){ .refs = 1, .hash = hash_of(list, n) };
	b->p = ARENA_ARRAY(&b->arena, const struct tool *, tools_n + ARRAY_LEN(agent_tools) + n);
	for (size_t i = 0; i < tools_n; i++)
		b->p[b->n++] = tools[i];
	for (size_t i = 0; i < ARRAY_LEN(agent_tools); i++)
		b->p[b->n++] = agent_tools[i] == &tool_activate_skill
				       ? activate_skill_row(&b->arena, o->skills)
			       : agent_tools[i] == &tool_invoke_agent
				       ? invoke_agent_row(&b->arena, o->agents)
				       : agent_tools[i];
	for (size_t i = 0; i < n; i++)
		b->p[b->n++] = &mcp_row_new(&b->arena, o->mcp, &list[i])->tool;
	b->declared = ARENA_ARRAY(&b->arena, const struct json *, b->n);
	return b;
}

struct toolbox *toolbox_ref(struct toolbox *b)
{
	(void)__atomic_add_fetch(&b->refs, 1, __ATOMIC_RELAXED);
	return b;
}

void toolbox_unref(struct toolbox *b)
{
	if (!b || __atomic_sub_fetch(&b->refs, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	arena_done(&b->arena);
	free(b);
}

void toolbox_refresh(struct toolbox **b, const struct toolbox_options *o)
{
	const struct mcp_tool *list = NULL;
	size_t n = o->mcp ? mcp_servers_tools(o->mcp, &list) : 0;

	if (hash_of(list, n) == (*b)->hash)
		return;
	toolbox_unref(*b);
	*b = toolbox_new(o);
}

const struct tool *toolbox_find(const struct toolbox *b, struct str name)
{
	AUTO(arena_done) struct arena a = { 0 };

	if (tool_find(name))
		return tool_find(name);
	/* What the model was told comes first: no server takes another one's calls. */
	for (size_t i = 0; i < b->n; i++)
		if (str_eqz(name, b->p[i]->name))
			return b->p[i];
	for (size_t i = 0; i < b->n; i++) {
		const struct mcp_row *row = mcp_row_of(b->p[i]);

		if (row && (str_eqz(name, mcp_tool_name(&a, true, row->server, row->name)) ||
			    str_eqz(name, mcp_tool_name(&a, false, row->server, row->name))))
			return b->p[i];
	}
	/* "mcp__plugin_PLUGIN_SERVER__TOOL": texts of Claude Code's plugins call their tools so. */
	for (size_t i = 0; i < b->n && str_starts(name, STR("mcp__plugin_")); i++) {
		const struct mcp_row *row = mcp_row_of(b->p[i]);
		const char *own = row ? mcp_tool_name(&a, false, row->server, row->name) : NULL;

		if (own && str_ends(name, arena_printf(&a, "_%s", own + strlen("mcp__"))))
			return b->p[i];
	}
	return NULL;
}

const struct json *toolbox_declaration(struct toolbox *b, size_t i)
{
	if (!b->declared[i])
		b->declared[i] = json_with_text(&b->arena, tool_declaration(&b->arena, b->p[i]));
	return b->declared[i];
}

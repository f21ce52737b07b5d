#include "workbench/tool_names.h"
#include "base/meant.h"

#include "base/vec.h"
#include "hooks/dialects.h"
#include "tools/registry.h"

static void add(struct tool_names *names, const char *name, const char *tool)
{
	if (name)
		*VEC_ADD(names) = (struct tool_name){ name, tool };
}

void tool_names_init(struct tool_names *names)
{
	struct tool_alias alias;
	const struct tool_old_name *old;

	*names = (struct tool_names){ .tools = toolbox_new(&(struct toolbox_options){ 0 }) };
	for (size_t i = 0; i < names->tools->n; i++)
		add(names, names->tools->p[i]->name, names->tools->p[i]->name);
	for (size_t i = 0; (old = tool_old_name_at(i)); i++)
		add(names, old->old, old->name);
	for (size_t i = 0; tool_alias_at(i, &alias); i++)
		add(names, alias.alias, alias.canonical);
}

void tool_names_done(struct tool_names *names)
{
	toolbox_unref(names->tools);
	free(names->p);
	*names = (struct tool_names){ 0 };
}

bool tool_is_called(const struct tool_names *names, struct str word)
{
	return str_starts(word, STR("mcp_")) || tool_find_setting(word) ||
	       toolbox_find(names->tools, word);
}

/* Is every word of "run_command" in "run_shell_command"? */
static bool has_words(struct str name, struct str words)
{
	struct str word;
	size_t n = 0;

	while (str_split(&words, '_', &word)) {
		if (word.n < 3 || str_find(name, word, 0) < 0)
			return false;
		n++;
	}
	return n > 1;
}

const char *tool_meant(const struct tool_names *names, struct str word)
{
	const char **all = xcalloc(names->n + 1, sizeof *all), *near, *tool = NULL;

	for (size_t i = 0; i < names->n; i++)
		all[i] = names->p[i].name;
	near = word.n > 2 ? str_nearest(word, all, names->n) : NULL;
	for (size_t i = 0; i < names->n && !tool; i++)
		if (near == all[i] || (!near && has_words(str_from(all[i]), word)))
			tool = names->p[i].tool;
	free(all);
	return tool;
}

const char *tool_unknown(struct arena *a, struct str word)
{
	AUTO(tool_names_done) struct tool_names names = { 0 };
	const char *meant;

	tool_names_init(&names);
	if (tool_is_called(&names, word))
		return NULL;
	meant = tool_meant(&names, word);
	return arena_printf(a, "no tool \"%.*s\"%s", STR_ARG(word), meant_as("", meant).text).p;
}

/* The list of rules, which settings and files add to, and the names that rules may give tools. */
#include "base/vec.h"
#include "tools/policy_impl.h"

/* Names that settings of older versions hold. */
static const struct {
	struct str old, name;
} renamed[] = {
	{ STR("EditTool"), STR("replace") },
	{ STR("GlobTool"), STR("glob") },
	{ STR("GrepTool"), STR("grep_search") },
	{ STR("LSTool"), STR("list_directory") },
	{ STR("MemoryTool"), STR("save_memory") },
	{ STR("ReadFileTool"), STR("read_file") },
	{ STR("ReadManyFilesTool"), STR("read_many_files") },
	{ STR("RipGrepTool"), STR("grep_search") },
	{ STR("ShellTool"), STR("run_shell_command") },
	{ STR("WebFetchTool"), STR("web_fetch") },
	{ STR("WebSearchTool"), STR("google_web_search") },
	{ STR("WriteFileTool"), STR("write_file") },
	{ STR("edit"), STR("replace") },
	{ STR("edit_file"), STR("replace") },
	{ STR("search_file_content"), STR("grep_search") },
};

struct str policy_current_name(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(renamed); i++)
		if (str_eq(name, renamed[i].old))
			return renamed[i].name;
	return name;
}

bool policy_is_shell(struct str name)
{
	return str_eqz(policy_current_name(name), "run_shell_command");
}

void policy_add(struct policy *p, const struct rule *rule)
{
	size_t at = p->rules.n;

	(void)VEC_ADD(&p->rules);
	for (; at > 0 && p->rules.p[at - 1].priority < rule->priority; at--)
		p->rules.p[at] = p->rules.p[at - 1];
	p->rules.p[at] = *rule;
}

int policy_regex(struct policy *p, struct str pattern, const struct regex **ret_re, struct err *err)
{
	struct regex *re;
	int r = regex_compile(pattern, 0, &re, err);

	if (r < 0)
		return r;
	*VEC_ADD(&p->regexes) = re;
	*ret_re = re;
	return 0;
}

const char *const *policy_names(struct policy *p, struct str name)
{
	const char **names = ARENA_ARRAY(&p->arena, const char *, 2);

	names[0] = arena_z(&p->arena, name);
	return names;
}

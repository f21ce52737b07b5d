/* Names that tools had before. */
#include "policy/subject.h"

/* Sorted by the tool. */
static const struct tool_old_name old_names[] = {
	{ "GlobTool", "glob", false },
	{ "WebSearchTool", "google_web_search", false },
	{ "GrepTool", "grep_search", false },
	{ "RipGrepTool", "grep_search", false },
	{ "search_file_content", "grep_search", true },
	{ "LSTool", "list_directory", false },
	{ "ReadFileTool", "read_file", false },
	{ "ReadManyFilesTool", "read_many_files", false },
	{ "EditTool", "replace", false },
	{ "edit", "replace", false },
	{ "edit_file", "replace", true },
	{ "ShellTool", "run_shell_command", false },
	{ "MemoryTool", "save_memory", false },
	{ "WebFetchTool", "web_fetch", false },
	{ "WriteFileTool", "write_file", false },
};

static struct str current(struct str name, bool callable)
{
	for (size_t i = 0; i < ARRAY_LEN(old_names); i++)
		if (str_eqz(name, old_names[i].old) && (old_names[i].callable || !callable))
			return str_from(old_names[i].name);
	return name;
}

struct str tool_current_name(struct str name)
{
	return current(name, false);
}

struct str tool_callable_name(struct str name)
{
	return current(name, true);
}

const struct tool_old_name *tool_old_name_at(size_t i)
{
	return i < ARRAY_LEN(old_names) ? &old_names[i] : NULL;
}

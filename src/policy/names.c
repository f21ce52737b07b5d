/* Tools by name: what rules have to know of the built-in ones, and names that they had before. */
#include "policy/subject.h"

/* Sorted by name.  What is not here runs something that rules can only name. */
static const struct policy_subject built_in[] = {
	{ .name = "glob", .kind = TOOL_SEARCH, .path_arg = "dir_path" },
	{ .name = "grep_search", .kind = TOOL_SEARCH, .path_arg = "dir_path" },
	{ .name = "list_directory", .kind = TOOL_SEARCH, .path_arg = "dir_path" },
	{ .name = "read_file", .kind = TOOL_READ, .path_arg = "file_path" },
	{ .name = "read_many_files", .kind = TOOL_READ },
	{ .name = "replace", .kind = TOOL_EDIT, .path_arg = "file_path" },
	{ .name = "run_shell_command",
	  .kind = TOOL_EXECUTE,
	  .path_arg = "dir_path",
	  .command_arg = "command" },
	{ .name = "web_fetch", .kind = TOOL_FETCH },
	{ .name = "write_file", .kind = TOOL_EDIT, .path_arg = "file_path" },
};

struct policy_subject policy_subject_of(const char *name, const char *server, const char *tool)
{
	struct str now = tool_current_name(str_from(name));

	for (size_t i = 0; !server && i < ARRAY_LEN(built_in); i++)
		if (str_eqz(now, built_in[i].name))
			return built_in[i];
	return (struct policy_subject){
		.name = name, .mcp_server = server, .mcp_tool = tool, .kind = TOOL_EXECUTE
	};
}

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

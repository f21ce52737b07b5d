/* The table of tools. */
#include "tools/registry.h"

/* Sorted by name. */
const struct tool *const tools[] = {
	&tool_ask_user,
	&tool_glob,
	&tool_google_web_search,
	&tool_grep_search,
	&tool_list_background_processes,
	&tool_list_directory,
	&tool_read_background_output,
	&tool_read_file,
	&tool_read_many_files,
	&tool_replace,
	&tool_run_shell_command,
	&tool_save_memory,
	&tool_update_topic,
	&tool_web_fetch,
	&tool_write_file,
	&tool_write_todos,
};
const size_t tools_n = ARRAY_LEN(tools);

const struct tool *tool_find(struct str name)
{
	struct str now = tool_callable_name(name);

	for (size_t i = 0; i < tools_n; i++)
		if (str_eqz(now, tools[i]->name))
			return tools[i];
	return NULL;
}

const struct tool *tool_find_setting(struct str name)
{
	return tool_find(tool_current_name(name));
}

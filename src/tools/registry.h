/* The table of tools: every row, and how one is found.  Sorted. */
#pragma once

#include "tools/tool.h"

extern const struct tool tool_ask_user; /* ask_user.c */
extern const struct tool tool_glob; /* glob.c */
extern const struct tool tool_google_web_search; /* web_search.c */
extern const struct tool tool_grep_search; /* grep.c */
extern const struct tool tool_list_background_processes; /* background.c */
extern const struct tool tool_list_directory; /* list_directory.c */
extern const struct tool tool_read_background_output; /* background.c */
extern const struct tool tool_read_file; /* read_file.c */
extern const struct tool tool_read_many_files; /* read_many_files.c */
extern const struct tool tool_replace; /* replace.c */
extern const struct tool tool_run_shell_command; /* shell.c */
extern const struct tool tool_save_memory; /* save_memory.c */
extern const struct tool tool_update_topic; /* update_topic.c */
extern const struct tool tool_web_fetch; /* web_fetch.c */
extern const struct tool tool_write_file; /* write_file.c */
extern const struct tool tool_write_todos; /* write_todos.c */

extern const struct tool *const tools[];
extern const size_t tools_n;

/* By name or legacy alias (search_file_content); NULL when unknown. */
const struct tool *tool_find(struct str name);
/* The same, by the names in settings and policies of old versions (ShellTool), too. */
const struct tool *tool_find_setting(struct str name);

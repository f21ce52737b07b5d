/* Every tool by name, for the table in registry.c.  Sorted. */
#pragma once

#include "tools/tool.h"

extern const struct tool tool_glob; /* glob.c */
extern const struct tool tool_grep_search; /* grep.c */
extern const struct tool tool_list_directory; /* list_directory.c */
extern const struct tool tool_read_file; /* read_file.c */
extern const struct tool tool_read_many_files; /* read_many_files.c */
extern const struct tool tool_replace; /* replace.c */
extern const struct tool tool_write_file; /* write_file.c */

#include "tools/rows.h"
const struct tool tool_list_background_processes = { .name = "list_background_processes",
						     .parameters = "{}" };
const struct tool tool_read_background_output = { .name = "read_background_output",
						  .parameters = "{}" };

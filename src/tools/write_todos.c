#include "tools/rows.h"
const struct tool tool_write_todos = { .name = "write_todos", .parameters = "{}" };

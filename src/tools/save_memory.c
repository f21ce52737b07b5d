#include "tools/rows.h"
const struct tool tool_save_memory = { .name = "save_memory", .parameters = "{}" };

#include "tools/rows.h"
const struct tool tool_ask_user = { .name = "ask_user", .parameters = "{}" };

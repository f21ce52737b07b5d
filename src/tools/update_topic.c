#include "tools/rows.h"
const struct tool tool_update_topic = { .name = "update_topic", .parameters = "{}" };

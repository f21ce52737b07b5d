#include "tools/rows.h"
const struct tool tool_web_fetch = { .name = "web_fetch", .parameters = "{}" };

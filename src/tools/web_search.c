#include "tools/rows.h"
const struct tool tool_google_web_search = { .name = "google_web_search", .parameters = "{}" };

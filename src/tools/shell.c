#include "tools/rows.h"
const struct tool tool_run_shell_command = { .name = "run_shell_command", .parameters = "{}" };

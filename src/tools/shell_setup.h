/*
 * Shell code that runs before each command of run_shell_command, in the same shell
 * (CLAUDE_ENV_FILE).  The shell reads it from a file in memory that nobody can
 * change: no command may decide what a later one begins with.
 */
#pragma once

#include "tools/tool.h"

/* The shell that runs commands: bash where there is one, else sh. */
const char *shell_find(struct arena *a, const char *const *env);
/* Does that shell read code before a command?  Only bash does, and not as a POSIX shell. */
bool shell_takes_setup(const char *const *env);
/* A descriptor for tool_env.shell_setup, to be closed when no command runs any longer. */
int shell_setup_open(struct str code, const char *const *env, int *ret_fd, struct err *err);
/* What makes the shell read it, "NAME=value". */
extern const char shell_setup_variable[];

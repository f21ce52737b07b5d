/* The functions behind the rows of the command table (cmd_hooks.c), one file each. */
#pragma once

#include "cli/cli.h"

extern const struct command mcp_commands[];
extern const size_t mcp_commands_n;
extern const struct opt_set mcp_auth_opts, mcp_enable_opts, mcp_guard_opts, mcp_list_opts,
	mcp_serve_opts, mcp_test_opts;
int cmd_mcp_disable(const void *args, int n, char **rest);
int cmd_mcp_enable(const void *args, int n, char **rest);
int cmd_mcp_guard(const void *args, int n, char **rest);
int wb_mcp_list(struct wb *wb, const void *args, int n, char **rest);
int cmd_mcp_serve(const void *args, int n, char **rest);
int cmd_mcp_auth(const void *args, int n, char **rest);
int cmd_mcp_test(const void *args, int n, char **rest);

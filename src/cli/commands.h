/* The functions behind the rows of the command table (cmd_hooks.c), one file each. */
#pragma once

#include "cli/cli.h"

extern const struct opt_set run_opts, reap_opts, why_opts, list_opts, lint_opts, test_opts,
	trust_opts, switch_opts, schema_opts, init_opts, report_opts, install_opts, uninstall_opts,
	migrate_opts;

int cmd_run(const void *args, int n, char **rest);
int cmd_reap(const void *args, int n, char **rest);
int cmd_why(const void *args, int n, char **rest);
int cmd_list(const void *args, int n, char **rest);
int cmd_lint(const void *args, int n, char **rest);
int cmd_test(const void *args, int n, char **rest);
int cmd_trust(const void *args, int n, char **rest);
int cmd_enable(const void *args, int n, char **rest);
int cmd_disable(const void *args, int n, char **rest);
int cmd_schema(const void *args, int n, char **rest);
int cmd_report(const void *args, int n, char **rest);
int cmd_init(const void *args, int n, char **rest);
int cmd_install(const void *args, int n, char **rest);
int cmd_uninstall(const void *args, int n, char **rest);
int cmd_migrate(const void *args, int n, char **rest);

extern const struct command mcp_commands[];
extern const size_t mcp_commands_n;
extern const struct opt_set mcp_enable_opts, mcp_list_opts, mcp_serve_opts, mcp_test_opts;
int cmd_mcp_disable(const void *args, int n, char **rest);
int cmd_mcp_enable(const void *args, int n, char **rest);
int cmd_mcp_list(const void *args, int n, char **rest);
int cmd_mcp_serve(const void *args, int n, char **rest);
int cmd_mcp_test(const void *args, int n, char **rest);

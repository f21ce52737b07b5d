/* The functions behind the rows of the table of `trotline hooks` (commands.c), one file each. */
#pragma once

#include "workbench/wb.h"

extern const struct opt_set run_opts, reap_opts, why_opts, list_opts, lint_opts, test_opts,
	trust_opts, switch_opts, schema_opts, init_opts, report_opts, log_opts, history_opts,
	install_opts, uninstall_opts, status_opts, migrate_opts, policy_why_opts, guard_test_opts,
	guard_on_opts, guard_off_opts, guard_list_opts, guard_why_opts;

typedef int wb_command(struct wb *wb, const void *args, int n, char **rest);
wb_command wb_run, wb_reap, wb_why, wb_list, wb_lint, wb_test, wb_trust, wb_enable, wb_disable,
	wb_schema, wb_report, wb_log, wb_history, wb_init, wb_install, wb_uninstall, wb_status,
	wb_migrate, wb_policy_why, wb_guard_test, wb_guard_on, wb_guard_off, wb_guard_list,
	wb_guard_why;

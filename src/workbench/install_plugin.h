/* Files of our own in agents that have no list of hooks (docs/hosts.md). */
#pragma once

#include "hosts/host.h"
#include "workbench/registration.h"

struct plugin_job {
	struct arena *arena;
	const struct host *host;
	const char *top; /* the home directory, or the project */
	struct str program; /* the path of trotline-hook */
	const char *home; /* that it is told; NULL = none */
	const char *ledger; /* the home directory of the ledger */
	bool in_project, removing, dry_run;
	/* What came of it. */
	enum reg_status status;
	struct buf diff;
};

/* Installs or removes all files of the agent. */
int wb_install_plugin(struct plugin_job *j, struct err *err);

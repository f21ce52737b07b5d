/* trotline itself as the hook of other agents (docs/hosts.md). */
#pragma once

#include "workbench/settings_args.h"

/* Into the agents that --into names, or (all) those that are used here; taken out when removing. */
int wb_install_agents(struct wb *wb, const struct settings_args *args, bool all, bool removing);

/* trotline itself as the hook of other agents (docs/hosts.md). */
#pragma once

#include "hosts/host.h"
#include "workbench/settings_args.h"

/* Does any text in it run our program for this agent? */
bool wb_is_ours(const struct json *v, const struct host *h);
/* Into the agents that --into names, or (all) those that are used here; taken out when removing. */
int wb_install_agents(struct wb *wb, const struct settings_args *args, bool all, bool removing);

/* trotline itself as the hook of other agents (docs/hosts.md). */
#pragma once

#include "hosts/host.h"
#include "workbench/settings_args.h"

#define NO_AGENT "No agent was found on this machine"

/* Does any text in it run our program for this agent? */
bool wb_is_ours(const struct json *v, const struct host *h);
/* Does the agent follow another one of these n hooks than that at `at` (C8.9)? */
bool wb_is_overruled(const struct host *h, size_t at, size_t n);
/* Is what is installed there (project NULL = for the user) what would be installed now? */
bool wb_install_is_current(struct wb *wb, const struct host *h, const char *home,
			   const char *project);
/* An exit status, after having said which of these agents it cannot be installed in. */
int wb_check_agents(struct wb *wb, const char *into);
/* Into the agents that --into names, or (all) those that are used here; taken out when removing. */
int wb_install_agents(struct wb *wb, const struct settings_args *args, bool all, bool removing);

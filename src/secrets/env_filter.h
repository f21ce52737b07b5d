/*
 * The environment that children get: what looks secret is left out when settings ask for it, and
 * always where a public workflow runs.  For hooks, the shell tool and MCP servers.
 */
#pragma once

#include "base/env.h"
#include "base/json.h"

/* security.environmentVariableRedaction */
struct env_filter {
	bool enabled;
	const struct json *allowed, *blocked; /* arrays of names, or NULL */
};

/* A copy of the NULL-terminated environment without what is dropped. */
const char *const *env_filtered(struct arena *a, const char *const *env,
				const struct env_filter *filter);

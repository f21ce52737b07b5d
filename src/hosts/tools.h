/* Tools of agents, by what they are called and given. */
#pragma once

#include "hosts/host.h"

/* The row for a tool that the agent has no row for: by its name and arguments; NULL = none. */
const struct host_tool *host_tool_common(struct str name, const struct json *args);
/* A row of the agent's, and what these arguments have under a name that only others use. */
const struct host_tool *host_tool_with_common(struct arena *a, const struct host_tool *row,
					      const struct json *args);
/*
 * The files that arguments name: absolute, links followed; tool is ours.  The addresses likewise.
 * Both are arrays, empty when there is none.
 */
const struct json *host_paths(struct arena *a, const char *const *env, const char *cwd,
			      struct str tool, const struct json *args);
/* "/a b" of "file:///a%20b"; NULL = it is none (free()). */
char *host_uri_path(struct str uri);
const struct json *host_urls(struct arena *a, struct str tool, const struct json *args);

/*
 * Resources of MCP servers: what list_mcp_resources, read_mcp_resource and @server:uri in a prompt
 * have in common.  Only what a server lists is read; templates are not.
 */
#pragma once

#include "mcp/mcp.h"
#include "tools/tool.h"

/* Which one is meant. */
struct resource_ref {
	struct str server; /* .n 0: any */
	struct str uri; /* or server:uri */
};

/*
 * The resource, in the arena.  -E_NOTFOUND when no server that is ready lists it, -E_INVAL when
 * several do.  From any thread.
 */
int resource_find(struct mcp_servers *servers, const struct resource_ref *ref, struct arena *a,
		  struct mcp_resource *ret, struct err *err);

struct resource_content {
	struct str text; /* as it came, all texts of it, and what was left out; may be empty */
	const struct json *media; /* an array of inlineData parts */
};

/* (waits) Everything is in the arena. */
int resource_read(struct mcp_servers *servers, const struct mcp_resource *r, struct cancel *cancel,
		  struct arena *a, struct resource_content *ret, struct err *err);
/*
 * The server that a call of one of the two tools concerns, in the arena; NULL when it is none of
 * them or it cannot be told.
 */
const char *resource_server(struct mcp_servers *servers, const struct tool *t,
			    const struct json *args, struct arena *a);

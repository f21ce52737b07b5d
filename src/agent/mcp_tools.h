/*
 * The tools of MCP servers, as rows like the built-in ones: what the model is told of them, how a
 * call goes to its server, what hooks are told of the server.
 */
#pragma once

#include "mcp/mcp.h"
#include "tools/tool.h"

/* One tool of a server; begins with what every tool is. */
struct mcp_row {
	struct tool tool;
	struct mcp_servers *servers;
	const char *server, *name; /* as the server calls it */
};

/* In the arena; the servers are borrowed. */
struct mcp_row *mcp_row_new(struct arena *a, struct mcp_servers *servers, const struct mcp_tool *t);
/* The row behind a tool; NULL for a built-in one. */
const struct mcp_row *mcp_row_of(const struct tool *t);

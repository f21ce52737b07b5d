/*
 * The tools of MCP servers, as rows beside the built-in ones: what the model is told of them, how a
 * call goes to its server, what hooks are told of the server (A6.6).
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

/* All-zero is empty. */
struct mcp_rows {
	struct mcp_servers *servers; /* borrowed; NULL = there are none */
	struct mcp_row **p;
	size_t n;
	struct arena arena; /* of the rows; made anew when the servers offer something else */
	uint64_t hash; /* of what they offered */
};

/* Looks at what the servers offer now; the rows stay as they are when it is the same. */
void mcp_rows_refresh(struct mcp_rows *rows);
void mcp_rows_done(struct mcp_rows *rows);
/* By either form of its name (C5.2); NULL when there is none. */
const struct tool *mcp_rows_find(const struct mcp_rows *rows, struct str name);
/* The row behind a tool; NULL for a built-in one. */
const struct mcp_row *mcp_row_of(const struct mcp_rows *rows, const struct tool *t);
/*
 * A text of a server as the model gets it: one that is longer than
 * tools.truncateToolOutputThreshold loses its middle, and is kept in a file (host.md F3.9).
 */
struct str mcp_fit(struct tool_call *call, struct tool_result *r, struct str text);
/* The call has failed with an error that may have words of the server in it. */
void mcp_fail(struct tool_call *call, struct tool_result *r, const struct err *err);

/*
 * How a server is reached: which of its keys counts, and what that means.  Running, listing,
 * checking and asking for consent read the same rows.
 */
#pragma once

#include "base/json.h"
#include "mcp/mcp.h"

/* What a server without any of the keys is told. */
#define MCP_NO_WAY "it has no command, url, httpUrl or tcp"

/* A key of a server's settings that says how it is reached; the rows are in order of precedence. */
struct mcp_way {
	const char *key;
	bool program; /* it names a program, else an address */
	enum mcp_transport transport; /* of "url", when neither type nor scheme says another */
};
extern const struct mcp_way mcp_ways[];
extern const size_t mcp_ways_n;

/* The words of "type" for servers that have a URL. */
struct mcp_type {
	const char *name;
	enum mcp_transport transport;
};
extern const struct mcp_type mcp_types[];
extern const size_t mcp_types_n;

/* The way that counts; NULL = nothing says how the server is reached. */
const struct mcp_way *mcp_way_of(const struct json *server);
/* Of a server that has one. */
enum mcp_transport mcp_transport_of(const struct json *server, const struct mcp_way *way);
/* "stdio", "http or sse" */
const char *mcp_transport_name(enum mcp_transport t);
/* A type that says more than the URL does, or a URL of a WebSocket. */
bool mcp_is_typed(const struct json *server);

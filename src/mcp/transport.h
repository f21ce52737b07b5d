/*
 * How a server is reached: its transport, which of its keys count, and what they mean.  Running,
 * adding, registering, listing, checking and asking for consent read the same rows.
 */
#pragma once

#include "base/json.h"
#include "mcp/mcp.h"

/* What a server without any of the keys is told. */
#define MCP_NO_WAY "it has no command, url, httpUrl or tcp"

/* One row for each enum mcp_transport. */
struct mcp_transport_row {
	const char *name; /* "http or sse" */
	bool chosen; /* `mcp add --transport NAME` chooses it */
	const char *types[4]; /* values of "type" that choose it, as several agents spell them */
	const char *schemes[4]; /* how its addresses begin; none = it is a program */
	const char *key; /* where `mcp add` writes its command or address */
};
extern const struct mcp_transport_row mcp_transports[MCP_TRANSPORTS];

/* What a server that its own settings switch off is told. */
#define MCP_SWITCHED_OFF "its settings disable it (\"disabled\", \"enabled\")"

/* A key of a server's settings that says how it is reached; the rows are in order of precedence. */
struct mcp_way {
	const char *key;
	enum mcp_transport transport; /* of "url", when neither type nor scheme says another */
};
extern const struct mcp_way mcp_ways[];
extern const size_t mcp_ways_n;

/* Other keys that only one kind of server has. */
struct mcp_side_key {
	const char *name;
	bool program; /* belongs to programs, else to addresses */
	bool reaches; /* a part of how the server is reached: goes when that is replaced */
	bool optional; /* but stays when the new way is of the same kind */
	bool unused; /* means nothing for the other kind */
};
extern const struct mcp_side_key mcp_side_keys[];
extern const size_t mcp_side_keys_n;

/* The way that counts; NULL = nothing says how the server is reached. */
const struct mcp_way *mcp_way_of(const struct json *server);
/* Of a server that has one. */
enum mcp_transport mcp_transport_of(const struct json *server, const struct mcp_way *way);
/* Do its own settings switch it off?  "disabled": true, "enabled": false. */
bool mcp_is_switched_off(const struct json *server);
/*
 * The settings of a server by its address and lines "Name: value"; NULL with *ret_odd, the first
 * that is no such line.
 */
const struct json *mcp_entry_of_url(struct arena *a, const char *url, const char *const *headers,
				    size_t n, const char **ret_odd);
/* By its scheme: MCP_TCP, else MCP_HTTP_OR_SSE. */
enum mcp_transport mcp_transport_of_url(struct str url);
bool mcp_is_program(enum mcp_transport t);
/* Does the address begin with one of the transport's schemes? */
bool mcp_scheme_fits(enum mcp_transport t, struct str url);
/* "http:// or https://" */
const char *mcp_schemes(struct arena *a, enum mcp_transport t);
/* "stdio, http, sse or ws": what may be chosen, with or without programs. */
const char *mcp_choices(struct arena *a, bool programs);
/* The command line or address of a server's settings, without what looks like a secret. */
const char *mcp_target(struct arena *a, const struct json *server);

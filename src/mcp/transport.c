#include "mcp/transport.h"

#include <strings.h>

const struct mcp_way mcp_ways[] = {
	{ "command", true, MCP_STDIO },
	{ "httpUrl", false, MCP_HTTP },
	{ "tcp", false, MCP_TCP },
	{ "url", false, MCP_HTTP_OR_SSE },
};
const size_t mcp_ways_n = ARRAY_LEN(mcp_ways);

const struct mcp_type mcp_types[] = {
	{ "http", MCP_HTTP },
	{ "sse", MCP_SSE },
	{ "ws", MCP_TCP },
	{ "websocket", MCP_TCP },
};
const size_t mcp_types_n = ARRAY_LEN(mcp_types);

static const struct mcp_type *type_of(const struct json *server)
{
	struct str type = json_get_str(server, "type");

	for (size_t i = 0; i < mcp_types_n; i++)
		if (str_eqz(type, mcp_types[i].name))
			return &mcp_types[i];
	return NULL;
}

static bool is_socket(struct str url)
{
	return (url.n > 3 && strncasecmp(url.p, "ws:", 3) == 0) ||
	       (url.n > 4 && strncasecmp(url.p, "wss:", 4) == 0);
}

bool mcp_is_typed(const struct json *server)
{
	return type_of(server) || is_socket(json_get_str(server, "url"));
}

const struct mcp_way *mcp_way_of(const struct json *server)
{
	bool typed = mcp_is_typed(server) && json_get_str(server, "url").n;

	for (size_t i = 0; i < mcp_ways_n; i++) {
		const struct mcp_way *way = &mcp_ways[i];

		/* Nothing can be reached by what holds a NUL. */
		struct str text = json_get_str(server, way->key);

		if (!text.n || memchr(text.p, '\0', text.n))
			continue;
		/* httpUrl says what a url without a type is; one that has a type counts more. */
		return way->transport == MCP_HTTP && typed ? &mcp_ways[mcp_ways_n - 1] : way;
	}
	return NULL;
}

enum mcp_transport mcp_transport_of(const struct json *server, const struct mcp_way *way)
{
	const struct mcp_type *type = type_of(server);

	if (way->transport != MCP_HTTP_OR_SSE)
		return way->transport;
	if (type)
		return type->transport;
	return is_socket(json_get_str(server, way->key)) ? MCP_TCP : way->transport;
}

const char *mcp_transport_name(enum mcp_transport t)
{
	static const char *const names[] = {
		[MCP_STDIO] = "stdio", [MCP_SSE] = "sse",
		[MCP_HTTP] = "http",   [MCP_HTTP_OR_SSE] = "http or sse",
		[MCP_TCP] = "ws",
	};

	return names[t];
}

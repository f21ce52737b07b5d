#include "mcp/transport.h"

#include "secrets/secrets.h"

#define WEB "http://", "https://"
#define SOCKET "ws://", "wss://"

const struct mcp_transport_row mcp_transports[MCP_TRANSPORTS] = {
	[MCP_STDIO] = { "stdio", true, { "stdio", "local" }, { NULL }, "command" },
	[MCP_HTTP] = { "http",
		       true,
		       { "http", "streamable-http", "streamableHttp", "streamable_http" },
		       { WEB },
		       "url" },
	[MCP_SSE] = { "sse", true, { "sse" }, { WEB }, "url" },
	[MCP_HTTP_OR_SSE] = { "http or sse", false, { NULL }, { WEB, SOCKET }, "url" },
	[MCP_TCP] = { "ws", true, { "ws", "websocket" }, { SOCKET }, "tcp" },
};

const struct mcp_way mcp_ways[] = {
	{ "command", MCP_STDIO },   { "httpUrl", MCP_HTTP },          { "tcp", MCP_TCP },
	{ "url", MCP_HTTP_OR_SSE }, { "serverUrl", MCP_HTTP_OR_SSE },
};
enum { WAY_OF_URL = 3 };
const size_t mcp_ways_n = ARRAY_LEN(mcp_ways);

const struct mcp_side_key mcp_side_keys[] = {
	{ "args", .program = true, .reaches = true, .unused = true },
	{ "cwd", .program = true, .reaches = true, .optional = true },
	{ "env", .program = true, .unused = true },
	{ "headers", .reaches = true, .optional = true, .unused = true },
	{ "sandbox", .program = true, .unused = true },
	{ "type", .reaches = true },
};
const size_t mcp_side_keys_n = ARRAY_LEN(mcp_side_keys);

bool mcp_is_program(enum mcp_transport t)
{
	return !mcp_transports[t].schemes[0];
}

bool mcp_scheme_fits(enum mcp_transport t, struct str url)
{
	const struct mcp_transport_row *row = &mcp_transports[t];

	for (size_t i = 0; i < ARRAY_LEN(row->schemes) && row->schemes[i]; i++) {
		size_t n = strlen(row->schemes[i]);

		if (url.n > n && str_starts_icase(url, str_from(row->schemes[i])))
			return true;
	}
	return false;
}

enum mcp_transport mcp_transport_of_url(struct str url)
{
	return mcp_scheme_fits(MCP_TCP, url) ? MCP_TCP : MCP_HTTP_OR_SSE;
}

bool mcp_is_switched_off(const struct json *server)
{
	return json_is_true(json_getz(server, "disabled")) ||
	       json_is_false(json_getz(server, "enabled"));
}

/* What "type" says of a URL; MCP_HTTP_OR_SSE when it says nothing. */
static enum mcp_transport transport_of_type(const struct json *server)
{
	/* "type", or what other agents call it. */
	static const char *const keys[] = { "type", "transport", "transportType" };
	struct str type = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(keys) && !type.n; i++)
		type = json_get_str(server, keys[i]);
	for (int t = 0; t < MCP_TRANSPORTS; t++)
		for (size_t i = 0; i < ARRAY_LEN(mcp_transports[t].types); i++)
			if (!mcp_is_program(t) && mcp_transports[t].types[i] &&
			    str_eqz(type, mcp_transports[t].types[i]))
				return t;
	return MCP_HTTP_OR_SSE;
}

const struct mcp_way *mcp_way_of(const struct json *server)
{
	struct str url = json_get_str(server, "url");
	bool typed = url.n && (transport_of_type(server) != MCP_HTTP_OR_SSE ||
			       mcp_transport_of_url(url) != MCP_HTTP_OR_SSE);

	for (size_t i = 0; i < mcp_ways_n; i++) {
		const struct mcp_way *way = &mcp_ways[i];

		/* Nothing can be reached by what holds a NUL. */
		struct str text = json_get_str(server, way->key);

		if (!text.n || memchr(text.p, '\0', text.n))
			continue;
		/* httpUrl says what a url without a type is; one that has a type counts more. */
		return way->transport == MCP_HTTP && typed ? &mcp_ways[WAY_OF_URL] : way;
	}
	return NULL;
}

enum mcp_transport mcp_transport_of(const struct json *server, const struct mcp_way *way)
{
	enum mcp_transport type = transport_of_type(server);

	if (way->transport != MCP_HTTP_OR_SSE)
		return way->transport;
	return type != MCP_HTTP_OR_SSE ? type
				       : mcp_transport_of_url(json_get_str(server, way->key));
}

/* "a, b or c" */
static const char *join_words(struct arena *a, const char *const *words, size_t n)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < n; i++)
		buf_addf(&out, "%s%s", i == 0 ? "" : i + 1 < n ? ", " : " or ", words[i]);
	return arena_z(a, buf_str(&out));
}

const char *mcp_schemes(struct arena *a, enum mcp_transport t)
{
	const struct mcp_transport_row *row = &mcp_transports[t];
	size_t n = 0;

	while (n < ARRAY_LEN(row->schemes) && row->schemes[n])
		n++;
	return join_words(a, row->schemes, n);
}

const char *mcp_choices(struct arena *a, bool programs)
{
	const char *words[MCP_TRANSPORTS];
	size_t n = 0;

	for (int t = 0; t < MCP_TRANSPORTS; t++)
		if (mcp_transports[t].chosen && (programs || !mcp_is_program(t)))
			words[n++] = mcp_transports[t].name;
	return join_words(a, words, n);
}

const struct json *mcp_entry_of_url(struct arena *a, const char *url, const char *const *headers,
				    size_t n, const char **ret_odd)
{
	const char *key = mcp_transports[mcp_transport_of_url(str_from(url))].key;
	const struct json *v = json_new_obj(a);

	for (size_t i = 0; i < n; i++) {
		struct str value = str_from(headers[i]), name;

		if (!str_split(&value, ':', &name) || !value.p || !str_trim(name).n) {
			*ret_odd = headers[i];
			return NULL;
		}
		v = json_set(a, v, str_trim(name), json_new_str(a, str_trim(value)));
	}
	return json_set(a, json_set(a, NULL, str_from(key), json_new_copy(a, str_from(url))),
			STR("headers"), v);
}

const char *mcp_target(struct arena *a, const struct json *server)
{
	const struct mcp_way *way = mcp_way_of(server);
	const struct json *args = json_getz(server, "args");
	AUTO(buf_done) struct buf text = { 0 };
	AUTO(buf_done) struct buf clean = { 0 };

	if (way)
		buf_adds(&text, json_get_str(server, way->key));
	for (size_t i = 0; json_is(args, J_ARR) && i < args->n; i++)
		buf_addf(&text, " %.*s", STR_ARG(json_str(json_at(args, i), STR("?"))));
	(void)secrets_redact(&clean, buf_str(&text), SECRETS_DOUBT);
	return arena_z(a, buf_str(&clean));
}

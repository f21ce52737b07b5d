/* What settings say about MCP servers, checked, with the environment they run in. */
#pragma once

#include "mcp/mcp.h"
#include "settings/sandbox_rules.h"

/* `oauth` of a server; NULL for what it does not say. */
struct mcp_oauth {
	bool off; /* enabled: false */
	bool by_secret; /* the client's secret is enough, and no user is asked */
	int port; /* that the browser comes back to; 0 = any */
	const char *client_id, *client_secret, *issuer, *metadata_url;
	const char *authorize_url, *token_url, *register_url, *redirect_uri;
	const char *scopes, *audience; /* "a b" */
};

struct mcp_config {
	const char *name;
	const char *login_name; /* what `trotline mcp auth` calls it */
	enum mcp_transport transport;
	const char *problem; /* why it cannot be used; NULL = it can */
	enum mcp_why why; /* the same as a code */
	bool closed; /* the problem is that it is not wanted */
	/* As configured; NULL when not.  argv begins with command. */
	const char *command, *cwd, *url, *tcp;
	const char *const *argv;
	const char *dir; /* absolute: where the command runs, and the root that servers may see */
	const char *const *env; /* of the command: the filtered environment and `env` */
	const struct sandbox_rules *sandbox; /* of the command; NULL = it may do what we may */
	const char *const *headers; /* "Name: value", NULL-terminated */
	struct mcp_oauth oauth;
	int64_t timeout_ms;
	int connect_ms; /* of the handshake and of each list */
	bool trust, single;
	const char *description;
	const struct json *include, *exclude; /* arrays of tool names, or NULL */
	const struct json *secrets; /* an array of texts that hooks are not told, or NULL */
};

/* All servers of the settings, in their order, in the arena. */
struct mcp_config *mcp_config_read(struct arena *a, const struct mcp_options *options,
				   size_t *ret_n);
/* includeTools and excludeTools. */
bool mcp_config_offers(const struct mcp_config *config, struct str tool);
/*
 * What is to be done about a server that has answered 401 or 403, for free(); NULL for any other
 * status.
 */
char *mcp_config_refusal(const struct mcp_config *config, long status);
/* mcp_context. */
const struct json *mcp_config_context(struct arena *a, const struct mcp_config *config,
				      const char *tool);

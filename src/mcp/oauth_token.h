/* Requests to the endpoints of an authorization server, and what its answers make of a grant. */
#pragma once

#include "base/cancel.h"
#include "mcp/oauth_meta.h"

/* Where requests may go. */
struct oauth_net {
	const struct url *server; /* of MCP */
	bool inside; /* it is on a network of the user's own: others there may be asked */
	struct cancel *cancel;
	int timeout_ms; /* of each request; 0 = 30 s */
};

struct oauth_reply {
	int status;
	struct str body; /* in the arena */
};

/*
 * (waits) GET, or POST where there is a body, of an address that is private (url_is_private());
 * nothing is followed, nothing is longer than OAUTH_META_MAX.
 */
int oauth_send(const struct oauth_net *net, struct arena *a, const char *url,
	       const char *const *headers, struct str body, struct oauth_reply *ret_reply,
	       struct err *err);
/*
 * (waits) The same with a JSON object for an answer.  What the server refuses is -E_UNTRUSTED, with
 * what it says.
 */
int oauth_post(const struct oauth_net *net, struct arena *a, const char *url,
	       const char *const *headers, struct str body, const struct json **ret_v,
	       struct err *err);

/* Adds "name=value" to a form. */
void form_add(struct buf *form, const char *name, struct str value);
/*
 * (waits) Sends the form to the grant's token endpoint, with who we are there.  The grant with the
 * new token, in the arena.
 */
int oauth_token(const struct oauth_net *net, struct arena *a, const struct json *grant,
		struct str form, const struct json **ret_grant, struct err *err);
/* (waits) A new token for one that is over; -E_NOTFOUND where the user must be asked again. */
int oauth_refresh(const struct oauth_net *net, struct arena *a, const struct json *grant,
		  const struct json **ret_grant, struct err *err);
bool oauth_can_refresh(const struct json *grant);

/*
 * ~/.trotline/mcp-oauth.json, 0600: what the user has granted, one object a server.  The key is the
 * server's address (and the client's id, where the settings say one), not its name, so that a token
 * goes only to the server that it was made for.
 */
#pragma once

#include "base/json.h"

/*
 * The members of a grant:
 *	issuer, tokenUrl, method	of the authorization server, and how we say who we are
 *	clientId, clientSecret		of us there; registered: true when we registered ourselves
 *	redirectUri, resource, scope, grantType
 *	accessToken, refreshToken, expiresAt (ms: when it is renewed)
 *	wanted				a scope that the server has asked for since
 */
const char *oauth_key(struct arena *a, const char *url, const char *client_id);
/* NULL when there is none. */
int oauth_store_read(struct arena *a, const char *home, const char *key,
		     const struct json **ret_grant, struct err *err);
/* (waits) Other processes write it, too; NULL forgets it.  1 when that changes the file, else 0. */
int oauth_store_write(const char *home, const char *key, const struct json *grant, struct err *err);
/* (waits) No other process refreshes meanwhile; the descriptor, to be closed. */
int oauth_store_lock(const char *home, struct err *err);

/* The halves of an authorization: auth.c keeps the token, oauth_flow.c gets it from the user. */
#pragma once

#include <pthread.h>

#include "mcp/auth.h"
#include "mcp/oauth_token.h"

struct mcp_auth {
	const struct mcp_config *config;
	const char *home;
	const char *const *env;
	struct arena arena; /* of what follows */
	struct url url;
	const char *key; /* in the store */
	bool inside; /* the server is on a network of the user's own */
	pthread_mutex_t lock; /* of what follows */
	struct arena grant_arena;
	const struct json *grant; /* NULL = none */
	struct challenge challenge; /* the last one */
	long status; /* to which it belonged; 0 = there was none */
};

/* A copy in the arena; NULL when there is none. */
const struct json *auth_grant(struct mcp_auth *auth, struct arena *a);
/* Keeps a copy, here and (with a home) in the store; NULL forgets it. */
int auth_keep(struct mcp_auth *auth, const struct json *grant, struct err *err);
struct oauth_net auth_net(const struct mcp_auth *auth, struct cancel *cancel);

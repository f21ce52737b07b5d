/*
 * The user's authorization for one server on the web: its token, while it is good; what the server
 * asks for, when it is not.  The server's thread asks for tokens, any other may sign the user in.
 */
#pragma once

#include "mcp/challenge.h"
#include "mcp/config.h"

struct mcp_auth;

/*
 * NULL for a server that OAuth is not for: a program, one with an Authorization of its own, one
 * whose settings say so.  config, home and env outlive it.
 */
struct mcp_auth *mcp_auth_new(const struct mcp_config *config, const char *home,
			      const char *const *env) MUST_CHECK;
void mcp_auth_free(struct mcp_auth *auth); /* NULL allowed */

/* (waits: it may be renewed) "Authorization: Bearer ..." in the arena; NULL without a token. */
const char *mcp_auth_header(struct mcp_auth *auth, struct arena *a, struct cancel *cancel);
/*
 * (waits) The server has answered 401 or 403 to a request with this header (NULL = none).  True
 * when there is another token now; else it is remembered what is asked for.
 */
bool mcp_auth_refused(struct mcp_auth *auth, long status, const struct challenge *c,
		      const char *header, struct cancel *cancel);
/* What is to be done about that, for free(); NULL when signing in would not help. */
char *mcp_auth_advice(struct mcp_auth *auth, long status);
/* The text with *** for the tokens that are in it, that of the header (NULL allowed) too; the text
 * itself where there are none. */
struct str mcp_auth_hide(struct mcp_auth *auth, struct arena *a, const char *header,
			 struct str text);
enum mcp_auth_state mcp_auth_state(struct mcp_auth *auth);
/* (waits) See mcp_server_sign_in() and mcp_server_sign_out(). */
int mcp_auth_sign_in(struct mcp_auth *auth, const struct mcp_sign_in *how, struct cancel *cancel,
		     struct err *err);
int mcp_auth_sign_out(struct mcp_auth *auth, struct err *err);

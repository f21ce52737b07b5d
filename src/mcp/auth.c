#include "mcp/auth_impl.h"

#include <unistd.h>

#include "base/json_pack.h"
#include "mcp/oauth_store.h"
#include "mcp/transport.h"
#include "net/fetch.h"
#include "os/clock.h"

#define BEARER "Authorization: Bearer "

enum { RENEW_MS = 10000 };

/* ---- life ---- */

static void load(struct mcp_auth *auth)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *grant = NULL;

	if (!auth->home || oauth_store_read(&a, auth->home, auth->key, &grant, NULL) < 0)
		return;
	pthread_mutex_lock(&auth->lock);
	arena_done(&auth->grant_arena);
	auth->grant_arena = (struct arena){ 0 };
	auth->grant = grant ? json_dup(&auth->grant_arena, grant) : NULL;
	pthread_mutex_unlock(&auth->lock);
}

struct mcp_auth *mcp_auth_new(const struct mcp_config *config, const char *home,
			      const char *const *env)
{
	struct mcp_auth *auth;

	if (!config->url || config->oauth.off)
		return NULL;
	for (const char *const *h = config->headers; h && *h; h++)
		if (str_starts_icase(str_from(*h), STR("Authorization:")))
			return NULL;
	auth = xcalloc(1, sizeof *auth);
	auth->config = config;
	auth->home = home;
	auth->env = env;
	(void)pthread_mutex_init(&auth->lock, NULL);
	if (url_read(&auth->arena, config->url, &auth->url, NULL) < 0) {
		mcp_auth_free(auth);
		return NULL;
	}
	auth->key = oauth_key(&auth->arena, config->url, config->oauth.client_id);
	/* What the user's settings name is asked wherever it is. */
	auth->inside =
		config->oauth.token_url || fetch_is_blocked(&(struct fetch){ .url = config->url });
	load(auth);
	return auth;
}

void mcp_auth_free(struct mcp_auth *auth)
{
	if (!auth)
		return;
	(void)pthread_mutex_destroy(&auth->lock);
	arena_done(&auth->grant_arena);
	arena_done(&auth->arena);
	free(auth);
}

const struct json *auth_grant(struct mcp_auth *auth, struct arena *a)
{
	const struct json *grant;

	pthread_mutex_lock(&auth->lock);
	grant = auth->grant ? json_dup(a, auth->grant) : NULL;
	pthread_mutex_unlock(&auth->lock);
	return grant;
}

int auth_keep(struct mcp_auth *auth, const struct json *grant, struct err *err)
{
	struct arena arena = { 0 }, old;
	const struct json *copy = grant ? json_dup(&arena, grant) : NULL;

	pthread_mutex_lock(&auth->lock);
	old = auth->grant_arena;
	auth->grant_arena = arena;
	auth->grant = copy;
	pthread_mutex_unlock(&auth->lock);
	arena_done(&old);
	return auth->home ? oauth_store_write(auth->home, auth->key, grant, err) : 0;
}

struct oauth_net auth_net(const struct mcp_auth *auth, struct cancel *cancel)
{
	return (struct oauth_net){ &auth->url, auth->inside, cancel, 0 };
}

/* ---- tokens ---- */

/*
 * (waits) Another token in the place of the one in `old`: who else has renewed it in the meantime
 * has done our work, and a refresh token may be good for one time only.
 */
static bool renew(struct mcp_auth *auth, const struct json *old, struct cancel *cancel)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(close) int held = auth->home ? oauth_store_lock(auth->home, NULL) : -1;
	/* Not cut short by a session's end: the answer may hold the only token that is left. */
	struct oauth_net net = { &auth->url, auth->inside, NULL, RENEW_MS };
	const struct json *now, *renewed;
	struct str token;
	struct err err;

	(void)held; /* until we return */
	if (cancel_fired(cancel))
		return false;
	load(auth);
	now = auth_grant(auth, &a);
	token = json_get_str(now, "accessToken");
	if (token.n && !str_eq(token, json_get_str(old, "accessToken")))
		return true;
	if (!now || !oauth_can_refresh(now))
		return false;
	if (oauth_refresh(&net, &a, now, &renewed, &err) >= 0) {
		(void)auth_keep(auth, renewed, NULL);
		return true;
	}
	/* What was refused once is not tried again. */
	if (err.code == E_UNTRUSTED) {
		now = json_without(&a, now, STR("refreshToken"));
		(void)auth_keep(auth, json_without(&a, now, STR("accessToken")), NULL);
	}
	return false;
}

static const char *header_of(struct arena *a, const struct json *grant)
{
	struct str token = json_get_str(grant, "accessToken");

	return token.n ? arena_printf(a, BEARER "%.*s", STR_ARG(token)).p : NULL;
}

const char *mcp_auth_header(struct mcp_auth *auth, struct arena *a, struct cancel *cancel)
{
	const struct json *grant;
	int64_t end;

	if (!auth)
		return NULL;
	grant = auth_grant(auth, a);
	end = json_int(json_getz(grant, "expiresAt"), 0);
	if (end && clock_wall_ms() > end && oauth_can_refresh(grant) && renew(auth, grant, cancel))
		grant = auth_grant(auth, a);
	return header_of(a, grant);
}

bool mcp_auth_refused(struct mcp_auth *auth, long status, const struct challenge *c,
		      const char *header, struct cancel *cancel)
{
	AUTO(arena_done) struct arena a = { 0 };
	char wanted[CHALLENGE_SCOPE_MAX] = "";
	const struct json *grant;
	const char *now;

	if (!auth || (status != 401 && status != 403))
		return false;
	load(auth);
	grant = auth_grant(auth, &a);
	now = header_of(&a, grant);
	if (now && (!header || strcmp(now, header) != 0))
		return true;
	if (status == 401 && header && renew(auth, grant, cancel))
		return true;
	pthread_mutex_lock(&auth->lock);
	auth->challenge = *c;
	auth->status = status;
	pthread_mutex_unlock(&auth->lock);
	if (status != 403 || strcmp(c->error, "insufficient_scope") != 0)
		return false;
	/* Whoever signs the user in next, here or in another process, asks for all of it. */
	grant = auth_grant(auth, &a);
	(void)scope_add(wanted, sizeof wanted, json_get_str(grant, "wanted"));
	if (grant && scope_add(wanted, sizeof wanted, str_from(c->scope)) &&
	    !str_eqz(json_get_str(grant, "wanted"), wanted))
		(void)auth_keep(auth, json_pack_more(&a, grant, "wanted:z", wanted), NULL);
	return false;
}

/* ---- what others are told ---- */

/* Has the server asked for a scope that its token does not have, so that signing in may help? */
static bool mcp_auth_wants_more(struct mcp_auth *auth)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *grant = auth ? auth_grant(auth, &a) : NULL;
	struct str wanted = json_get_str(grant, "wanted");

	return wanted.n && !scope_covers(json_get_str(grant, "scope"), wanted);
}

enum mcp_auth_state mcp_auth_state(struct mcp_auth *auth)
{
	enum mcp_auth_state state = MCP_AUTH_NEVER;

	if (!auth)
		return state;
	if (mcp_auth_wants_more(auth))
		return MCP_AUTH_MORE;
	pthread_mutex_lock(&auth->lock);
	if (json_get_str(auth->grant, "accessToken").n)
		state = MCP_AUTH_GIVEN;
	else if (auth->grant || auth->status == 401)
		state = MCP_AUTH_WANTED;
	pthread_mutex_unlock(&auth->lock);
	return state;
}

char *mcp_auth_advice(struct mcp_auth *auth, long status)
{
	struct challenge c;
	bool had;

	if (!auth || (status != 401 && status != 403))
		return NULL;
	pthread_mutex_lock(&auth->lock);
	c = auth->challenge;
	had = auth->grant;
	pthread_mutex_unlock(&auth->lock);
	const char *name = auth->config->login_name ? auth->config->login_name : auth->config->name;
	if (status == 403 && strcmp(c.error, "insufficient_scope") != 0)
		return NULL;
	if (status == 403 && mcp_auth_wants_more(auth))
		return xasprintf(
			"the server wants you to allow more (%.100s): run \"trotline mcp auth "
			"%s\"",
			c.scope, name);
	if (status == 403)
		return xasprintf("the server wants what you have allowed already (%.100s)",
				 c.scope);
	if (had)
		return xasprintf("the server no longer accepts your authorization (401): run "
				 "\"trotline mcp auth %s\"",
				 name);
	return xasprintf(
		"the server wants you to sign in (401): run \"trotline mcp auth %s\", or put "
		"a token into its settings, \"headers\": { \"Authorization\": \"Bearer "
		"$TOKEN\" }",
		name);
}

static struct str without(struct arena *a, struct str text, struct str secret)
{
	ptrdiff_t at;

	/* Short ones are words. */
	for (size_t from = 0; secret.n >= 8 && (at = str_find(text, secret, from)) >= 0;
	     from = (size_t)at + 3)
		text = arena_printf(a, "%.*s***%.*s", (int)at, text.p,
				    STR_ARG(str_sub(text, (size_t)at + secret.n, text.n)));
	return text;
}

struct str mcp_auth_hide(struct mcp_auth *auth, struct arena *a, const char *header,
			 struct str text)
{
	static const char *const secrets[] = { "accessToken", "refreshToken", "clientSecret" };
	const struct json *grant = auth ? auth_grant(auth, a) : NULL;

	for (size_t i = 0; grant && i < ARRAY_LEN(secrets); i++)
		text = without(a, text, json_get_str(grant, secrets[i]));
	/* It may have been renewed in the meantime. */
	if (header)
		text = without(a, text, str_from(header + strlen(BEARER)));
	return text;
}

int mcp_auth_sign_out(struct mcp_auth *auth, struct err *err)
{
	AUTO(arena_done) struct arena a = { 0 };
	bool had = auth_grant(auth, &a);
	int r = auth_keep(auth, NULL, err);

	return r < 0 ? r : had;
}

/*
 * Signing in (MCP's authorization, OAuth 2.1): find the authorization server, be a client there,
 * ask the user in the browser, get the token.
 *
 *	mcp_auth_sign_in()
 *	  find_server()		metadata of the resource and of its authorization server
 *	  be_client()		the settings' client, a document, the last registration, a new one
 *	  choose_scope()
 *	  ask_user()		the browser, and its answer on 127.0.0.1
 *	  oauth_token()
 */
#include <errno.h>
#include <sha2.h>
#include <sys/random.h>

#include "base/base64.h"
#include "base/json_pack.h"
#include "mcp/auth_impl.h"
#include "net/loopback.h"
#include "os/browser.h"

enum { SECRET_BYTES = 32, ANSWER_MS = 300000 };

struct flow {
	struct mcp_auth *auth;
	const struct mcp_oauth *set; /* what the settings say */
	const struct mcp_sign_in *how;
	struct oauth_net net;
	struct arena *a;
	struct challenge challenge; /* the server's last one */
	long status; /* with this */
	const struct json *old; /* the grant so far, or NULL */
	struct oauth_resource resource;
	struct oauth_server server;
	bool guessed; /* there is no metadata: the endpoints of 2025-03-26 */
	struct loopback loopback;
	const char *redirect_uri, *redirect_path;
	char state[2 * SECRET_BYTES], verifier[2 * SECRET_BYTES];
};

/* ---- the authorization server ---- */

/* What a server has at one of these places: 1 with its text, 0 when it has nothing. */
static int fetch_first(struct flow *f, const char *const *places, size_t n, struct str *ret_text,
		       struct err *err)
{
	static const char *const headers[] = { "Accept: application/json",
					       "MCP-Protocol-Version: 2025-11-25", NULL };

	for (size_t i = 0; i < n; i++) {
		struct oauth_reply reply;
		int r = oauth_send(&f->net, f->a, places[i], headers, (struct str){ 0 }, &reply,
				   err);

		if (r < 0)
			return r;
		if (reply.status >= 500)
			return err_set(err, E_IO, "%.200s answers %d", places[i], reply.status);
		if (reply.status == 200) {
			*ret_text = reply.body;
			return 1;
		}
	}
	return 0;
}

static int find_resource(struct flow *f, struct err *err)
{
	const char *places[OAUTH_PLACES_MAX];
	size_t n = 1;
	struct str text;
	int r;

	if (*f->challenge.metadata)
		places[0] = f->challenge.metadata;
	else
		n = oauth_resource_places(f->a, &f->auth->url, places);
	r = fetch_first(f, places, n, &text, err);
	if (r > 0)
		r = oauth_resource_read(f->a, text, &f->auth->url, &f->resource, err);
	return r < 0 ? err_wrap(err, "the server") : 0;
}

static int find_issuer(struct flow *f, struct err *err)
{
	const char *issuer = f->set->issuer ? f->set->issuer : f->resource.issuer;
	const char *places[OAUTH_PLACES_MAX] = { f->set->metadata_url };
	const char *where = f->set->metadata_url ? f->set->metadata_url
			    : issuer             ? issuer
						 : f->auth->url.origin;
	struct url from;
	struct str text;
	size_t n = 1;
	int r = url_read(f->a, where, &from, err);

	if (r >= 0 && !f->set->metadata_url)
		n = oauth_issuer_places(f->a, &from, places);
	r = r < 0 ? r : fetch_first(f, places, n, &text, err);
	if (r > 0)
		r = oauth_issuer_read(f->a, text, issuer, &from, &f->server, err);
	else if (r == 0 && (issuer || f->set->metadata_url))
		r = err_set(err, E_NOTFOUND, "it publishes no metadata");
	else if (r == 0 && f->status != 401)
		return err_set(err, E_NOTFOUND, "the server asks for no authorization");
	else if (r == 0) {
		/* As servers of 2025-03-26 that publish nothing have them. */
		const char *origin = f->auth->url.origin;

		f->guessed = true;
		f->server = (struct oauth_server){
			.issuer = origin,
			.authorize_url = arena_printf(f->a, "%s/authorize", origin).p,
			.token_url = arena_printf(f->a, "%s/token", origin).p,
			.register_url = arena_printf(f->a, "%s/register", origin).p,
			.scopes = "",
			.methods = 1u << OAUTH_NONE | 1u << OAUTH_POST,
			.pkce = true,
			.codes = true,
		};
	}
	return r < 0 ? err_wrap(err, "the authorization server %s", from.origin) : 0;
}

static int find_server(struct flow *f, struct err *err)
{
	const struct mcp_oauth *set = f->set;
	int r;

	f->resource.scopes = f->server.scopes = "";
	if (set->token_url && set->authorize_url) {
		f->server = (struct oauth_server){
			.issuer = set->issuer,
			.authorize_url = set->authorize_url,
			.token_url = set->token_url,
			.register_url = set->register_url,
			.scopes = "",
			.methods = 1u << OAUTH_NONE | 1u << OAUTH_BASIC | 1u << OAUTH_POST,
			.pkce = true,
			.codes = true,
		};
		return 0;
	}
	r = find_resource(f, err);
	r = r < 0 ? r : find_issuer(f, err);
	if (r >= 0 && set->token_url)
		f->server.token_url = set->token_url;
	if (r >= 0 && set->authorize_url)
		f->server.authorize_url = set->authorize_url;
	if (r >= 0 && f->server.codes && !f->server.pkce)
		return err_set(
			err, E_UNTRUSTED,
			"the authorization server %s does not say that it supports PKCE with "
			"S256, without which the answer could be stolen",
			f->server.issuer);
	return r;
}

/* ---- who we are there ---- */

/* The best method of those that the server has, for a client with or without a secret. */
static enum oauth_method choose_method(const struct flow *f, bool has_secret)
{
	if (!has_secret)
		return OAUTH_NONE;
	return f->server.methods & 1u << OAUTH_BASIC || !(f->server.methods & 1u << OAUTH_POST)
		       ? OAUTH_BASIC
		       : OAUTH_POST;
}

static const struct json *with_client(struct flow *f, const struct json *grant, const char *id,
				      const char *secret, bool registered)
{
	return json_pack_more(
		f->a, grant, "clientId:z ?clientSecret:z method:z redirectUri:z ?registered:b", id,
		secret, oauth_method_names[choose_method(f, secret)], f->redirect_uri, registered);
}

static const struct json *registration(struct flow *f)
{
	struct arena *a = f->a;
	const struct json *grants =
		json_append(a, NULL, json_new_str(a, STR("authorization_code")));
	const struct json *uris = json_append(a, NULL, json_pack_str(a, f->redirect_uri));
	const struct json *types = json_append(a, NULL, json_new_str(a, STR("code")));
	enum oauth_method method = OAUTH_NONE;

	/* With a secret only where it must be: on a user's machine it is none. */
	if (!(f->server.methods & 1u << OAUTH_NONE))
		method = choose_method(f, true);
	grants = json_append(a, grants, json_new_str(a, STR("refresh_token")));
	return json_pack(a,
			 "client_name:z redirect_uris:j grant_types:j response_types:j "
			 "token_endpoint_auth_method:z ?scope:z",
			 "trotline", uris, grants, types, oauth_method_names[method],
			 f->set->scopes);
}

static int register_client(struct flow *f, const struct json **grant, struct err *err)
{
	static const char *const headers[] = { "Accept: application/json",
					       "Content-Type: application/json", NULL };
	const struct json *reply;
	struct str id, secret;
	int method;
	int r;

	if (!f->server.register_url)
		return err_set(
			err, E_CONFIG,
			"the authorization server %s registers no clients by itself: register "
			"one there (redirect URI %s) and put it into the server's settings, "
			"\"oauth\": { \"clientId\": \"...\" }",
			f->server.issuer, f->redirect_uri);
	r = oauth_post(&f->net, f->a, f->server.register_url, headers,
		       json_text(f->a, registration(f), JSON_COMPACT), &reply, err);
	if (r < 0)
		return err_wrap(err, "registering with it");
	id = json_get_str(reply, "client_id");
	secret = json_get_str(reply, "client_secret");
	if (!id.n || memchr(id.p, '\0', id.n))
		return err_set(err, E_PARSE,
			       "the authorization server's registration has no "
			       "client_id");
	*grant = with_client(f, *grant, arena_z(f->a, id), secret.n ? arena_z(f->a, secret) : NULL,
			     true);
	/* What it has decided counts. */
	method = oauth_method_of(json_get_str(reply, "token_endpoint_auth_method"));
	if (method >= 0 && (method == OAUTH_NONE || secret.n))
		*grant = json_pack_more(f->a, *grant, "method:z", oauth_method_names[method]);
	return 0;
}

static int be_client(struct flow *f, const struct json **grant, struct err *err)
{
	const char *id = f->set->client_id;
	bool document = id && str_starts(str_from(id), STR("https://"));
	const struct json *old = f->old;

	if (id && (!document || f->server.documents)) {
		*grant = with_client(f, *grant, id, document ? NULL : f->set->client_secret, false);
		return 0;
	}
	/* The same registration again, where it is for this redirect. */
	if (json_is_true(json_getz(old, "registered")) &&
	    str_eqz(json_get_str(old, "issuer"), f->server.issuer ? f->server.issuer : "") &&
	    str_eqz(json_get_str(old, "redirectUri"), f->redirect_uri)) {
		*grant = json_pack_more(
			f->a, *grant,
			"clientId:s ?clientSecret:s method:s redirectUri:s "
			"registered:b",
			json_get_str(old, "clientId"), json_get_str(old, "clientSecret"),
			json_get_str(old, "method"), json_get_str(old, "redirectUri"), true);
		return 0;
	}
	return register_client(f, grant, err);
}

/* ---- scopes ---- */

static const char *choose_scope(struct flow *f)
{
	char scope[CHALLENGE_SCOPE_MAX] = "";
	struct str wanted = json_get_str(f->old, "wanted");
	const char *asked = f->challenge.scope;

	if (f->set->scopes) {
		(void)scope_add(scope, sizeof scope, str_from(f->set->scopes));
	} else {
		(void)scope_add(scope, sizeof scope, str_from(asked));
		if (!*scope && !wanted.n)
			(void)scope_add(scope, sizeof scope, str_from(f->resource.scopes));
		/* More than before: what was allowed stays so. */
		if (wanted.n || strcmp(f->challenge.error, "insufficient_scope") == 0)
			(void)scope_add(scope, sizeof scope, json_get_str(f->old, "scope"));
	}
	(void)scope_add(scope, sizeof scope, wanted);
	if (*scope && scope_covers(str_from(f->server.scopes), STR("offline_access")))
		(void)scope_add(scope, sizeof scope, STR("offline_access"));
	return arena_z(f->a, str_from(scope));
}

/* ---- the browser ---- */

static void base64url_add(struct buf *out, struct str bytes)
{
	AUTO(buf_done) struct buf plain = { 0 };

	base64_add(&plain, bytes);
	for (size_t i = 0; i < plain.n && plain.p[i] != '='; i++)
		buf_addc(out, plain.p[i] == '+' ? '-' : plain.p[i] == '/' ? '_' : plain.p[i]);
}

static int make_secret(char *to, size_t size, struct err *err)
{
	AUTO(buf_done) struct buf text = { 0 };
	char bytes[SECRET_BYTES];

	if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
		return err_errno(err, errno, "the system has no random numbers");
	base64url_add(&text, (struct str){ bytes, sizeof bytes });
	memcpy(to, buf_z(&text), min_size(text.n + 1, size));
	return 0;
}

/* Where the browser is to come back to: as the settings say, as the last time, anywhere. */
static int open_loopback(struct flow *f, struct err *err)
{
	const char *set = f->set->redirect_uri;
	struct str last = json_get_str(f->old, "redirectUri");
	struct url u;
	int r;

	if (set) {
		r = url_read(f->a, set, &u, err);
		if (r >= 0 && (!url_is_loopback(&u) || strcmp(u.scheme, "http") != 0))
			r = err_set(err, E_CONFIG, "it must be http and on this machine");
		r = r < 0 ? r : loopback_open(&f->loopback, u.port, err);
		f->redirect_uri = set;
		f->redirect_path = r < 0 ? "" : u.path;
		return r < 0 ? err_wrap(err, "oauth.redirectUri") : 0;
	}
	r = -E_NOTFOUND;
	if (!f->set->port && last.n && url_read(f->a, arena_z(f->a, last), &u, NULL) >= 0 &&
	    url_is_loopback(&u))
		r = loopback_open(&f->loopback, u.port, NULL);
	if (r < 0)
		r = loopback_open(&f->loopback, f->set->port, err);
	f->redirect_path = "/oauth/callback";
	f->redirect_uri =
		arena_printf(f->a, "http://%s:%d%s", f->set->port ? "localhost" : "127.0.0.1",
			     f->loopback.port, f->redirect_path)
			.p;
	return r;
}

static const char *authorize_url(struct flow *f, const struct json *grant)
{
	AUTO(buf_done) struct buf form = { 0 }, challenge = { 0 };
	uint8_t digest[SHA256_DIGEST_LENGTH];
	struct str scope = json_get_str(grant, "scope");
	SHA2_CTX ctx;

	SHA256Init(&ctx);
	SHA256Update(&ctx, (const uint8_t *)f->verifier, strlen(f->verifier));
	SHA256Final(digest, &ctx);
	base64url_add(&challenge, (struct str){ (const char *)digest, sizeof digest });
	form_add(&form, "response_type", STR("code"));
	form_add(&form, "client_id", json_get_str(grant, "clientId"));
	form_add(&form, "redirect_uri", str_from(f->redirect_uri));
	form_add(&form, "code_challenge", buf_str(&challenge));
	form_add(&form, "code_challenge_method", STR("S256"));
	form_add(&form, "state", str_from(f->state));
	form_add(&form, "resource", json_get_str(grant, "resource"));
	if (scope.n)
		form_add(&form, "scope", scope);
	if (f->set->audience)
		form_add(&form, "audience", str_from(f->set->audience));
	/* What OpenID Connect wants before it gives a refresh token. */
	if (scope_covers(scope, STR("offline_access")) && scope.n)
		form_add(&form, "prompt", STR("consent"));
	return arena_printf(f->a, "%s%s%s", f->server.authorize_url,
			    strchr(f->server.authorize_url, '?') ? "&" : "?", buf_z(&form))
		.p;
}

/* What the browser has brought. */
struct answer_of_user {
	struct flow *f;
	struct str code, error, why, iss;
	bool has_iss;
};

static bool take_answer(void *data, struct str query, const char **page)
{
	struct answer_of_user *x = data;
	struct arena *a = x->f->a;
	struct str state = { 0 };

	if (!url_form_get(a, query, "state", &state) || !str_eqz(state, x->f->state)) {
		*page = "This answer belongs to another request.";
		return false;
	}
	x->has_iss = url_form_get(a, query, "iss", &x->iss);
	(void)url_form_get(a, query, "error_description", &x->why);
	if (!url_form_get(a, query, "error", &x->error))
		(void)url_form_get(a, query, "code", &x->code);
	*page = x->code.n ? "trotline has your authorization. You can close this page."
			  : "trotline was not authorized. You can close this page.";
	return true;
}

static int ask_user(struct flow *f, const struct json *grant, struct str *ret_code, struct err *err)
{
	struct answer_of_user x = { .f = f };
	const struct loopback_wait wait = { .path = f->redirect_path,
					    .timeout_ms = f->how->timeout_ms ? f->how->timeout_ms
									     : ANSWER_MS,
					    .take = take_answer,
					    .data = &x };
	const char *url = authorize_url(f, grant);
	struct err no_browser = { 0 };
	bool opened = !f->how->no_browser && browser_open(url, f->auth->env, &no_browser) == 0;
	int r;

	if (!opened && !f->how->no_browser && f->how->unseen)
		return err_set(err, E_IO,
			       "%s, and there is no terminal to show the address on: run this on a "
			       "terminal, or set BROWSER, or give --no-browser, which prints the "
			       "address and waits 5 minutes",
			       no_browser.text);
	f->how->show(f->how->data, url, opened);
	r = loopback_wait(&f->loopback, &wait, f->net.cancel, err);
	if (r < 0)
		return r;
	if (f->server.issuer &&
	    (x.has_iss ? !str_eqz(x.iss, f->server.issuer) : f->server.names_itself))
		return err_set(
			err, E_UNTRUSTED,
			"the answer is not from the authorization server that was asked (%s)",
			f->server.issuer);
	if (!x.code.n)
		return err_set(err, E_UNTRUSTED, "the authorization was refused: %.*s%s%.*s",
			       STR_ARG(str_sub(x.error, 0, 80)), x.why.n ? ", " : "",
			       STR_ARG(str_sub(x.why, 0, 200)));
	*ret_code = x.code;
	return 0;
}

/* ---- the token ---- */

static int by_code(struct flow *f, const struct json **grant, struct err *err)
{
	AUTO(buf_done) struct buf form = { 0 };
	struct str code;
	int r = open_loopback(f, err);

	r = r < 0 ? r : be_client(f, grant, err);
	r = r < 0 ? r : make_secret(f->state, sizeof f->state, err);
	r = r < 0 ? r : make_secret(f->verifier, sizeof f->verifier, err);
	r = r < 0 ? r : ask_user(f, *grant, &code, err);
	if (r < 0)
		return r;
	form_add(&form, "grant_type", STR("authorization_code"));
	form_add(&form, "code", code);
	form_add(&form, "code_verifier", str_from(f->verifier));
	form_add(&form, "redirect_uri", str_from(f->redirect_uri));
	return oauth_token(&f->net, f->a, *grant, buf_str(&form), grant, err);
}

/* Without a user: the settings' secret is enough. */
static int by_secret(struct flow *f, const struct json **grant, struct err *err)
{
	if (!f->set->client_id || !f->set->client_secret)
		return err_set(
			err, E_CONFIG,
			"the authorization server %s knows programs only: put \"oauth\": { "
			"\"clientId\": ..., \"clientSecret\": \"$SECRET\" } into the server's "
			"settings",
			f->server.issuer);
	f->redirect_uri = "";
	*grant = with_client(f, *grant, f->set->client_id, f->set->client_secret, false);
	*grant = json_pack_more(f->a, *grant, "grantType:z", "client_credentials");
	return oauth_refresh(&f->net, f->a, *grant, grant, err);
}

static int run(struct flow *f, struct err *err)
{
	const struct json *grant;
	const char *scope;
	int r = find_server(f, err);

	if (r < 0)
		return r;
	scope = choose_scope(f);
	grant = json_pack(
		f->a, "?issuer:z tokenUrl:z resource:z ?scope:z", f->server.issuer,
		f->server.token_url,
		f->resource.resource ? f->resource.resource : url_text(f->a, &f->auth->url), scope);
	r = f->set->by_secret || !f->server.codes ? by_secret(f, &grant, err)
						  : by_code(f, &grant, err);
	return r < 0 ? r : auth_keep(f->auth, grant, err);
}

int mcp_auth_sign_in(struct mcp_auth *auth, const struct mcp_sign_in *how, struct cancel *cancel,
		     struct err *err)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct flow f = {
		.auth = auth,
		.set = &auth->config->oauth,
		.how = how,
		.net = auth_net(auth, cancel),
		.a = &a,
		.old = auth_grant(auth, &a),
		.loopback = { .fd = -1 },
	};
	int r;

	if (!url_is_private(&auth->url))
		return err_set(
			err, E_UNTRUSTED,
			"%s is neither https nor on this machine: a token sent there could be "
			"read by everybody",
			auth->url.origin);
	pthread_mutex_lock(&auth->lock);
	f.challenge = auth->challenge;
	f.status = auth->status;
	pthread_mutex_unlock(&auth->lock);
	r = run(&f, err);
	loopback_close(&f.loopback);
	if (r >= 0) {
		pthread_mutex_lock(&auth->lock);
		auth->challenge = (struct challenge){ 0 };
		auth->status = 0;
		pthread_mutex_unlock(&auth->lock);
	}
	return r;
}

#include "mcp/oauth_token.h"

#include "base/base64.h"
#include "base/json_pack.h"
#include "base/utf8.h"
#include "mcp/challenge.h"
#include "net/fetch.h"
#include "os/clock.h"

enum { EARLY_S = 30 /* a token is renewed before it is over */ };
enum { REQUEST_MS = 30000, TOKEN_MAX = 16 << 10, SAID_MAX = 200 };

/* ---- requests ---- */

static bool may_enter(void *data, const char *host, int port)
{
	const struct oauth_net *net = data;
	struct str own = str_from(net->server->host);

	if (str_starts(own, STR("[")))
		own = str_sub(own, 1, own.n - 1);
	return net->inside || (port == net->server->port && str_eqz(own, host));
}

int oauth_send(const struct oauth_net *net, struct arena *a, const char *url,
	       const char *const *headers, struct str body, struct oauth_reply *ret_reply,
	       struct err *err)
{
	AUTO(fetch_reply_done) struct fetch_reply reply = { 0 };
	struct oauth_net copy = *net;
	const struct fetch f = { .url = url,
				 .headers = headers,
				 .max_bytes = OAUTH_META_MAX,
				 .timeout_ms = net->timeout_ms ? net->timeout_ms : REQUEST_MS,
				 .body = body,
				 .stays = true,
				 .may_enter = may_enter,
				 .data = &copy };
	int r = oauth_check_url(a, "the address", url, err);

	r = r < 0 ? r : fetch_run(&f, net->cancel, &reply, err);
	if (r < 0)
		return r;
	if (reply.cut)
		return err_set(err, E_LIMIT, "the answer is longer than %d KiB",
			       OAUTH_META_MAX >> 10);
	*ret_reply =
		(struct oauth_reply){ reply.http.status, arena_str(a, buf_str(&reply.http.body)) };
	return 0;
}

int oauth_post(const struct oauth_net *net, struct arena *a, const char *url,
	       const char *const *headers, struct str body, const struct json **ret_v,
	       struct err *err)
{
	static const struct json_limits limits = { OAUTH_META_MAX, 16 };
	AUTO(buf_done) struct buf clean = { 0 };
	struct str error, why, said;
	struct oauth_reply reply;
	const struct json *v = NULL;
	int r = oauth_send(net, a, url, headers, body, &reply, err);

	if (r < 0)
		return r;
	if (json_parse_at(a, reply.body, 0, &limits, &v, NULL, NULL) < 0 || !json_is(v, J_OBJ))
		v = NULL;
	error = json_get_str(v, "error");
	why = json_get_str(v, "error_description");
	if (reply.status < 200 || reply.status > 299 || error.n) {
		/* "invalid_grant (the code is too old)", fit for a line. */
		said = error.n ? arena_printf(a, "%.*s%s%.*s%s", STR_ARG(error), why.n ? " (" : "",
					      STR_ARG(why), why.n ? ")" : "")
			       : arena_printf(a, "status %d", reply.status);
		(void)utf8_add_visible(&clean, utf8_prefix(said, SAID_MAX), false);
		return err_set(err, reply.status >= 500 ? E_IO : E_UNTRUSTED,
			       "the authorization server refuses: %s", buf_z(&clean));
	}
	if (!v)
		return err_set(err, E_PARSE, "the authorization server's answer is no JSON object");
	*ret_v = v;
	return 0;
}

void form_add(struct buf *form, const char *name, struct str value)
{
	buf_addf(form, "%s%s=", form->n ? "&" : "", name);
	url_escape(form, value);
}

/* ---- tokens ---- */

static bool is_token(struct str s)
{
	return s.n > 0 && s.n <= TOKEN_MAX && str_is_visible(s);
}

/* What the server leaves out stays as it was. */
static int take_reply(struct arena *a, const struct json *grant, const struct json *reply,
		      const struct json **ret_grant, struct err *err)
{
	struct str access = json_get_str(reply, "access_token");
	struct str refresh = json_get_str(reply, "refresh_token");
	struct str type = json_get_str(reply, "token_type"), scope = json_get_str(reply, "scope");
	double life_s = json_num_in_text(json_getz(reply, "expires_in"), 0);
	char granted[CHALLENGE_SCOPE_MAX] = "";

	if (!is_token(access) || (type.n && !str_eqz_icase(type, "bearer")))
		return err_set(err, E_PARSE,
			       "the authorization server's answer holds no bearer token");
	grant = json_pack_more(a, grant, "accessToken:s", access);
	if (is_token(refresh))
		grant = json_pack_more(a, grant, "refreshToken:s", refresh);
	if (scope.n && scope_add(granted, sizeof granted, scope))
		grant = json_pack_more(a, grant, "scope:z", granted);
	grant = json_without(a, grant, STR("expiresAt"));
	life_s -= life_s > 2 * EARLY_S ? EARLY_S : life_s / 2;
	if (life_s > 0 && life_s < 1e10)
		grant = json_pack_more(a, grant, "expiresAt:l",
				       clock_wall_ms() + (int64_t)(life_s * 1000));
	if (scope_covers(json_get_str(grant, "scope"), json_get_str(grant, "wanted")))
		grant = json_without(a, grant, STR("wanted"));
	*ret_grant = json_dup(a, grant);
	return 0;
}

int oauth_token(const struct oauth_net *net, struct arena *a, const struct json *grant,
		struct str form, const struct json **ret_grant, struct err *err)
{
	const char *headers[] = { "Accept: application/json",
				  "Content-Type: application/x-www-form-urlencoded", NULL, NULL };
	struct str id = json_get_str(grant, "clientId"),
		   secret = json_get_str(grant, "clientSecret");
	struct str resource = json_get_str(grant, "resource");
	int method = oauth_method_of(json_get_str(grant, "method"));
	AUTO(buf_done) struct buf body = { 0 };
	const struct json *reply;
	int r;

	buf_adds(&body, form);
	if (method == OAUTH_BASIC) {
		/* RFC 6749 2.3.1: both halves are escaped before they are joined. */
		AUTO(buf_done) struct buf pair = { 0 }, header = { 0 };

		url_escape(&pair, id);
		buf_addc(&pair, ':');
		url_escape(&pair, secret);
		buf_addz(&header, "Authorization: Basic ");
		base64_add(&header, buf_str(&pair));
		headers[2] = arena_z(a, buf_str(&header));
	} else {
		form_add(&body, "client_id", id);
		if (method == OAUTH_POST)
			form_add(&body, "client_secret", secret);
	}
	if (resource.n)
		form_add(&body, "resource", resource);
	r = oauth_post(net, a, arena_z(a, json_get_str(grant, "tokenUrl")), headers, buf_str(&body),
		       &reply, err);
	return r < 0 ? r : take_reply(a, grant, reply, ret_grant, err);
}

bool oauth_can_refresh(const struct json *grant)
{
	return json_get_str(grant, "refreshToken").n ||
	       str_eqz(json_get_str(grant, "grantType"), "client_credentials");
}

int oauth_refresh(const struct oauth_net *net, struct arena *a, const struct json *grant,
		  const struct json **ret_grant, struct err *err)
{
	AUTO(buf_done) struct buf form = { 0 };
	struct str scope = json_get_str(grant, "scope");

	if (!oauth_can_refresh(grant))
		return err_set(err, E_NOTFOUND, "the server gave no refresh token");
	if (str_eqz(json_get_str(grant, "grantType"), "client_credentials")) {
		form_add(&form, "grant_type", STR("client_credentials"));
		if (scope.n)
			form_add(&form, "scope", scope);
	} else {
		form_add(&form, "grant_type", STR("refresh_token"));
		form_add(&form, "refresh_token", json_get_str(grant, "refreshToken"));
	}
	return oauth_token(net, a, grant, buf_str(&form), ret_grant, err);
}

#include "mcp/oauth_meta.h"

#include "mcp/challenge.h"

const char *const oauth_method_names[OAUTH_METHODS] = {
	[OAUTH_NONE] = "none",
	[OAUTH_BASIC] = "client_secret_basic",
	[OAUTH_POST] = "client_secret_post",
};

int oauth_method_of(struct str name)
{
	for (int i = 0; i < OAUTH_METHODS; i++)
		if (str_eqz(name, oauth_method_names[i]))
			return i;
	return -1;
}

/* ---- where it is ---- */

/* The path as it is put behind /.well-known/NAME: "" for a server's root. */
static struct str own_path(const struct url *u)
{
	struct str path = str_from(u->path);

	while (str_ends(path, STR("/")))
		path.n--;
	return path;
}

size_t oauth_resource_places(struct arena *a, const struct url *server,
			     const char *places[OAUTH_PLACES_MAX])
{
	static const char root[] = "/.well-known/oauth-protected-resource";
	struct str path = own_path(server);
	size_t n = 0;

	if (path.n)
		places[n++] = arena_printf(a, "%s%s%.*s%s%s", server->origin, root, STR_ARG(path),
					   *server->query ? "?" : "", server->query)
				      .p;
	places[n++] = arena_printf(a, "%s%s", server->origin, root).p;
	return n;
}

size_t oauth_issuer_places(struct arena *a, const struct url *issuer,
			   const char *places[OAUTH_PLACES_MAX])
{
	static const char oauth[] = "/.well-known/oauth-authorization-server";
	static const char openid[] = "/.well-known/openid-configuration";
	struct str path = own_path(issuer);
	size_t n = 0;

	places[n++] = arena_printf(a, "%s%s%.*s", issuer->origin, oauth, STR_ARG(path)).p;
	places[n++] = arena_printf(a, "%s%s%.*s", issuer->origin, openid, STR_ARG(path)).p;
	if (path.n)
		places[n++] = arena_printf(a, "%s%.*s%s", issuer->origin, STR_ARG(path), openid).p;
	return n;
}

/* ---- what it says ---- */

static int read_object(struct arena *a, struct str text, const struct json **ret_v, struct err *err)
{
	static const struct json_limits limits = { OAUTH_META_MAX, 16 };
	int r = json_parse_at(a, text, 0, &limits, ret_v, NULL, err);

	if (r < 0)
		return err_wrap(err, "its metadata");
	return json_is(*ret_v, J_OBJ) ? 0 : err_set(err, E_PARSE, "its metadata is no JSON object");
}

static const char *text_of(struct arena *a, const struct json *v, const char *key)
{
	struct str s = json_get_str(v, key);

	return s.n && !memchr(s.p, '\0', s.n) ? arena_z(a, s) : NULL;
}

static bool lists(const struct json *v, const char *key, const char *word)
{
	const struct json *list = json_getz(v, key);

	for (size_t i = 0; json_is(list, J_ARR) && i < list->n; i++)
		if (str_eqz(json_str(json_at(list, i), STR("")), word))
			return true;
	return false;
}

/* scopes_supported as a scope; what is no scope is left out. */
static const char *scopes_of(struct arena *a, const struct json *v)
{
	const struct json *list = json_getz(v, "scopes_supported");
	char scope[CHALLENGE_SCOPE_MAX] = "";

	for (size_t i = 0; json_is(list, J_ARR) && i < list->n; i++) {
		struct str word = json_str(json_at(list, i), STR(""));

		if (word.n && str_chr(word, ' ', 0) < 0)
			(void)scope_add(scope, sizeof scope, word);
	}
	return arena_z(a, str_from(scope));
}

int oauth_check_url(struct arena *a, const char *what, const char *text, struct err *err)
{
	struct url u;

	/* People are shown it. */
	for (const char *p = text; *p; p++)
		if ((unsigned char)*p > 0x7e)
			return err_set(err, E_INVAL, "%s is not ASCII", what);
	if (url_read(a, text, &u, err) < 0)
		return err_wrap(err, "%s", what);
	return url_is_private(&u)
		       ? 0
		       : err_set(err, E_UNTRUSTED,
				 "%s is neither https nor on this machine: everybody could read "
				 "along",
				 what);
}

int oauth_resource_read(struct arena *a, struct str text, const struct url *server,
			struct oauth_resource *ret, struct err *err)
{
	struct oauth_resource found = { 0 };
	const struct json *v;
	struct url resource;
	int r = read_object(a, text, &v, err);

	if (r < 0)
		return r;
	found.resource = text_of(a, v, "resource");
	if (!found.resource)
		return err_set(err, E_PARSE, "its metadata does not say of which resource it is");
	if (url_read(a, found.resource, &resource, NULL) < 0 || !url_is_below(server, &resource))
		return err_set(err, E_UNTRUSTED, "its metadata is of another server (%.200s)",
			       found.resource);
	const struct json *first = json_at(json_getz(v, "authorization_servers"), 0);
	struct str issuer = json_str(first, STR(""));
	if (issuer.n && !memchr(issuer.p, '\0', issuer.n)) {
		found.issuer = arena_z(a, issuer);
		r = oauth_check_url(a, "the authorization server", found.issuer, err);
	}
	found.scopes = scopes_of(a, v);
	if (r >= 0)
		*ret = found;
	return r;
}

/* The same address but for a slash at its end. */
static bool same_issuer(const char *a, const char *b)
{
	struct str x = str_from(a), y = str_from(b);

	x.n -= str_ends(x, STR("/"));
	y.n -= str_ends(y, STR("/"));
	return str_eq(x, y);
}

int oauth_issuer_read(struct arena *a, struct str text, const char *issuer, const struct url *from,
		      struct oauth_server *ret, struct err *err)
{
	struct oauth_server s = { 0 };
	const struct json *v, *methods;
	struct url named;
	int r = read_object(a, text, &v, err);

	if (r < 0)
		return r;
	s.issuer = text_of(a, v, "issuer");
	if (!s.issuer || url_read(a, s.issuer, &named, NULL) < 0)
		return err_set(err, E_PARSE, "its metadata names no issuer");
	if (issuer ? !same_issuer(s.issuer, issuer) : strcmp(named.origin, from->origin) != 0)
		return err_set(err, E_UNTRUSTED, "its metadata is of another issuer (%.200s)",
			       s.issuer);
	const struct {
		const char *key, *what;
		const char **to;
	} urls[] = {
		{ "authorization_endpoint", "the authorization endpoint", &s.authorize_url },
		{ "token_endpoint", "the token endpoint", &s.token_url },
		{ "registration_endpoint", "the registration endpoint", &s.register_url },
	};
	for (size_t i = 0; i < ARRAY_LEN(urls); i++) {
		*urls[i].to = text_of(a, v, urls[i].key);
		if (*urls[i].to && oauth_check_url(a, urls[i].what, *urls[i].to, err) < 0)
			return -E_UNTRUSTED;
	}
	if (!s.token_url)
		return err_set(err, E_PARSE, "its metadata names no token endpoint");
	s.scopes = scopes_of(a, v);
	methods = json_getz(v, "token_endpoint_auth_methods_supported");
	for (int i = 0; i < OAUTH_METHODS; i++)
		if (lists(v, "token_endpoint_auth_methods_supported", oauth_method_names[i]))
			s.methods |= 1u << i;
	if (!methods) /* RFC 8414's default; clients without a secret always are */
		s.methods = 1u << OAUTH_BASIC | 1u << OAUTH_NONE;
	s.pkce = lists(v, "code_challenge_methods_supported", "S256");
	s.documents = json_is_true(json_getz(v, "client_id_metadata_document_supported"));
	s.names_itself =
		json_is_true(json_getz(v, "authorization_response_iss_parameter_supported"));
	s.secrets = lists(v, "grant_types_supported", "client_credentials");
	s.codes = s.authorize_url && (!json_getz(v, "grant_types_supported") ||
				      lists(v, "grant_types_supported", "authorization_code"));
	*ret = s;
	return 0;
}

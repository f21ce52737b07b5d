/*
 * What a server and its authorization server say about OAuth.  The first byte says what it is: a
 * WWW-Authenticate, metadata of a resource, of an issuer, a form.
 */
#include "mcp/challenge.h"
#include "mcp/oauth_meta.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check_scope(const char *scope)
{
	if (!scope_covers(str_from(scope), str_from(scope)))
		abort();
	for (const char *p = scope; *p; p++)
		if (*p < ' ' || *p == '"' || *p == 0x7f)
			abort();
}

static void read_challenge(struct str text)
{
	struct challenge c = { 0 };

	challenge_read(text, &c);
	challenge_read(text, &c);
	check_scope(c.scope);
	if (!c.bearer && (*c.scope || *c.metadata || *c.error))
		abort();
}

/* Whatever may be asked is https, or on this machine. */
static void check_url(struct arena *a, const char *url)
{
	struct url u;

	if (url && (url_read(a, url, &u, NULL) < 0 || !url_is_private(&u)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct str text = { (const char *)data + 1, n - 1 };
	struct oauth_resource resource;
	struct oauth_server server;
	const char *places[OAUTH_PLACES_MAX];
	struct str value;
	struct url own;

	if (!n)
		return 0;
	if (url_read(&a, "https://example.com/a/mcp", &own, NULL) < 0)
		return 0; /* without libcurl */
	if (data[0] % 4 == 0) {
		read_challenge(text);
	} else if (data[0] % 4 == 1) {
		if (oauth_resource_read(&a, text, &own, &resource, NULL) < 0)
			return 0;
		check_url(&a, resource.issuer);
		check_scope(resource.scopes);
		if (resource.issuer && url_read(&a, resource.issuer, &own, NULL) == 0 &&
		    oauth_issuer_places(&a, &own, places) < 2)
			abort();
	} else if (data[0] % 4 == 2) {
		if (oauth_issuer_read(&a, text, NULL, &own, &server, NULL) < 0)
			return 0;
		check_url(&a, server.authorize_url);
		check_url(&a, server.token_url);
		check_url(&a, server.register_url);
		check_scope(server.scopes);
	} else if (url_form_get(&a, text, "code", &value) && value.n > text.n) {
		abort();
	}
	return 0;
}

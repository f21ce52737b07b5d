/*
 * What OAuth's metadata says, read with suspicion: of a protected resource (RFC 9728), of an
 * authorization server (RFC 8414, OpenID Connect Discovery).  Nothing here connects to anything.
 */
#pragma once

#include "base/json.h"
#include "net/url.h"

enum { OAUTH_META_MAX = 256 << 10, OAUTH_PLACES_MAX = 3 };

/* How a client authenticates at the token endpoint; the rows are in the order of preference. */
enum oauth_method { OAUTH_NONE, OAUTH_BASIC, OAUTH_POST, OAUTH_METHODS };
extern const char *const oauth_method_names[OAUTH_METHODS];
/* -1 for what is none. */
int oauth_method_of(struct str name);

struct oauth_resource {
	const char *resource; /* its identifier */
	const char *issuer; /* of its first authorization server; NULL = it names none */
	const char *scopes; /* "a b", "" when it says none */
};

struct oauth_server {
	const char *issuer;
	const char *authorize_url, *token_url, *register_url; /* NULL = it has none */
	const char *scopes; /* all that it knows, "" when it does not say */
	unsigned methods; /* 1 << enum oauth_method */
	bool pkce; /* S256 is supported */
	bool documents; /* a client may be the address of a document (CIMD) */
	bool names_itself; /* its answers have `iss` (RFC 9207) */
	bool codes, secrets; /* grants: authorization_code, client_credentials */
};

/* Where metadata may be, in the order of trying; how many. */
size_t oauth_resource_places(struct arena *a, const struct url *server,
			     const char *places[OAUTH_PLACES_MAX]);
size_t oauth_issuer_places(struct arena *a, const struct url *issuer,
			   const char *places[OAUTH_PLACES_MAX]);
/* The metadata must be about this server: -E_UNTRUSTED when it is about another one. */
int oauth_resource_read(struct arena *a, struct str text, const struct url *server,
			struct oauth_resource *ret, struct err *err);
/*
 * issuer: what it must call itself; NULL = any name on the server of `from`, where it was found
 * (in the protocol of 2025-03-26 no one names the issuer).
 */
int oauth_issuer_read(struct arena *a, struct str text, const char *issuer, const struct url *from,
		      struct oauth_server *ret, struct err *err);
/* An address that requests with secrets may go to: NULL, or -E_INVAL and why not. */
int oauth_check_url(struct arena *a, const char *what, const char *text, struct err *err);

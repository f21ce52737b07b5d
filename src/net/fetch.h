/*
 * GET (or POST) of an address that a model, a page or a server has named, and which is not to lead
 * into the networks of the machine it runs on: connections to addresses that are not public
 * (loopback, private, link-local, multicast...) end before the request is sent.  What counts is the
 * address connected to, at every redirect; so neither a name that changes its address nor a
 * redirect leads in.
 *
 * Through a proxy it is the proxy that looks names up.  Then names of one label, and those of
 * .localhost, .local and .internal are refused as well, and the rest is the proxy's to refuse.
 */
#pragma once

#include "net/http.h"

/* All borrowed. */
struct fetch {
	const char *url;
	const char *const *headers; /* "Name: value", NULL-terminated, for every server; or NULL */
	size_t max_bytes; /* of the reply's body; what follows is not read */
	int timeout_ms; /* of all of it */
	struct str body; /* what is posted; .p NULL = it is a GET */
	bool stays; /* a redirect is the reply, and is not followed */
	int idle_timeout_ms; /* longest silence, 0 = 10,000 */
	/* Is this server the user's own, and welcome although it is not public?  NULL = none is. */
	bool (*may_enter)(void *data, const char *host, int port);
	void *data;
};

/* All-zero, or that of a fetch before; call fetch_reply_done in any case. */
struct fetch_reply {
	struct http_reply http;
	char *url; /* where redirects have led to; NULL when to nowhere else */
	bool cut; /* the body is longer */
};

/*
 * (waits) As http_run; besides, -E_UNTRUSTED for an address that is not public and -E_INVAL for one
 * with a user name in it.
 */
int fetch_run(const struct fetch *f, struct cancel *cancel, struct fetch_reply *reply,
	      struct err *err);
void fetch_reply_done(struct fetch_reply *reply);

/*
 * Does the address itself name a place in the user's own networks that is not welcome?  What only a
 * name server can tell is judged when it is fetched.
 */
bool fetch_is_blocked(const struct fetch *f);

/* Is it an IP address ("192.0.2.1", "::1", without brackets) that is everybody's? */
bool address_is_public(const char *ip);

DEFINE_AUTO(struct fetch_reply, fetch_reply_done)

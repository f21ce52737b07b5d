/*
 * HTTP requests over libcurl, one at a time and blocking, each with a cancel object.  libcurl is
 * loaded when the first request goes out: a program that sends none does not pay for it.
 *
 *	AUTO(http_free) struct http *h = http_new();
 *	AUTO(http_reply_done) struct http_reply reply = {0};
 *	struct http_request rq = { .url = url, .headers = headers, .body = body };
 *	r = http_run(h, &rq, cancel, &reply, err);
 *
 * A struct http keeps connections for reuse and belongs to one thread at a time; any number of
 * threads may have their own.  Sockets are close-on-exec.  Two descriptors with which libcurl (7.88
 * is one) wakes itself up are not: children are started with os/proc.h, which hands none down.
 *
 * From the environment come proxies (http_proxy, https_proxy, all_proxy, no_proxy, as with curl)
 * and certificates: SSL_CERT_FILE and SSL_CERT_DIR instead of the system's, NODE_EXTRA_CA_CERTS (a
 * file) besides them.  The program is to ignore SIGPIPE.
 */
#pragma once

#include "base/buf.h"
#include "base/cancel.h"
#include "base/err.h"

struct http;

struct http *http_new(void) MUST_CHECK;
void http_free(struct http *h);

/* All borrowed. */
struct http_request {
	const char *method; /* NULL = POST with a body, else GET */
	const char *url; /* http or https */
	const char *const *headers; /* "Name: value", NULL-terminated; NULL = none */
	struct str body;
	int connect_timeout_ms; /* until name, connection and TLS are there; 0 = 30,000 */
	int idle_timeout_ms; /* longest time without a byte in or out, 0 = 300,000 */
	/* Further attempts after 429, 5xx or a failed connection, but to a port of our own machine
	 * without a listener; 0 = none. */
	int retries;
	size_t max_bytes; /* of the reply's body when it is kept, 0 = 64 MiB; more is -E_LIMIT */
	/*
	 * Called before each wait for another attempt, with the number of the one that failed (from
	 * 1) and why it did ("the server answered 429"); NULL allowed.
	 */
	void (*on_retry)(void *data, int attempt, int wait_ms, const char *why);
	/*
	 * Called with each piece of the body of a 2xx reply, whose status and type are already in
	 * *reply; a negative return ends the request with that error, HTTP_SILENCE says that the
	 * piece counts as silence.  NULL: the body is kept in reply->body.
	 */
	int (*on_data)(void *data, struct str bytes, struct err *err);
	void *data; /* for both */
};

struct http_reply {
	int status; /* 0 when there was none */
	/*
	 * Of a 2xx reply without on_data, whole.  Of any other reply, cut at HTTP_ERROR_BODY_MAX
	 * bytes.
	 */
	struct buf body;
	char content_type[128]; /* with its parameters; "" when there is none or too long a one */
	int attempts; /* how many times the request went out */
	int retry_after_s; /* how long the server asked to wait; 0 = it did not */
	/* Of a request that failed: */
	bool cut; /* the reply broke off after it had begun */
	bool nobody; /* no program listens at this address of our own machine */
};

/* A server that asks for a longer wait than this is not asked again. */
enum { HTTP_RETRY_AFTER_MAX_S = 60 };

enum { HTTP_SILENCE = 1 }; /* of on_data: keep-alives, which say nothing */
enum { HTTP_ERROR_BODY_MAX = 1 << 20, HTTP_HEADERS_MAX = 256 << 10, HTTP_REDIRECTS_MAX = 5 };

/*
 * (waits) Returns 0 when there was a reply, whatever its status.  Else -E_CANCEL; -E_INVAL for what
 * cannot be sent (a header with a line break is one); -E_LIMIT for a reply over max_bytes or with
 * headers over HTTP_HEADERS_MAX; -E_NOTFOUND without libcurl; what on_data returned; or -E_IO and a
 * sentence ("could not connect to HOST: ...", "the server sent nothing for 300 s").  -E_IO is also a
 * success in a Content-Encoding, which is never asked for; an error's body in one is left out.
 *
 * *reply is all-zero or that of a request before, whose body is freed; call http_reply_done in any
 * case.
 *
 * Another attempt is made after 429, 500, 502, 503, 504, 529 and after a connection that failed
 * before the first byte of a reply, so nothing is retried once on_data was called.  The waits are
 * what Retry-After says (at most 60 s), else 1, 2, 4, 8, 16, 16... s, a quarter more or less.
 *
 * A GET follows redirects, never from https to http.  The caller's headers may hold a key: they go
 * to the server of the URL only.
 */
int http_run(struct http *h, const struct http_request *rq, struct cancel *cancel,
	     struct http_reply *reply, struct err *err);
void http_reply_done(struct http_reply *reply);
/* Is it a status after which another attempt is made? */
bool http_status_passes(int status);
/* Is a header of that name in the NULL-terminated list?  `name` may have its value behind it. */
bool http_has_header(const char *const *headers, const char *name);

DEFINE_AUTO_PTR(struct http, http_free)
DEFINE_AUTO(struct http_reply, http_reply_done)

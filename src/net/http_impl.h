/*
 * What the halves of http.h share: http.c checks requests, follows redirects and makes attempts,
 * http_transfer.c sends one request and reads its reply.
 */
#pragma once

#include "net/curl_load.h"
#include "net/http.h"

struct http {
	const struct curl_api *api; /* NULL before the first request */
	CURLM *multi;
	CURL *easy;
	char detail[CURL_ERROR_SIZE]; /* what libcurl says about a failure */
};

/* One request to one URL. */
struct transfer {
	struct http *h;
	const struct http_request *rq;
	const char *url;
	const char *server; /* scheme, host and port of the URL */
	bool foreign; /* a redirect led to another server: without the caller's headers */
	struct cancel *cancel;
	struct http_reply *reply;
	/* What came of it. */
	size_t received; /* bytes of the reply, headers included */
	bool may_retry; /* failed, and nothing of a reply has come */
	int retry_after_s; /* 0 = not said */
	char *redirect; /* absolute URL the reply points to, or NULL; free() */
	/* private */
	size_t header_bytes;
	char encoding[32]; /* of the body; "" = none */
	int failed; /* negative code why a callback ended it */
	struct err *err;
	bool enough; /* an error body was cut at its limit: good as it is */
	int64_t active_us; /* when the last byte moved */
	curl_off_t sent;
};

/* (waits) 0 when there was a reply; t->reply is filled as far as it goes. */
int transfer_run(struct transfer *t, struct err *err);

/* The method as it is sent. */
const char *request_method(const struct http_request *rq);

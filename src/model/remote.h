/*
 * What the providers over HTTP share: one request with a JSON body, an answer as one JSON value or
 * as a stream of them, and the sentences for what goes wrong.
 */
#pragma once

#include "model/provider.h"

struct http;

/* What differs between the APIs. */
struct remote_api {
	const char *base_url; /* without a slash at the end */
	const char *key_header; /* "x-goog-api-key: " */
	const char *key_variable; /* where a user sets the key: "GEMINI_API_KEY" */
	const char *base_variable; /* and the address: "OPENAI_BASE_URL" */
};

struct remote {
	struct provider p;
	const struct remote_api *api;
	struct http *http;
	char *base; /* without slashes at the end */
	char *key; /* "" = none */
	int idle_timeout_ms, retries;
};

/* Fills what provider_gemini_new() and its kin were given. */
void remote_init(struct remote *r, const struct provider_ops *ops, const struct remote_api *api,
		 const struct provider_options *o);
/* Frees what remote_init() made, not r itself. */
void remote_done(struct remote *r);

/* Called with each event's data, an object that lives until the call returns. */
typedef int remote_event_fn(void *data, const struct json *event, struct err *err);

/*
 * (waits) POST of body, the answer as server-sent events.  The event "[DONE]" is not passed on;
 * *ret_done (NULL allowed) says whether it came.
 */
int remote_stream(struct remote *r, const char *url, struct str body, remote_event_fn *event,
		  void *data, bool *ret_done, struct cancel *cancel, struct err *err);
/* (waits) POST of body; *ret_answer is an object in the arena. */
int remote_post(struct remote *r, const char *url, struct str body, struct arena *a,
		const struct json **ret_answer, struct cancel *cancel, struct err *err);

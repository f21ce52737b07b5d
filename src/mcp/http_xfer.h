/*
 * One HTTP request of a server's link.  Several are under way at once on the link's multi handle,
 * all in the server's thread, which is why net/http.h (one at a time, blocking) does not do.  What
 * comes is handed on piece by piece; nothing is added to the multi handle in a callback, since
 * libcurl does not allow it.
 */
#pragma once

#include "base/arena.h"
#include "mcp/challenge.h"
#include "net/curl_load.h"
#include "net/sse.h"

/* XFER_RESUME: a GET that takes up a POST's stream where that has ended. */
enum xfer_kind { XFER_POST, XFER_LISTEN, XFER_RESUME, XFER_LEAVE };

/* An error's body is kept up to this. */
enum { XFER_ERROR_MAX = 300, XFER_SESSION_MAX = 1024 };
/* Of one stream: attempts in a row that did not get at it, and attempts at all. */
enum { XFER_FAILURES_MAX = 5, XFER_RESUMES_MAX = 1000 };

struct xfer {
	enum xfer_kind kind;
	int64_t id; /* of the request in it, or whose stream it takes up; 0 = none */
	int64_t due_us; /* not to be started before */
	struct buf text; /* what is posted */
	void *owner; /* the caller's */
	bool unwanted; /* its answer is not wanted any more */
	/* What came of it. */
	long status; /* 0 = no answer yet */
	bool is_stream; /* the answer is an event stream, and went to on_event */
	struct buf body; /* else */
	char session[XFER_SESSION_MAX]; /* Mcp-Session-Id of the answer, or "" */
	struct err err; /* why it failed here; .code 0 = it did not */
	struct sse sse; /* its id, where it is resumed, is set before it is started */
	int failures, resumes; /* of the stream so far */
	struct challenge challenge; /* of a refusal */
	char *bearer; /* the Authorization that we sent; NULL = none */
	bool again; /* with another token than before */
	/* private */
	const struct curl_api *api;
	CURL *easy;
	struct arena arena; /* of url and headers */
	struct buf pem;
	char detail[CURL_ERROR_SIZE];
};

struct xfer_options {
	const char *url;
	const char *const *own; /* "Name: value", NULL-terminated */
	const char *const *theirs; /* the same, which count instead of ours */
	/* Of an event stream; data is the struct xfer. */
	int (*on_event)(void *data, const struct sse_event *event, struct err *err);
};

struct xfer *xfer_new(enum xfer_kind kind, struct str text, int64_t id) MUST_CHECK;
/* Adds it to the multi handle. */
int xfer_start(struct xfer *x, const struct curl_api *api, CURLM *multi,
	       const struct xfer_options *o, struct err *err);
/*
 * The request that takes up the event stream of x, which has ended; NULL when its events had no id,
 * or when there is no point in another attempt.
 */
struct xfer *xfer_resume(const struct xfer *x) MUST_CHECK;
/* The id after which the server is to go on; "" when there is none that can be sent. */
struct str xfer_last_event(const struct xfer *x);
/* Is it on a multi handle? */
bool xfer_started(const struct xfer *x);
/* Libcurl is done with it: x->err and x->status say how it went. */
void xfer_finish(struct xfer *x, CURLcode code);
/* Takes it from the multi handle, whatever it is doing. */
void xfer_free(struct xfer *x, CURLM *multi);

/*
 * The address that `relative` means at base, in the arena; -E_UNTRUSTED when it is another
 * server's: what we send there may hold a key.
 */
int url_beside(const struct curl_api *api, struct arena *a, const char *base, const char *relative,
	       const char **ret_url, struct err *err);

#include "mcp/http_xfer.h"

#include "mcp/rpc.h"
#include "net/curl_connect.h"
#include "net/http.h"
#include "os/clock.h"

enum { CONNECT_MS = 30000, RESUME_MIN_MS = 10 /* whatever the server says */ };

struct xfer *xfer_new(enum xfer_kind kind, struct str text, int64_t id)
{
	struct xfer *x = xcalloc(1, sizeof *x);

	x->kind = kind;
	x->id = id;
	buf_adds(&x->text, text);
	return x;
}

bool xfer_started(const struct xfer *x)
{
	return x->easy;
}

/* ---- what comes ---- */

static bool is_success(const struct xfer *x)
{
	return x->status >= 200 && x->status < 300;
}

static bool is_event_stream(const struct xfer *x)
{
	const char *theirs = NULL;

	(void)x->api->easy_getinfo(x->easy, CURLINFO_CONTENT_TYPE, &theirs);
	return is_success(x) && str_starts_icase(str_from(theirs), STR("text/event-stream"));
}

/* Anything but n ends the transfer. */
static size_t on_body(char *p, size_t size, size_t n, void *data)
{
	struct str bytes = { p, size * n };
	struct xfer *x = data;

	if (!x->status) {
		(void)x->api->easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &x->status);
		x->is_stream = is_event_stream(x);
		x->body.max = is_success(x) ? RPC_MAX_BYTES : 0;
	}
	if (x->is_stream)
		return sse_feed(&x->sse, bytes, &x->err) < 0 ? 0 : size * n;
	if (!is_success(x))
		bytes = str_sub(bytes, 0, XFER_ERROR_MAX - min_size(x->body.n, XFER_ERROR_MAX));
	buf_adds(&x->body, bytes);
	if (!x->body.full)
		return size * n;
	(void)err_set(&x->err, E_LIMIT, "the server's answer is longer than 32 MiB");
	return 0;
}

/* The value of this header; .p is NULL when it is another one. */
static struct str value_of(struct str line, struct str name)
{
	if (!str_starts_icase(line, name))
		return (struct str){ 0 };
	return str_trim(str_sub(line, name.n, line.n));
}

static size_t on_header(char *p, size_t size, size_t n, void *data)
{
	struct str line = { p, size * n };
	struct str session = value_of(line, STR("mcp-session-id:"));
	struct str challenge = value_of(line, STR("www-authenticate:"));
	struct xfer *x = data;

	if (session.p) {
		for (size_t i = 0; i < session.n; i++)
			if (session.p[i] < 0x21 || session.p[i] > 0x7e)
				session.n = 0;
		if (session.n >= sizeof x->session)
			session.n = 0;
		memcpy(x->session, session.p, session.n);
		x->session[session.n] = '\0';
	}
	if (challenge.p)
		challenge_read(challenge, &x->challenge);
	return size * n;
}

/* ---- start ---- */

static struct curl_slist *make_headers(struct xfer *x, const struct xfer_options *o)
{
	struct curl_slist *first = NULL, **last = &first;

	for (const char *const *list = o->own; list; list = list == o->own ? o->theirs : NULL)
		for (const char *const *h = list; *h; h++) {
			if (list == o->own && http_has_header(o->theirs, *h))
				continue;
			*last = ARENA_NEW(&x->arena, struct curl_slist);
			(*last)->data = arena_z(&x->arena, str_from(*h));
			last = &(*last)->next;
		}
	return first;
}

int xfer_start(struct xfer *x, const struct curl_api *api, CURLM *multi,
	       const struct xfer_options *o, struct err *err)
{
	static const char *const methods[] = { "POST", "GET", "GET", "DELETE" };
	__typeof__(curl_easy_setopt) *set = api->easy_setopt;
	CURL *easy = api->easy_init();
	int r;

	x->api = api;
	x->easy = easy;
	if (!easy)
		return err_set(err, E_IO, "libcurl does not start");
	x->sse.on_event = o->on_event;
	x->sse.data = x;
	x->sse.max_bytes = RPC_MAX_BYTES;
	(void)set(easy, CURLOPT_URL, arena_z(&x->arena, str_from(o->url)));
	(void)set(easy, CURLOPT_HTTPHEADER, make_headers(x, o));
	(void)set(easy, CURLOPT_PRIVATE, x);
	curl_set_connection(api, easy, CONNECT_MS);
	(void)set(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	(void)set(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
	(void)set(easy, CURLOPT_ERRORBUFFER, x->detail);
	(void)set(easy, CURLOPT_WRITEFUNCTION, on_body);
	(void)set(easy, CURLOPT_WRITEDATA, x);
	(void)set(easy, CURLOPT_HEADERFUNCTION, on_header);
	(void)set(easy, CURLOPT_HEADERDATA, x);
	if (x->kind == XFER_POST) {
		(void)set(easy, CURLOPT_POST, 1L);
		(void)set(easy, CURLOPT_POSTFIELDS, x->text.p);
		(void)set(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)x->text.n);
	}
	(void)set(easy, CURLOPT_CUSTOMREQUEST, methods[x->kind]);
	r = curl_set_certificates(api, easy, &x->pem, err);
	if (r >= 0 && api->multi_add_handle(multi, easy) != CURLM_OK)
		r = err_set(err, E_IO, "libcurl does not start");
	return r;
}

void xfer_finish(struct xfer *x, CURLcode code)
{
	(void)x->api->easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &x->status);
	x->is_stream = x->is_stream || is_event_stream(x); /* perhaps without a byte */
	if (code == CURLE_OK || x->err.code)
		return;
	(void)err_set(&x->err, E_IO, "%s", x->detail[0] ? x->detail : x->api->easy_strerror(code));
}

/* ---- resume ---- */

struct str xfer_last_event(const struct xfer *x)
{
	struct str id = buf_str(&x->sse.id);

	for (size_t i = 0; i < id.n; i++)
		if ((unsigned char)id.p[i] < ' ' || id.p[i] == 0x7f)
			return STR("");
	return id.n <= XFER_SESSION_MAX ? id : STR("");
}

struct xfer *xfer_resume(const struct xfer *x)
{
	int failures = x->is_stream ? 0 : x->failures + 1;
	struct xfer *next;
	int64_t backoff_ms, wait_ms;
	/* A refusal stays one, and so does what was wrong with the stream. */
	bool refused = x->status >= 400 && x->status < 500 && x->status != 408 && x->status != 429;
	bool is_wrong = x->err.code && x->err.code != E_IO;

	if (!xfer_last_event(x).n || refused || is_wrong || failures == XFER_FAILURES_MAX ||
	    x->resumes == XFER_RESUMES_MAX)
		return NULL;
	next = xfer_new(XFER_RESUME, STR(""), x->id);
	next->failures = failures;
	next->resumes = x->resumes + 1;
	buf_adds(&next->sse.id, buf_str(&x->sse.id));
	next->sse.has_retry = x->sse.has_retry;
	next->sse.retry_ms = x->sse.retry_ms;
	/* As long as the server has said; where that fails it is left in peace ever longer. */
	backoff_ms = ((int64_t)1 << next->failures) * clock_patience();
	wait_ms = next->sse.has_retry ? next->sse.retry_ms : backoff_ms;
	if (next->failures && wait_ms < backoff_ms)
		wait_ms = backoff_ms;
	next->due_us = clock_us() + (wait_ms > RESUME_MIN_MS ? wait_ms : RESUME_MIN_MS) * 1000;
	return next;
}

void xfer_free(struct xfer *x, CURLM *multi)
{
	if (x->easy) {
		(void)x->api->multi_remove_handle(multi, x->easy);
		x->api->easy_cleanup(x->easy);
	}
	sse_done(&x->sse);
	buf_done(&x->text);
	buf_done(&x->body);
	buf_done(&x->pem);
	arena_done(&x->arena);
	free(x->bearer);
	free(x);
}

/* ---- addresses ---- */

static bool same_part(const struct curl_api *api, CURLU *a, CURLU *b, CURLUPart part)
{
	char *mine = NULL, *theirs = NULL;
	bool same = api->url_get(a, part, &mine, CURLU_DEFAULT_PORT) == CURLUE_OK &&
		    api->url_get(b, part, &theirs, CURLU_DEFAULT_PORT) == CURLUE_OK &&
		    str_eqz_icase(str_from(mine), theirs);

	if (mine)
		api->free(mine);
	if (theirs)
		api->free(theirs);
	return same;
}

int url_beside(const struct curl_api *api, struct arena *a, const char *base, const char *relative,
	       const char **ret_url, struct err *err)
{
	CURLU *from = api->url(), *to = api->url();
	char *url = NULL;
	bool good = from && to && api->url_set(from, CURLUPART_URL, base, 0) == CURLUE_OK &&
		    api->url_set(to, CURLUPART_URL, base, 0) == CURLUE_OK &&
		    api->url_set(to, CURLUPART_URL, relative, 0) == CURLUE_OK &&
		    same_part(api, from, to, CURLUPART_SCHEME) &&
		    same_part(api, from, to, CURLUPART_HOST) &&
		    same_part(api, from, to, CURLUPART_PORT) &&
		    api->url_get(to, CURLUPART_URL, &url, 0) == CURLUE_OK;

	if (good)
		*ret_url = arena_z(a, str_from(url));
	if (url)
		api->free(url);
	api->url_cleanup(from);
	api->url_cleanup(to);
	return good ? 0
		    : err_set(err, E_UNTRUSTED,
			      "the server wants its messages sent to another server");
}

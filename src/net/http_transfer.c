/* One request, one reply: libcurl's multi handle, polled together with the cancel descriptor. */
#include "net/http_impl.h"

#include <errno.h>
#include <stdio.h>

#include "base/words.h"
#include "net/curl_connect.h"
#include "os/clock.h"

enum { CONNECT_TIMEOUT_MS = 30000, IDLE_TIMEOUT_MS = 300000 };
#define MAX_BYTES ((size_t)64 << 20)
#define CURL_8 0x080000

const char *request_method(const struct http_request *rq)
{
	return rq->method ? rq->method : rq->body.n ? "POST" : "GET";
}

static int or_default(int value, int dflt)
{
	return value ? value : dflt;
}

static void note_activity(struct transfer *t)
{
	t->active_us = clock_us();
}

/* Known as soon as the first byte of the body is there, for on_data to see. */
static void note_head(struct transfer *t)
{
	struct http_reply *reply = t->reply;
	const char *type = NULL;
	long status = 0;

	(void)t->h->api->easy_getinfo(t->h->easy, CURLINFO_RESPONSE_CODE, &status);
	reply->status = (int)status;
	(void)t->h->api->easy_getinfo(t->h->easy, CURLINFO_CONTENT_TYPE, &type);
	reply->content_type[0] = '\0';
	if (type && strlen(type) < sizeof reply->content_type)
		memcpy(reply->content_type, type, strlen(type) + 1);
}

static bool is_success(const struct transfer *t)
{
	return t->reply->status >= 200 && t->reply->status < 300;
}

/* Without the scheme. */
static const char *host_of(const struct transfer *t)
{
	const char *host = strstr(t->server, "://");

	return host ? host + 3 : t->server;
}

static int take_body(struct transfer *t, struct str bytes)
{
	struct buf *body;
	size_t max;

	if (cancel_fired(t->cancel))
		return -E_CANCEL;
	note_head(t);
	if (*t->encoding && !is_success(t))
		return 0;
	if (*t->encoding)
		return err_set(t->err, E_IO,
			       "%s replied with Content-Encoding: %s, which was not requested",
			       host_of(t), t->encoding);
	if (t->rq->on_data && is_success(t))
		return t->rq->on_data(t->rq->data, bytes, t->err);
	body = &t->reply->body;
	max = t->rq->max_bytes ? t->rq->max_bytes : MAX_BYTES;
	if (!is_success(t)) {
		t->enough = bytes.n > HTTP_ERROR_BODY_MAX - body->n;
		buf_adds(body, str_sub(bytes, 0, HTTP_ERROR_BODY_MAX - body->n));
		return 0;
	}
	if (bytes.n > max - body->n)
		return err_set(t->err, E_LIMIT, "the reply is longer than %zu bytes", max);
	buf_adds(body, bytes);
	return 0;
}

/* Anything but n ends the transfer. */
static size_t on_body(char *p, size_t size, size_t n, void *data)
{
	struct transfer *t = data;
	int r;

	t->received += size * n;
	r = take_body(t, (struct str){ p, size * n });
	if (r != HTTP_SILENCE)
		note_activity(t); /* after on_data, whose time is not the server's */
	if (r < 0)
		t->failed = r;
	return r < 0 || t->enough ? 0 : size * n;
}

static size_t on_header(char *p, size_t size, size_t n, void *data)
{
	static const struct str encoding = STR("Content-Encoding:");
	struct str line = { p, size * n };
	struct transfer *t = data;

	/* Of several replies, the last one counts. */
	if (str_starts(line, STR("HTTP/")))
		t->encoding[0] = '\0';
	if (str_starts_icase(line, encoding)) {
		struct str value = str_trim(str_sub(line, encoding.n, line.n));

		if (value.n && !str_eqz_icase(value, "identity"))
			(void)snprintf(t->encoding, sizeof t->encoding, "%.*s", STR_ARG(value));
	}
	note_activity(t);
	t->received += size * n;
	t->header_bytes += size * n;
	if (t->header_bytes <= HTTP_HEADERS_MAX)
		return size * n;
	t->failed = err_set(t->err, E_LIMIT, "the reply's headers are longer than %d bytes",
			    HTTP_HEADERS_MAX);
	return 0;
}

static void set_method(struct transfer *t)
{
	__typeof__(curl_easy_setopt) *set = t->h->api->easy_setopt;
	const char *method = request_method(t->rq);
	const struct str body = t->rq->body;
	CURL *easy = t->h->easy;

	if (body.n || strcmp(method, "POST") == 0) {
		(void)set(easy, CURLOPT_POST, 1L);
		(void)set(easy, CURLOPT_POSTFIELDS, body.n ? body.p : "");
		(void)set(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.n);
	} else {
		(void)set(easy, CURLOPT_HTTPGET, 1L);
	}
	if (strcmp(method, "HEAD") == 0)
		(void)set(easy, CURLOPT_NOBODY, 1L);
	else
		(void)set(easy, CURLOPT_CUSTOMREQUEST, method);
}

bool http_has_header(const char *const *headers, const char *name)
{
	size_t n = strcspn(name, ":");

	for (; *headers; headers++)
		if (str_starts_icase(str_from(*headers), (struct str){ name, n }) &&
		    (*headers)[n] == ':')
			return true;
	return false;
}

/*
 * The list is ours and must outlive the transfer.  A name without a value takes away what libcurl
 * would say by itself.
 */
static struct curl_slist *make_headers(const struct transfer *t)
{
	static const char *const own[] = { "Expect:", "Content-Type:",
					   ("User-Agent: trotline/" TL_VERSION) };
	static const char *const none[] = { NULL };
	const char *const *theirs = t->foreign || !t->rq->headers ? none : t->rq->headers;
	struct curl_slist *list;
	size_t n = 0, i = 0;

	while (theirs[n])
		n++;
	list = xcalloc(n + ARRAY_LEN(own), sizeof *list);
	for (size_t k = 0; k < ARRAY_LEN(own); k++)
		if (!http_has_header(theirs, own[k]))
			list[i++].data = (char *)(uintptr_t)own[k];
	for (size_t k = 0; k < n; k++)
		list[i++].data = (char *)(uintptr_t)theirs[k];
	for (size_t k = 0; k + 1 < i; k++)
		list[k].next = &list[k + 1];
	return list;
}

/* A sentence around the server's name; libcurl's own words follow. */
struct failure {
	CURLcode code;
	bool may_retry; /* when nothing of a reply has come */
	const char *before, *after;
};

static const struct failure failures[] = {
	{ CURLE_UNSUPPORTED_PROTOCOL, false, "", " does not answer with HTTP" },
	{ CURLE_WEIRD_SERVER_REPLY, false, "", " does not answer with HTTP" },
	{ CURLE_COULDNT_RESOLVE_PROXY, true, "could not find the proxy for ", "" },
	{ CURLE_COULDNT_RESOLVE_HOST, true, "could not find ", "" },
	{ CURLE_COULDNT_CONNECT, true, "could not connect to ", "" },
	{ CURLE_OPERATION_TIMEDOUT, true, "could not connect to ", "" },
	{ CURLE_SSL_CONNECT_ERROR, true, "could not make a TLS connection to ", "" },
	{ CURLE_PEER_FAILED_VERIFICATION, false, "the certificate of ", " is not trusted" },
	{ CURLE_SSL_CACERT_BADFILE, false, "the trusted certificates for ", " cannot be read" },
	{ CURLE_GOT_NOTHING, true, "", " closed the connection without a reply" },
	{ CURLE_SEND_ERROR, true, "lost the connection to ", "" },
	{ CURLE_RECV_ERROR, true, "lost the connection to ", "" },
	{ CURLE_PARTIAL_FILE, false, "the reply was cut off by ", "" },
	{ CURLE_OK, false, "the request failed to ", "" }, /* any other */
};

static int fail_multi(const struct transfer *t, CURLMcode code, struct err *err)
{
	return err_set(err, E_IO, "the request to %s failed: %s", host_of(t),
		       t->h->api->multi_strerror(code));
}

/* When libcurl has nothing more to do. */
static int finish(struct transfer *t, struct err *err)
{
	const struct curl_api *api = t->h->api;
	CURLcode code = CURLE_GOT_NOTHING;
	const CURLMsg *message;
	const char *url = NULL;
	curl_off_t after = 0;
	int left;

	while ((message = api->multi_info_read(t->h->multi, &left)) != NULL) {
		if (message->msg == CURLMSG_DONE)
			code = message->data.result;
	}
	if (t->failed)
		return t->failed;
	if (code != CURLE_OK && !t->enough) {
		const char *detail = t->h->detail[0] ? t->h->detail : api->easy_strerror(code);
		const struct failure *f = failures;
		long errnum = 0;

		/* libcurl says once more that it could not connect, to whom, and after how long;
		 * why it could not is the system's word. */
		if (code == CURLE_COULDNT_CONNECT)
			(void)api->easy_getinfo(t->h->easy, CURLINFO_OS_ERRNO, &errnum);
		if (errnum > 0)
			detail = strerror((int)errnum);

		/* One line of them, some 100 kB; it was CURLE_OUT_OF_MEMORY before curl 8.6. */
		if ((int)code == 100 || code == CURLE_OUT_OF_MEMORY)
			return err_set(err, E_LIMIT,
				       "the reply's headers are longer than libcurl allows");
		while (f->code != code && f->code != CURLE_OK)
			f++;
		t->reply->cut =
			t->received > 0 && (code == CURLE_PARTIAL_FILE ||
					    code == CURLE_RECV_ERROR || code == CURLE_GOT_NOTHING ||
					    code == CURLE_HTTP2 || code == CURLE_HTTP2_STREAM);
		/* Waiting does not help: whoever wants an answer from there must start the program
		 * first. */
		t->reply->nobody =
			errnum == ECONNREFUSED &&
			word_is_one_icase(str_from(host_of(t)), "localhost:*|127.*|[::1]:*");
		t->may_retry = f->may_retry && t->received == 0 && !t->reply->nobody;
		return err_set(err, E_IO, "%s%s%s: %s", f->before, host_of(t), f->after, detail);
	}
	note_head(t);
	(void)api->easy_getinfo(t->h->easy, CURLINFO_RETRY_AFTER, &after);
	t->retry_after_s = after < 0 ? 0 : after > INT32_MAX ? INT32_MAX : (int)after;
	(void)api->easy_getinfo(t->h->easy, CURLINFO_REDIRECT_URL, &url);
	t->redirect = url ? xstrdup(url) : NULL;
	return 0;
}

/*
 * Milliseconds until the silence is too long, 0 when it is.  Connecting has its own limit in
 * libcurl; should that fail to end it, the silence counts from there.
 */
static int silence_left(struct transfer *t)
{
	int limit = or_default(t->rq->idle_timeout_ms, IDLE_TIMEOUT_MS);
	curl_off_t sent = 0, ready_us = 0;
	int64_t until_us;

	(void)t->h->api->easy_getinfo(t->h->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
	(void)t->h->api->easy_getinfo(t->h->easy, CURLINFO_PRETRANSFER_TIME_T, &ready_us);
	if (sent != t->sent)
		note_activity(t);
	t->sent = sent;
	until_us = t->active_us + (int64_t)limit * 1000;
	if (!ready_us)
		until_us +=
			(int64_t)or_default(t->rq->connect_timeout_ms, CONNECT_TIMEOUT_MS) * 1000;
	return clock_ms_until(until_us);
}

static int drive(struct transfer *t, struct err *err)
{
	struct curl_waitfd fd = { .fd = cancel_fd(t->cancel), .events = CURL_WAIT_POLLIN };
	const struct curl_api *api = t->h->api;
	int running = 0, left_ms;
	CURLMcode code;

	note_activity(t);
	for (;;) {
		code = api->multi_perform(t->h->multi, &running);
		if (cancel_fired(t->cancel))
			return err_set(err, E_CANCEL, "the request was cancelled");
		if (code != CURLM_OK)
			return fail_multi(t, code, err);
		if (!running)
			return finish(t, err);
		left_ms = silence_left(t);
		if (!left_ms) {
			int idle_ms = or_default(t->rq->idle_timeout_ms, IDLE_TIMEOUT_MS);
			bool whole = idle_ms % 1000 == 0;

			return err_set(err, E_IO, "the server sent nothing for %d %s",
				       whole ? idle_ms / 1000 : idle_ms, whole ? "s" : "ms");
		}
		code = api->multi_poll(t->h->multi, &fd, fd.fd >= 0, left_ms, NULL);
		if (code != CURLM_OK)
			return fail_multi(t, code, err);
	}
}

int transfer_run(struct transfer *t, struct err *err)
{
	AUTO(free) struct curl_slist *headers = make_headers(t);
	AUTO(buf_done) struct buf pem = { 0 };
	struct http *h = t->h;
	__typeof__(curl_easy_setopt) *set = h->api->easy_setopt;
	const bool tls = str_starts_icase(str_from(t->url), STR("https:"));
	const bool old = h->api->info->version_num < CURL_8;
	CURLMcode code;
	int r;

	t->err = err;
	h->detail[0] = '\0';
	curl_set_connection(h->api, h->easy,
			    or_default(t->rq->connect_timeout_ms, CONNECT_TIMEOUT_MS));
	/* 7.88 keeps an HTTP/2 server writing after a cancel, and spins on slow uploads. */
	(void)set(h->easy, CURLOPT_HTTP_VERSION,
		  (long)(old ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS));
	(void)set(h->easy, CURLOPT_PROTOCOLS,
		  (long)(tls ? CURLPROTO_HTTPS : CURLPROTO_HTTP | CURLPROTO_HTTPS));
	(void)set(h->easy, CURLOPT_ERRORBUFFER, h->detail);
	(void)set(h->easy, CURLOPT_WRITEFUNCTION, on_body);
	(void)set(h->easy, CURLOPT_WRITEDATA, t);
	(void)set(h->easy, CURLOPT_HEADERFUNCTION, on_header);
	(void)set(h->easy, CURLOPT_HEADERDATA, t);
	set_method(t);
	(void)set(h->easy, CURLOPT_URL, t->url);
	(void)set(h->easy, CURLOPT_HTTPHEADER, headers);
	r = curl_set_certificates(h->api, h->easy, &pem, err);
	code = r < 0 ? CURLM_OK : h->api->multi_add_handle(h->multi, h->easy);
	if (code != CURLM_OK)
		r = fail_multi(t, code, err);
	if (r >= 0) {
		r = drive(t, err);
		/* A server in the middle of a reply should notice that its client is gone. */
		if (r < 0)
			(void)set(h->easy, CURLOPT_FORBID_REUSE, 1L);
		(void)h->api->multi_remove_handle(h->multi, h->easy);
	}
	h->api->easy_reset(h->easy);
	return r;
}

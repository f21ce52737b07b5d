/* Checks of a request, redirects, and attempts with waits between them. */
#include "net/http_impl.h"

#include <errno.h>
#include <sys/random.h>

#include "os/clock.h"
#include "os/fd.h"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

struct http *http_new(void)
{
	return xcalloc(1, sizeof(struct http));
}

void http_free(struct http *h)
{
	if (!h)
		return;
	if (h->easy)
		h->api->easy_cleanup(h->easy);
	if (h->multi)
		(void)h->api->multi_cleanup(h->multi);
	free(h);
}

void http_reply_done(struct http_reply *reply)
{
	buf_done(&reply->body);
	*reply = (struct http_reply){ 0 };
}

/* The sentence does not repeat what is wrong: it may be a secret. */
static int check_request(const struct http_request *rq, struct err *err)
{
	const char *method = request_method(rq);

	if (!rq->url)
		return err_set(err, E_INVAL, "a request without an address");
	if (!*method || method[strspn(method, LETTERS)])
		return err_set(err, E_INVAL, "the request's method is not a word");
	for (size_t i = 0; rq->headers && rq->headers[i]; i++) {
		size_t name = strcspn(rq->headers[i], ":");

		/* A name, a colon, and no way to begin another line. */
		if (!(name && rq->headers[i][name] && strcspn(rq->headers[i], " \t") > name &&
		      !rq->headers[i][strcspn(rq->headers[i], "\r\n")]))
			return err_set(err, E_INVAL, "header %zu of the request is malformed",
				       i + 1);
	}
	return 0;
}

/*
 * "https://host:443" of an address: what sentences show of it, and what makes a server the same.
 * NULL (E_INVAL) for what is no address.
 */
static char *find_server(const struct curl_api *api, const char *url, struct err *err)
{
	CURLU *u = api->url();
	CURLUcode code = u ? api->url_set(u, CURLUPART_URL, url, 0) : CURLUE_OUT_OF_MEMORY;

	if (code != CURLUE_OK) {
		api->url_cleanup(u);
		(void)err_set(err, E_INVAL, "the address is not a URL");
		return NULL;
	}
	AUTO(free) char *scheme = curl_url_part(api, u, CURLUPART_SCHEME);
	AUTO(free) char *host = curl_url_part(api, u, CURLUPART_HOST);
	AUTO(free) char *port = curl_url_part(api, u, CURLUPART_PORT);
	api->url_cleanup(u);
	if (!str_eqz_icase(str_from(scheme), "http") && !str_eqz_icase(str_from(scheme), "https")) {
		(void)err_set(err, E_INVAL, "only http and https addresses are supported");
		return NULL;
	}
	return xasprintf("%s://%s:%s", scheme, host, port);
}

/*
 * One attempt: the URL, and for a GET what it redirects to.  t says how the last of these went; its
 * addresses are gone.
 */
static int attempt(struct transfer *t, struct err *err)
{
	AUTO(free) char *url = NULL;
	AUTO(free) char *server = NULL;
	int r;

	for (int hops = 0;; hops++) {
		/* Forgets a reply that is not the last. */
		buf_clear(&t->reply->body);
		t->reply->status = 0;
		t->reply->content_type[0] = '\0';
		r = transfer_run(t, err);
		AUTO(free) char *target = MOVE(t->redirect);
		if (r < 0 || !target || strcmp(request_method(t->rq), "GET") != 0)
			return r;
		if (hops == HTTP_REDIRECTS_MAX)
			return err_set(err, E_IO, "%s: more than %d redirects", t->server,
				       HTTP_REDIRECTS_MAX);
		AUTO(free) char *next = find_server(t->h->api, target, err);
		if (!next)
			return err_wrap(err, "%s redirects", t->server);
		if (strncmp(t->server, "https:", 6) == 0 && strncmp(next, "https:", 6) != 0)
			return err_set(err, E_IO, "%s redirects to http", t->server);
		/* A server that was redirected to never gets the caller's headers, nor does what it
		 * redirects to. */
		t->foreign = t->foreign || !str_eqz_icase(str_from(next), t->server);
		t->received = t->header_bytes = 0;
		free(url);
		free(server);
		t->url = url = MOVE(target);
		t->server = server = MOVE(next);
	}
}

/* As the server asks, else 1 to 16 s, give or take a quarter: clients that failed together must not
 * come back together. */
static int retry_wait_ms(int retry_after_s, int tried)
{
	int unit = clock_patience();
	unsigned char byte = 0;

	if (retry_after_s)
		return retry_after_s * unit;
	if (getrandom(&byte, 1, GRND_NONBLOCK) != 1)
		byte = (unsigned char)clock_us();
	return (1 << (tried < 5 ? tried - 1 : 4)) * unit * (75 + byte % 51) / 100;
}

bool http_status_passes(int status)
{
	static const int passing[] = { 429, 500, 502, 503, 504, 529 /* overloaded */ };

	for (size_t i = 0; i < ARRAY_LEN(passing); i++)
		if (passing[i] == status)
			return true;
	return false;
}

static int run(struct transfer *t, struct err *err)
{
	const struct transfer first = *t;

	for (;;) {
		struct err why = { 0 };
		bool again;

		t->reply->attempts++;
		t->reply->cut = t->reply->nobody = false;
		int r = attempt(t, &why);
		t->reply->retry_after_s = r < 0 ? 0 : t->retry_after_s;
		again = http_status_passes(t->reply->status) &&
			t->retry_after_s <= HTTP_RETRY_AFTER_MAX_S;
		if (!(r < 0 ? t->may_retry : again) || t->reply->attempts > t->rq->retries) {
			if (r < 0 && err)
				*err = why;
			return r;
		}
		if (r >= 0)
			(void)err_set(&why, E_IO, "the server answered %d", t->reply->status);
		int ms = retry_wait_ms(r < 0 ? 0 : t->retry_after_s, t->reply->attempts);
		if (t->rq->on_retry)
			t->rq->on_retry(t->rq->data, t->reply->attempts, ms, why.text);
		if (fd_sleep(t->cancel, ms))
			return err_set(err, E_CANCEL, "the request was cancelled");
		*t = first;
	}
}

int http_run(struct http *h, const struct http_request *rq, struct cancel *cancel,
	     struct http_reply *reply, struct err *err)
{
	int r;

	http_reply_done(reply);
	r = check_request(rq, err);
	if (r < 0)
		return r;
	if (cancel_fired(cancel))
		return err_set(err, E_CANCEL, "the request was cancelled");
	r = h->api ? 0 : curl_load(&h->api, err);
	if (r < 0)
		return r;
	if (!h->multi)
		h->multi = h->api->multi_init();
	if (!h->easy)
		h->easy = h->api->easy_init();
	if (!h->multi || !h->easy)
		return err_set(err, E_IO, "libcurl does not start: too many open files?");
	AUTO(free) char *server = find_server(h->api, rq->url, err);
	if (!server)
		return -E_INVAL;
	struct transfer t = {
		.h = h, .rq = rq, .url = rq->url, .server = server, .cancel = cancel, .reply = reply
	};
	return run(&t, err);
}

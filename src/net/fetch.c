/* Redirects are followed here and not by http_run(), which would let each of them lead anywhere. */
#include "net/fetch.h"

#include <arpa/inet.h>

#include "net/http_impl.h"
#include "os/clock.h"

enum { CONNECT_MS = 10000, IDLE_MS = 10000 };

/* RFC 6890 and its followers: what no server of the public is reached at. */
static const struct {
	uint32_t net;
	int bits;
} closed_nets[] = {
	{ 0x00000000, 8 }, /* this network */
	{ 0x0a000000, 8 }, /* private */
	{ 0x64400000, 10 }, /* carrier's NAT */
	{ 0x7f000000, 8 }, /* loopback */
	{ 0xa9fe0000, 16 }, /* link-local; metadata services of clouds */
	{ 0xac100000, 12 }, /* private */
	{ 0xc0000000, 24 }, /* protocols */
	{ 0xc0000200, 24 }, /* documentation */
	{ 0xc0586300, 24 }, /* relays of 6to4 */
	{ 0xc0a80000, 16 }, /* private */
	{ 0xc6120000, 15 }, /* benchmarks */
	{ 0xc6336400, 24 }, /* documentation */
	{ 0xcb007100, 24 }, /* documentation */
	{ 0xe0000000, 3 }, /* multicast, reserved, broadcast */
};

static bool v4_is_public(const unsigned char b[4])
{
	uint32_t ip = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];

	for (size_t i = 0; i < ARRAY_LEN(closed_nets); i++)
		if ((ip ^ closed_nets[i].net) >> (32 - closed_nets[i].bits) == 0)
			return false;
	return true;
}

/* Only 2000::/3 is public at all, and parts of it, and of others, stand for IPv4 addresses. */
static bool v6_is_public(const unsigned char b[16])
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };
	static const unsigned char nat64[12] = { 0x00, 0x64, 0xff, 0x9b };

	if (memcmp(b, mapped, 12) == 0 || memcmp(b, nat64, 12) == 0)
		return v4_is_public(b + 12);
	if (b[0] == 0x20 && b[1] == 0x02) /* 6to4 */
		return v4_is_public(b + 2);
	if (b[0] == 0x20 && b[1] == 0x01 && b[2] < 2) /* protocols, Teredo */
		return false;
	if (b[0] == 0x20 && b[1] == 0x01 && b[2] == 0x0d && b[3] == 0xb8) /* documentation */
		return false;
	if (b[0] == 0x3f && b[1] == 0xff && b[2] < 0x10) /* documentation */
		return false;
	return (b[0] & 0xe0) == 0x20;
}

bool address_is_public(const char *ip)
{
	unsigned char b[16];

	if (inet_pton(AF_INET, ip, b) == 1)
		return v4_is_public(b);
	return inet_pton(AF_INET6, ip, b) == 1 && v6_is_public(b);
}

static bool is_address(const char *host)
{
	unsigned char b[16];

	return inet_pton(AF_INET, host, b) == 1 || inet_pton(AF_INET6, host, b) == 1;
}

/* A URL's parts that matter; host without brackets and without a dot at the end. */
struct place {
	char *scheme, *host, *server;
	int port;
};

static void place_done(struct place *p)
{
	free(p->scheme);
	free(p->host);
	free(p->server);
	*p = (struct place){ 0 };
}

DEFINE_AUTO(struct place, place_done)

static char *plain_host(const char *host)
{
	size_t n = strlen(host);

	if (n > 2 && host[0] == '[' && host[n - 1] == ']')
		return xstrndup(host + 1, n - 2);
	return xstrndup(host, n > 1 && host[n - 1] == '.' ? n - 1 : n);
}

static int find_place(const struct curl_api *api, const char *url, struct place *ret_place,
		      struct err *err)
{
	CURLU *u = api->url();
	AUTO(place_done) struct place p = { 0 };
	int64_t port;

	if (!u || api->url_set(u, CURLUPART_URL, url, 0) != CURLUE_OK) {
		api->url_cleanup(u);
		return err_set(err, E_INVAL, "the address is not a URL");
	}
	AUTO(free) char *host = curl_url_part(api, u, CURLUPART_HOST);
	AUTO(free) char *port_text = curl_url_part(api, u, CURLUPART_PORT);
	AUTO(free) char *user = curl_url_part(api, u, CURLUPART_USER);
	p.scheme = curl_url_part(api, u, CURLUPART_SCHEME);
	api->url_cleanup(u);
	p.host = plain_host(host);
	p.port = str_to_int(str_from(port_text), &port) ? (int)port : 0;
	p.server = xasprintf("%s://%s:%d", p.scheme, host, p.port);
	if (!str_eqz_icase(str_from(p.scheme), "http") &&
	    !str_eqz_icase(str_from(p.scheme), "https"))
		return err_set(err, E_INVAL, "only http and https addresses are supported");
	if (*user)
		return err_set(err, E_INVAL, "the address contains a user name");
	*ret_place = p;
	p = (struct place){ 0 };
	return 0;
}

/* One request of a fetch. */
struct hop {
	const struct fetch *f;
	struct http *h;
	struct fetch_reply *reply;
	struct place place;
	bool closed; /* the connection led to what is not public */
};

static int on_data(void *data, struct str bytes, struct err *err)
{
	struct hop *hop = data;
	struct buf *body = &hop->reply->http.body;
	size_t room = hop->f->max_bytes - min_size(body->n, hop->f->max_bytes);

	buf_adds(body, str_sub(bytes, 0, room));
	hop->reply->cut = bytes.n > room;
	return hop->reply->cut ? err_set(err, E_LIMIT, "the page is longer") : 0;
}

/* Connected, nothing sent yet. */
static int on_connection(void *data, char *ip, char *local_ip, int port, int local_port)
{
	struct hop *hop = data;

	(void)local_ip;
	(void)port;
	(void)local_port;
	hop->closed = !address_is_public(ip);
	return hop->closed ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

bool fetch_is_blocked(const struct fetch *f)
{
	const struct curl_api *api;
	AUTO(place_done) struct place p = { 0 };

	if (curl_load(&api, NULL) < 0 || find_place(api, f->url, &p, NULL) < 0)
		return false;
	if (f->may_enter && f->may_enter(f->data, p.host, p.port))
		return false;
	return (is_address(p.host) && !address_is_public(p.host)) ||
	       str_eqz_icase(str_from(p.host), "localhost") ||
	       str_ends_icase(str_from(p.host), STR(".localhost"));
}

/* Names that a proxy would look up in its own network. */
static bool is_local_name(const char *host)
{
	static const char *const ends[] = { ".localhost", ".local", ".internal" };

	if (is_address(host))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (str_ends_icase(str_from(host), str_from(ends[i])))
			return true;
	return !strchr(host, '.');
}

static int refuse(const struct hop *hop, struct err *err)
{
	return err_set(err, E_UNTRUSTED, "%s is not a public address", hop->place.host);
}

/*
 * These options last for one request.  Which proxy is used, if any, is said outright, so that it is
 * certain whose address the connection has.
 */
static int guard(struct hop *hop, struct err *err)
{
	/* As libcurl finds it: HTTP_PROXY in capitals is what a client of CGI may have sent. */
	static const char *const names[][4] = {
		{ "http_proxy", "all_proxy", "ALL_PROXY" },
		{ "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY" },
	};
	const struct fetch *f = hop->f;
	__typeof__(curl_easy_setopt) *set = hop->h->api->easy_setopt;
	bool tls = str_eqz_icase(str_from(hop->place.scheme), "https");
	const char *proxy = "";

	for (size_t i = 0; i < ARRAY_LEN(names[tls]) && names[tls][i] && !*proxy; i++) {
		const char *value = getenv(names[tls][i]);

		proxy = value ? value : "";
	}
	if (f->may_enter && f->may_enter(f->data, hop->place.host, hop->place.port))
		return 0;
	if (is_address(hop->place.host) && !address_is_public(hop->place.host))
		return refuse(hop, err);
	if (*proxy && is_local_name(hop->place.host))
		return refuse(hop, err);
	if (set(hop->h->easy, CURLOPT_PROXY, proxy) != CURLE_OK ||
	    set(hop->h->easy, CURLOPT_NOPROXY, "") != CURLE_OK)
		return err_set(err, E_NOTFOUND, "libcurl cannot choose a proxy");
	if (*proxy)
		return 0;
#if LIBCURL_VERSION_NUM >= 0x075000
	if (set(hop->h->easy, CURLOPT_PREREQFUNCTION, on_connection) == CURLE_OK &&
	    set(hop->h->easy, CURLOPT_PREREQDATA, hop) == CURLE_OK)
		return 0;
#endif
	return err_set(err, E_NOTFOUND, "libcurl 7.80 or newer is needed to fetch pages safely");
}

static int time_out(const struct fetch *f, struct err *err)
{
	return err_set(err, E_IO, "no complete answer within %d ms", f->timeout_ms);
}

static int run_hop(struct hop *hop, struct transfer *t, int64_t until_us, struct err *err)
{
	int left_ms = clock_ms_until(until_us);
	int r;

	if (left_ms <= 0)
		return time_out(hop->f, err);
	r = guard(hop, err);
	if (r < 0)
		return r;
	(void)hop->h->api->easy_setopt(hop->h->easy, CURLOPT_TIMEOUT_MS, left_ms);
	buf_clear(&hop->reply->http.body);
	t->server = hop->place.server;
	r = transfer_run(t, err);
	if (hop->closed)
		return refuse(hop, err);
	if (r == -E_LIMIT && hop->reply->cut)
		return 0;
	/* libcurl counts in whole milliseconds. */
	return r == -E_IO && clock_us() + 2000 >= until_us ? time_out(hop->f, err) : r;
}

static int follow(struct hop *hop, struct transfer *t, struct err *err)
{
	AUTO(free) char *target = MOVE(t->redirect);
	struct place next;
	int r = find_place(hop->h->api, target, &next, err);

	if (r < 0)
		return err_wrap(err, "%s redirects", hop->place.server);
	bool downwards = str_eqz_icase(str_from(hop->place.scheme), "https") &&
			 !str_eqz_icase(str_from(next.scheme), "https");
	if (downwards)
		r = err_set(err, E_IO, "%s redirects to http", hop->place.server);
	place_done(&hop->place);
	hop->place = next;
	free(hop->reply->url);
	hop->reply->url = MOVE(target);
	*t = (struct transfer){ .h = t->h,
				.rq = t->rq,
				.url = hop->reply->url,
				.cancel = t->cancel,
				.reply = t->reply };
	return r;
}

static int run(struct hop *hop, const struct http_request *rq, struct cancel *cancel,
	       struct err *err)
{
	int64_t until_us = clock_us() + (int64_t)hop->f->timeout_ms * 1000;
	struct transfer t = {
		.h = hop->h, .rq = rq, .url = rq->url, .cancel = cancel, .reply = &hop->reply->http
	};
	int r;

	for (int hops = 0;; hops++) {
		r = run_hop(hop, &t, until_us, err);
		if (r < 0 || !t.redirect || hop->f->stays) {
			free(t.redirect);
			return r;
		}
		if (hops == HTTP_REDIRECTS_MAX) {
			free(t.redirect);
			return err_set(err, E_IO, "more than %d redirects", HTTP_REDIRECTS_MAX);
		}
		r = follow(hop, &t, err);
		if (r < 0)
			return r;
	}
}

int fetch_run(const struct fetch *f, struct cancel *cancel, struct fetch_reply *reply,
	      struct err *err)
{
	AUTO(http_free) struct http *h = http_new();
	struct hop hop = { .f = f, .h = h, .reply = reply };
	struct http_request rq = { .url = f->url,
				   .body = f->body,
				   .headers = f->headers,
				   .on_data = on_data,
				   .data = &hop,
				   .connect_timeout_ms = CONNECT_MS,
				   .idle_timeout_ms =
					   f->idle_timeout_ms ? f->idle_timeout_ms : IDLE_MS };
	int r;

	fetch_reply_done(reply);
	if (cancel_fired(cancel))
		return err_set(err, E_CANCEL, "the request was cancelled");
	r = curl_load(&h->api, err);
	r = r < 0 ? r : find_place(h->api, f->url, &hop.place, err);
	if (r < 0)
		return r;
	h->multi = h->api->multi_init();
	h->easy = h->api->easy_init();
	if (h->multi && h->easy)
		r = run(&hop, &rq, cancel, err);
	else
		r = err_set(err, E_IO, "libcurl does not start: too many open files?");
	place_done(&hop.place);
	return r;
}

void fetch_reply_done(struct fetch_reply *reply)
{
	http_reply_done(&reply->http);
	free(reply->url);
	*reply = (struct fetch_reply){ 0 };
}

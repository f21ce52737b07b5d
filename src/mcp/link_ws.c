/*
 * A connection by WebSocket: libcurl connects (TLS, proxies), ws_upgrade.c changes the protocol,
 * ws_frames.c does the rest.  The handle stays in its multi handle as long as it is used: libcurl
 * finds the connection by it.
 */

#include "mcp/link.h"
#include "mcp/rpc.h"
#include "mcp/ws_frames.h"
#include "mcp/ws_upgrade.h"
#include "net/curl_connect.h"
#include "os/clock.h"
#include "os/fd.h"

enum {
	CONNECT_MS = 20000, /* until the server has agreed to speak WebSocket; at most `timeout` */
	LEAVE_MS = 1000, /* for the server to say good-bye */
	PIECE = 16 << 10, /* bytes of one call of libcurl */
	PIECES_MAX = 64, /* that one round reads: others want to be heard, too */
};

enum ws_state { WS_CONNECTING, WS_UPGRADING, WS_OPEN };

struct ws_link {
	struct link link;
	const struct mcp_config *config;
	const struct curl_api *api;
	CURLM *multi;
	CURL *easy;
	int fd; /* libcurl's socket, -1 while it is connecting */
	enum ws_state state;
	int64_t until_us; /* when it must be open */
	struct ws_upgrade upgrade;
	struct buf head; /* of the answer, as far as it has come */
	struct buf request; /* what is left of it to be sent */
	struct ws_frames *frames;
	bool more; /* libcurl may have more that came */
	struct err dead; /* .code: the connection is gone */
	struct arena arena;
	struct buf pem;
	char detail[CURL_ERROR_SIZE];
	/* What is being sent: TLS wants the same bytes at the same place until it takes them. */
	char piece[PIECE];
	size_t piece_at, piece_n;
	char got[PIECE];
};

static struct ws_link *self(struct link *l)
{
	return (struct ws_link *)l;
}

static int64_t connect_ms(const struct mcp_config *config)
{
	return config->timeout_ms < CONNECT_MS ? config->timeout_ms : CONNECT_MS;
}

static void die_of(struct ws_link *w, CURLcode code)
{
	link_die(&w->dead, E_IO, w->detail[0] ? w->detail : w->api->easy_strerror(code));
}

/* ---- bytes ---- */

/* What goes out before anything else in the present state. */
static struct buf *next_out(struct ws_link *w)
{
	return w->state == WS_UPGRADING ? &w->request : ws_frames_out(w->frames);
}

static bool wants_write(struct ws_link *w)
{
	return w->piece_at < w->piece_n || next_out(w)->n;
}

/* False when there is no room, or nothing to send. */
static bool write_piece(struct ws_link *w)
{
	struct buf *out = next_out(w);
	size_t n = 0;
	CURLcode code;

	if (w->piece_at == w->piece_n) {
		w->piece_at = 0;
		w->piece_n = min_size(out->n, PIECE);
		memcpy(w->piece, buf_str(out).p, w->piece_n);
		buf_drop(out, w->piece_n);
	}
	if (!w->piece_n)
		return false;
	code = w->api->easy_send(w->easy, w->piece + w->piece_at, w->piece_n - w->piece_at, &n);
	if (code != CURLE_OK && code != CURLE_AGAIN)
		die_of(w, code);
	w->piece_at += n;
	return code == CURLE_OK;
}

static void write_all(struct ws_link *w)
{
	while (!w->dead.code && wants_write(w) && write_piece(w))
		;
}

/* The first answer: it may have frames behind it. */
static void take_answer(struct ws_link *w, struct str bytes)
{
	struct err err = { 0 };
	int status, n;

	buf_adds(&w->head, bytes);
	n = ws_upgrade_read(&w->upgrade, buf_str(&w->head), &status, &err);
	if (n < 0) {
		AUTO(free) char *refusal = mcp_config_refusal(w->config, status);

		link_refused(&w->link, status);
		link_die(&w->dead, err.code, refusal ? refusal : err.text);
	}
	if (n <= 0)
		return;
	w->state = WS_OPEN;
	ws_frames_feed(w->frames, str_sub(buf_str(&w->head), (size_t)n, w->head.n));
	buf_done(&w->head);
}

/* False when there is nothing more for now. */
static bool read_piece(struct ws_link *w)
{
	size_t n = 0;
	CURLcode code = w->api->easy_recv(w->easy, w->got, sizeof w->got, &n);

	if (code == CURLE_AGAIN)
		return false;
	if (code != CURLE_OK) {
		die_of(w, code);
	} else if (!n) {
		link_die(&w->dead, E_IO,
			 w->state == WS_OPEN
				 ? "the server has closed the connection"
				 : "the server has closed the connection without an answer");
	} else {
		struct str bytes = (struct str){ w->got, n };

		if (w->state == WS_UPGRADING)
			take_answer(w, bytes);
		else
			ws_frames_feed(w->frames, bytes);
		/* It may have said why before it went. */
		if (w->state == WS_OPEN && !w->dead.code)
			(void)ws_frames_ended(w->frames, &w->dead);
	}
	return !w->dead.code;
}

/* ---- connect ---- */

static void perform(struct ws_link *w)
{
	curl_socket_t fd = CURL_SOCKET_BAD;
	int running, left;
	CURLMsg *m;

	if (w->api->multi_perform(w->multi, &running) != CURLM_OK)
		link_die(&w->dead, E_IO, "libcurl does not work");
	while ((m = w->api->multi_info_read(w->multi, &left)) != NULL) {
		if (m->msg != CURLMSG_DONE)
			continue;
		if (m->data.result != CURLE_OK) {
			die_of(w, m->data.result);
		} else if (w->api->easy_getinfo(w->easy, CURLINFO_ACTIVESOCKET, &fd) != CURLE_OK ||
			   fd == CURL_SOCKET_BAD) {
			link_die(&w->dead, E_IO, "libcurl does not tell of its connection");
		} else {
			w->fd = fd;
			w->state = WS_UPGRADING;
			ws_upgrade_add_request(&w->upgrade, &w->request);
		}
	}
}

static void wait_connected(struct ws_link *w, struct pollfd *extra, size_t n, int timeout_ms)
{
	struct curl_waitfd fds[LINK_EXTRA_MAX];

	perform(w);
	if (w->dead.code || w->state != WS_CONNECTING)
		return;
	for (size_t i = 0; i < n; i++)
		fds[i] = (struct curl_waitfd){ .fd = extra[i].fd, .events = CURL_WAIT_POLLIN };
	if (w->api->multi_poll(w->multi, fds, (unsigned)n, timeout_ms, NULL) != CURLM_OK)
		link_die(&w->dead, E_IO, "libcurl does not work");
	for (size_t i = 0; i < n; i++)
		extra[i].revents = fds[i].revents;
	perform(w);
}

/* ---- the link ---- */

static int ws_send(struct link *l, struct str text, int64_t id, struct err *err)
{
	(void)id;
	return ws_frames_send(self(l)->frames, text, err);
}

static int next_timeout(struct ws_link *w, int timeout_ms)
{
	int left_ms = clock_ms_until(w->until_us);

	if (w->more)
		return 0;
	if (w->state == WS_OPEN || (timeout_ms >= 0 && timeout_ms < left_ms))
		return timeout_ms;
	return left_ms;
}

static void wait_bytes(struct ws_link *w, struct pollfd *extra, size_t n, int timeout_ms)
{
	struct pollfd fds[LINK_EXTRA_MAX + 1];

	write_all(w);
	fds[0] = (struct pollfd){ .fd = w->fd, .events = POLLIN };
	if (wants_write(w))
		fds[0].events |= POLLOUT;
	memcpy(fds + 1, extra, n * sizeof *extra);
	(void)fd_poll(fds, n + 1, w->dead.code ? 0 : timeout_ms);
	memcpy(extra, fds + 1, n * sizeof *extra);
	if (w->dead.code)
		return;
	if (fds[0].revents || w->more) {
		int pieces = 0;

		while (pieces < PIECES_MAX && read_piece(w))
			pieces++;
		w->more = pieces == PIECES_MAX;
	}
	write_all(w);
}

static int ws_wait(struct link *l, struct pollfd *extra, size_t n, int timeout_ms, struct err *err)
{
	struct ws_link *w = self(l);

	if (!w->dead.code && w->state == WS_CONNECTING)
		wait_connected(w, extra, n, next_timeout(w, timeout_ms));
	else if (!w->dead.code)
		wait_bytes(w, extra, n, next_timeout(w, timeout_ms));
	if (!w->dead.code && w->state != WS_OPEN && clock_us() >= w->until_us)
		(void)err_set(&w->dead, E_IO, "no WebSocket connection within %lld ms",
			      (long long)connect_ms(w->config));
	return w->dead.code ? err_set(err, w->dead.code, "%s", w->dead.text) : 0;
}

static void ws_close(struct link *l)
{
	struct ws_link *w = self(l);
	struct err why;

	/* A broken connection cannot say anything. */
	if (w->state == WS_OPEN && (!w->dead.code || ws_frames_ended(w->frames, &why))) {
		/* (waits) Good-byes are said in both directions, and waited for a moment. */
		int64_t until = clock_us() + (int64_t)LEAVE_MS * 1000;
		struct pollfd none[1];

		ws_frames_leave(w->frames);
		w->dead = (struct err){ 0 };
		write_all(w);
		while (!w->dead.code && (wants_write(w) || !ws_frames_ended(w->frames, &why)) &&
		       clock_us() < until)
			wait_bytes(w, none, 0, clock_ms_until(until));
	}
	ws_frames_free(w->frames);
	if (w->easy) {
		(void)w->api->multi_remove_handle(w->multi, w->easy);
		w->api->easy_cleanup(w->easy);
	}
	(void)w->api->multi_cleanup(w->multi);
	buf_done(&w->head);
	buf_done(&w->request);
	buf_done(&w->pem);
	arena_done(&w->arena);
	free(w);
}

/* ---- open ---- */

static const char *url_part(struct ws_link *w, CURLU *url, CURLUPart part)
{
	const char *copy = NULL;
	char *text = NULL;

	if (w->api->url_get(url, part, &text, CURLU_NO_DEFAULT_PORT) == CURLUE_OK)
		copy = arena_z(&w->arena, str_from(text));
	if (text)
		w->api->free(text);
	return copy;
}

/* Host and target of the request; false for what cannot be in one. */
static bool take_apart(struct ws_link *w, CURLU *url)
{
	const char *host = url_part(w, url, CURLUPART_HOST);
	const char *port = url_part(w, url, CURLUPART_PORT);
	const char *path = url_part(w, url, CURLUPART_PATH);
	const char *query = url_part(w, url, CURLUPART_QUERY);

	if (!host || !path || url_part(w, url, CURLUPART_USER))
		return false;
	w->upgrade.host =
		arena_printf(&w->arena, "%s%s%s", host, port ? ":" : "", port ? port : "").p;
	w->upgrade.target =
		arena_printf(&w->arena, "%s%s%s", path, query ? "?" : "", query ? query : "").p;
	return !strpbrk(w->upgrade.host, " \r\n") && !strpbrk(w->upgrade.target, " \r\n");
}

/* The same address as libcurl knows it, by http or https; NULL when it is none. */
static const char *read_address(struct ws_link *w, const char *address)
{
	bool tls = str_starts_icase(str_from(address), STR("wss:"));
	const char *http;
	CURLU *url;

	if (!tls && !str_starts_icase(str_from(address), STR("ws:")))
		return NULL;
	http = arena_printf(&w->arena, "http%s", address + 2).p;
	url = w->api->url();
	if (!url || w->api->url_set(url, CURLUPART_URL, http, 0) != CURLUE_OK ||
	    !take_apart(w, url))
		http = NULL;
	w->api->url_cleanup(url);
	return http;
}

static int start(struct ws_link *w, struct err *err)
{
	const struct mcp_config *config = w->config;
	const char *url = read_address(w, config->tcp ? config->tcp : config->url);
	int r;

	if (!url)
		return err_set(err, E_CONFIG,
			       "its address is not a ws:// or wss:// URL (a user and a password "
			       "belong in `headers`)");
	w->easy = w->api->easy_init();
	if (!w->easy || !ws_upgrade_make_key(&w->upgrade))
		return err_set(err, E_IO, "WebSocket does not start");
	__typeof__(curl_easy_setopt) *set = w->api->easy_setopt;
	CURL *easy = w->easy;

	curl_set_connection(w->api, easy, CONNECT_MS);
	(void)set(easy, CURLOPT_URL, url);
	(void)set(easy, CURLOPT_CONNECT_ONLY, 1L);
	(void)set(easy, CURLOPT_HTTPPROXYTUNNEL, 1L);
	(void)set(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	(void)set(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
	(void)set(easy, CURLOPT_ERRORBUFFER, w->detail);
	r = curl_set_certificates(w->api, easy, &w->pem, err);
	if (r >= 0 && w->api->multi_add_handle(w->multi, w->easy) != CURLM_OK)
		r = err_set(err, E_IO, "libcurl does not start");
	return r;
}

static void on_text(void *data, struct str text)
{
	struct ws_link *w = data;

	if (str_trim(text).n)
		w->link.on.message(w->link.on.data, text);
}

static void on_note(void *data, struct str line)
{
	struct ws_link *w = data;

	w->link.on.note(w->link.on.data, line);
}

int link_ws_open(const struct mcp_config *config, const struct link_events *on,
		 struct link **ret_link, struct err *err)
{
	static const struct link_ops ops = { .send = ws_send, .wait = ws_wait, .close = ws_close };
	const struct ws_limits limits = { RPC_MAX_BYTES, LINK_OUT_MAX };
	const struct curl_api *api;
	struct ws_link *w;
	int r = curl_load(&api, err);

	if (r < 0)
		return r;
	w = xcalloc(1, sizeof *w);
	w->link = (struct link){ .ops = &ops, .on = *on };
	w->config = config;
	w->api = api;
	w->fd = -1;
	w->until_us = clock_us() + connect_ms(config) * 1000;
	w->upgrade.headers = config->headers;
	w->multi = api->multi_init();
	r = w->multi ? ws_frames_new(&(struct ws_events){ on_text, on_note, w }, &limits,
				     &w->frames, err)
		     : err_set(err, E_IO, "libcurl does not start");
	if (r == 0)
		r = start(w, err);
	if (r < 0) {
		ws_close(&w->link);
		return r;
	}
	*ret_link = &w->link;
	return 0;
}

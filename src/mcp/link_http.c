/*
 * A server on the web, in two dialects:
 *
 *	streamable HTTP	each message is a POST; its answer is JSON, or an event stream that has it
 *			and what belongs to it.  Such a stream may end before its answer: where its
 *			events have ids, a GET with the last one gets the rest.  What belongs to no
 *			request comes on another GET, which servers may refuse.
 *	SSE		(2024-11-05) all that comes is one GET's event stream, whose first event
 *			"endpoint" names the address to which messages are posted.
 */
#include "base/vec.h"
#include "mcp/http_xfer.h"
#include "mcp/link.h"
#include "os/clock.h"

enum {
	XFERS_MAX = 64, /* under way at once */
	QUEUE_MAX = 256, /* messages that wait for their turn */
	LISTEN_WAIT_MAX = 64, /* seconds between attempts to listen; units of clock_patience() */
	LEAVE_MS = 1000,
	LONG_MS = 60000, /* a round without end is this long */
};

struct http_link {
	struct link link;
	const struct mcp_config *config;
	const struct curl_api *api;
	CURLM *multi;
	struct {
		struct xfer **p;
		size_t n, cap;
	} xfers; /* in the order of their sending; started ones on the multi handle */
	size_t queued_bytes;
	bool is_sse, may_be_sse;
	const char *endpoint; /* where to post; NULL = not known yet (SSE) */
	const char *version; /* NULL before the handshake is over */
	char session[XFER_SESSION_MAX];
	struct buf last_event; /* the id of the last event of the stream that it listens to */
	bool is_full; /* no more may be under way */
	bool listens, heard; /* a GET is there; it has been answered */
	int64_t listen_us; /* when the next one is due; INT64_MAX = never */
	int listen_wait; /* units */
	struct err dead; /* .code: the connection is gone */
	struct arena arena;
};

static struct http_link *self(struct link *l)
{
	return (struct http_link *)l;
}

static struct xfer *add_xfer(struct http_link *h, struct xfer *take_x)
{
	take_x->owner = h;
	h->queued_bytes += take_x->text.n;
	*VEC_ADD(&h->xfers) = take_x;
	return take_x;
}

static struct xfer *add(struct http_link *h, enum xfer_kind kind, struct str text, int64_t id)
{
	return add_xfer(h, xfer_new(kind, text, id));
}

static void listen_to(struct http_link *h)
{
	h->listens = true;
	h->heard = false;
	h->listen_us = INT64_MAX;
	buf_adds(&add(h, XFER_LISTEN, STR(""), 0)->sse.id, buf_str(&h->last_event));
}

/* The answer to initialize names the session; it may be a stream that goes on. */
static void note_session(struct http_link *h, const struct xfer *x)
{
	if (x->kind == XFER_POST && !h->version && x->session[0])
		memcpy(h->session, x->session, sizeof h->session);
}

/* A token that a server echoes is shown to no one. */
static void tell(struct http_link *h, const struct xfer *x, struct str text)
{
	AUTO(arena_done) struct arena a = { 0 };

	h->link.on.message(h->link.on.data, mcp_auth_hide(h->link.on.auth, &a, x->bearer, text));
}

/* ---- events ---- */

static int on_event(void *data, const struct sse_event *event, struct err *err)
{
	struct xfer *x = data;
	struct http_link *h = x->owner;

	note_session(h, x);
	if (x->kind == XFER_LISTEN)
		h->heard = true;
	if (h->is_sse && str_eqz(event->event, "endpoint")) {
		const char *relative = arena_z(&h->arena, event->data);

		if (h->endpoint)
			return 0;
		return url_beside(h->api, &h->arena, h->config->url, relative, &h->endpoint, err);
	}
	if (str_eqz(event->event, "message") && str_trim(event->data).n)
		tell(h, x, event->data);
	return 0;
}

/* ---- start ---- */

/* (waits, where the token must be renewed) */
static void start(struct http_link *h, struct xfer *x)
{
	AUTO(arena_done) struct arena a = { 0 };
	const char *bearer = mcp_auth_header(h->link.on.auth, &a, h->link.on.stop);
	struct str last = xfer_last_event(x);
	const char *own[9] = { NULL };
	size_t n = 0;

	x->bearer = bearer ? xstrdup(bearer) : NULL;
	own[n++] = "Expect:";
	own[n++] = "User-Agent: trotline/" TL_VERSION;
	own[n++] = x->kind == XFER_POST ? "Accept: application/json, text/event-stream"
					: "Accept: text/event-stream";
	if (x->kind == XFER_POST)
		own[n++] = "Content-Type: application/json";
	if (h->session[0])
		own[n++] = arena_printf(&a, "Mcp-Session-Id: %s", h->session).p;
	if (h->version)
		own[n++] = arena_printf(&a, "MCP-Protocol-Version: %s", h->version).p;
	if (last.n)
		own[n++] = arena_printf(&a, "Last-Event-ID: %.*s", STR_ARG(last)).p;
	if (x->bearer)
		own[n++] = x->bearer;
	const struct xfer_options o = {
		.url = x->kind == XFER_POST && h->endpoint ? h->endpoint : h->config->url,
		.own = own,
		.theirs = h->config->headers,
		.on_event = on_event,
	};
	struct err err = { 0 };

	h->queued_bytes -= x->text.n;
	if (xfer_start(x, h->api, h->multi, &o, &err) < 0)
		link_die(&h->dead, err.code, err.text);
}

/* ---- end ---- */

static void lose(struct http_link *h, const struct xfer *x, const char *why)
{
	AUTO(free) char *note = NULL;

	if (x->id) {
		h->link.on.lost(h->link.on.data, x->id, why);
		return;
	}
	note = xasprintf("a message was not taken: %s", why);
	h->link.on.note(h->link.on.data, str_from(note));
}

static char *status_text(const struct http_link *h, const struct xfer *x)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct str body = str_trim(buf_str(&x->body));
	char *refusal = mcp_auth_advice(h->link.on.auth, x->status);

	if (!refusal)
		refusal = mcp_config_refusal(h->config, x->status);
	if (refusal)
		return refusal;
	body = mcp_auth_hide(h->link.on.auth, &a, x->bearer, body);
	return xasprintf("the server answered %ld%s%.*s", x->status, body.n ? ": " : "",
			 STR_ARG(body));
}

/* Its stream has ended without the answer: true when that is fetched. */
static bool resume(struct http_link *h, const struct xfer *x)
{
	struct xfer *next = NULL;

	if (!h->is_sse && x->id && h->link.on.waits(h->link.on.data, x->id))
		next = xfer_resume(x);
	if (next)
		(void)add_xfer(h, next);
	return next;
}

static void end_resume(struct http_link *h, const struct xfer *x)
{
	AUTO(free) char *why = NULL, *says = NULL;

	if (resume(h, x))
		return;
	why = x->err.code    ? xstrdup(x->err.text)
	      : x->is_stream ? xstrdup("it ends again and again")
			     : status_text(h, x);
	says = xasprintf("the server's stream has ended before the answer and cannot be resumed: "
			 "%s",
			 why);
	lose(h, x, says);
}

/*
 * (waits) The server wants another token: true when there is one, and the same is sent once more
 * with it.
 */
static bool send_again(struct http_link *h, struct xfer *x)
{
	struct xfer *next;

	if (x->again || x->err.code ||
	    !mcp_auth_refused(h->link.on.auth, x->status, &x->challenge, x->bearer,
			      h->link.on.stop))
		return false;
	next = add(h, x->kind, buf_str(&x->text), x->id);
	next->again = true;
	buf_adds(&next->sse.id, buf_str(&x->sse.id));
	next->failures = x->failures;
	next->resumes = x->resumes;
	return true;
}

static void end_post(struct http_link *h, const struct xfer *x)
{
	bool good = x->status >= 200 && x->status < 300;

	if (!h->is_sse && h->may_be_sse && !h->version && x->status >= 400 && x->status < 500 &&
	    x->status != 429 && x->status != 401 && x->status != 403) {
		/* The server does not know streamable HTTP: the same message goes out by SSE. */
		h->is_sse = true;
		listen_to(h);
		(void)add(h, XFER_POST, buf_str(&x->text), x->id);
		return;
	}
	note_session(h, x);
	if (x->is_stream && resume(h, x))
		return;
	if (x->err.code) {
		lose(h, x, x->err.text);
		return;
	}
	if (x->status == 404 && h->session[0]) {
		link_die(&h->dead, E_IO, "the server has forgotten the session");
		return;
	}
	if (!good) {
		AUTO(free) char *why = status_text(h, x);

		link_refused(&h->link, x->status);
		lose(h, x, why);
		return;
	}
	if (h->is_sse)
		return;
	if (!x->is_stream && str_trim(buf_str(&x->body)).n)
		tell(h, x, buf_str(&x->body));
	if (x->id)
		lose(h, x, "the server has not answered the request");
}

static void end_listen(struct http_link *h, const struct xfer *x)
{
	AUTO(free) char *why = x->err.code ? xstrdup(x->err.text) : status_text(h, x);
	bool good = !x->err.code && x->status >= 200 && x->status < 300;
	int64_t wait_ms;

	h->listens = false;
	buf_clear(&h->last_event);
	buf_adds(&h->last_event, buf_str(&x->sse.id));
	if (h->is_sse) {
		link_refused(&h->link, x->status);
		link_die(&h->dead, E_IO, good ? "the server has closed its event stream" : why);
		return;
	}
	if (x->status >= 400 && x->status < 500)
		return; /* it has nothing to say but answers */
	h->listen_wait = h->heard || !h->listen_wait ? 1 : h->listen_wait * 2;
	if (h->listen_wait > LISTEN_WAIT_MAX)
		h->listen_wait = LISTEN_WAIT_MAX;
	/* At least as long as the server has said. */
	wait_ms = (int64_t)h->listen_wait * clock_patience();
	h->listen_us =
		clock_us() +
		(x->sse.has_retry && x->sse.retry_ms > wait_ms ? x->sse.retry_ms : wait_ms) * 1000;
}

/* True when some request has ended. */
static bool perform(struct http_link *h)
{
	static const struct {
		void (*end)(struct http_link *h, const struct xfer *x);
		bool if_unwanted;
	} kinds[] = {
		[XFER_POST] = { end_post, false },
		[XFER_LISTEN] = { end_listen, true },
		[XFER_RESUME] = { end_resume, false },
		[XFER_LEAVE] = { NULL, false },
	};
	bool some = false;
	int running, left;
	CURLMsg *m;

	if (h->api->multi_perform(h->multi, &running) != CURLM_OK)
		link_die(&h->dead, E_IO, "libcurl does not work");
	while ((m = h->api->multi_info_read(h->multi, &left)) != NULL) {
		CURLcode code = m->data.result;
		struct xfer *x = NULL;

		if (m->msg != CURLMSG_DONE)
			continue;
		(void)h->api->easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &x);
		/* Takes it out of the list first: what its end leads to may add others. */
		for (size_t i = 0; i < h->xfers.n; i++) {
			if (h->xfers.p[i] != x)
				continue;
			memmove(h->xfers.p + i, h->xfers.p + i + 1,
				(h->xfers.n - i - 1) * sizeof(struct xfer *));
			h->xfers.n--;
			break;
		}
		xfer_finish(x, code);
		if (kinds[x->kind].end &&
		    (x->unwanted ? kinds[x->kind].if_unwanted : !send_again(h, x)))
			kinds[x->kind].end(h, x);
		xfer_free(x, h->multi);
		some = true;
	}
	return some;
}

/* ---- the link ---- */

static int http_send(struct link *l, struct str text, int64_t id, struct err *err)
{
	struct http_link *h = self(l);

	if (h->xfers.n >= QUEUE_MAX || h->queued_bytes + text.n > LINK_OUT_MAX)
		return err_set(err, E_LIMIT, "the server does not read what it is sent");
	(void)add(h, XFER_POST, text, id);
	return 0;
}

static void http_forget(struct link *l, int64_t id)
{
	struct http_link *h = self(l);

	for (size_t i = 0; i < h->xfers.n; i++)
		if (h->xfers.p[i]->id == id)
			h->xfers.p[i]->unwanted = true;
}

/* Until the next request is due, but no longer than the caller wants to wait. */
static int next_timeout(const struct http_link *h, int timeout_ms)
{
	int64_t due_us = h->listen_us;
	int left_ms;

	for (size_t i = 0; !h->is_full && i < h->xfers.n; i++) {
		const struct xfer *x = h->xfers.p[i];

		if (x->due_us && !xfer_started(x) && x->due_us < due_us)
			due_us = x->due_us;
	}
	left_ms = clock_ms_until(due_us);
	if (timeout_ms < 0 || timeout_ms > LONG_MS)
		timeout_ms = LONG_MS;
	return left_ms < 0 || left_ms > timeout_ms ? timeout_ms : left_ms;
}

static void poll_all(struct http_link *h, struct pollfd *extra, size_t n, int timeout_ms)
{
	struct curl_waitfd fds[LINK_EXTRA_MAX];

	for (size_t i = 0; i < n; i++)
		fds[i] = (struct curl_waitfd){ .fd = extra[i].fd,
					       .events = extra[i].events & POLLOUT
								 ? CURL_WAIT_POLLOUT
								 : CURL_WAIT_POLLIN };
	if (h->api->multi_poll(h->multi, fds, (unsigned)n, timeout_ms, NULL) != CURLM_OK)
		link_die(&h->dead, E_IO, "libcurl does not work");
	for (size_t i = 0; i < n; i++)
		extra[i].revents = (short)((fds[i].revents & CURL_WAIT_POLLIN ? POLLIN : 0) |
					   (fds[i].revents & CURL_WAIT_POLLOUT ? POLLOUT : 0));
}

static int http_wait(struct link *l, struct pollfd *extra, size_t n, int timeout_ms,
		     struct err *err)
{
	struct http_link *h = self(l);
	size_t running = 0;
	size_t kept = 0;

	for (size_t i = 0; i < h->xfers.n; i++) {
		struct xfer *x = h->xfers.p[i];

		if (!x->unwanted) {
			h->xfers.p[kept++] = x;
			continue;
		}
		if (!xfer_started(x))
			h->queued_bytes -= x->text.n;
		xfer_free(x, h->multi);
	}
	h->xfers.n = kept;
	if (h->listen_us <= clock_us())
		listen_to(h);
	for (size_t i = 0; i < h->xfers.n && running < XFERS_MAX; i++) {
		struct xfer *x = h->xfers.p[i];
		/* Messages of SSE wait for the address that they go to. */
		bool has_address = x->kind != XFER_POST || !h->is_sse || h->endpoint;

		if (!xfer_started(x) && x->due_us <= clock_us() && has_address && !h->dead.code)
			start(h, x);
		running += xfer_started(x);
	}
	h->is_full = running >= XFERS_MAX;
	if (!perform(h) && !h->dead.code) {
		poll_all(h, extra, n, next_timeout(h, timeout_ms));
		(void)perform(h);
	}
	return h->dead.code ? err_set(err, h->dead.code, "%s", h->dead.text) : 0;
}

static bool http_is_sending(const struct link *l)
{
	const struct http_link *h = (const struct http_link *)l;

	for (size_t i = 0; i < h->xfers.n; i++)
		if (h->xfers.p[i]->kind == XFER_POST && !h->xfers.p[i]->unwanted)
			return true;
	return false;
}

static void http_agreed(struct link *l, const char *version)
{
	struct http_link *h = self(l);

	h->version = version;
	if (!h->is_sse)
		listen_to(h);
}

static void http_close(struct link *l)
{
	struct http_link *h = self(l);

	for (size_t i = 0; i < h->xfers.n; i++)
		xfer_free(h->xfers.p[i], h->multi);
	h->xfers.n = 0;
	if (!h->dead.code) {
		/* (waits) The server may forget the session; whether it does is its business. */
		int64_t until = clock_us() + (int64_t)LEAVE_MS * 1000;

		if (h->session[0] && h->version) {
			start(h, add(h, XFER_LEAVE, STR(""), 0));
			while (!h->dead.code && !perform(h) && clock_us() < until)
				poll_all(h, NULL, 0, clock_ms_until(until));
		}
	}
	for (size_t i = 0; i < h->xfers.n; i++)
		xfer_free(h->xfers.p[i], h->multi);
	free(h->xfers.p);
	(void)h->api->multi_cleanup(h->multi);
	buf_done(&h->last_event);
	arena_done(&h->arena);
	free(h);
}

int link_http_open(const struct mcp_config *config, const struct link_events *on,
		   struct link **ret_link, struct err *err)
{
	static const struct link_ops ops = {
		.send = http_send,
		.wait = http_wait,
		.forget = http_forget,
		.agreed = http_agreed,
		.is_sending = http_is_sending,
		.close = http_close,
	};
	const struct curl_api *api;
	struct http_link *h;
	CURLM *multi;
	int r = curl_load(&api, err);

	if (r < 0)
		return r;
	multi = api->multi_init();
	if (!multi)
		return err_set(err, E_IO, "libcurl does not start: too many open files?");
	h = xcalloc(1, sizeof *h);
	h->link = (struct link){ .ops = &ops, .on = *on };
	h->config = config;
	h->api = api;
	h->multi = multi;
	h->is_sse = config->transport == MCP_SSE;
	h->may_be_sse = config->transport == MCP_HTTP_OR_SSE;
	h->listen_us = INT64_MAX;
	if (h->is_sse)
		listen_to(h);
	*ret_link = &h->link;
	return 0;
}

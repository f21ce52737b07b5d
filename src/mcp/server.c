/* A server's life: connect, serve, and again when it has died. */
#include "base/json_pack.h"
#include "base/utf8.h"
#include "mcp/rpc.h"
#include "mcp/server_impl.h"
#include "os/clock.h"
#include "os/thread.h"

enum { RESTART_WAIT_MAX = 60 /* seconds; units of clock_patience() */ };

/* ---- what others see ---- */

/* One clean line, cut to fit. */
static void set_line(char *to, size_t size, struct str line)
{
	AUTO(buf_done) struct buf clean = { 0 };
	struct str text;

	(void)utf8_add_visible(&clean, line, false);
	text = str_sub(buf_str(&clean), 0, size - 1);
	text.n = utf8_valid(text);
	if (text.n)
		memcpy(to, text.p, text.n);
	to[text.n] = '\0';
}

static void set_reason(struct server *s, const char *reason)
{
	set_line(s->reason, sizeof s->reason, str_from(reason));
}

/* A server that is not ready has no catalog. */
static void set_state(struct server *s, enum mcp_state state, const char *reason,
		      struct mcp_catalog *take_catalog)
{
	struct mcp_catalog *old;

	pthread_mutex_lock(&s->lock);
	old = s->catalog;
	s->catalog = take_catalog;
	s->state = state;
	s->why = state == MCP_CLOSED ? MCP_WHY_UNWANTED : *reason ? s->failure : MCP_WHY_OTHER;
	set_reason(s, reason);
	pthread_mutex_unlock(&s->lock);
	catalog_unref(old);
	if (s->host->changed)
		s->host->changed(s->host->data);
}

static void settle(struct server *s)
{
	if (!s->has_settled && s->host->settled)
		s->host->settled(s->host->data);
	s->has_settled = true;
}

/* ---- lists ---- */

static bool can(const struct server *s, const char *capability)
{
	const struct json *all = json_getz(s->hello->body, "capabilities");

	return json_is(json_getz(all, capability), J_OBJ);
}

/* (waits) A server whose pages do not end, or lead back, is believed no further. */
static int load_list(struct server *s, struct mcp_catalog *c, enum catalog_kind kind,
		     struct err *err)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct catalog_list *list = &catalog_lists[kind];
	struct str cursor = { 0 };

	for (int page = 0; page < CATALOG_PAGES_MAX; page++) {
		const struct json *params = json_pack(&a, "?cursor:s", cursor), *items;
		struct str before = cursor;
		struct answer *answer;
		int r = server_own_request(s, list->method, json_text(&a, params, JSON_COMPACT),
					   &answer, err);

		if (r < 0)
			return r;
		items = json_get(answer->body, list->member);
		for (size_t i = 0; json_at(items, i); i++) {
			const char *why = catalog_add(c, kind, s->config, json_at(items, i));

			if (why && *why)
				server_note(s, why, STR(""));
		}
		cursor = arena_str(&a, json_get_str(answer->body, "nextCursor"));
		answer_free(&answer->m);
		if (!cursor.n)
			return 0;
		if (str_eq(cursor, before) || a.used > CATALOG_BYTES_MAX)
			break;
	}
	server_note(s, "the pages of a list do not end", STR(""));
	return 0;
}

/* ---- connect ---- */

static const char hello_params[] =
	"{\"protocolVersion\":\"" RPC_VERSION "\","
	"\"capabilities\":{\"roots\":{},\"elicitation\":{\"form\":{},\"url\":{}}},"
	"\"clientInfo\":{\"name\":\"trotline\",\"version\":\"" TL_VERSION "\"}}";

/* (waits) */
static int shake_hands(struct server *s, struct err *err)
{
	int r = server_own_request(s, "initialize", str_from(hello_params), &s->hello, err);
	const struct json *hello, *info;
	struct str text, head;
	size_t valid;

	if (r < 0)
		return r;
	struct str theirs = json_str(json_getz(s->hello->body, "protocolVersion"), STR("none"));
	const char *version = rpc_version(theirs);
	if (!version) {
		s->link->why = MCP_WHY_VERSION;
		return err_set(err, E_INVAL, "its protocol version is not supported: %.*s",
			       STR_ARG(str_sub(theirs, 0, 40)));
	}
	link_agreed(s->link, version);
	/* Before it is ready: whoever sees that can ask what it has said. */
	hello = s->hello->body;
	info = json_getz(hello, "serverInfo");
	text = json_get_str(hello, "instructions");
	pthread_mutex_lock(&s->lock);
	set_line(s->protocol, sizeof s->protocol, str_from(version));
	set_line(s->own_name, sizeof s->own_name, json_get_str(info, "name"));
	set_line(s->own_version, sizeof s->own_version, json_get_str(info, "version"));
	buf_clear(&s->instructions);
	/* Not cut within a character. */
	head = str_sub(text, 0, MCP_INSTRUCTIONS_MAX);
	valid = utf8_valid(head);
	(void)utf8_add_clean(&s->instructions, head.n < text.n && head.n - valid < 4
						       ? str_sub(head, 0, valid)
						       : head);
	pthread_mutex_unlock(&s->lock);
	if (text.n > MCP_INSTRUCTIONS_MAX)
		server_note(s, "its instructions are longer than 8 KiB: the rest is left out",
			    STR(""));
	r = server_send_notification(s, "notifications/initialized", err);
	if (r >= 0)
		s->agreed = true;
	return r;
}

/* (waits) Without tools there is nothing; other lists may fail as long as the connection lasts. */
static int refresh(struct server *s, struct err *err)
{
	struct mcp_catalog *c = catalog_new();
	struct err why = { 0 };
	int r = 0;

	s->is_stale = false;
	for (int kind = 0; r >= 0 && kind < CATALOG_KINDS; kind++) {
		if (!can(s, catalog_lists[kind].capability))
			continue;
		r = load_list(s, c, (enum catalog_kind)kind, &why);
		if (r >= 0 || kind == CATALOG_TOOLS || s->is_down)
			continue;
		server_note(s, why.text, STR(""));
		r = 0;
		if (why.code == E_IO) /* silence, and no refusal: not waited for again */
			break;
	}
	s->refresh_us = clock_us() + (int64_t)clock_patience() * 1000;
	if (r >= 0) {
		set_state(s, MCP_READY, "", c);
		return 0;
	}
	catalog_unref(c);
	return err_set(err, why.code, "%s", why.text);
}

/* (waits) */
static int connect_server(struct server *s, struct err *err)
{
	static int (*const open[MCP_TRANSPORTS])(const struct mcp_config *,
						 const struct link_events *, struct link **,
						 struct err *) = {
		[MCP_STDIO] = link_stdio_open, [MCP_HTTP] = link_http_open,
		[MCP_SSE] = link_http_open,    [MCP_HTTP_OR_SSE] = link_http_open,
		[MCP_TCP] = link_ws_open,
	};
	struct link_events events = server_events(s);
	int r = open[s->config->transport](s->config, &events, &s->link, err);

	if (r >= 0)
		r = shake_hands(s, err);
	if (r < 0)
		return r;
	/*
	 * Without being asked, a server may send all its log messages or none.  Nothing waits for
	 * the answer: one that refuses stays as it is.
	 */
	if (can(s, "logging"))
		server_send_request(s, "logging/setLevel", STR("{\"level\":\"info\"}"));
	r = refresh(s, err);
	if (r >= 0)
		s->ready_us = clock_us();
	return r;
}

/* (waits) Until the connection is gone.  Lists are asked for once a second at most. */
static void serve(struct server *s, struct err *err)
{
	int r = 0;

	while (r >= 0) {
		bool due = s->is_stale && clock_us() >= s->refresh_us;

		r = due ? refresh(s, err)
			: server_pump(s, s->is_stale ? s->refresh_us : INT64_MAX, err);
		if (r < 0 && !s->is_down) {
			server_note(s, err->text, STR(""));
			r = 0;
		}
	}
}

/* (waits) For the server to end. */
static void disconnect(struct server *s, const struct err *why)
{
	s->agreed = s->is_stale = s->is_down = false;
	server_fail_all(s, why);
	link_close(s->link);
	s->link = NULL;
	if (s->hello)
		answer_free(&s->hello->m);
	s->hello = NULL;
}

/* ---- and again ---- */

/* Seconds until the next attempt; -1 when there is none. */
static int restart_wait(struct server *s)
{
	bool steady = s->ready_us && clock_us() - s->ready_us > (int64_t)MCP_STEADY_MS * 1000;
	bool again = s->ready_us || s->restarts > 0;
	int wait;

	s->ready_us = 0;
	if (steady)
		s->restarts = 0;
	if (!again || s->restarts == MCP_RESTARTS_MAX)
		return -1;
	wait = 1 << s->restarts++;
	return wait < RESTART_WAIT_MAX ? wait : RESTART_WAIT_MAX;
}

/* (waits) Until another attempt is asked for. */
static void stay(struct server *s, enum mcp_state state, const char *why)
{
	struct err ignored;

	set_state(s, state, why, NULL);
	settle(s);
	while (server_pump(s, INT64_MAX, &ignored) >= 0)
		;
}

/* (waits) One connection, from its beginning to what follows its end. */
static void live(struct server *s)
{
	const char *off = server_is_off(s);
	struct err why = { 0 };
	int wait;

	s->restart = false;
	if (off) {
		stay(s, MCP_CLOSED, off);
		return;
	}
	if (connect_server(s, &why) >= 0) {
		settle(s);
		serve(s, &why);
	}
	server_note(s, why.text, STR(""));
	s->failure = s->link && s->link->why  ? s->link->why
		     : why.code == E_INVAL    ? MCP_WHY_REFUSED
		     : s->link                ? MCP_WHY_OTHER
		     : why.code == E_NOTFOUND ? MCP_WHY_NO_PROGRAM
		     : why.code == E_SPAWN    ? MCP_WHY_NOT_STARTED
					      : MCP_WHY_OTHER;
	/* Before those who wait hear of it: they may look. */
	off = server_is_off(s);
	set_state(s, off ? MCP_CLOSED : MCP_CONNECTING, off ? off : why.text, NULL);
	disconnect(s, &why);
	if (cancel_fired(s->stop))
		return;
	if (s->restart) {
		s->restarts = 0;
		if (!server_is_off(s))
			set_state(s, MCP_CONNECTING, "", NULL);
		return;
	}
	wait = restart_wait(s);
	if (wait >= 0) {
		AUTO(free) char *reason = xasprintf("%s; it is restarted in %d s", why.text, wait);
		int64_t until = clock_us() + (int64_t)wait * clock_patience() * 1000;
		struct err ignored;

		/* (waits) */
		set_state(s, MCP_CONNECTING, reason, NULL);
		while (clock_us() < until && server_pump(s, until, &ignored) >= 0)
			;
		return;
	}
	s->restarts = 0;
	stay(s, MCP_FAILED, why.text);
}

static void run(void *data)
{
	struct server *s = data;

	while (!cancel_fired(s->stop))
		live(s);
	set_state(s, MCP_CLOSED, "the session has ended", NULL);
	settle(s);
}

void server_start(struct server *s, const struct mcp_config *config, const struct server_host *host)
{
	*s = (struct server){ .config = config, .host = host, .state = MCP_CONNECTING };
	(void)pthread_mutex_init(&s->lock, NULL);
	s->auth = config->problem && !config->closed ? NULL
						     : mcp_auth_new(config, host->home, host->env);
	if (config->problem) {
		s->state = config->closed ? MCP_CLOSED : MCP_FAILED;
		s->why = config->why;
		set_reason(s, config->problem);
		settle(s);
		return;
	}
	s->stop = cancel_new(NULL);
	s->inbox = queue_new();
	if (s->stop && s->inbox)
		s->thread = thread_start(run, s);
	if (s->thread)
		return;
	s->state = MCP_FAILED;
	set_reason(s, "out of threads or descriptors");
	settle(s);
}

void server_stop(struct server *s)
{
	cancel_fire(s->stop);
}

void server_done(struct server *s)
{
	server_stop(s);
	if (s->thread)
		thread_join(s->thread);
	queue_free(s->inbox, ask_free);
	cancel_free(s->stop);
	mcp_auth_free(s->auth);
	catalog_unref(s->catalog);
	buf_done(&s->log);
	buf_done(&s->instructions);
	free(s->pending.p);
	(void)pthread_mutex_destroy(&s->lock);
}

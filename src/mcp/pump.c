#include <stdio.h>

#include "base/json_pack.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "mcp/rpc.h"
#include "mcp/server_impl.h"
#include "os/clock.h"
#include "os/fd.h"

void server_note(struct server *s, const char *prefix, struct str line)
{
	AUTO(buf_done) struct buf clean = { 0 };

	(void)utf8_add_visible(&clean, str_sub(str_from(prefix), 0, NOTE_BYTES_MAX), false);
	(void)utf8_add_visible(&clean, str_sub(line, 0, NOTE_BYTES_MAX), false);
	buf_addc(&clean, '\n');
	pthread_mutex_lock(&s->lock);
	if (s->log.n + clean.n > LOG_MAX) {
		ptrdiff_t end = str_chr(buf_str(&s->log), '\n', s->log.n / 2);

		buf_drop(&s->log, end < 0 ? s->log.n : (size_t)end + 1);
	}
	buf_adds(&s->log, buf_str(&clean));
	pthread_mutex_unlock(&s->lock);
}

/* ---- answers ---- */

/* The sentence may be the server's. */
static struct answer *failure(int code, const char *why)
{
	AUTO(buf_done) struct buf clean = { 0 };
	struct answer *answer = answer_new();

	(void)utf8_add_visible(&clean, str_sub(str_from(why), 0, ERR_TEXT_MAX), true);
	(void)err_set(&answer->err, code, "%s", buf_z(&clean));
	return answer;
}

static void give(const struct pending *p, struct answer *take_answer)
{
	if (p->own)
		*p->own = take_answer;
	else
		queue_push(p->call->box, &take_answer->m);
}

static void finish(struct server *s, size_t i, struct answer *take_answer)
{
	struct pending p = s->pending.p[i];

	s->pending.p[i] = s->pending.p[--s->pending.n];
	give(&p, take_answer);
}

/* The index of a request that waits for its answer, or -1. */
static ptrdiff_t find(const struct server *s, int64_t id)
{
	for (size_t i = 0; id && i < s->pending.n; i++)
		if (s->pending.p[i].id == id)
			return (ptrdiff_t)i;
	return -1;
}

void server_fail_all(struct server *s, const struct err *why)
{
	while (s->pending.n)
		finish(s, s->pending.n - 1, failure(why->code, why->text));
}

static void on_lost(void *data, int64_t id, const char *why)
{
	struct server *s = data;
	ptrdiff_t i = find(s, id);
	struct err err;

	if (i >= 0)
		finish(s, (size_t)i, failure(E_IO, why));
	if (id) /* links do not know what has been answered */
		return;
	server_note(s, why, STR(""));
	(void)err_set(&err, E_IO, "%s", why);
	server_fail_all(s, &err);
}

/* Tells the server that the answer is not wanted any more, if it can be told. */
static void give_up(struct server *s, size_t i, const char *reason, struct answer *take_answer)
{
	AUTO(buf_done) struct buf text = { 0 };
	int64_t id = s->pending.p[i].id;
	struct jw w = { .out = &text };

	finish(s, i, take_answer);
	if (!s->link)
		return;
	rpc_begin(&w, 0, "notifications/cancelled", true);
	jw_obj(&w);
	jw_kv_int(&w, "requestId", id);
	jw_kv_z(&w, "reason", reason);
	jw_end(&w);
	jw_end(&w);
	if (s->agreed)
		(void)link_send(s->link, buf_str(&text), 0, NULL);
	link_forget(s->link, id);
}

static int64_t expire(struct server *s, int64_t until_us)
{
	int64_t now = clock_us();
	char why[80];

	for (size_t i = s->pending.n; i-- > 0;) {
		const struct pending *p = &s->pending.p[i];

		if (p->until_us > now) {
			until_us = p->until_us < until_us ? p->until_us : until_us;
			continue;
		}
		(void)snprintf(why, sizeof why, "no answer within %lld ms",
			       (long long)p->timeout_ms);
		give_up(s, i, "timeout", failure(E_IO, why));
		until_us = now; /* the thread itself may have waited for it */
	}
	return until_us;
}

/* ---- what the server says ---- */

static void send_text(struct server *s, const struct buf *text)
{
	/* One that asks faster than it reads does without some answers. */
	(void)link_send(s->link, buf_str(text), 0, NULL);
}

static void answer_ping(struct server *s, const struct rpc_message *m)
{
	AUTO(buf_done) struct buf text = { 0 };

	rpc_add_result(&text, m->id, "{}");
	send_text(s, &text);
}

static void answer_roots(struct server *s, const struct rpc_message *m)
{
	AUTO(buf_done) struct buf text = { 0 }, uri = { 0 }, roots = { 0 };
	struct jw w = { .out = &roots };
	const char *path = s->config->dir;

	buf_addz(&uri, "file://");
	for (; *path; path++) {
		if (char_is_word(*path) || strchr("/-.~", *path))
			buf_addc(&uri, *path);
		else
			buf_addf(&uri, "%%%02X", (unsigned char)*path);
	}
	jw_obj(&w);
	jw_key(&w, "roots");
	jw_arr(&w);
	jw_obj(&w);
	jw_kv_str(&w, "uri", buf_str(&uri));
	jw_end(&w);
	jw_end(&w);
	jw_end(&w);
	rpc_add_result(&text, m->id, buf_z(&roots));
	send_text(s, &text);
}

/* Its clock stops while the user thinks about the answer. */
static void take_question(struct server *s, const struct rpc_message *m)
{
	AUTO(buf_done) struct buf text = { 0 };
	struct pending *p = NULL;
	struct answer *question;

	/* The call that it belongs to: the last one that can ask somebody. */
	for (size_t i = s->pending.n; i-- > 0 && !p;)
		if (s->pending.p[i].call && s->pending.p[i].call->asks)
			p = &s->pending.p[i];
	if (!p) {
		server_note(s, "a question outside of any call is cancelled", STR(""));
		rpc_add_result(&text, m->id, "{\"action\":\"cancel\"}");
		send_text(s, &text);
		return;
	}
	p->until_us = INT64_MAX;
	question = answer_new();
	question->is_question = true;
	question->body = json_dup(&question->arena,
				  json_pack(&question->arena, "id:j ?params:j", m->id, m->body));
	queue_push(p->call->box, &question->m);
}

static void take_request(struct server *s, const struct rpc_message *m)
{
	static const struct {
		const char *method;
		void (*answer)(struct server *s, const struct rpc_message *m);
	} requests[] = {
		{ "elicitation/create", take_question },
		{ "ping", answer_ping },
		{ "roots/list", answer_roots },
	};
	AUTO(buf_done) struct buf text = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(requests); i++)
		if (str_eqz(m->method, requests[i].method)) {
			requests[i].answer(s, m);
			return;
		}
	rpc_add_error(&text, m->id, RPC_METHOD_NOT_FOUND, "Method not found");
	send_text(s, &text);
}

static void take_notification(struct server *s, const struct rpc_message *m)
{
	if (str_eqz(m->method, "notifications/progress")) {
		ptrdiff_t i = find(s, rpc_number(json_getz(m->body, "progressToken")));
		struct call *call = i < 0 ? NULL : s->pending.p[i].call;
		struct answer *answer;

		if (call &&
		    __atomic_load_n(&call->nprogress, __ATOMIC_RELAXED) < CALL_PROGRESS_MAX) {
			(void)__atomic_add_fetch(&call->nprogress, 1, __ATOMIC_RELAXED);
			answer = answer_new();
			answer->is_progress = true;
			answer->body = json_dup(&answer->arena, m->body);
			queue_push(call->box, &answer->m);
		}
	} else if (str_eqz(m->method, "notifications/message")) {
		AUTO(arena_done) struct arena a = { 0 };
		const struct json *data = json_getz(m->body, "data");
		struct str text = json_is(data, J_STR) ? json_str(data, STR(""))
				  : data               ? json_text(&a, data, JSON_COMPACT)
						       : STR("");
		struct str level;

		level = arena_printf(
			&a, "%.*s: ", STR_ARG(json_str(json_getz(m->body, "level"), STR("log"))));
		server_note(s, level.p, text);
	} else if (str_eqz(m->method, "notifications/elicitation/complete")) {
		server_note(s, "what was to be done in the browser is done: ",
			    json_get_str(m->body, "elicitationId"));
	} else if (str_ends(m->method, STR("/list_changed"))) {
		s->is_stale = true;
	}
}

/* The arena is the answer's if it can be had, else the body is copied. */
static void take_answer(struct server *s, const struct rpc_message *m, struct arena *owner)
{
	ptrdiff_t i = find(s, m->number);
	struct answer *answer;

	if (i < 0)
		return;
	if (m->kind == RPC_ERROR) {
		struct str said = json_str(json_getz(m->body, "message"), STR("an error"));
		AUTO(free) char *text = xstrndup(said.p, min_size(said.n, ERR_TEXT_MAX));

		answer = failure(E_INVAL, text);
		answer->body = json_dup(&answer->arena, m->body);
		finish(s, (size_t)i, answer);
		return;
	}
	answer = answer_new();
	if (owner) {
		answer->arena = *owner;
		*owner = (struct arena){ 0 };
	}
	answer->body = owner ? m->body : json_dup(&answer->arena, m->body);
	finish(s, (size_t)i, answer);
}

static void on_message(void *data, struct str text)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *doc;
	struct server *s = data;
	int r = rpc_parse(&a, text, &doc, NULL);

	if (r < 0) {
		/* Nested too deep: that was an answer. */
		if (r == -E_LIMIT)
			on_lost(s, 0, "the server's answer is nested too deep");
		else
			server_note(s, "not a message: ", text);
		return;
	}
	for (size_t i = 0; i < rpc_count(doc); i++) {
		struct rpc_message m = rpc_at(doc, i);
		struct arena *owner = json_is(doc, J_ARR) ? NULL : &a;

		if (m.kind == RPC_REQUEST)
			take_request(s, &m);
		else if (m.kind == RPC_NOTIFICATION)
			take_notification(s, &m);
		else if (m.kind != RPC_NONE)
			take_answer(s, &m, owner);
		else
			server_note(s, "a message that is none of JSON-RPC", STR(""));
		if (owner)
			return;
	}
}

static void on_note(void *data, struct str line)
{
	server_note(data, "", line);
}

static bool on_waits(void *data, int64_t id)
{
	return find(data, id) >= 0;
}

struct link_events server_events(struct server *s)
{
	return (struct link_events){
		.message = on_message,
		.lost = on_lost,
		.note = on_note,
		.waits = on_waits,
		.data = s,
		.auth = s->auth,
		.stop = s->stop,
	};
}

/* ---- what others ask ---- */

static void add_pending(struct server *s, struct pending p)
{
	p.until_us = clock_us() + p.timeout_ms * 1000;
	*VEC_ADD(&s->pending) = p;
}

static void take_asked(struct server *s, const struct ask *ask)
{
	const struct pending p = { .id = ask->id,
				   .call = ask->call,
				   .timeout_ms = ask->timeout_ms };
	struct err err = { 0 };

	if (!s->agreed) {
		give(&p, failure(E_AGAIN, s->reason[0] ? s->reason : "it is connecting"));
		return;
	}
	add_pending(s, p);
	if (link_send(s->link, buf_str(&ask->text), ask->id, &err) < 0 && find(s, ask->id) >= 0)
		finish(s, (size_t)find(s, ask->id), failure(err.code, err.text));
}

/* ---- the round ---- */

static int go_round(struct server *s, int64_t until_us, struct err *err)
{
	struct pollfd fds[] = {
		{ .fd = queue_fd(s->inbox), .events = POLLIN },
		{ .fd = cancel_fd(s->stop), .events = POLLIN },
	};
	int timeout_ms = clock_ms_until(expire(s, until_us));
	int r = 0;
	struct message *m;

	if (s->link)
		r = link_wait(s->link, fds, ARRAY_LEN(fds), timeout_ms, err);
	else
		(void)fd_poll(fds, ARRAY_LEN(fds), timeout_ms);
	if (r < 0)
		return r;
	while ((m = queue_pop(s->inbox))) {
		struct ask *ask = (struct ask *)m;
		ptrdiff_t i = find(s, ask->id); /* -1: what it is about is over */

		if (ask->kind == ASK_REQUEST) {
			take_asked(s, ask);
		} else if (ask->kind == ASK_RESTART) {
			s->restart = true;
		} else if (ask->kind == ASK_CANCEL && i >= 0) {
			give_up(s, (size_t)i, "cancelled", failure(E_CANCEL, "cancelled"));
		} else if (ask->kind == ASK_REPLY && i >= 0) {
			s->pending.p[i].until_us = clock_us() + s->pending.p[i].timeout_ms * 1000;
			if (s->link)
				send_text(s, &ask->text);
		}
		ask_free(m);
	}
	if (cancel_fired(s->stop))
		return err_set(err, E_CANCEL, "the session has ended");
	if (s->restart)
		return err_set(err, E_AGAIN, "the server is restarted");
	return 0;
}

int server_pump(struct server *s, int64_t until_us, struct err *err)
{
	int r = go_round(s, until_us, err);

	s->is_down = r < 0;
	return r;
}

int server_send_notification(struct server *s, const char *method, struct err *err)
{
	AUTO(buf_done) struct buf text = { 0 };
	struct jw w = { .out = &text };

	rpc_begin(&w, 0, method, false);
	jw_end(&w);
	return link_send(s->link, buf_str(&text), 0, err);
}

static int64_t add_request(struct server *s, struct buf *out, const char *method,
			   struct str params_json)
{
	int64_t id = __atomic_add_fetch(&s->last_id, 1, __ATOMIC_RELAXED);
	struct jw w = { .out = out };

	rpc_begin(&w, id, method, true);
	jw_raw(&w, params_json);
	jw_end(&w);
	return id;
}

void server_send_request(struct server *s, const char *method, struct str params_json)
{
	AUTO(buf_done) struct buf text = { 0 };
	int64_t id = add_request(s, &text, method, params_json);

	(void)link_send(s->link, buf_str(&text), id, NULL);
}

int server_own_request(struct server *s, const char *method, struct str params_json,
		       struct answer **ret_answer, struct err *err)
{
	AUTO(buf_done) struct buf text = { 0 };
	int64_t id = add_request(s, &text, method, params_json);
	struct answer *answer = NULL;
	int r;

	add_pending(s, (struct pending){
			       .id = id, .own = &answer, .timeout_ms = s->config->connect_ms });
	r = link_send(s->link, buf_str(&text), id, err);
	while (r >= 0 && !answer)
		r = server_pump(s, INT64_MAX, err);
	if (!answer) {
		s->pending.p[find(s, id)] = s->pending.p[s->pending.n - 1];
		s->pending.n--;
		return r;
	}
	if (answer->err.code)
		r = err_set(err, answer->err.code, "%s: %s", method, answer->err.text);
	if (r >= 0)
		*ret_answer = MOVE(answer);
	if (answer)
		answer_free(&answer->m);
	return r;
}

/* The side of those who ask: it runs in their threads and touches nothing of the server's own. */
#include <errno.h>

#include "base/json_pack.h"
#include "mcp/message.h"
#include "mcp/rpc.h"
#include "mcp/server.h"

struct answer *answer_new(void)
{
	return xcalloc(1, sizeof(struct answer));
}

void answer_free(struct message *m)
{
	struct answer *answer = (struct answer *)m;

	arena_done(&answer->arena);
	free(answer);
}

void ask_free(struct message *m)
{
	struct ask *ask = (struct ask *)m;

	buf_done(&ask->text);
	free(ask);
}

static void push(struct server *s, struct ask ask)
{
	struct ask *copy = xmalloc(sizeof *copy);

	*copy = ask;
	queue_push(s->inbox, &copy->m);
}

void server_restart(struct server *s)
{
	push(s, (struct ask){ .kind = ASK_RESTART });
}

bool server_switch(struct server *s, const char *off)
{
	bool changes;

	pthread_mutex_lock(&s->lock);
	changes = !s->off != !off;
	s->off = off;
	pthread_mutex_unlock(&s->lock);
	if (changes)
		server_restart(s);
	return changes;
}

const char *server_is_off(struct server *s)
{
	const char *off;

	pthread_mutex_lock(&s->lock);
	off = s->off;
	pthread_mutex_unlock(&s->lock);
	return off;
}

static struct buf request_text(int64_t id, const char *method, const struct json *params,
			       bool with_progress)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct buf text = { 0 };
	struct jw w = { .out = &text };

	rpc_begin(&w, id, method, params != NULL);
	/* The token of progress is the request's id. */
	if (params && with_progress)
		params = json_set(&a, params, STR("_meta"),
				  json_set(&a, json_getz(params, "_meta"), STR("progressToken"),
					   json_new_int(&a, id)));
	if (params)
		jw_json(&w, params);
	jw_end(&w);
	return text;
}

/*
 * (waits) Puts a question of the server to whoever is there, and sends what came of it.  Nobody's
 * answer goes out that the server has not asked for.
 */
static void answer_question(struct server *s, int64_t id, const struct mcp_sink *sink, bool over,
			    const struct json *question)
{
	AUTO(arena_done) struct arena a = { 0 };
	enum elicit_action action = ELICIT_CANCEL;
	const struct json *content = NULL, *rpc_id = json_getz(question, "id"), *result;
	struct buf text = { 0 };
	struct elicit e;
	struct err err;

	if (elicit_read(&a, json_getz(question, "params"), &e, &err) < 0) {
		rpc_add_error(&text, rpc_id, RPC_INVALID_PARAMS, err.text);
	} else {
		if (!over)
			action = sink->ask(sink->data, s->config->name, &e, &a, &content);
		if (action == ELICIT_ACCEPT && !e.is_url &&
		    elicit_content(&a, &e, content, &content, NULL) < 0)
			action = ELICIT_CANCEL;
		result = json_pack(&a, "action:z ?content:j", elicit_actions[action],
				   action == ELICIT_ACCEPT && !e.is_url ? content : NULL);
		rpc_add_result(&text, rpc_id, json_text(&a, result, JSON_COMPACT).p);
	}
	push(s, (struct ask){ .kind = ASK_REPLY, .id = id, .text = text });
}

/* (waits) For the one answer.  Once the cancel has fired the server's thread answers at once. */
static struct answer *wait_answer(struct server *s, struct call *call, int64_t id,
				  const struct mcp_sink *sink, struct cancel *cancel)
{
	bool asked = false;

	for (;;) {
		struct message *m = queue_wait(call->box, asked ? NULL : cancel);
		struct answer *answer = (struct answer *)m;
		const struct json *said;

		if (!m) {
			push(s, (struct ask){ .kind = ASK_CANCEL, .id = id });
			asked = true;
			continue;
		}
		if (answer->is_question) {
			answer_question(s, id, sink, asked || cancel_fired(cancel), answer->body);
			answer_free(m);
			continue;
		}
		if (!answer->is_progress)
			return answer;
		(void)__atomic_sub_fetch(&call->nprogress, 1, __ATOMIC_RELAXED);
		said = answer->body;
		if (!asked && sink && sink->progress)
			sink->progress(sink->data, json_num(json_getz(said, "progress"), 0),
				       json_num(json_getz(said, "total"), -1),
				       json_get_str(said, "message"));
		answer_free(m);
	}
}

int server_request(struct server *s, const char *method, const struct json *params,
		   const struct mcp_sink *sink, struct cancel *cancel, struct arena *a,
		   const struct json **ret_result, struct err *err)
{
	struct call call = { .asks = sink && sink->ask };
	struct answer *answer;
	int64_t id;
	int r = 0;

	*ret_result = NULL;
	/* A thread that is busy with ending its server need not be asked. */
	pthread_mutex_lock(&s->lock);
	if (s->state != MCP_READY)
		r = err_set(err, E_AGAIN, "MCP server %s: %s", s->config->name,
			    s->reason[0] ? s->reason : "it is connecting");
	pthread_mutex_unlock(&s->lock);
	if (r < 0)
		return r;
	if (cancel_fired(cancel))
		return err_set(err, E_CANCEL, "cancelled");
	call.box = queue_new();
	if (!call.box)
		return err_errno(err, errno, "MCP server %s", s->config->name);
	id = __atomic_add_fetch(&s->last_id, 1, __ATOMIC_RELAXED);
	push(s, (struct ask){ .kind = ASK_REQUEST,
			      .id = id,
			      .call = &call,
			      .text = request_text(id, method, params, sink != NULL),
			      .timeout_ms = s->config->timeout_ms });
	answer = wait_answer(s, &call, id, sink, cancel);
	if (cancel_fired(cancel))
		r = err_set(err, E_CANCEL, "cancelled");
	else if (answer->err.code)
		r = err_set(err, answer->err.code, "MCP server %s: %s", s->config->name,
			    answer->err.text);
	if (r < 0)
		*ret_result = answer->err.code && answer->body ? json_dup(a, answer->body) : NULL;
	else
		*ret_result = json_dup(a, answer->body);
	answer_free(&answer->m);
	queue_free(call.box, answer_free);
	return r;
}

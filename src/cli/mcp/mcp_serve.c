/* trotline mcp serve, the protocol: messages, versions, batches, cancellation (mcp_serve.h). */
#include "cli/mcp/mcp_serve.h"

#include "base/json_pack.h"
#include "base/vec.h"
#include "mcp/rpc.h"

/* Answers to an array of messages: they go out together, once the last one is there. */
struct serve_batch {
	int waiting; /* calls, and 1 while the array is read */
	struct buf out; /* "[answer,answer" */
};

/* ---- answers ---- */

static void batch_release(struct serve *s, struct serve_batch *b)
{
	if (--b->waiting)
		return;
	if (b->out.n) {
		buf_adds(&s->out, buf_str(&b->out));
		buf_addz(&s->out, "]\n");
	}
	buf_done(&b->out);
	free(b);
}

/* Where an answer goes; end_answer() follows. */
static struct buf *begin_answer(struct serve *s, struct serve_batch *b)
{
	if (!b)
		return &s->out;
	buf_addc(&b->out, b->out.n ? ',' : '[');
	return &b->out;
}

static void end_answer(struct serve *s, struct serve_batch *b)
{
	if (!b)
		buf_addc(&s->out, '\n');
}

static void answer_error(struct serve *s, struct serve_batch *b, const struct json *id, int code,
			 const char *text)
{
	rpc_add_error(begin_answer(s, b), id, code, text);
	end_answer(s, b);
}

static void answer_result(struct serve *s, struct serve_batch *b, const struct json *id,
			  struct buf *result)
{
	rpc_add_result(begin_answer(s, b), id, buf_z(result));
	end_answer(s, b);
}

/* What a method has refused. */
static void answer_refusal(struct serve *s, struct serve_batch *b, const struct json *id,
			   const struct err *err)
{
	static const struct {
		int code, rpc;
	} codes[] = { { E_INVAL, SERVE_INVALID_PARAMS },
		      { E_NOTFOUND, SERVE_NO_RESOURCE },
		      { E_AGAIN, SERVE_BUSY } };
	int rpc = SERVE_INTERNAL_ERROR;

	for (size_t i = 0; i < ARRAY_LEN(codes); i++)
		if (codes[i].code == err->code)
			rpc = codes[i].rpc;
	answer_error(s, b, id, rpc, err->text);
}

/* ---- calls ---- */

static size_t call_index(const struct serve *s, const struct json *id)
{
	size_t i = 0;

	while (i < s->calls.n && !json_equal(s->calls.p[i]->id, id))
		i++;
	return i;
}

/* Takes it off the list and frees it. */
static void call_end(struct serve *s, struct serve_call *c)
{
	size_t i = call_index(s, c->id);
	struct arena a;

	if (i < s->calls.n)
		s->calls.p[i] = s->calls.p[--s->calls.n];
	if (c->batch)
		batch_release(s, c->batch);
	a = c->arena; /* the call lives in it */
	arena_done(&a);
}

void serve_answer(struct serve *s, struct serve_call *take_call, struct str result_json)
{
	AUTO(buf_done) struct buf result = { 0 };

	buf_adds(&result, result_json);
	answer_result(s, take_call->batch, take_call->id, &result);
	call_end(s, take_call);
}

void serve_drop(struct serve *s, struct serve_call *take_call)
{
	call_end(s, take_call);
}

/* A call lives in its own arena. */
static struct serve_call *call_new(const struct json *id, const struct json *params)
{
	struct arena a = { 0 };
	struct serve_call *c = ARENA_NEW(&a, struct serve_call);
	const struct json *args = json_getz(params, "arguments");

	c->tool = arena_z(&a, json_get_str(params, "name"));
	c->args = json_is(args, J_OBJ) ? json_dup(&a, args) : json_new_obj(&a);
	c->id = json_dup(&a, id);
	c->arena = a;
	return c;
}

static void tools_call(struct serve *s, struct serve_batch *b, const struct rpc_message *m)
{
	const struct json *name = json_getz(m->body, "name");
	const struct json *args = json_getz(m->body, "arguments");
	struct serve_call *c;
	struct err err;

	if (!json_is(name, J_STR) || (args && !json_is(args, J_OBJ))) {
		answer_error(s, b, m->id, SERVE_INVALID_PARAMS,
			     "tools/call takes a name (string) and arguments (object)");
		return;
	}
	if (call_index(s, m->id) < s->calls.n) {
		answer_error(s, b, m->id, SERVE_INVALID_REQUEST,
			     "the id is that of a request which is not answered yet");
		return;
	}
	if (s->calls.n == SERVE_CALLS_MAX) {
		answer_error(s, b, m->id, SERVE_BUSY, "too many calls at once");
		return;
	}
	c = call_new(m->id, m->body);
	c->batch = b;
	if (b)
		b->waiting++;
	*VEC_ADD(&s->calls) = c;
	if (s->host->call(s->data, c, &err) < 0) {
		struct arena *a = &c->arena;
		const struct json *text;

		/* The model can mend arguments: they are reported as a result, not as an error. */
		if (err.code == E_INVAL) {
			text = json_pack(a, "type:z text:z", "text", err.text);
			text = json_pack(a, "content:j isError:b", json_new_arr(a, &text, 1), true);
			serve_answer(s, c, json_text(a, text, JSON_COMPACT));
			return;
		}
		if (err.code == E_NOTFOUND)
			answer_error(s, c->batch, c->id, SERVE_INVALID_PARAMS, err.text);
		else
			answer_refusal(s, c->batch, c->id, &err);
		call_end(s, c);
	}
}

static void cancelled(struct serve *s, const struct json *params)
{
	const struct json *id = json_getz(params, "requestId");
	size_t i = id ? call_index(s, id) : s->calls.n;

	if (i < s->calls.n)
		s->host->cancelled(s->data, s->calls.p[i]);
}

/* ---- methods ---- */

static const struct json *initialize(const struct serve *s, struct arena *a,
				     const struct json *params, struct err *err)
{
	const struct serve_host *host = s->host;
	const struct json *theirs = json_getz(params, "protocolVersion"), *none = json_new_obj(a);
	const char *version;

	if (!json_is(theirs, J_STR)) {
		(void)err_set(err, E_INVAL, "initialize takes a protocolVersion (string)");
		return NULL;
	}
	version = rpc_version(json_str(theirs, STR("")));
	return json_pack(
		a, "protocolVersion:z capabilities:j serverInfo:j instructions:z",
		version ? version : RPC_VERSION,
		json_pack(a, "tools:j resources:j prompts:j", none, none, none),
		json_pack(a, "name:z title:z version:z", host->name, host->title, host->version),
		host->instructions);
}

static void request(struct serve *s, struct serve_batch *b, const struct rpc_message *m)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf text = { 0 };
	const struct json *result = NULL;
	struct err err = { 0 };

	if (m->body && !json_is(m->body, J_OBJ)) {
		answer_error(s, b, m->id, SERVE_INVALID_PARAMS, "params must be an object");
		return;
	}
	if (str_eqz(m->method, "tools/call")) {
		tools_call(s, b, m);
		return;
	}
	if (str_eqz(m->method, "initialize"))
		result = initialize(s, &a, m->body, &err);
	else if (str_eqz(m->method, "ping"))
		result = json_new_obj(&a);
	for (size_t i = 0; !result && !err.code && i < s->host->nmethods; i++)
		if (str_eqz(m->method, s->host->methods[i].name))
			result = s->host->methods[i].run(&a, m->body, &err);
	if (result) {
		(void)json_write(&text, result, JSON_COMPACT);
		answer_result(s, b, m->id, &text);
	} else if (err.code) {
		answer_refusal(s, b, m->id, &err);
	} else {
		(void)err_set(&err, E_NOTFOUND, "unknown method %.*s",
			      STR_ARG(str_sub(m->method, 0, 100)));
		answer_error(s, b, m->id, RPC_METHOD_NOT_FOUND, err.text);
	}
}

/* ---- messages ---- */

static void message(struct serve *s, struct serve_batch *b, const struct json *v)
{
	struct rpc_message m = rpc_at(v, 0);
	const struct json *id = json_getz(v, "id");

	/* A request without a usable id, or something that is no message at all. */
	if (!json_is(v, J_OBJ) || !str_eqz(json_get_str(v, "jsonrpc"), "2.0") ||
	    (id && !json_is(id, J_STR) && !json_is(id, J_NUM)) || m.kind == RPC_NONE) {
		answer_error(s, b, json_is(v, J_ARR) ? NULL : m.id, SERVE_INVALID_REQUEST,
			     "this is not a JSON-RPC 2.0 message");
		return;
	}
	if (m.kind == RPC_REQUEST)
		request(s, b, &m);
	else if (m.kind == RPC_NOTIFICATION && str_eqz(m.method, "notifications/cancelled"))
		cancelled(s, m.body);
}

static void batch(struct serve *s, const struct json *list)
{
	struct serve_batch *b;

	if (!list->n || list->n > SERVE_BATCH_MAX) {
		answer_error(s, NULL, NULL, SERVE_INVALID_REQUEST,
			     list->n ? "too many messages in one array" : "an empty array");
		return;
	}
	b = xcalloc(1, sizeof *b);
	b->waiting = 1;
	for (size_t i = 0; i < list->n; i++)
		message(s, b, json_at(list, i));
	batch_release(s, b);
}

static void on_line(void *data, struct str line)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct serve *s = data;
	const struct json *doc;
	struct err err;

	if (!str_trim(line).n)
		return;
	if (rpc_parse(&a, line, &doc, &err) < 0)
		answer_error(s, NULL, NULL, SERVE_PARSE_ERROR, err.text);
	else if (json_is(doc, J_ARR))
		batch(s, doc);
	else
		message(s, NULL, doc);
}

static void on_long(void *data)
{
	answer_error(data, NULL, NULL, SERVE_INVALID_REQUEST,
		     "the message is too long; it was not read");
}

void serve_init(struct serve *s, const struct serve_host *host, void *data)
{
	*s = (struct serve){ .host = host,
			     .data = data,
			     .lines = { .max = SERVE_LINE_MAX,
					.on_line = on_line,
					.on_long = on_long,
					.data = s } };
}

void serve_feed(struct serve *s, struct str bytes)
{
	lines_feed(&s->lines, bytes);
}

void serve_end(struct serve *s)
{
	lines_end(&s->lines);
}

void serve_done(struct serve *s)
{
	lines_done(&s->lines);
	buf_done(&s->out);
	free(s->calls.p);
}

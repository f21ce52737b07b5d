#include "mcp/guard.h"

#include "base/json_pack.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "mcp/guard_result.h"
#include "mcp/rpc.h"

/* ---- what the client is told ---- */

static void to_client(struct guard *g, struct str text)
{
	buf_adds(&g->out, text);
	buf_addc(&g->out, '\n');
}

static void reply_error(struct guard *g, const struct json *id, int code, const char *text)
{
	rpc_add_error(&g->out, id, code, text);
	buf_addc(&g->out, '\n');
}

/* Why a call goes no further, in the words of its kind. */
static void reply_denied(struct guard *g, const struct guard_call *c, const char *why)
{
	AUTO(arena_done) struct arena a = { 0 };

	if (!c->id)
		return;
	if (c->kind != GUARD_TOOL || c->detached) {
		reply_error(g, c->id, GUARD_DENIED, why);
		return;
	}
	rpc_add_result(&g->out, c->id,
		       json_text(&a, guard_tool_error(&a, str_from(why)), JSON_COMPACT).p);
	buf_addc(&g->out, '\n');
}

static void note(struct guard *g, const char *what, struct str text)
{
	AUTO(free) char *line =
		xasprintf("%s%s%.*s", what, text.n ? ": " : "", STR_ARG(str_sub(text, 0, 200)));

	g->host->note(g->data, line);
}

/* ---- calls ---- */

static struct guard_call *call_new(enum guard_kind kind, const struct json *id)
{
	struct arena a = { 0 };
	struct guard_call *c = ARENA_NEW(&a, struct guard_call);

	c->kind = kind;
	c->name = "";
	c->id = id ? json_dup(&a, id) : NULL;
	c->arena = a;
	return c;
}

static void call_free(struct guard_call *c)
{
	struct arena a = c->arena; /* the call lives in it */

	buf_done(&c->context);
	arena_done(&a);
}

static void call_end(struct guard *g, struct guard_call *c)
{
	for (size_t i = 0; i < g->calls.n; i++) {
		if (g->calls.p[i] != c)
			continue;
		memmove(&g->calls.p[i], &g->calls.p[i + 1],
			(g->calls.n - i - 1) * sizeof(struct guard_call *));
		g->calls.n--;
		break;
	}
	call_free(c);
}

/* Room for one more: those without a waiting client go first. */
static bool has_room(struct guard *g)
{
	for (size_t i = 0; g->calls.n >= GUARD_CALLS_MAX && i < g->calls.n; i++)
		if (g->calls.p[i]->cancelled && g->calls.p[i]->phase == GUARD_SENT)
			call_end(g, g->calls.p[i]);
	return g->calls.n < GUARD_CALLS_MAX;
}

size_t guard_count(const struct guard *g, enum guard_phase phase)
{
	size_t n = 0;

	for (size_t i = 0; i < g->calls.n; i++)
		n += g->calls.p[i]->phase == phase && !g->calls.p[i]->cancelled;
	return n;
}

bool guard_waits(const struct guard *g, int64_t number)
{
	for (size_t i = 0; i < g->calls.n; i++)
		if (g->calls.p[i]->number == number && g->calls.p[i]->phase == GUARD_SENT)
			return true;
	return false;
}

void guard_lost(struct guard *g, int64_t number, const char *why)
{
	for (size_t i = g->calls.n; i-- > 0;) {
		struct guard_call *c = g->calls.p[i];

		if (c->number != number || c->phase != GUARD_SENT)
			continue;
		if (!c->cancelled)
			reply_error(g, c->id, GUARD_DENIED, why);
		call_end(g, c);
	}
}

static void send_text(struct guard *g, struct str text, int64_t number)
{
	struct err err;

	if (g->gone)
		guard_lost(g, number, "the server has ended");
	else if (g->host->send(g->data, text, number, &err) < 0)
		guard_lost(g, number, err.text);
}

static bool is_judged(const struct guard_call *c)
{
	return c->phase != GUARD_SENT || c->wants_after || c->context.n;
}

/* Hooks that came into force while the server works judge what it says. */
static void look_anew(struct guard *g)
{
	if (!g->host->changed(g->data))
		return;
	for (size_t i = 0; i < g->calls.n; i++)
		if (g->calls.p[i]->kind && g->calls.p[i]->phase == GUARD_SENT)
			g->calls.p[i]->wants_after |= g->host->wants(g->data, g->calls.p[i], true);
	for (size_t i = 0; i < g->tasks.n; i++)
		g->tasks.p[i].call->wants_after |=
			g->host->wants(g->data, g->tasks.p[i].call, true);
}

static const struct guard_call *call_alike(const struct guard *g, const struct json *id)
{
	for (size_t i = 0; i < g->calls.n; i++)
		if (g->calls.p[i]->id && guard_ids_alike(g->calls.p[i]->id, id))
			return g->calls.p[i];
	return NULL;
}

/* ---- tasks: calls whose results are asked for later ---- */

static ptrdiff_t task_at(const struct guard *g, struct str id)
{
	for (size_t i = 0; i < g->tasks.n; i++)
		if (str_eqz(id, g->tasks.p[i].id))
			return (ptrdiff_t)i;
	return -1;
}

/* What `from` calls is what this one is about. */
static void call_take(struct guard_call *c, const struct guard_call *from)
{
	c->name = arena_z(&c->arena, str_from(from->name));
	c->input = json_dup(&c->arena, from->input);
	c->wants_after = from->wants_after;
	buf_adds(&c->context, buf_str(&from->context));
}

static void task_drop(struct guard *g, size_t i)
{
	free(g->tasks.p[i].id);
	call_free(g->tasks.p[i].call);
	memmove(&g->tasks.p[i], &g->tasks.p[i + 1], (g->tasks.n - i - 1) * sizeof *g->tasks.p);
	g->tasks.n--;
}

static void task_add(struct guard *g, struct str id, const struct guard_call *c)
{
	ptrdiff_t known = task_at(g, id);
	struct guard_call *copy = call_new(c->kind, NULL);

	call_take(copy, c);
	if (known >= 0)
		task_drop(g, (size_t)known);
	if (g->tasks.n >= GUARD_TASKS_MAX)
		task_drop(g, 0);
	*VEC_ADD(&g->tasks) = (struct guard_task){ xstrndup(id.p, id.n), copy };
}

/* ---- from the client ---- */

/* A text of the client on its way: one message, or an array of them. */
struct incoming {
	struct guard *g;
	struct str text;
	bool in_array;
	int64_t number; /* of what is passed on unchanged */
	struct buf rest; /* of an array: the messages that are */
	size_t nrest;
	bool kept; /* the message is among the calls */
};

/* No reader is sure what it calls. */
static void refuse(struct incoming *in, const struct json *id, const char *why)
{
	AUTO(free) char *text = xasprintf("trotline mcp guard: %s", why);

	reply_error(in->g, id, GUARD_INVALID_REQUEST, text);
}

/* A request whose answer is to be known when it comes; NULL when there is no room for it. */
static struct guard_call *add_call(struct incoming *in, enum guard_kind kind, const struct json *id)
{
	struct guard_call *c;

	if (!has_room(in->g)) {
		reply_error(in->g, id, GUARD_DENIED,
			    "trotline mcp guard: too many requests wait for their answers");
		return NULL;
	}
	c = call_new(kind, id);
	c->phase = GUARD_SENT;
	c->number = in->number;
	in->kept = true;
	*VEC_ADD(&in->g->calls) = c;
	return c;
}

/* The message as the call's own. */
static void own(struct guard_call *c, struct incoming *in, const struct json *v)
{
	static const struct json_limits limits = { GUARD_LINE_MAX, GUARD_DEPTH };
	size_t end = in->in_array ? guard_value_end(in->text, v->pos) : in->text.n;
	struct guard_reading r;

	c->text = arena_str(&c->arena, str_sub(in->text, in->in_array ? v->pos : 0, end));
	if (json_parse_at(&c->arena, c->text, JSON_REPEATS, &limits, &c->doc, NULL, NULL) < 0)
		BUG();
	guard_read(c->doc, &r);
	c->name = arena_z(&c->arena, r.name);
	/* What hooks see of the arguments: an object. */
	c->input = json_is(r.args, J_OBJ) ? r.args : json_new_obj(&c->arena);
	if (c->kind == GUARD_RESOURCE)
		c->input = json_pack(&c->arena, "uri:s", r.name);
	else if (c->kind == GUARD_PROMPT)
		c->input = json_pack(&c->arena, "name:s arguments:j", r.name, c->input);
	c->detached = r.detached;
}

/* The result of a task is that of the call which made it.  True when it may go on as it is. */
static bool judge_task(struct incoming *in, const struct guard_reading *r)
{
	ptrdiff_t at = task_at(in->g, r->name);
	const struct guard_call *made = at < 0 ? NULL : in->g->tasks.p[at].call;
	struct guard_call *c;

	if (!made) {
		refuse(in, r->id,
		       "hooks cannot be asked about a task of which the guard has not "
		       "seen the beginning");
		return false;
	}
	c = add_call(in, made->kind, r->id);
	if (!c)
		return false;
	call_take(c, made);
	return true;
}

/* Why hooks cannot be asked about it; NULL = they can. */
static const char *unfit(struct incoming *in, const struct guard_reading *r)
{
	AUTO(arena_done) struct arena a = { 0 };

	if (!r->id && r->answers)
		return "this is a request and an answer at once";
	if (r->id && !json_is(r->id, J_STR) && !json_is(r->id, J_NUM))
		return "the id of a call must be a text or a number";
	if (r->args && !json_is(r->args, J_OBJ) && !json_is(r->args, J_NULL))
		return "the arguments of a call must be an object";
	if (utf8_valid(in->text) != in->text.n)
		return "the message is not valid UTF-8";
	if (guard_has_alike_keys(&a, r->args))
		return "some programs do not tell two keys of the arguments apart; send one of "
		       "them";
	return NULL;
}

static bool any_hook(struct guard *g)
{
	return g->host->wants(g->data, NULL, false) || g->host->wants(g->data, NULL, true);
}

/* A call that hooks may concern.  True when it may go on as it is. */
static bool judge_call(struct incoming *in, const struct json *v, const struct guard_reading *r)
{
	struct guard *g = in->g;
	struct guard_call *c;
	const struct guard_call *other;
	const char *why;
	bool before, judged;

	if (!r->named) {
		if (!any_hook(g))
			return true;
		refuse(in, r->id,
		       "programs could read this call in more than one way; send "
		       "\"method\", \"params\" and the name once each, in their right "
		       "spelling");
		return false;
	}
	if (r->kind == GUARD_TASK)
		return !g->host->wants(g->data, NULL, true) || judge_task(in, r);
	c = call_new(r->kind, r->id);
	own(c, in, v);
	before = g->host->wants(g->data, c, false);
	c->wants_after = g->host->wants(g->data, c, true);
	judged = before || c->wants_after;
	other = c->id ? call_alike(g, c->id) : NULL;
	if (!judged && !c->id) {
		call_free(c);
		return true;
	}
	why = judged ? unfit(in, r) : NULL;
	if (!why && other && (judged || is_judged(other)))
		why = "the id is that of a request which is not answered yet";
	if (!why && !has_room(g))
		why = "too many requests wait for their answers";
	if (why) {
		refuse(in, r->id, why);
		call_free(c);
		return false;
	}
	c->number = in->number;
	c->phase = before ? GUARD_BEFORE : GUARD_SENT;
	in->kept = true;
	*VEC_ADD(&g->calls) = c;
	if (before)
		g->host->fire(g->data, c);
	return !before;
}

/* True when the server is to hear of it. */
static bool cancelled(struct guard *g, const struct json *params)
{
	const struct json *id = json_getz(params, "requestId");

	for (size_t i = 0; id && i < g->calls.n; i++) {
		struct guard_call *c = g->calls.p[i];

		if (!c->id || c->cancelled || !json_equal(c->id, id))
			continue;
		c->cancelled = true;
		if (c->phase == GUARD_SENT)
			return true;
		g->host->cancel(g->data, c);
		return false;
	}
	return true;
}

/* A message that hooks have no word about, but whose answer is to be told from theirs. */
static bool follow(struct incoming *in, const struct guard_reading *r)
{
	const struct guard_call *other = r->id ? call_alike(in->g, r->id) : NULL;
	struct guard_call *c;

	if (!r->calls || !r->id || (!json_is(r->id, J_STR) && !json_is(r->id, J_NUM)))
		return true;
	if (other && is_judged(other)) {
		refuse(in, r->id, "the id is that of a request which is not answered yet");
		return false;
	}
	c = add_call(in, GUARD_NONE, r->id);
	if (c)
		c->begins = str_eqz(r->method, "initialize");
	return c;
}

/* Each id that somebody could read out of it, since its answer will have one of them. */
static void follow_one(void *data, const struct json *id)
{
	struct incoming *in = data;

	if ((json_is(id, J_STR) || json_is(id, J_NUM)) && !call_alike(in->g, id))
		(void)add_call(in, GUARD_NONE, id);
}

/* True when it may go on as it is. */
static bool judge(struct incoming *in, const struct json *v)
{
	struct guard_reading r;

	guard_read(v, &r);
	in->kept = false;
	if (r.kind && !judge_call(in, v, &r))
		return false;
	if (in->kept)
		return true;
	if (r.clear && !r.calls)
		return true;
	if (str_eqz(r.method, "notifications/cancelled") && !r.id)
		return cancelled(in->g, r.params);
	if (r.id)
		return follow(in, &r);
	if (r.calls)
		guard_each_id(v, follow_one, in);
	return true;
}

static void judge_array(struct incoming *in, const struct json *list)
{
	struct guard *g = in->g;

	for (size_t i = 0; i < list->n; i++) {
		const struct json *v = json_at(list, i);

		if (json_is(v, J_ARR) || list->n > GUARD_BATCH_MAX) {
			refuse(in, NULL,
			       json_is(v, J_ARR) ? "an array in an array is not a message"
						 : "too many messages in one array");
			return;
		}
	}
	for (size_t i = 0; i < list->n; i++) {
		const struct json *v = json_at(list, i);
		size_t end = guard_value_end(in->text, v->pos);

		if (!judge(in, v))
			continue;
		buf_addc(&in->rest, in->nrest++ ? ',' : '[');
		buf_adds(&in->rest, str_sub(in->text, v->pos, end));
	}
	buf_addc(&in->rest, ']');
	if (in->nrest == list->n)
		send_text(g, in->text, in->number);
	else if (in->nrest)
		send_text(g, buf_str(&in->rest), in->number);
}

static int parse(struct arena *a, struct str text, const struct json **ret, struct err *err)
{
	static const struct json_limits limits = { GUARD_LINE_MAX, GUARD_DEPTH };

	return json_parse_at(a, text, JSON_REPEATS, &limits, ret, NULL, err);
}

/*
 * Some readers end a line at a carriage return as well: what is a value in a message would be a
 * message for them.  A blank means the same to all others.
 */
static struct str one_line(struct guard *g, struct arena *a, struct str line)
{
	size_t end = str_trim(line).n + (size_t)(str_trim(line).p - line.p);
	ptrdiff_t at = str_chr(str_sub(line, 0, end), '\r', 0);
	char *copy;

	if (at < 0 || !any_hook(g))
		return line;
	copy = arena_z(a, line);
	for (size_t i = (size_t)at; i < end; i++)
		if (copy[i] == '\r')
			copy[i] = ' ';
	return (struct str){ copy, line.n };
}

void guard_client(struct guard *g, struct str line)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct incoming in = { .g = g, .number = ++g->numbers };
	const struct json *doc;
	struct err err;

	if (!str_trim(line).n) {
		send_text(g, line, 0);
		return;
	}
	look_anew(g);
	line = in.text = one_line(g, &a, line);
	if (parse(&a, line, &doc, &err) < 0) {
		AUTO(free) char *why =
			xasprintf("trotline mcp guard: this is no JSON that hooks could be asked "
				  "about: %s",
				  err.text);

		reply_error(g, guard_guess_id(&a, line), GUARD_PARSE_ERROR, why);
		return;
	}
	if (json_is(doc, J_ARR)) {
		in.in_array = true;
		judge_array(&in, doc);
		buf_done(&in.rest);
	} else if (judge(&in, doc)) {
		send_text(g, line, in.number);
	}
}

void guard_client_long(struct guard *g, struct str ends)
{
	AUTO(arena_done) struct arena a = { 0 };

	reply_error(g, guard_guess_id(&a, ends), GUARD_INVALID_REQUEST,
		    "trotline mcp guard: the message is longer than 32 MiB; hooks cannot be asked "
		    "about it");
}

/* ---- from the server ---- */

static struct guard_call *call_of_answer(const struct guard *g, const struct json *id)
{
	for (size_t i = 0; id && i < g->calls.n; i++) {
		struct guard_call *c = g->calls.p[i];

		if (c->id && c->phase == GUARD_SENT && c->id->type == id->type &&
		    json_equal(c->id, id))
			return c;
	}
	return NULL;
}

/* What of the answer can be told apart is nothing: the call has failed. */
static void fail_alike(void *data, const struct json *id)
{
	struct guard *g = data;

	for (size_t i = g->calls.n; i-- > 0;) {
		struct guard_call *c = g->calls.p[i];

		if (c->phase != GUARD_SENT || !c->id || !guard_ids_alike(c->id, id))
			continue;
		if (!c->cancelled)
			reply_denied(g, c,
				     "trotline mcp guard: the server's answer cannot be read "
				     "without doubt; it was left out");
		call_end(g, c);
	}
}

static bool any_judged(const struct guard *g)
{
	for (size_t i = 0; i < g->calls.n; i++)
		if (is_judged(g->calls.p[i]))
			return true;
	return false;
}

static void follow_answer(void *data, const struct json *id)
{
	struct guard *g = data;
	struct guard_call *c = call_of_answer(g, id);

	if (c)
		call_end(g, c);
}

static bool is_null(const struct json *v)
{
	return !v || v->type == J_NULL;
}

/* A task and nothing else that a model could be told before it has ended. */
static bool is_bare_task(const struct json *result)
{
	static const char *const members[] = { "taskId",        "status", "createdAt",
					       "lastUpdatedAt", "ttl",    "pollInterval" };
	const struct json *task = json_getz(result, "task");
	size_t known = 0;

	for (size_t i = 0; i < task->n; i++)
		for (size_t k = 0; k < ARRAY_LEN(members); k++)
			known += str_eqz(task->members[i].key, members[k]);
	return result->n == 1 && known == task->n;
}

/* Hooks are asked about the answer.  False: it is the call's now. */
static bool judge_answer(struct guard *g, struct guard_call *c, const struct guard_reading *r,
			 struct str text)
{
	static const struct json_limits limits = { GUARD_LINE_MAX, GUARD_DEPTH };
	struct str task = json_get_str(json_getz(r->result, "task"), "taskId");
	struct str version = json_get_str(r->result, "protocolVersion");
	struct guard_word nothing = { 0 };
	struct guard_reading mine;
	const struct json *doc;

	if (c->cancelled) {
		bool judged = is_judged(c);

		call_end(g, c);
		return !judged;
	}
	/* What was agreed on is needed to talk to servers on the web. */
	if (c->begins && version.n)
		g->host->agreed(g->data, version);
	if (c->detached && task.n && !json_getz(r->result, "content")) {
		task_add(g, task, c);
		buf_clear(&c->context); /* of its result */
		c->wants_after &= !is_bare_task(r->result);
	}
	if (!c->wants_after && !c->context.n) {
		call_end(g, c);
		return true;
	}
	c->answer = arena_str(&c->arena, text);
	if (json_parse_at(&c->arena, c->answer, 0, &limits, &doc, NULL, NULL) < 0)
		BUG();
	guard_read(doc, &mine);
	c->error = is_null(mine.error) ? NULL : mine.error;
	c->result = c->error ? NULL : mine.result;
	c->phase = GUARD_AFTER;
	if (c->wants_after)
		g->host->fire(g->data, c);
	else
		guard_said(g, c, &nothing);
	return false;
}

/* True when it may go on as it is. */
static bool judge_server(struct guard *g, const struct json *v, struct str text)
{
	struct guard_reading r;
	struct guard_call *c;

	guard_read(v, &r);
	if (!r.answers)
		return true;
	look_anew(g);
	/* An answer that readers could take for another one, or for none. */
	if (!r.clear || (!is_null(r.result) && !is_null(r.error))) {
		bool passes = !any_judged(g);

		guard_each_id(v, passes ? follow_answer : fail_alike, g);
		if (!passes)
			note(g,
			     "an answer of the server that cannot be read without doubt was left "
			     "out",
			     STR(""));
		return passes;
	}
	if (is_null(r.id) && !is_null(r.error))
		return true; /* of something that the server could not read */
	c = call_of_answer(g, r.id);
	if (!c) {
		note(g, "an answer of the server to no request was left out", STR(""));
		return false;
	}
	/* A key that occurs twice: what hooks see might not be what the client takes. */
	if (is_judged(c) && !c->cancelled && (guard_has_repeats(v) || utf8_valid(text) != text.n)) {
		fail_alike(g, r.id);
		return false;
	}
	return judge_answer(g, c, &r, text);
}

void guard_server(struct guard *g, struct str text)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf rest = { 0 };
	const struct json *doc, *id;
	struct err err;
	size_t n = 0;

	if (!str_trim(text).n) {
		to_client(g, text);
		return;
	}
	text = one_line(g, &a, text);
	if (parse(&a, text, &doc, &err) < 0) {
		id = guard_guess_id(&a, text);
		if (id)
			fail_alike(g, id);
		note(g, "the server printed something that is not a message; it was dropped", text);
		return;
	}
	if (!json_is(doc, J_ARR)) {
		if (judge_server(g, doc, text))
			to_client(g, text);
		return;
	}
	for (size_t i = 0; i < doc->n; i++) {
		const struct json *v = json_at(doc, i);
		struct str own = str_sub(text, v->pos, guard_value_end(text, v->pos));

		if (json_is(v, J_ARR) ? any_judged(g) : !judge_server(g, v, own))
			continue;
		buf_addc(&rest, n++ ? ',' : '[');
		buf_adds(&rest, own);
	}
	buf_addc(&rest, ']');
	if (n == doc->n)
		to_client(g, text);
	else if (n)
		to_client(g, buf_str(&rest));
}

void guard_server_long(struct guard *g, struct str ends)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *id = guard_guess_id(&a, ends);

	if (id)
		fail_alike(g, id);
	note(g, "a message of the server that is longer than 32 MiB was left out", STR(""));
}

/* ---- what hooks said ---- */

/* The request with the arguments that hooks want; NULL when it cannot have them. */
static const struct json *with_input(struct guard_call *c, const struct json *input)
{
	const struct json *params = json_getz(c->doc, "params"), *name;
	struct arena *a = &c->arena;

	if (c->kind == GUARD_TOOL) {
		params = json_set(a, params, STR("arguments"), input);
	} else if (c->kind == GUARD_RESOURCE) {
		name = json_getz(input, "uri");
		params = json_is(name, J_STR) ? json_set(a, params, STR("uri"), name) : NULL;
	} else {
		name = json_getz(input, "name");
		params = json_is(name, J_STR) ? json_set(a, params, STR("name"), name) : NULL;
		if (params && json_is(json_getz(input, "arguments"), J_OBJ))
			params = json_set(a, params, STR("arguments"),
					  json_getz(input, "arguments"));
	}
	return params ? json_set(a, c->doc, STR("params"), params) : NULL;
}

static void said_before(struct guard *g, struct guard_call *c, const struct guard_word *w)
{
	const struct json *doc = w->input ? with_input(c, w->input) : NULL;

	buf_adds(&c->context, w->context);
	if (w->deny || g->gone || (w->input && !doc)) {
		reply_denied(g, c,
			     w->deny   ? arena_z(&c->arena, w->reason)
			     : g->gone ? "the server has ended"
				       : "A hook changed the arguments of this call into something "
					 "that the server cannot be sent.");
		call_end(g, c);
		return;
	}
	if (doc) {
		c->input = w->input;
		c->doc = doc;
		c->text = json_text(&c->arena, doc, JSON_COMPACT);
	}
	c->phase = GUARD_SENT;
	c->number = ++g->numbers;
	send_text(g, c->text, c->number);
	if (!c->id)
		call_end(g, c);
}

void guard_said(struct guard *g, struct guard_call *c, const struct guard_word *w)
{
	if (c->cancelled)
		call_end(g, c);
	else if (c->phase == GUARD_BEFORE)
		said_before(g, c, w);
	else {
		struct arena *a = &c->arena;
		struct str context;
		const struct json *v;

		buf_adds(&c->context, w->context);
		context = buf_str(&c->context);
		if (w->deny) {
			reply_denied(g, c, arena_z(a, w->reason));
		} else if (!w->result && !context.n) {
			to_client(g, c->answer);
		} else if (c->error) {
			v = guard_error_with(a, c->error, w->result, context);
			to_client(g,
				  json_text(a,
					    json_pack(a, "jsonrpc:z id:j error:j", "2.0", c->id, v),
					    JSON_COMPACT));
		} else {
			v = guard_result_with(a, c, w->result, context);
			rpc_add_result(&g->out, c->id, json_text(a, v, JSON_COMPACT).p);
			buf_addc(&g->out, '\n');
		}
		call_end(g, c);
	}
}

/* ---- the guard ---- */

void guard_gone(struct guard *g, const char *why)
{
	g->gone = true;
	for (size_t i = g->calls.n; i-- > 0;) {
		struct guard_call *c = g->calls.p[i];

		if (c->phase == GUARD_BEFORE)
			g->host->cancel(g->data, c);
		if (c->phase != GUARD_SENT)
			continue;
		if (!c->cancelled)
			reply_error(g, c->id, GUARD_DENIED, why);
		call_end(g, c);
	}
}

void guard_init(struct guard *g, const struct guard_host *host, void *data)
{
	*g = (struct guard){ .host = host, .data = data };
}

void guard_done(struct guard *g)
{
	while (g->calls.n)
		call_end(g, g->calls.p[0]);
	while (g->tasks.n)
		task_drop(g, 0);
	free(g->calls.p);
	free(g->tasks.p);
	buf_done(&g->out);
}

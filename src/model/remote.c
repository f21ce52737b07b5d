#include "model/remote.h"

#include "base/utf8.h"
#include "net/http.h"
#include "net/sse.h"
#include "secrets/secrets.h"

enum { RETRIES = 5, EXCERPT_MAX = 80, MESSAGE_MAX = 2000 };

/* What a user can do about a refusal: the first row whose status and word fit. */
static const struct advice {
	int status; /* 0 = any from 500 */
	const char *word; /* somewhere in what the API said, in lower case; NULL = anything */
	const char *key; /* "set VARIABLE to ..." */
	const char *text; /* when there is no key */
} advices[] = {
	{ .status = 400, .word = "api key", .key = "a valid key" },
	{ .status = 400, .word = "api_key", .key = "a valid key" },
	{ .status = 400, .word = "token", .text = "if it is too long, compress the conversation" },
	{ .status = 401, .key = "a valid key" },
	{ .status = 402, .text = "check the account's plan and credit" },
	{ .status = 403, .key = "a key that may use this model" },
	{ .status = 404, .text = "check the model's name and the address of the API" },
	{ .status = 413, .text = "compress or clear the conversation" },
	{ .status = 429, .text = "try later or use another model" },
	{ .status = 0, .text = "the fault is the server's, try later or use another model" },
};

void remote_init(struct remote *r, const struct provider_ops *ops, const struct remote_api *api,
		 const struct provider_options *o)
{
	struct str base = str_trim(str_from(o->base_url)), key = str_trim(str_from(o->key));

	if (!base.n)
		base = str_from(api->base_url);
	while (base.n && base.p[base.n - 1] == '/')
		base.n--;
	r->p.ops = ops;
	r->api = api;
	r->http = http_new();
	r->base = xstrndup(base.p, base.n);
	r->key = xstrndup(key.p, key.n);
	r->idle_timeout_ms = o->idle_timeout_ms;
	r->retries = o->retries < 0 ? 0 : o->retries ? o->retries : RETRIES;
}

void remote_done(struct remote *r)
{
	http_free(r->http);
	free(r->base);
	free(r->key);
}

enum { KEY_MIN = 8 }; /* what is shorter is a word, such as the keys of one's own servers */

/* Appends what came from a server as a part of a sentence: one line, no secrets, at most max. */
static void add_excerpt(const struct remote *r, struct buf *out, struct str s, size_t max)
{
	AUTO(buf_done) struct buf keyless = { 0 };
	AUTO(buf_done) struct buf clean = { 0 };
	struct str key = str_from(r->key), start;

	s = str_trim(s);
	/* A server that quotes our request has our key. */
	for (ptrdiff_t at; key.n >= KEY_MIN && (at = str_find(s, key, 0)) >= 0;) {
		buf_adds(&keyless, str_sub(s, 0, (size_t)at));
		buf_addz(&keyless, "***");
		s = str_sub(s, (size_t)at + key.n, s.n);
	}
	buf_adds(&keyless, s);
	(void)secrets_redact(&clean, buf_str(&keyless), SECRETS_DOUBT);
	start = utf8_prefix(buf_str(&clean), max);
	(void)utf8_add_visible(out, start, false);
	if (start.n < clean.n)
		buf_addz(out, "...");
}

/* What an API says went wrong. */
struct complaint {
	struct str name; /* "RESOURCE_EXHAUSTED"; may be empty */
	struct str message;
	int status; /* 0 = not said */
};

/* {"error": {"message", "status", "code"}}, {"error": "..."}, {"message"}, {"detail"}. */
static bool read_complaint(const struct json *v, struct complaint *ret)
{
	static const char *const names[] = { "status", "code", "type" };
	const struct json *error = json_getz(v, "error");
	const struct json *holder = json_is(error, J_OBJ) ? error : v;
	struct complaint c = { .name = STR("") };
	double code = json_num(json_getz(holder, "code"), 0);

	c.message =
		json_str(error, json_str(json_getz(holder, "message"), json_get_str(v, "detail")));
	for (size_t i = 0; i < ARRAY_LEN(names) && !c.name.n; i++)
		c.name = json_get_str(holder, names[i]);
	if (code >= 400 && code < 600)
		c.status = (int)code;
	if (!json_is(error, J_OBJ) && !c.message.n)
		return false;
	*ret = c;
	return true;
}

/* "the model's API refused: 429 RESOURCE_EXHAUSTED: what it said; what to do" */
static int refuse(struct remote *r, const struct complaint *c, int wait_s, struct err *err)
{
	AUTO(buf_done) struct buf said = { 0 };
	const struct advice *advice = NULL;
	struct str s;
	AUTO(buf_done) struct buf line = { 0 };

	r->p.status = c->status;
	if (c->status)
		buf_addf(&said, " %d", c->status);
	if (c->name.n)
		buf_addc(&said, ' ');
	add_excerpt(r, &said, c->name, EXCERPT_MAX);
	if (c->message.n)
		buf_addz(&said, said.n ? ": " : " ");
	/* The same of a text that is meant to be read: line breaks become spaces, no full stop. */
	s = c->message;
	s = str_trim(s);
	for (size_t i = 0; i < s.n; i++)
		buf_addc(&line, s.p[i] == '\n' || s.p[i] == '\t' ? ' ' : s.p[i]);
	while (line.n && line.p[line.n - 1] == '.')
		line.n--;
	add_excerpt(r, &said, buf_str(&line), MESSAGE_MAX);
	for (size_t i = 0; i < ARRAY_LEN(advices) && !advice; i++) {
		const struct advice *row = &advices[i];

		if ((row->status ? row->status == c->status : c->status >= 500) &&
		    (!row->word || str_find_icase(buf_str(&said), str_from(row->word), 0) >= 0))
			advice = row;
	}
	if (advice && advice->key)
		buf_addf(&said, "; set %s to %s", r->api->key_variable, advice->key);
	else if (advice)
		buf_addf(&said, "; %s", advice->text);
	if (wait_s > HTTP_RETRY_AFTER_MAX_S)
		buf_addf(&said,
			 "; the server asks for %d s before the next request, longer than the %d s "
			 "that are waited",
			 wait_s, HTTP_RETRY_AFTER_MAX_S);
	return provider_fail(&r->p, err, E_IO, "the model's API refused:%s", buf_z(&said));
}

static int refuse_reply(struct remote *r, const struct http_reply *reply, struct err *err)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct str body = buf_str(&reply->body);
	struct complaint c = { 0 };
	const struct json *v = NULL;

	if (json_parse(&a, body, 0, &v, NULL) == 0 && json_is(v, J_ARR))
		v = json_at(v, 0); /* how Gemini answers when no events were asked for */
	if (!read_complaint(v, &c))
		c = (struct complaint){ .message = utf8_prefix(str_trim(body), EXCERPT_MAX) };
	c.status = reply->status;
	return refuse(r, &c, reply->retry_after_s, err);
}

/* The object in text; -E_PARSE with its beginning when it is something else. */
static int parse_answer(struct remote *r, struct arena *a, struct str text,
			const struct json **ret_v, struct err *err)
{
	AUTO(buf_done) struct buf start = { 0 };
	const struct json *v = NULL;
	struct err why = { 0 };

	if (json_parse(a, text, 0, &v, &why) == 0 && v->type == J_OBJ) {
		*ret_v = v;
		return 0;
	}
	if (v)
		(void)err_set(&why, E_PARSE, "an object was expected, not %s", json_what(v));
	add_excerpt(r, &start, text, EXCERPT_MAX);
	return provider_fail(&r->p, err, E_PARSE,
			     "the model's API sent what cannot be understood: \"%s\" (%s)",
			     buf_z(&start), why.text);
}

/* An answer with the status of success that is a refusal all the same. */
static int check_complaint(struct remote *r, const struct json *answer, struct err *err)
{
	const struct json *error = json_getz(answer, "error");
	struct complaint c;

	if (!error || error->type == J_NULL || !read_complaint(answer, &c))
		return 0;
	return refuse(r, &c, 0, err);
}

struct call {
	struct remote *r;
	remote_event_fn *event;
	void *data;
	bool done; /* "[DONE]" came */
	bool overloaded; /* an event says so, or the like, with the status of success */
	size_t events;
	struct sse sse;
	struct buf start; /* of the body, to show when it has no events */
};

static void pass_retry(void *data, int attempt, int wait_ms, const char *why)
{
	struct provider *p = &((struct call *)data)->r->p;

	if (p->on_retry)
		p->on_retry(p->on_retry_data, attempt, wait_ms, why);
}

static int take_event(void *data, const struct sse_event *event, struct err *err)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct call *c = data;
	struct str text = str_trim(event->data);
	const struct json *v = NULL;
	int r;

	c->events++;
	if (c->done || !text.n)
		return 0;
	if (str_eqz(text, "[DONE]")) {
		c->done = true;
		return 0;
	}
	r = parse_answer(c->r, &a, text, &v, err);
	if (r < 0)
		return r;
	r = check_complaint(c->r, v, err);
	c->overloaded = r < 0 && http_status_passes(c->r->p.status);
	return r < 0 ? r : c->event(c->data, v, err);
}

static int take_bytes(void *data, struct str bytes, struct err *err)
{
	struct call *c = data;
	size_t before = sse_said(&c->sse);
	int r;

	if (c->start.n < EXCERPT_MAX)
		buf_adds(&c->start, str_sub(bytes, 0, EXCERPT_MAX));
	r = sse_feed(&c->sse, bytes, err);
	return r == 0 && sse_said(&c->sse) == before ? HTTP_SILENCE : r;
}

/* What follows from a stream that has ended well. */
static int end_stream(struct call *c, const struct http_reply *reply, struct err *err)
{
	AUTO(buf_done) struct buf start = { 0 };
	bool open = sse_is_open(&c->sse);
	/* Not every server ends its last event with a blank line. */
	int r = sse_feed(&c->sse, STR("\n\n"), err);

	/* Where the connection's end is the reply's, only this tells that it is not whole. */
	if (r == -E_PARSE && open) {
		c->r->p.cut = true;
		return provider_fail(&c->r->p, err, E_PARSE,
				     "the reply of the model's API was cut off inside of an event");
	}
	if (r < 0 || c->events || !str_trim(buf_str(&c->start)).n ||
	    str_starts(str_from(reply->content_type), STR("text/event-stream")))
		return r;
	add_excerpt(c->r, &start, buf_str(&c->start), EXCERPT_MAX);
	return provider_fail(&c->r->p, err, E_PARSE,
			     "the model's API sent %s instead of a stream of events: \"%s\"; check "
			     "its address",
			     *reply->content_type ? reply->content_type : "something",
			     buf_z(&start));
}

/* (waits) 0 with a reply of success. */
static int send_request(struct call *c, const char *url, struct str body, struct http_reply *reply,
			struct cancel *cancel, struct err *err)
{
	struct remote *remote = c->r;
	AUTO(free) char *key = xasprintf("%s%s", remote->api->key_header, remote->key);
	const char *const headers[] = {
		"Content-Type: application/json",
		c->event ? "Accept: text/event-stream" : "Accept: application/json",
		*remote->key ? key : NULL,
		NULL,
	};
	struct http_request rq = {
		.method = "POST",
		.url = url,
		.headers = headers,
		.body = body,
		.idle_timeout_ms = remote->idle_timeout_ms,
		.retries = remote->retries,
		.on_retry = pass_retry,
		.on_data = c->event ? take_bytes : NULL,
		.data = c,
	};
	int r;

	if (str_has_blank(str_from(remote->key)))
		return provider_fail(
			&remote->p, err, E_CONFIG,
			"the key has white space or control characters inside; check %s",
			remote->api->key_variable);
	r = http_run(remote->http, &rq, cancel, reply, err);
	remote->p.cut = r < 0 && (reply->cut || c->overloaded);
	if (r < 0 && reply->nobody) {
		AUTO(free) char *why = xstrdup(err->text);

		return provider_fail(
			&remote->p, err, err->code,
			"%s; start the model's server there (Ollama: \"ollama serve\") "
			"or change %s",
			why, remote->api->base_variable);
	}
	if (r < 0)
		return r;
	return reply->status / 100 == 2 ? 0 : refuse_reply(remote, reply, err);
}

int remote_stream(struct remote *r, const char *url, struct str body, remote_event_fn *event,
		  void *data, bool *ret_done, struct cancel *cancel, struct err *err)
{
	AUTO(http_reply_done) struct http_reply reply = { 0 };
	struct call c = { .r = r, .event = event, .data = data };
	struct err why = { 0 };
	int result;

	c.sse = (struct sse){ .on_event = take_event, .data = &c };
	result = send_request(&c, url, body, &reply, cancel, &why);
	if (result == 0)
		result = end_stream(&c, &reply, &why);
	sse_done(&c.sse);
	buf_done(&c.start);
	if (result < 0)
		return provider_failed(&r->p, result, &why, err);
	if (ret_done)
		*ret_done = c.done;
	return 0;
}

int remote_post(struct remote *r, const char *url, struct str body, struct arena *a,
		const struct json **ret_answer, struct cancel *cancel, struct err *err)
{
	AUTO(http_reply_done) struct http_reply reply = { 0 };
	struct call c = { .r = r };
	const struct json *v = NULL;
	struct err why = { 0 };
	int result = send_request(&c, url, body, &reply, cancel, &why);

	if (result == 0)
		result = parse_answer(r, a, buf_str(&reply.body), &v, &why);
	if (result == 0)
		result = check_complaint(r, v, &why);
	if (result < 0)
		return provider_failed(&r->p, result, &why, err);
	*ret_answer = v;
	return 0;
}

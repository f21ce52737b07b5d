/* The providers over HTTP, against a server on loopback that says what the tests write down. */
#include "model_fixture.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>

#include "os/clock.h"
#include "os/fs.h"

#define HELLO "{'contents':[{'role':'user','parts':[{'text':'hi'}]}]}"

typedef struct provider *new_fn(const struct provider_options *o);

static struct provider *make(struct fake_api *f, new_fn *new_provider)
{
	return new_provider(&(struct provider_options){
		.base_url = fake_url(f, "/"),
		.key = " k3y-of-mine\n",
		.retries = -1,
	});
}

static const char *asked_path(struct fake_api *f, unsigned n)
{
	return arena_z(&f->arena, json_get_str(fake_asked(f, n), "path"));
}

static const char *asked_header(struct fake_api *f, unsigned n, const char *name)
{
	const struct json *headers = json_getz(fake_asked(f, n), "headers");

	return arena_z(&f->arena, json_str(json_getz(headers, name), STR("none")));
}

static const struct json *asked_body(struct fake_api *f, unsigned n)
{
	return json_getz(fake_asked(f, n), "body");
}

static void gemini_streams(void **state)
{
	struct fake_api *f = *state;
	AUTO(provider_free) struct provider *p = make(f, provider_gemini_new);
	struct model_request rq = fake_request(
		f,
		"{'contents':[{'role':'user','parts':[{'text':'h\u00e9'},{'new':[1.0]}]}],"
		"'system':{'parts':[{'text':'s'}]},'tools':[{'name':'f','description':'d',"
		"'parametersJsonSchema':{'type':'object'}},{'googleSearch':{}},{'name':'g'}],"
		"'toolConfig':{'functionCallingConfig':{'mode':'AUTO'}},'config':{'topK':1.50}}");

	fake_answer(f, 200, NULL, "",
		    ": hello\r\n\r\ndata: {'candidates':[{'content':{'parts':[{'text':'\u20ac'},"
		    "{'novel':1.0}]}}],\r\ndata:  'responseId':'r'}\r\n\r\n"
		    "data: {'usageMetadata':{'totalTokenCount':3}}");
	assert_int_equal(fake_stream(f, p, &rq, NULL), 0);
	assert_string_equal(buf_z(&f->chunks),
			    "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"\u20ac\"},"
			    "{\"novel\":1.0}]}}],\"responseId\":\"r\"}\n"
			    "{\"usageMetadata\":{\"totalTokenCount\":3}}\n");
	assert_string_equal(asked_path(f, 0), "/v1beta/models/m:streamGenerateContent?alt=sse");
	assert_string_equal(asked_header(f, 0, "x-goog-api-key"), "k3y-of-mine");
	assert_string_equal(asked_header(f, 0, "content-type"), "application/json");
	fake_assert_json(
		f, asked_body(f, 0),
		"{'contents':[{'role':'user','parts':[{'text':'h\u00e9'},{'new':[1.0]}]}],"
		"'systemInstruction':{'parts':[{'text':'s'}]},'tools':[{'functionDeclarations':"
		"[{'name':'f','description':'d','parametersJsonSchema':{'type':'object'}},{'name':"
		"'g'}]},{'googleSearch':{}}],'toolConfig':{'functionCallingConfig':{'mode':"
		"'AUTO'}},'generationConfig':{'topK':1.5}}");
}

static void gemini_generates_and_counts(void **state)
{
	struct fake_api *f = *state;
	AUTO(provider_free) struct provider *p = make(f, provider_gemini_new);
	struct model_request rq = fake_request(f, HELLO);
	const struct json *response = NULL;
	int64_t tokens = 0;

	rq.model = "models/a/b c:?.1";
	rq.config = fake_json(&f->arena, "{'topK':1}");
	fake_answer(f, 200, "application/json", "", "{'candidates':[],'more':1}");
	assert_int_equal(provider_generate(p, &rq, &f->arena, &response, NULL, NULL), 0);
	fake_assert_json(f, response, "{'candidates':[],'more':1}");
	assert_string_equal(asked_path(f, 0), "/v1beta/models/a%2Fb%20c%3A%3F.1:generateContent");
	fake_answer(f, 200, "application/json", "", "{'totalTokens':31}");
	assert_int_equal(provider_count_tokens(p, &rq, &tokens, NULL, NULL), 0);
	assert_int_equal(tokens, 31);
	fake_assert_json(f, asked_body(f, 1), HELLO);
	rq.system = fake_json(&f->arena, "{'parts':[]}");
	fake_answer(f, 200, "application/json", "", "{'totalTokens':'x'}");
	assert_int_equal(provider_count_tokens(p, &rq, &tokens, NULL, NULL), -E_PARSE);
	fake_assert_json(f, asked_body(f, 2),
			 "{'generateContentRequest':{'model':'models/a/b c:?.1','contents':"
			 "[{'role':'user','parts':[{'text':'hi'}]}],'systemInstruction':"
			 "{'parts':[]}}}");
}

static void refusals_are_sentences(void **state)
{
	static const struct {
		new_fn *new_provider;
		int status;
		const char *body, *error;
	} rows[] = {
		{ provider_gemini_new, 429,
		  "[{'error':{'code':429,'message':'Quota exceeded.\\n* metric: x.\\n','status':"
		  "'RESOURCE_EXHAUSTED'}}]",
		  "the model's API refused: 429 RESOURCE_EXHAUSTED: Quota exceeded. * metric: x; "
		  "try later or use another model" },
		{ provider_gemini_new, 400,
		  "{'error':{'code':400,'message':'API key not valid. Please pass a valid API "
		  "key.','status':'INVALID_ARGUMENT'}}",
		  "the model's API refused: 400 INVALID_ARGUMENT: API key not valid. Please pass a "
		  "valid API key; set GEMINI_API_KEY to a valid key" },
		{ provider_gemini_new, 400, "{'error':{'message':'bad','status':'X'}}",
		  "the model's API refused: 400 X: bad" },
		{ provider_gemini_new, 403,
		  "{'error':{'message':'no','status':'PERMISSION_DENIED'}}",
		  "the model's API refused: 403 PERMISSION_DENIED: no; set GEMINI_API_KEY to a key "
		  "that may use this model" },
		/* who quotes the request has the key */
		{ provider_gemini_new, 400, "{'error':{'message':'you sent k3y-of-mine, why'}}",
		  "the model's API refused: 400: you sent ***, why" },
		{ provider_gemini_new, 404, "<h1>Not\x1b[31m found</h1>",
		  "the model's API refused: 404: <h1>Not\\x1b[31m found</h1>; check the model's "
		  "name and the address of the API" },
		{ provider_gemini_new, 503, "",
		  "the model's API refused: 503; the fault is the server's, try later or use "
		  "another model" },
		{ provider_gemini_new, 302, "", "the model's API refused: 302" },
		{ provider_openai_new, 401,
		  "{'error':{'message':'Incorrect API key provided: "
		  "sk-abcdefghijklmnopqrstuvwxyz12','type':'invalid_request_error','code':"
		  "'invalid_api_key'}}",
		  "the model's API refused: 401 invalid_api_key: Incorrect API key provided: "
		  "[redacted: API key]; "
		  "set OPENAI_API_KEY to a valid key" },
		{ provider_openai_new, 404, "{'error':'model \\'m\\' not found'}", NULL },
		{ provider_openai_new, 422, "{'detail':'field required'}",
		  "the model's API refused: 422: field required" },
	};
	struct fake_api *f = *state;
	struct model_request rq = fake_request(f, HELLO);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(provider_free) struct provider *p = make(f, rows[i].new_provider);
		struct err err = { 0 };

		fake_answer(f, rows[i].status, "application/json", "", rows[i].body);
		assert_int_equal(fake_stream(f, p, &rq, &err), -E_IO);
		assert_int_equal(p->status, rows[i].status);
		assert_string_equal(err.text, provider_error(p));
		if (rows[i].error)
			assert_string_equal(err.text, rows[i].error);
		assert_int_equal(f->chunks.n, 0);
		/* the same of a request without a stream; and a success forgets it */
		if (i > 0)
			continue;
		const struct json *response = NULL;

		fake_answer(f, rows[i].status, "application/json", "", rows[i].body);
		assert_int_equal(provider_generate(p, &rq, &f->arena, &response, NULL, &err),
				 -E_IO);
		assert_string_equal(err.text, rows[i].error);
		fake_answer(f, 200, NULL, "", "");
		assert_int_equal(fake_stream(f, p, &rq, &err), 0);
		assert_int_equal(p->status, 0);
		assert_string_equal(provider_error(p), "");
	}
}

static void broken_streams(void **state)
{
	static const struct {
		const char *type, *then, *body;
		int code, status;
		const char *error; /* its beginning */
	} rows[] = {
		{ NULL, "", "data: {}\n\ndata: {'candidates':[\x1b\n\n", E_PARSE, 0,
		  "the model's API sent what cannot be understood: \"{\"candidates\":[\\x1b\" "
		  "(line " },
		{ NULL, "", "data: {}\n\ndata: [1]\n\n", E_PARSE, 0,
		  "the model's API sent what cannot be understood: \"[1]\" (an object was expected,"
		  " not an array)" },
		{ NULL, "", "data: {}\n\ndata: {'candi", E_PARSE, 0,
		  "the reply of the model's API was cut off inside of an event" },
		{ NULL, "",
		  "data: {}\n\ndata: {'error':{'code':503,'message':'busy','status':'U'}}\n\n",
		  E_IO, 503, "the model's API refused: 503 U: busy; the fault is the server's" },
		{ NULL, "", "data: {}\n\ndata: {'error':{'message':'odd','code':null}}\n\n", E_IO,
		  0, "the model's API refused: odd" },
		{ NULL, "cut", "data: {}\n\ndata: {", E_IO, 0, "" },
	};
	struct fake_api *f = *state;
	struct model_request rq = fake_request(f, HELLO);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(provider_free) struct provider *p = make(f, provider_gemini_new);
		struct err err = { 0 };

		fake_answer(f, 200, rows[i].type, rows[i].then, rows[i].body);
		assert_int_equal(fake_stream(f, p, &rq, &err), -rows[i].code);
		assert_int_equal(p->status, rows[i].status);
		assert_string_equal(buf_z(&f->chunks), "{}\n"); /* what came before is passed on */
		if (strncmp(err.text, rows[i].error, strlen(rows[i].error)) != 0)
			fail_msg("%s", err.text);
		assert_string_equal(provider_error(p), err.text);
	}
}

static void an_answer_that_is_no_stream(void **state)
{
	struct fake_api *f = *state;
	AUTO(provider_free) struct provider *p = make(f, provider_gemini_new);
	struct model_request rq = fake_request(f, HELLO);
	struct err err = { 0 };

	fake_answer(f, 200, "text/html", "", "<html>\nWelcome</html>");
	assert_int_equal(fake_stream(f, p, &rq, &err), -E_PARSE);
	assert_string_equal(err.text,
			    "the model's API sent text/html instead of a stream of events: "
			    "\"<html>\\nWelcome</html>\"; check its address");
	/* an empty stream, or one of comments, is a stream */
	fake_answer(f, 200, NULL, "", ": still thinking\n\n");
	assert_int_equal(fake_stream(f, p, &rq, &err), 0);
}

static void note_retry(void *data, int attempt, int wait_ms, const char *why)
{
	(void)wait_ms;
	buf_addf(data, "%d %s\n", attempt, why);
}

static void retries_are_announced(void **state)
{
	struct fake_api *f = *state;
	AUTO(provider_free) struct provider *p = provider_gemini_new(
		&(struct provider_options){ .base_url = fake_url(f, "/v1beta/"), .retries = 2 });
	AUTO(buf_done) struct buf notes = { 0 };
	struct model_request rq = fake_request(f, HELLO);

	p->on_retry = note_retry;
	p->on_retry_data = &notes;
	fake_answer(f, 429, NULL, "", "");
	fake_answer(f, 503, NULL, "", "");
	fake_answer(f, 200, NULL, "", "data: {}\n\n");
	assert_int_equal(fake_stream(f, p, &rq, NULL), 0);
	assert_string_equal(buf_z(&f->chunks), "{}\n");
	assert_int_equal(notes.p[0], '1');
	assert_non_null(strstr(buf_z(&notes), "\n2 "));
	assert_string_equal(asked_path(f, 2), "/v1beta/models/m:streamGenerateContent?alt=sse");
	assert_string_equal(asked_header(f, 2, "x-goog-api-key"), "none");
}

static void a_key_that_cannot_be_sent(void **state)
{
	struct fake_api *f = *state;
	AUTO(provider_free) struct provider *p = provider_openai_new(
		&(struct provider_options){ .base_url = fake_url(f, ""), .key = "a\r\nX: b" });
	struct model_request rq = fake_request(f, HELLO);
	struct err err = { 0 };

	assert_int_equal(fake_stream(f, p, &rq, &err), -E_CONFIG);
	assert_string_equal(err.text, "the key has white space or control characters inside; check "
				      "OPENAI_API_KEY");
}

static void nobody_answers(void **state)
{
	AUTO(provider_free) struct provider *p = provider_gemini_new(
		&(struct provider_options){ .base_url = "http://127.0.0.1:1", .retries = -1 });
	struct model_request rq = fake_request(*state, HELLO);
	struct err err = { 0 };

	assert_int_equal(fake_stream(*state, p, &rq, &err), -E_IO);
	assert_int_equal(p->status, 0);
	assert_non_null(strstr(err.text, "127.0.0.1"));
}

static int refuse(void *data, const struct json *response, struct err *err)
{
	(void)data;
	(void)response;
	return err_set(err, E_LIMIT, "enough");
}

static int fail_silently(void *data, const struct json *response, struct err *err)
{
	(void)data;
	(void)response;
	(void)err;
	return -E_AGAIN;
}

static void a_sink_ends_the_stream(void **state)
{
	static new_fn *const makers[] = { provider_gemini_new, provider_openai_new };
	struct fake_api *f = *state;
	struct model_request rq = fake_request(f, HELLO);

	for (size_t i = 0; i < ARRAY_LEN(makers); i++) {
		AUTO(provider_free) struct provider *p = make(f, makers[i]);
		struct err err = { 0 };

		fake_answer(f, 200, NULL, "stall",
			    "data: {'choices':[{'delta':{'content':'x'}}]}\n\n");
		assert_int_equal(
			provider_stream(p, &rq, &(struct model_sink){ refuse, NULL }, NULL, &err),
			-E_LIMIT);
		assert_string_equal(err.text, "enough");
		assert_string_equal(provider_error(p), "enough");
		fake_answer(f, 200, NULL, "stall",
			    "data: {'choices':[{'delta':{'content':'x'}}]}\n\n");
		assert_int_equal(provider_stream(p, &rq,
						 &(struct model_sink){ fail_silently, NULL }, NULL,
						 &err),
				 -E_AGAIN);
	}
}

struct canceller {
	struct cancel *cancel;
	pthread_t thread;
	bool started;
	pid_t tid;
	int64_t fired_us;
};

/* Fires once the other thread waits for more of the stream. */
static void *fire_when_it_waits(void *data)
{
	struct canceller *c = data;
	AUTO(free) char *path = xasprintf("/proc/self/task/%d/stat", (int)c->tid);
	int64_t deadline = clock_us() + 60 * 1000000;
	char line[512] = "";

	do {
		FILE *stat = fopen(path, "r");

		assert_non_null(stat);
		assert_non_null(fgets(line, sizeof line, stat));
		(void)fclose(stat);
		(void)sched_yield();
	} while (!strstr(line, ") S ") && clock_us() < deadline);
	c->fired_us = clock_us();
	cancel_fire(c->cancel);
	return NULL;
}

static int start_canceller(void *data, const struct json *response, struct err *err)
{
	struct canceller *c = data;

	(void)response;
	(void)err;
	if (c->started)
		return 0;
	c->started = true;
	return pthread_create(&c->thread, NULL, fire_when_it_waits, c) == 0 ? 0 : -E_IO;
}

static void a_cancel_ends_the_stream_at_once(void **state)
{
	static new_fn *const makers[] = { provider_gemini_new, provider_openai_new };
	struct fake_api *f = *state;
	struct model_request rq = fake_request(f, HELLO);

	for (size_t i = 0; i < ARRAY_LEN(makers); i++) {
		AUTO(provider_free) struct provider *p = make(f, makers[i]);
		AUTO(cancel_free) struct cancel *cancel = cancel_new(NULL);
		struct canceller c = { .cancel = cancel, .tid = (pid_t)syscall(SYS_gettid) };
		struct model_sink sink = { start_canceller, &c };
		struct err err = { 0 };
		int r;

		fake_answer(f, 200, NULL, "stall",
			    "data: {'choices':[{'delta':{'content':'x'}}]}\n\n");
		r = provider_stream(p, &rq, &sink, cancel, &err);
		int64_t now = clock_us();
		assert_true(c.started);
		assert_int_equal(pthread_join(c.thread, NULL), 0);
		assert_int_equal(r, -E_CANCEL);
		/* Long before the server gives up. */
		assert_true(now - c.fired_us < 20 * 1000000);
	}
}

static void openai_addresses(void **state)
{
	static const struct {
		const char *base, *path;
	} rows[] = {
		{ "", "/v1/chat/completions" },
		{ "/", "/v1/chat/completions" },
		{ "/v1", "/v1/chat/completions" },
		{ "/api/v1/", "/api/v1/chat/completions" },
		{ "/v1beta/openai/", "/v1beta/openai/chat/completions" },
		{ "/vllm", "/vllm/v1/chat/completions" },
		{ "/v1/chat/completions", "/v1/chat/completions" },
	};
	struct fake_api *f = *state;
	struct model_request rq = fake_request(f, HELLO);

	for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(provider_free) struct provider *p = provider_openai_new(
			&(struct provider_options){ .base_url = fake_url(f, rows[i].base) });

		fake_answer(f, 200, NULL, "", "data: [DONE]\n\n");
		assert_int_equal(fake_stream(f, p, &rq, NULL), 0);
		assert_string_equal(asked_path(f, i), rows[i].path);
		assert_string_equal(asked_header(f, i, "authorization"), "none");
	}
}

static void openai_streams(void **state)
{
	struct fake_api *f = *state;
	AUTO(provider_free) struct provider *p = make(f, provider_openai_new);
	struct model_request rq = fake_request(f, HELLO);

	fake_answer(
		f, 200, NULL, "",
		"data: {'choices':[{'index':0,'delta':{'role':'assistant','content':''}}]}\n\n"
		"data: {'choices':[{'delta':{'reasoning_content':'hm'}}]}\n\n"
		"data: {'choices':[{'delta':{'content':'On it.'}}]}\n\n"
		"data: {'choices':[{'delta':{'tool_calls':[{'index':0,'id':'c1','type':'function',"
		"'function':{'name':'f','arguments':''}}]}}]}\n\n"
		"data: {'choices':[{'delta':{'tool_calls':[{'index':1,'id':'c2',"
		"'function':{'name':'g','arguments':'{}'}}]}}]}\n\n"
		"data: {'choices':[{'delta':{'tool_calls':[{'index':0,"
		"'function':{'arguments':'{\\u0022n\\u0022:'}}]}}]}\n\n"
		"data: {'choices':[{'delta':{'tool_calls':[{'index':0,"
		"'function':{'arguments':'1.0}'}}]}}]}\n\n"
		"data: {'choices':[{'delta':{},'finish_reason':'tool_calls'}],'usage':null}\n\n"
		"data: {'choices':[],'usage':{'prompt_tokens':5,'completion_tokens':7,"
		"'total_tokens':12,'completion_tokens_details':{'reasoning_tokens':2},"
		"'prompt_tokens_details':{'cached_tokens':4}}}\n\n"
		"data: [DONE]\n\n");
	assert_int_equal(fake_stream(f, p, &rq, NULL), 0);
	assert_string_equal(
		buf_z(&f->chunks),
		"{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"hm\","
		"\"thought\":true}]},\"index\":0}]}\n"
		"{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"On "
		"it.\"}]},"
		"\"index\":0}]}\n"
		"{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"functionCall\":"
		"{\"name\":\"f\",\"args\":{\"n\":1.0},\"id\":\"c1\"}},{\"functionCall\":{\"name\":"
		"\"g\","
		"\"args\":{},\"id\":\"c2\"}}]},\"finishReason\":\"STOP\",\"index\":0}],"
		"\"usageMetadata\":{\"promptTokenCount\":5,\"candidatesTokenCount\":5,"
		"\"totalTokenCount\":12,\"thoughtsTokenCount\":2,\"cachedContentTokenCount\":"
		"4}}\n");
	assert_string_equal(asked_header(f, 0, "authorization"), "Bearer k3y-of-mine");
	fake_assert_json(f, asked_body(f, 0),
			 "{'model':'m','messages':[{'role':'user','content':'hi'}],'stream':true,"
			 "'stream_options':{'include_usage':true}}");
}

/* A stream that was cut passes no half calls on, and no finishReason. */
static void openai_cut_streams(void **state)
{
	struct fake_api *f = *state;
	AUTO(provider_free) struct provider *p = make(f, provider_openai_new);
	struct model_request rq = fake_request(f, HELLO);

	fake_answer(f, 200, NULL, "",
		    "data: {'choices':[{'delta':{'content':'a','tool_calls':[{'index':0,"
		    "'function':{'name':'f','arguments':'{}'}}]}}]}\n\n");
	assert_int_equal(fake_stream(f, p, &rq, NULL), 0);
	assert_string_equal(buf_z(&f->chunks), "{\"candidates\":[{\"content\":{\"role\":\"model\","
					       "\"parts\":[{\"text\":\"a\"}]},\"index\":0}]}\n");
}

/* What models and servers do with calls, and what comes of it: pieces of a delta, the call parts.
 */
static void openai_odd_calls(void **state)
{
	static const struct {
		const char *calls, *parts;
	} rows[] = {
		/* all called number 0, as some servers do; or without any number */
		{ "{'index':0,'id':'a','function':{'name':'f','arguments':'{}'}},"
		  "{'index':0,'id':'b','function':{'name':'g','arguments':'{}'}}",
		  "{'functionCall':{'name':'f','args':{},'id':'a'}},{'functionCall':{'name':'g',"
		  "'args':{},'id':'b'}}" },
		{ "{'id':'a','function':{'name':'f','arguments':''}},{'id':'b','function':{'name':"
		  "'g','arguments':null}}",
		  "{'functionCall':{'name':'f','args':{},'id':'a'}},{'functionCall':{'name':'g',"
		  "'args':{},'id':'b'}}" },
		/* arguments that are no text; that are no JSON; no object */
		{ "{'function':{'name':'f','arguments':{'n':1}}}",
		  "{'functionCall':{'name':'f','args':{'n':1}}}" },
		{ "{'function':{'name':'f','arguments':' {n: 1}'}}",
		  "{'functionCall':{'name':'f','args':{},'invalidArguments':'{n: 1}'}}" },
		{ "{'function':{'name':'f','arguments':'[1]'}}",
		  "{'functionCall':{'name':'f','args':{},'invalidArguments':'[1]'}}" },
		{ "{'function':{'name':'f','arguments':'null'}}",
		  "{'functionCall':{'name':'f','args':{}}}" },
		{ "{}", "{'functionCall':{'name':'','args':{}}}" },
	};
	struct fake_api *f = *state;
	AUTO(provider_free) struct provider *p = make(f, provider_openai_new);
	struct model_request rq = fake_request(f, HELLO);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct json *response = NULL;
		const char *body =
			arena_printf(&f->arena,
				     "{'choices':[{'message':{'content':null,'tool_calls':"
				     "[%s]},'finish_reason':'stop'}]}",
				     rows[i].calls)
				.p;

		fake_answer(f, 200, "application/json", "", body);
		assert_int_equal(provider_generate(p, &rq, &f->arena, &response, NULL, NULL), 0);
		fake_assert_json(f, json_pointer(response, STR("/candidates/0/content/parts")),
				 arena_printf(&f->arena, "[%s]", rows[i].parts).p);
	}
}

static void openai_generates_but_does_not_count(void **state)
{
	struct fake_api *f = *state;
	AUTO(provider_free) struct provider *p = make(f, provider_openai_new);
	struct model_request rq = fake_request(f, HELLO);
	const struct json *response = NULL;
	int64_t tokens;

	fake_answer(
		f, 200, "application/json", "",
		"{'choices':[{'message':{'role':'assistant','reasoning':'hm','content':'yes'},"
		"'finish_reason':'length'}],'usage':{'prompt_tokens':1,'completion_tokens':2}}");
	assert_int_equal(provider_generate(p, &rq, &f->arena, &response, NULL, NULL), 0);
	fake_assert_json(f, response,
			 "{'candidates':[{'content':{'role':'model','parts':[{'text':'hm',"
			 "'thought':true},{'text':'yes'}]},'finishReason':'MAX_TOKENS','index':0}],"
			 "'usageMetadata':{'promptTokenCount':1,'candidatesTokenCount':2,"
			 "'totalTokenCount':3}}");
	fake_assert_json(f, asked_body(f, 0),
			 "{'model':'m','messages':[{'role':'user','content':'hi'}]}");
	fake_answer(f, 200, "application/json", "", "{}");
	assert_int_equal(provider_generate(p, &rq, &f->arena, &response, NULL, NULL), -E_PARSE);
	assert_int_equal(provider_count_tokens(p, &rq, &tokens, NULL, NULL), -E_NOTFOUND);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_start, fake_stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(gemini_streams),
		TEST(gemini_generates_and_counts),
		TEST(refusals_are_sentences),
		TEST(broken_streams),
		TEST(an_answer_that_is_no_stream),
		TEST(retries_are_announced),
		TEST(a_key_that_cannot_be_sent),
		TEST(nobody_answers),
		TEST(a_sink_ends_the_stream),
		TEST(a_cancel_ends_the_stream_at_once),
		TEST(openai_addresses),
		TEST(openai_streams),
		TEST(openai_cut_streams),
		TEST(openai_odd_calls),
		TEST(openai_generates_but_does_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

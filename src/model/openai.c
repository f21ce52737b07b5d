/* Chat completions as OpenAI has them, and llama.cpp, Ollama, vLLM and many others after it. */
#include "model/openai_impl.h"
#include "model/remote.h"

static const struct remote_api openai_api = {
	.base_url = "https://api.openai.com/v1",
	.key_header = "Authorization: Bearer ",
	.key_variable = "OPENAI_API_KEY",
	.base_variable = "OPENAI_BASE_URL",
};

static char *completions_url(const struct remote *r)
{
	struct str base = str_from(r->base), rest, step;
	ptrdiff_t host = str_find(base, STR("://"), 0);
	bool versioned = false;

	if (str_ends(base, STR("/chat/completions")))
		return xstrdup(r->base);
	rest = str_sub(base, host < 0 ? 0 : (size_t)host + 3, base.n);
	(void)str_split(&rest, '/', &step);
	/* A step like /v1 or /v1beta behind the host. */
	while (!versioned && str_split(&rest, '/', &step))
		versioned = step.n > 1 && step.p[0] == 'v' && char_is_digit(step.p[1]);
	return xasprintf("%s%s/chat/completions", r->base, versioned ? "" : "/v1");
}

struct openai_stream {
	const struct model_sink *sink;
	struct openai_answer answer;
};

static int take_event(void *data, const struct json *event, struct err *err)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct openai_stream *s = data;
	const struct json *parts = openai_take(&s->answer, &a, event);

	return parts ? s->sink->chunk(s->sink->data, openai_chunk(&a, parts), err) : 0;
}

static int openai_stream(struct provider *p, const struct model_request *rq,
			 const struct model_sink *sink, struct cancel *cancel, struct err *err)
{
	struct remote *r = (struct remote *)p;
	AUTO(free) char *url = completions_url(r);
	AUTO(buf_done) struct buf body = { 0 };
	AUTO(arena_done) struct arena a = { 0 };
	struct jw w = { .out = &body };
	struct openai_stream s = { .sink = sink };
	struct err why = { 0 };
	bool done = false;
	int result;

	provider_begin(p);
	openai_write_request(&w, rq, true);
	result = remote_stream(r, url, buf_str(&body), take_event, &s, &done, cancel, &why);
	if (done && !s.answer.finish && openai_is_whole(&s.answer))
		s.answer.finish = "STOP";
	/* Calls may come in many pieces; those of an answer that was cut are never passed on. */
	if (result == 0 && s.answer.finish)
		result = sink->chunk(sink->data, openai_last(&s.answer, &a, NULL), &why);
	openai_answer_done(&s.answer);
	return result < 0 ? provider_failed(p, result, &why, err) : 0;
}

static int openai_generate(struct provider *p, const struct model_request *rq, struct arena *a,
			   const struct json **ret_response, struct cancel *cancel, struct err *err)
{
	struct remote *r = (struct remote *)p;
	AUTO(free) char *url = completions_url(r);
	AUTO(buf_done) struct buf body = { 0 };
	AUTO(openai_answer_done) struct openai_answer answer = { 0 };
	struct jw w = { .out = &body };
	const struct json *event = NULL;
	int result;

	provider_begin(p);
	openai_write_request(&w, rq, false);
	result = remote_post(r, url, buf_str(&body), a, &event, cancel, err);
	if (result < 0)
		return result;
	if (!json_at(json_getz(event, "choices"), 0))
		return provider_fail(p, err, E_PARSE, "the model's API answered without choices");
	*ret_response = openai_last(&answer, a, openai_take(&answer, a, event));
	return 0;
}

static int openai_count_tokens(struct provider *p, const struct model_request *rq,
			       int64_t *ret_tokens, struct cancel *cancel, struct err *err)
{
	(void)rq;
	(void)ret_tokens;
	(void)cancel;
	provider_begin(p);
	return provider_fail(p, err, E_NOTFOUND, "this API does not count tokens");
}

static void openai_free(struct provider *p)
{
	remote_done((struct remote *)p);
	free(p);
}

static const struct provider_ops openai_ops = {
	.name = "openai",
	.stream = openai_stream,
	.generate = openai_generate,
	.count_tokens = openai_count_tokens,
	.free = openai_free,
};

struct provider *provider_openai_new(const struct provider_options *o)
{
	struct remote *r = xcalloc(1, sizeof *r);

	remote_init(r, &openai_ops, &openai_api, o);
	r->p.foreign = true;
	return &r->p;
}

/*
 * Passes everything on to another provider and appends what it answered to a file that the replay
 * provider can read.  Only what ended well is recorded.
 */
#include "model/provider.h"
#include "os/fs.h"

struct recorder {
	struct provider p;
	struct provider *inner;
	char *path;
};

static void write_response(struct jw *w, const struct json *response)
{
	static const char *const keys[] = { "candidates", "usageMetadata" };

	jw_obj(w);
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const struct json *v = json_getz(response, keys[i]);

		if (!v)
			continue;
		jw_key(w, keys[i]);
		jw_json(w, v);
	}
	jw_end(w);
}

/* {"method": method, "response": and what follows is the caller's. */
static void begin_line(struct jw *w, const char *method)
{
	jw_obj(w);
	jw_kv_z(w, "method", method);
	jw_key(w, "response");
}

static int append_line(struct recorder *rec, struct jw *w, struct err *err)
{
	struct err why = { 0 };
	int r;

	jw_end(w);
	buf_addc(w->out, '\n');
	r = fs_append(rec->path, buf_str(w->out), &why);
	if (r == 0)
		return 0;
	(void)err_wrap(&why, "recording the model's answer to %s", rec->path);
	return provider_failed(&rec->p, r, &why, err);
}

static struct provider *begin(struct recorder *rec)
{
	provider_begin(&rec->p);
	rec->inner->on_retry = rec->p.on_retry;
	rec->inner->on_retry_data = rec->p.on_retry_data;
	return rec->inner;
}

/* What the inner provider says about its failure is ours too. */
static int inner_failed(struct recorder *rec, int result)
{
	rec->p.status = rec->inner->status;
	rec->p.cut = rec->inner->cut;
	buf_addz(&rec->p.message, provider_error(rec->inner));
	return result;
}

struct tee {
	const struct model_sink *sink;
	struct jw *w;
};

static int tee_chunk(void *data, const struct json *response, struct err *err)
{
	struct tee *t = data;

	write_response(t->w, response);
	return t->sink->chunk(t->sink->data, response, err);
}

static int recorder_stream(struct provider *p, const struct model_request *rq,
			   const struct model_sink *sink, struct cancel *cancel, struct err *err)
{
	struct recorder *rec = (struct recorder *)p;
	AUTO(buf_done) struct buf text = { 0 };
	struct jw w = { .out = &text };
	struct tee tee = { .sink = sink, .w = &w };
	int r;

	begin_line(&w, "generateContentStream");
	jw_arr(&w);
	r = provider_stream(begin(rec), rq, &(struct model_sink){ tee_chunk, &tee }, cancel, err);
	if (r < 0)
		return inner_failed(rec, r);
	jw_end(&w);
	return append_line(rec, &w, err);
}

static int recorder_generate(struct provider *p, const struct model_request *rq, struct arena *a,
			     const struct json **ret_response, struct cancel *cancel,
			     struct err *err)
{
	struct recorder *rec = (struct recorder *)p;
	AUTO(buf_done) struct buf text = { 0 };
	struct jw w = { .out = &text };
	const struct json *response = NULL;
	int r = provider_generate(begin(rec), rq, a, &response, cancel, err);

	if (r < 0)
		return inner_failed(rec, r);
	begin_line(&w, "generateContent");
	write_response(&w, response);
	r = append_line(rec, &w, err);
	if (r < 0)
		return r;
	*ret_response = response;
	return 0;
}

static int recorder_count_tokens(struct provider *p, const struct model_request *rq,
				 int64_t *ret_tokens, struct cancel *cancel, struct err *err)
{
	struct recorder *rec = (struct recorder *)p;
	AUTO(buf_done) struct buf text = { 0 };
	struct jw w = { .out = &text };
	int64_t tokens = 0;
	int r = provider_count_tokens(begin(rec), rq, &tokens, cancel, err);

	if (r < 0)
		return inner_failed(rec, r);
	begin_line(&w, "countTokens");
	jw_obj(&w);
	jw_kv_int(&w, "totalTokens", tokens);
	jw_end(&w);
	r = append_line(rec, &w, err);
	if (r < 0)
		return r;
	*ret_tokens = tokens;
	return 0;
}

static void recorder_free(struct provider *p)
{
	struct recorder *rec = (struct recorder *)p;

	provider_free(rec->inner);
	free(rec->path);
	free(rec);
}

static const struct provider_ops recorder_ops = {
	.name = "recorder",
	.stream = recorder_stream,
	.generate = recorder_generate,
	.count_tokens = recorder_count_tokens,
	.free = recorder_free,
};

struct provider *provider_recorder_new(struct provider *take_inner, const char *path)
{
	struct recorder *rec = xcalloc(1, sizeof *rec);

	rec->p.ops = &recorder_ops;
	rec->p.foreign = take_inner->foreign;
	rec->inner = take_inner;
	rec->path = xstrdup(path);
	return &rec->p;
}

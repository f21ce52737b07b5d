/*
 * The Gemini API over REST.  Its form is the one that the agent works with.  Vertex AI answers the
 * same requests at another address.
 */
#include "model/remote.h"

static const struct remote_api gemini_api = {
	.base_url = "https://generativelanguage.googleapis.com",
	.key_header = "x-goog-api-key: ",
	.key_variable = "GEMINI_API_KEY",
	.base_variable = "GOOGLE_GEMINI_BASE_URL",
};

static const struct remote_api vertex_api = {
	.base_url = "https://aiplatform.googleapis.com",
	.key_header = "x-goog-api-key: ",
	.key_variable = "GOOGLE_API_KEY",
	.base_variable = "GOOGLE_VERTEX_BASE_URL",
};

struct gemini {
	struct remote r;
	char *version;
	bool vertex;
};

static bool is_filled(const struct json *v, enum json_type type)
{
	return json_is(v, type) && v->n > 0;
}

/* Functions first, all in one tool; then the tools that the API has itself. */
static void write_tools(struct jw *w, const struct json *tools)
{
	bool functions = false;

	jw_arr(w);
	for (size_t i = 0; json_at(tools, i); i++) {
		if (!json_getz(json_at(tools, i), "name"))
			continue;
		if (!functions) {
			jw_obj(w);
			jw_key(w, "functionDeclarations");
			jw_arr(w);
		}
		functions = true;
		jw_json(w, json_at(tools, i));
	}
	if (functions) {
		jw_end(w);
		jw_end(w);
	}
	for (size_t i = 0; json_at(tools, i); i++)
		if (!json_getz(json_at(tools, i), "name"))
			jw_json(w, json_at(tools, i));
	jw_end(w);
}

static bool is_prompt(const struct json *content)
{
	const struct json *parts;
	bool text = false;

	if (!str_eqz(json_get_str(content, "role"), "user"))
		return false;
	parts = json_getz(content, "parts");
	for (size_t i = 0; json_at(parts, i); i++)
		text |= json_is(json_getz(json_at(parts, i), "text"), J_STR);
	return text && !json_getz(json_at(parts, 0), "functionResponse");
}

static void write_parts(struct jw *w, const struct json *parts, const struct json *to_sign)
{
	jw_arr(w);
	for (size_t i = 0; i < parts->n; i++) {
		if (&parts->items[i] != to_sign) {
			jw_json(w, &parts->items[i]);
			continue;
		}
		jw_obj(w);
		jw_members(w, to_sign);
		jw_kv_z(w, "thoughtSignature", "skip_thought_signature_validator");
		jw_end(w);
	}
	jw_end(w);
}

/*
 * The content with its first function call signed.  Gemini 3 refuses a call of the running turn
 * without the signature that it came with; one that has none (of another model, of a recording)
 * gets the word with which the API lets it pass.
 */
static void write_signed(struct jw *w, const struct json *content)
{
	const struct json *parts = json_getz(content, "parts"), *to_sign = NULL;

	for (size_t i = 0; !to_sign && json_at(parts, i); i++)
		if (json_getz(json_at(parts, i), "functionCall"))
			to_sign = json_at(parts, i);
	if (!to_sign || json_getz(to_sign, "thoughtSignature")) {
		jw_json(w, content);
		return;
	}
	jw_obj(w);
	for (size_t i = 0; i < content->n; i++) {
		const struct json *v = &content->members[i].v;

		jw_keys(w, content->members[i].key);
		if (v == parts)
			write_parts(w, parts, to_sign);
		else
			jw_json(w, v);
	}
	jw_end(w);
}

static void write_members(struct jw *w, const struct model_request *rq)
{
	jw_key(w, "contents");
	if (json_is(rq->contents, J_ARR)) {
		size_t running = rq->contents->n; /* the turn begins behind the last prompt */

		while (running > 0 && !is_prompt(json_at(rq->contents, running - 1)))
			running--;
		jw_arr(w);
		for (size_t i = 0; i < running; i++)
			jw_json(w, json_at(rq->contents, i));
		for (size_t i = running; i < rq->contents->n; i++)
			write_signed(w, json_at(rq->contents, i));
		jw_end(w);
	} else {
		jw_arr(w);
		jw_end(w);
	}
	if (is_filled(rq->system, J_OBJ)) {
		jw_key(w, "systemInstruction");
		jw_json(w, rq->system);
	}
	if (is_filled(rq->tools, J_ARR)) {
		jw_key(w, "tools");
		write_tools(w, rq->tools);
	}
	if (is_filled(rq->tool_config, J_OBJ)) {
		jw_key(w, "toolConfig");
		jw_json(w, rq->tool_config);
	}
	if (is_filled(rq->config, J_OBJ)) {
		jw_key(w, "generationConfig");
		jw_json(w, rq->config);
	}
}

void gemini_write_request(struct jw *w, const struct model_request *rq)
{
	jw_obj(w);
	write_members(w, rq);
	jw_end(w);
}

static struct str plain_name(const struct model_request *rq)
{
	struct str name = str_from(rq->model);

	return str_starts(name, STR("models/")) ? str_sub(name, 7, name.n) : name;
}

/* The name is escaped, so that it stays one step of the path. */
static void add_step(struct buf *url, struct str name)
{
	for (size_t i = 0; i < name.n; i++) {
		if (char_is_word(name.p[i]) || name.p[i] == '-' || name.p[i] == '.')
			buf_addc(url, name.p[i]);
		else
			buf_addf(url, "%%%02X", (unsigned char)name.p[i]);
	}
}

/* NAME, PUBLISHER/NAME, publishers/PUBLISHER/models/NAME or projects/...: what Vertex AI calls
 * models. */
static void add_vertex_model(struct buf *url, struct str name)
{
	ptrdiff_t slash = str_chr(name, '/', 0);
	bool whole = str_starts(name, STR("publishers/")) || str_starts(name, STR("projects/"));

	if (!whole) {
		struct str by = slash < 0 ? STR("google") : str_sub(name, 0, (size_t)slash);

		buf_addz(url, "publishers/");
		add_step(url, by);
		buf_addz(url, "/models/");
		add_step(url, slash < 0 ? name : str_sub(name, (size_t)slash + 1, name.n));
		return;
	}
	for (struct str step; str_split(&name, '/', &step);) {
		add_step(url, step);
		if (name.n)
			buf_addc(url, '/');
	}
}

/* BASE/v1beta/models/NAME:METHOD, or BASE/v1beta1/publishers/google/models/NAME:METHOD */
static char *method_url(const struct gemini *g, const struct model_request *rq, const char *method)
{
	AUTO(buf_done) struct buf url = { 0 };
	AUTO(free) char *version = xasprintf("/%s", g->version);

	buf_addz(&url, g->r.base);
	if (!str_ends(buf_str(&url), str_from(version)))
		buf_addz(&url, version);
	buf_addc(&url, '/');
	if (g->vertex) {
		add_vertex_model(&url, plain_name(rq));
	} else {
		buf_addz(&url, "models/");
		add_step(&url, plain_name(rq));
	}
	buf_addf(&url, ":%s", method);
	return buf_take(&url);
}

static void write_body(struct buf *body, const struct model_request *rq)
{
	struct jw w = { .out = body };

	gemini_write_request(&w, rq);
}

static int pass_chunk(void *data, const struct json *event, struct err *err)
{
	const struct model_sink *sink = data;

	return sink->chunk(sink->data, event, err);
}

static int gemini_stream(struct provider *p, const struct model_request *rq,
			 const struct model_sink *sink, struct cancel *cancel, struct err *err)
{
	struct gemini *g = (struct gemini *)p;
	AUTO(free) char *url = method_url(g, rq, "streamGenerateContent?alt=sse");
	AUTO(buf_done) struct buf body = { 0 };
	struct model_sink copy = *sink;

	provider_begin(p);
	write_body(&body, rq);
	return remote_stream(&g->r, url, buf_str(&body), pass_chunk, &copy, NULL, cancel, err);
}

static int gemini_generate(struct provider *p, const struct model_request *rq, struct arena *a,
			   const struct json **ret_response, struct cancel *cancel, struct err *err)
{
	struct gemini *g = (struct gemini *)p;
	AUTO(free) char *url = method_url(g, rq, "generateContent");
	AUTO(buf_done) struct buf body = { 0 };

	provider_begin(p);
	write_body(&body, rq);
	return remote_post(&g->r, url, buf_str(&body), a, ret_response, cancel, err);
}

static int gemini_count_tokens(struct provider *p, const struct model_request *rq,
			       int64_t *ret_tokens, struct cancel *cancel, struct err *err)
{
	struct gemini *g = (struct gemini *)p;
	AUTO(free) char *url = method_url(g, rq, "countTokens");
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf body = { 0 }, model = { 0 };
	struct model_request counted = *rq;
	struct jw w = { .out = &body };
	const struct json *answer = NULL;
	double tokens;
	int result;

	provider_begin(p);
	/* Contents alone, or the whole request where there is more to count. */
	counted.config = NULL;
	if (g->vertex || (!is_filled(rq->system, J_OBJ) && !is_filled(rq->tools, J_ARR))) {
		counted.tool_config = NULL;
		gemini_write_request(&w, &counted);
	} else {
		buf_addz(&model, "models/");
		buf_adds(&model, plain_name(rq));
		jw_obj(&w);
		jw_key(&w, "generateContentRequest");
		jw_obj(&w);
		jw_kv_str(&w, "model", buf_str(&model));
		write_members(&w, &counted);
		jw_end(&w);
		jw_end(&w);
	}
	result = remote_post(&g->r, url, buf_str(&body), &a, &answer, cancel, err);
	if (result < 0)
		return result;
	tokens = json_num(json_getz(answer, "totalTokens"), -1);
	if (!(tokens >= 0 && tokens < 1e15))
		return provider_fail(p, err, E_PARSE, "the model's API counted no tokens");
	*ret_tokens = (int64_t)tokens;
	return 0;
}

static void gemini_free(struct provider *p)
{
	struct gemini *g = (struct gemini *)p;

	remote_done(&g->r);
	free(g->version);
	free(g);
}

static const struct provider_ops gemini_ops = {
	.name = "gemini",
	.stream = gemini_stream,
	.generate = gemini_generate,
	.count_tokens = gemini_count_tokens,
	.free = gemini_free,
};

struct provider *provider_gemini_new(const struct provider_options *o)
{
	struct gemini *g = xcalloc(1, sizeof *g);
	struct str version = str_trim(str_from(o->api_version ? o->api_version : ""));

	if (!version.n)
		version = str_from(o->vertex ? "v1beta1" : "v1beta");
	g->version = xstrndup(version.p, version.n);
	g->vertex = o->vertex;
	remote_init(&g->r, &gemini_ops, o->vertex ? &vertex_api : &gemini_api, o);
	return &g->r.p;
}

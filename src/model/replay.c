/*
 * Recorded responses instead of a model.  The file has one object a line,
 * {"method": "generateContentStream", "response": [...]}; empty lines are skipped.
 */
#include "base/utf8.h"
#include "base/vec.h"
#include "model/provider.h"
#include "os/fs.h"

enum method { GENERATE, STREAM, COUNT, EMBED };

static const struct {
	struct str name;
	enum json_type response;
} methods[] = {
	[GENERATE] = { STR("generateContent"), J_OBJ },
	[STREAM] = { STR("generateContentStream"), J_ARR },
	[COUNT] = { STR("countTokens"), J_OBJ },
	[EMBED] = { STR("embedContent"), J_OBJ }, /* known to the format, never asked for */
};

struct line {
	enum method method;
	bool taken;
	const struct json *response;
};

struct replay {
	struct provider p;
	struct arena arena;
	struct {
		struct line *p;
		size_t n, cap;
	} lines;
	size_t next; /* no line before it is left */
	bool strict;
};

/* One line of the file into *line. */
static int read_line(struct replay *rp, struct str text, struct line *line, struct err *err)
{
	const struct json *v = NULL, *name;
	size_t method = 0;
	int r = json_parse(&rp->arena, text, 0, &v, err);

	if (r < 0)
		return r;
	if (v->type != J_OBJ)
		return err_set(err, E_PARSE, "an object was expected, not %s", json_what(v));
	name = json_getz(v, "method");
	if (!json_is(name, J_STR))
		return err_set(err, E_PARSE, "\"method\" must be a string, not %s",
			       json_what(name));
	while (method < ARRAY_LEN(methods) &&
	       !str_eq(json_str(name, STR("")), methods[method].name))
		method++;
	if (method == ARRAY_LEN(methods)) {
		AUTO(buf_done) struct buf seen = { 0 };

		(void)utf8_add_visible(&seen, utf8_prefix(json_str(name, STR("")), 80), false);
		return err_set(
			err, E_PARSE,
			"\"%s\" is not a method: generateContentStream, generateContent, countTokens "
			"or embedContent was expected",
			buf_z(&seen));
	}
	line->method = (enum method)method;
	line->response = json_getz(v, "response");
	if (!json_is(line->response, methods[line->method].response))
		return err_set(err, E_PARSE, "\"response\" of %.*s must be an %s, not %s",
			       STR_ARG(methods[line->method].name),
			       line->method == STREAM ? "array" : "object",
			       json_what(line->response));
	return 0;
}

/*
 * What was asked for, as the message of an exhausted file shows it: {model, contents, config},
 * which is what Gemini CLI hands to its client and its tests know.  The API has config's members
 * apart.
 */
static const struct json *request_shown(struct arena *a, const struct model_request *rq)
{
	static const char *const members[] = { "systemInstruction", "tools", "toolConfig" };
	AUTO(buf_done) struct buf text = { 0 };
	struct jw w = { .out = &text };
	const struct json *v = NULL, *config, *contents, *shown;

	gemini_write_request(&w, rq);
	(void)json_parse(a, arena_str(a, buf_str(&text)), JSON_BORROW, &v, NULL);
	contents = json_getz(v, "contents");
	config = json_getz(v, "generationConfig");
	config = config ? config : json_new_obj(a);
	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		const struct json *m = json_getz(v, members[i]);

		if (m)
			config = json_set(a, config, str_from(members[i]), m);
	}
	shown = json_set(a, NULL, STR("model"), json_new_str(a, str_from(rq->model)));
	shown = json_set(a, shown, STR("contents"), contents ? contents : json_new_arr(a, NULL, 0));
	return json_set(a, shown, STR("config"), config);
}

/* The next line: strict of all, else of this method.  It is used up, even when it does not fit. */
static int take(struct replay *rp, enum method method, const struct model_request *rq,
		const struct json **ret_response, struct err *err)
{
	struct line *line;
	size_t i = rp->next;

	provider_begin(&rp->p);
	while (i < rp->lines.n &&
	       (rp->lines.p[i].taken || (!rp->strict && rp->lines.p[i].method != method)))
		i++;
	if (i == rp->lines.n) {
		AUTO(arena_done) struct arena a = { 0 };
		AUTO(buf_done) struct buf request = { 0 };

		(void)json_write(&request, request_shown(&a, rq), JSON_PRETTY);
		return provider_fail(&rp->p, err, E_IO,
				     "No more mock responses for %.*s, got request:\n%s",
				     STR_ARG(methods[method].name), buf_z(&request));
	}
	line = &rp->lines.p[i];
	line->taken = true;
	while (rp->next < rp->lines.n && rp->lines.p[rp->next].taken)
		rp->next++;
	if (line->method != method)
		return provider_fail(&rp->p, err, E_IO,
				     "Unexpected response type, next response was for %.*s but "
				     "expected %.*s",
				     STR_ARG(methods[line->method].name),
				     STR_ARG(methods[method].name));
	*ret_response = line->response;
	return 0;
}

static int replay_stream(struct provider *p, const struct model_request *rq,
			 const struct model_sink *sink, struct cancel *cancel, struct err *err)
{
	const struct json *chunks = NULL;
	struct err why = { 0 };
	int r = take((struct replay *)p, STREAM, rq, &chunks, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < chunks->n; i++) {
		if (cancel_fired(cancel))
			return provider_fail(p, err, E_CANCEL, "cancelled");
		r = sink->chunk(sink->data, json_at(chunks, i), &why);
		if (r < 0)
			return provider_failed(p, r, &why, err);
	}
	return 0;
}

static int replay_generate(struct provider *p, const struct model_request *rq, struct arena *a,
			   const struct json **ret_response, struct cancel *cancel, struct err *err)
{
	const struct json *response = NULL;
	int r = take((struct replay *)p, GENERATE, rq, &response, err);

	(void)cancel;
	if (r < 0)
		return r;
	*ret_response = json_dup(a, response);
	return 0;
}

static int replay_count_tokens(struct provider *p, const struct model_request *rq,
			       int64_t *ret_tokens, struct cancel *cancel, struct err *err)
{
	const struct json *response = NULL;
	int r = take((struct replay *)p, COUNT, rq, &response, err);
	double tokens;

	(void)cancel;
	if (r < 0)
		return r;
	tokens = json_num(json_getz(response, "totalTokens"), -1);
	if (!(tokens >= 0 && tokens < 1e15))
		return provider_fail(p, err, E_PARSE, "the recorded response has no totalTokens");
	*ret_tokens = (int64_t)tokens;
	return 0;
}

static void replay_free(struct provider *p)
{
	struct replay *rp = (struct replay *)p;

	free(rp->lines.p);
	arena_done(&rp->arena);
	free(rp);
}

static const struct provider_ops replay_ops = {
	.name = "replay",
	.stream = replay_stream,
	.generate = replay_generate,
	.count_tokens = replay_count_tokens,
	.free = replay_free,
};

struct provider *provider_replay_new(const char *path, bool strict, struct err *err)
{
	AUTO(buf_done) struct buf text = { 0 };
	struct replay *rp;
	struct str rest, row;
	int r = fs_read(path, JSON_MAX_BYTES, &text, err);

	if (r < 0)
		return NULL;
	rp = xcalloc(1, sizeof *rp);
	rp->p.ops = &replay_ops;
	rp->strict = strict;
	rest = buf_str(&text);
	for (unsigned number = 1; str_split(&rest, '\n', &row); number++) {
		struct line line = { 0 };

		if (!str_trim(row).n)
			continue;
		if (read_line(rp, row, &line, err) < 0) {
			(void)err_wrap(err, "%s:%u", path, number);
			replay_free(&rp->p);
			return NULL;
		}
		*VEC_ADD(&rp->lines) = line;
	}
	return &rp->p;
}

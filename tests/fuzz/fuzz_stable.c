/*
 * The first line is a request and a chunk of a model, the rest what a hook made of them:
 *
 *	{"contents", "config", "toolConfig", "chunk"}
 *	{"llm_request", "llm_response", "toolConfig"}
 *
 * Whatever the hook says, nothing but text is lost from the request; a hook that says what it was
 * told changes nothing.
 */
#include "model/stable.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static struct model_request request_of(const struct json *v)
{
	return (struct model_request){
		.model = "m",
		.contents = json_getz(v, "contents"),
		.config = json_getz(v, "config"),
		.tool_config = json_getz(v, "toolConfig"),
	};
}

static struct str request_text(struct arena *a, const struct model_request *rq)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct jw w = { .out = &out };

	gemini_write_request(&w, rq);
	return arena_str(a, buf_str(&out));
}

/* As a hook reads it. */
static const struct json *seen(struct arena *a, const struct json *v)
{
	const struct json *again = NULL;

	if (json_parse(a, json_text(a, v, JSON_COMPACT), 0, &again, NULL) < 0)
		abort();
	return again;
}

static size_t count_others(const struct json *contents)
{
	size_t count = 0;

	for (size_t i = 0; json_at(contents, i); i++) {
		const struct json *parts = json_getz(json_at(contents, i), "parts");

		for (size_t k = 0; json_at(parts, k); k++) {
			const struct json *part = json_at(parts, k);

			count += !json_is(json_getz(part, "text"), J_STR) ||
				 json_getz(part, "functionCall") ||
				 json_getz(part, "thoughtSignature");
		}
	}
	return count;
}

static void check_identity(struct arena *a, struct model_request rq, const struct json *chunk)
{
	struct str before = request_text(a, &rq);

	stable_apply_request(a, &rq, seen(a, stable_request(a, &rq)));
	if (!str_eq(request_text(a, &rq), before))
		abort();
	if (stable_apply_response(a, chunk, seen(a, stable_response(a, chunk))))
		abort();
}

static void check_hook(struct arena *a, struct model_request rq, const struct json *chunk,
		       const struct json *hook)
{
	const struct json *given = json_getz(hook, "llm_response"), *now;
	size_t others = count_others(rq.contents);

	stable_apply_request(a, &rq, json_getz(hook, "llm_request"));
	if (count_others(rq.contents) != others)
		abort();
	check_identity(a, rq, NULL);
	(void)stable_tool_config(a, json_getz(hook, "toolConfig"));
	now = stable_apply_response(a, NULL, given);
	if (now)
		check_identity(a, rq, now);
	now = stable_apply_response(a, chunk, given);
	if (now)
		check_identity(a, rq, now);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct str rest = { (const char *)data, n }, line = STR("");
	const struct json *host = NULL, *hook = NULL;
	struct model_request rq;

	(void)str_split(&rest, '\n', &line);
	if (json_parse(&a, line, 0, &host, NULL) < 0)
		return 0;
	rq = request_of(host);
	check_identity(&a, rq, json_getz(host, "chunk"));
	if (rest.n && json_parse(&a, rest, 0, &hook, NULL) == 0)
		check_hook(&a, rq, json_getz(host, "chunk"), hook);
	return 0;
}

/*
 * Each line is an event of chat completions; what comes of them is said back to the server as a
 * part of the conversation, after the contents that the first line may have as well.  In the
 * request that this makes, every answer of a tool must follow the call that it answers.
 */
#include "base/vec.h"
#include "model/openai_impl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

struct contents {
	const struct json **p;
	size_t n, cap;
};

/* How many calls the message makes. */
static size_t count_calls(const struct json *message)
{
	const struct json *calls = json_getz(message, "tool_calls");

	return calls ? calls->n : 0;
}

static void check_messages(const struct json *messages)
{
	size_t open = 0;

	for (size_t i = 0; json_at(messages, i); i++) {
		const struct json *m = json_at(messages, i);
		bool answer = str_eqz(json_get_str(m, "role"), "tool");

		/* All calls are answered, and only they. */
		if (answer ? open == 0 : open > 0)
			abort();
		open = answer ? open - 1 : count_calls(m);
	}
	if (open)
		abort();
}

static void check_request(struct arena *a, struct contents *contents)
{
	struct model_request rq = { .model = "m" };
	AUTO(buf_done) struct buf out = { 0 };
	struct jw w = { .out = &out };
	const struct json_limits limits = { .max_depth = 2 * JSON_MAX_DEPTH };
	const struct json *v = NULL;

	rq.contents = json_new_arr(a, contents->p, contents->n);
	rq.tools = rq.contents;
	rq.config = json_at(rq.contents, 0);
	openai_write_request(&w, &rq, true);
	if (json_parse_at(a, buf_str(&out), 0, &limits, &v, NULL, NULL) < 0)
		abort();
	check_messages(json_getz(v, "messages"));
}

static void take_line(struct arena *a, struct str line, struct openai_answer *answer,
		      struct contents *contents)
{
	const struct json *event = NULL, *given;

	if (json_parse(a, line, 0, &event, NULL) < 0)
		return;
	given = json_getz(event, "contents");
	for (size_t i = 0; json_at(given, i); i++)
		*VEC_ADD(contents) = json_at(given, i);
	(void)openai_take(answer, a, event);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(openai_answer_done) struct openai_answer answer = { 0 };
	struct str rest = { (const char *)data, n }, line;
	struct contents contents = { 0 };
	const struct json *last;

	while (str_split(&rest, '\n', &line))
		take_line(&a, line, &answer, &contents);
	last = openai_last(&answer, &a, NULL);
	*VEC_ADD(&contents) = json_pointer(last, STR("/candidates/0/content"));
	check_request(&a, &contents);
	free(contents.p);
	return 0;
}

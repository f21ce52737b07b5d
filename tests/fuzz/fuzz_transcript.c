/*
 * Any file as a recording: the conversation that comes out is one that a model accepts, and it
 * comes out of its own checkpoint again.
 */
#include "agent/transcript/transcript_impl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const struct json *parts_of(const struct json *history, size_t i)
{
	return json_getz(json_at(history, i), "parts");
}

static size_t count(const struct json *parts, struct str key)
{
	size_t n = 0;

	for (size_t i = 0; parts && i < parts->n; i++)
		n += json_get(&parts->items[i], key) != NULL;
	return n;
}

/* As many responses as calls, in the content after them, and nothing without a part. */
static void check(const struct json *history)
{
	size_t calls = 0;

	for (size_t i = 0; i < history->n; i++) {
		const struct json *parts = parts_of(history, i);
		bool model = str_eqz(json_get_str(&history->items[i], "role"), "model");

		if (!json_is(parts, J_ARR) || parts->n == 0 || (model && calls) ||
		    count(parts, STR("functionResponse")) != calls)
			abort();
		calls = count(parts, STR("functionCall"));
		if (!model && calls)
			abort();
	}
	if (calls)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf again = { 0 };
	AUTO(recording_done) struct recording r = { 0 }, copy = { 0 };
	const struct json *history;
	struct jw w = { .out = &again };

	if (recording_parse(&a, (struct str){ (const char *)data, n }, &r, NULL) < 0)
		return 0;
	history = recording_history(&a, &r);
	check(history);
	jw_obj(&w);
	jw_kv_z(&w, "sessionId", "s");
	jw_key(&w, "messages");
	jw_json(&w, recording_messages(&a, history));
	jw_end(&w);
	if (recording_parse(&a, buf_str(&again), &copy, NULL) < 0 ||
	    !json_equal(recording_history(&a, &copy), history))
		abort();
	return 0;
}

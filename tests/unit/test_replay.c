/* Recorded responses: what the file may hold, in which order it is used up, and recording one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "model/provider.h"
#include "os/fs.h"

struct files {
	char dir[64];
	char *path, *other;
};

static int setup(void **state)
{
	struct files *f = xcalloc(1, sizeof *f);

	(void)snprintf(f->dir, sizeof f->dir, "/tmp/test_replay.XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	f->path = fs_join(f->dir, "responses");
	f->other = fs_join(f->dir, "recorded");
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct files *f = *state;

	(void)unlink(f->path);
	(void)unlink(f->other);
	(void)rmdir(f->dir);
	free(f->path);
	free(f->other);
	free(f);
	return 0;
}

static void write_file(const char *path, const char *text)
{
	assert_int_equal(fs_replace(path, str_from(text), 0600, NULL), 0);
}

static struct provider *replay(const struct files *f, const char *text, bool strict)
{
	struct err err = { 0 };
	struct provider *p;

	write_file(f->path, text);
	p = provider_replay_new(f->path, strict, &err);
	if (!p)
		fail_msg("%s", err.text);
	return p;
}

static int collect(void *data, const struct json *response, struct err *err)
{
	(void)err;
	(void)json_write(data, response, JSON_COMPACT);
	buf_addc(data, '\n');
	return 0;
}

static const struct model_request nothing = { .model = "m" };

/* Streams; the chunks, one a line, or the error's sentence. */
static const char *stream(struct provider *p, struct buf *out)
{
	struct model_sink sink = { collect, out };
	struct err err = { 0 };

	buf_clear(out);
	if (provider_stream(p, &nothing, &sink, NULL, &err) < 0) {
		assert_int_equal(err.code, E_IO);
		return provider_error(p);
	}
	assert_string_equal(provider_error(p), "");
	return buf_z(out);
}

#define STREAM(chunks) "{\"method\":\"generateContentStream\",\"response\":[" chunks "]}\n"
#define GENERATE "{\"response\":{\"candidates\":[]},\"method\":\"generateContent\",\"more\":1}\n"
#define COUNT "{\"method\":\"countTokens\",\"response\":{\"totalTokens\":7}}\n"

static void in_the_order_of_the_file(void **state)
{
	AUTO(buf_done) struct buf out = { 0 };
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(provider_free) struct provider *p = replay(
		*state,
		STREAM("{\"candidates\":[{\"finishReason\":\"STOP\"}]},{\"usageMetadata\":{}}") "\n  \r\n" GENERATE
			COUNT STREAM(""),
		true);
	const struct json *response = NULL;
	int64_t tokens = 0;

	assert_string_equal(p->ops->name, "replay");
	assert_string_equal(stream(p, &out), "{\"candidates\":[{\"finishReason\":\"STOP\"}]}\n"
					     "{\"usageMetadata\":{}}\n");
	assert_int_equal(provider_generate(p, &nothing, &a, &response, NULL, NULL), 0);
	assert_string_equal(json_text(&a, response, 0).p, "{\"candidates\":[]}");
	assert_int_equal(provider_count_tokens(p, &nothing, &tokens, NULL, NULL), 0);
	assert_int_equal(tokens, 7);
	assert_string_equal(stream(p, &out), "");
}

/* The line is used up all the same. */
static void another_method(void **state)
{
	AUTO(buf_done) struct buf out = { 0 };
	AUTO(provider_free) struct provider *p = replay(*state, GENERATE STREAM("{}"), true);
	int64_t tokens = 5;

	assert_string_equal(stream(p, &out), "Unexpected response type, next response was for "
					     "generateContent but expected generateContentStream");
	assert_int_equal(provider_count_tokens(p, &nothing, &tokens, NULL, NULL), -E_IO);
	assert_int_equal(tokens, 5);
	assert_string_equal(provider_error(p), "Unexpected response type, next response was for "
					       "generateContentStream but expected countTokens");
}

/* The only place where the whole request can be seen. */
static void nothing_left(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(provider_free) struct provider *p = replay(*state, "", true);
	const struct json *v = NULL, *response = NULL;
	struct model_request rq = { .model = "gemini-2.5-pro" };
	struct err err = { 0 };

	assert_int_equal(
		json_parse(&a,
			   STR("{\"c\":[{\"role\":\"user\",\"parts\":[{\"text\":\"hi\"}]}],"
			       "\"s\":{\"parts\":[]},\"t\":[{\"name\":\"f\"}],\"g\":{\"topK\":1}}"),
			   0, &v, NULL),
		0);
	rq.contents = json_getz(v, "c");
	rq.system = json_getz(v, "s");
	rq.tools = json_getz(v, "t");
	rq.config = json_getz(v, "g");
	assert_int_equal(provider_generate(p, &rq, &a, &response, NULL, &err), -E_IO);
	assert_null(response);
	assert_string_equal(provider_error(p),
			    "No more mock responses for generateContent, got request:\n"
			    "{\n"
			    "  \"model\": \"gemini-2.5-pro\",\n"
			    "  \"contents\": [\n"
			    "    {\n"
			    "      \"role\": \"user\",\n"
			    "      \"parts\": [\n"
			    "        {\n"
			    "          \"text\": \"hi\"\n"
			    "        }\n"
			    "      ]\n"
			    "    }\n"
			    "  ],\n"
			    "  \"config\": {\n"
			    "    \"topK\": 1,\n"
			    "    \"systemInstruction\": {\n"
			    "      \"parts\": []\n"
			    "    },\n"
			    "    \"tools\": [\n"
			    "      {\n"
			    "        \"functionDeclarations\": [\n"
			    "          {\n"
			    "            \"name\": \"f\"\n"
			    "          }\n"
			    "        ]\n"
			    "      }\n"
			    "    ]\n"
			    "  }\n"
			    "}");
	/* What an err cannot hold is cut. */
	assert_true(strlen(err.text) < ERR_TEXT_MAX);
	assert_memory_equal(err.text, provider_error(p), 60);
}

static void non_strict_takes_the_first_of_the_method(void **state)
{
	AUTO(buf_done) struct buf out = { 0 };
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(provider_free) struct provider *p =
		replay(*state, GENERATE STREAM("{\"n\":1}") COUNT STREAM("{\"n\":2}"), false);
	const struct json *response = NULL;
	int64_t tokens = 0;

	assert_string_equal(stream(p, &out), "{\"n\":1}\n");
	assert_string_equal(stream(p, &out), "{\"n\":2}\n");
	assert_int_equal(provider_count_tokens(p, &nothing, &tokens, NULL, NULL), 0);
	assert_int_equal(provider_generate(p, &nothing, &a, &response, NULL, NULL), 0);
	assert_int_equal(provider_generate(p, &nothing, &a, &response, NULL, NULL), -E_IO);
	assert_memory_equal(provider_error(p), "No more mock responses for generateContent, ", 44);
	assert_memory_equal(stream(p, &out), "No more mock responses for generateContentStream, ",
			    50);
}

/* Any invalid line is a failure at the start, which says where. */
static void bad_lines(void **state)
{
	static const struct {
		const char *text, *error; /* after the path */
	} rows[] = {
		{ GENERATE "\n{]\n", ":3: line 1, column 2: " },
		{ "7\n", ":1: an object was expected, not a number" },
		{ "{}\n", ":1: \"method\" must be a string, not nothing" },
		{ "{\"method\":\"chat\\u001b\",\"response\":{}}",
		  ":1: \"chat\\x1b\" is not a method: generateContentStream, " },
		{ "{\"method\":\"generateContentStream\",\"response\":{}}",
		  ":1: \"response\" of generateContentStream must be an array, not an object" },
		{ "{\"method\":\"generateContent\",\"response\":[]}",
		  ":1: \"response\" of generateContent must be an object, not an array" },
	};
	const struct files *f = *state;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(free) char *expected = xasprintf("%s%s", f->path, rows[i].error);
		struct err err = { 0 };

		write_file(f->path, rows[i].text);
		assert_null(provider_replay_new(f->path, true, &err));
		assert_int_equal(err.code, E_PARSE);
		if (strncmp(err.text, expected, strlen(expected)) != 0)
			fail_msg("%s", err.text);
	}
}

static void a_file_that_is_not_there(void **state)
{
	const struct files *f = *state;
	struct err err = { 0 };

	assert_null(provider_replay_new(f->path, true, &err));
	assert_int_equal(err.code, E_NOTFOUND);
	assert_non_null(strstr(err.text, f->path));
}

static int refuse(void *data, const struct json *response, struct err *err)
{
	(void)response;
	++*(int *)data;
	return err_set(err, E_LIMIT, "enough");
}

static int cancel_now(void *data, const struct json *response, struct err *err)
{
	(void)response;
	(void)err;
	cancel_fire(data);
	return 0;
}

static void a_stream_ends_with_the_sink_or_the_cancel(void **state)
{
	AUTO(provider_free) struct provider *p =
		replay(*state, STREAM("{},{}") STREAM("{},{}"), true);
	AUTO(cancel_free) struct cancel *cancel = cancel_new(NULL);
	struct err err = { 0 };
	int calls = 0;

	assert_int_equal(
		provider_stream(p, &nothing, &(struct model_sink){ refuse, &calls }, NULL, &err),
		-E_LIMIT);
	assert_int_equal(calls, 1);
	assert_string_equal(err.text, "enough");
	assert_string_equal(provider_error(p), "enough");
	assert_int_equal(provider_stream(p, &nothing, &(struct model_sink){ cancel_now, cancel },
					 cancel, &err),
			 -E_CANCEL);
}

/* Candidates and usageMetadata of what ended well, in the same form. */
static void test_recording(void **state)
{
	const struct files *f = *state;
	AUTO(buf_done) struct buf out = { 0 }, file = { 0 };
	AUTO(arena_done) struct arena a = { 0 };
	struct provider *inner = replay(
		f,
		STREAM("{\"candidates\":[1.0],\"modelVersion\":2},{\"usageMetadata\":{\"u\":1}}")
			GENERATE COUNT STREAM("{},{}"),
		true);
	AUTO(provider_free) struct provider *p = provider_recorder_new(inner, f->other);
	const struct json *response = NULL;
	struct err err = { 0 };
	int64_t tokens = 0;
	int calls = 0;

	assert_string_equal(stream(p, &out), "{\"candidates\":[1.0],\"modelVersion\":2}\n"
					     "{\"usageMetadata\":{\"u\":1}}\n");
	assert_int_equal(provider_generate(p, &nothing, &a, &response, NULL, NULL), 0);
	assert_non_null(response);
	assert_int_equal(provider_count_tokens(p, &nothing, &tokens, NULL, NULL), 0);
	assert_int_equal(tokens, 7);
	/* what failed is not recorded */
	assert_int_equal(
		provider_stream(p, &nothing, &(struct model_sink){ refuse, &calls }, NULL, &err),
		-E_LIMIT);
	assert_string_equal(err.text, "enough");
	assert_memory_equal(stream(p, &out), "No more mock responses", 22);
	assert_int_equal(fs_read(f->other, 1 << 20, &file, NULL), 0);
	assert_string_equal(buf_z(&file),
			    "{\"method\":\"generateContentStream\",\"response\":"
			    "[{\"candidates\":[1.0]},{\"usageMetadata\":{\"u\":1}}]}\n"
			    "{\"method\":\"generateContent\",\"response\":{\"candidates\":[]}}\n"
			    "{\"method\":\"countTokens\",\"response\":{\"totalTokens\":7}}\n");
}

static void a_recording_can_be_replayed(void **state)
{
	const struct files *f = *state;
	AUTO(buf_done) struct buf out = { 0 };
	struct provider *p =
		provider_recorder_new(replay(f, STREAM("{\"candidates\":[]}"), true), f->other);

	(void)stream(p, &out);
	provider_free(p);
	p = provider_replay_new(f->other, true, NULL);
	assert_non_null(p);
	assert_string_equal(stream(p, &out), "{\"candidates\":[]}\n");
	provider_free(p);
}

static void a_recording_that_cannot_be_written(void **state)
{
	AUTO(provider_free) struct provider *p =
		provider_recorder_new(replay(*state, STREAM(""), true), "/nonexistent/recorded");
	AUTO(buf_done) struct buf out = { 0 };
	struct model_sink sink = { collect, &out };
	struct err err = { 0 };

	assert_true(provider_stream(p, &nothing, &sink, NULL, &err) < 0);
	assert_non_null(
		strstr(err.text, "recording the model's answer to /nonexistent/recorded: "));
	assert_string_equal(provider_error(p), err.text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(in_the_order_of_the_file),
		TEST(another_method),
		TEST(nothing_left),
		TEST(non_strict_takes_the_first_of_the_method),
		TEST(bad_lines),
		TEST(a_file_that_is_not_there),
		TEST(a_stream_ends_with_the_sink_or_the_cancel),
		TEST(test_recording),
		TEST(a_recording_can_be_replayed),
		TEST(a_recording_that_cannot_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

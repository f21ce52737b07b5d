/* Server-sent events: every stream whole, byte by byte and in two halves gives the same events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/sse.h"

static int note(void *data, const struct sse_event *e, struct err *err)
{
	struct buf *seen = data;

	(void)err;
	buf_addf(seen, "%.*s|%.*s|%.*s;", STR_ARG(e->event), STR_ARG(e->data), STR_ARG(e->id));
	return 0;
}

/* The piece is copied, so that a sanitizer sees a byte read too many. */
static int feed(struct sse *s, struct str bytes, struct err *err)
{
	AUTO(free) char *copy = xmalloc(max_size(bytes.n, 1));

	memcpy(copy, bytes.p, bytes.n);
	return sse_feed(s, (struct str){ copy, bytes.n }, err);
}

/* In pieces of `first` bytes, then `step` bytes each. */
static int read_stream(struct str stream, size_t first, size_t step, size_t max, struct buf *seen,
		       struct err *err)
{
	AUTO(sse_done) struct sse s = { .on_event = note, .data = seen, .max_bytes = max };
	size_t at = min_size(first, stream.n);
	int r = feed(&s, str_sub(stream, 0, at), err);

	while (r >= 0 && at < stream.n) {
		r = feed(&s, str_sub(stream, at, at + step), err);
		at += step;
	}
	return r;
}

static void assert_events(struct str stream, const char *events)
{
	for (size_t cut = 0; cut <= stream.n + 1; cut++) {
		AUTO(buf_done) struct buf seen = { 0 };
		struct err err = { 0 };
		size_t step = cut > stream.n ? 1 : stream.n;

		assert_int_equal(read_stream(stream, cut, step, 0, &seen, &err), 0);
		assert_string_equal(buf_z(&seen), events);
		assert_int_equal(err.code, 0);
	}
}

#define ASSERT_EVENTS(stream, events) assert_events(STR(stream), events)

static void fields(void **state)
{
	(void)state;
	ASSERT_EVENTS("data: a\n\n", "message|a|;");
	ASSERT_EVENTS("data:a\n\n", "message|a|;");
	ASSERT_EVENTS("data:  a\n\n", "message| a|;");
	ASSERT_EVENTS("data: a: b\n\n", "message|a: b|;");
	ASSERT_EVENTS("event: x\nid: 7\ndata: a\n\n", "x|a|7;");
	ASSERT_EVENTS("event: x\nevent: y\ndata: a\n\n", "y|a|;");
	ASSERT_EVENTS("event: x\nevent\ndata: a\n\n", "message|a|;");
	ASSERT_EVENTS("retry: 10\ndata: a\nfoo: b\nDATA: c\n data: d\n\n", "message|a|;");
}

static void data_lines_are_joined(void **state)
{
	(void)state;
	ASSERT_EVENTS("data: a\ndata: b\n\n", "message|a\nb|;");
	ASSERT_EVENTS("data: a\ndata\ndata: b\n\n", "message|a\n\nb|;");
	ASSERT_EVENTS("data\n\ndata:\ndata:\n\n", "message||;message|\n|;");
}

static void an_event_without_data_is_none(void **state)
{
	(void)state;
	ASSERT_EVENTS("event: x\n\ndata: a\n\n", "message|a|;");
	ASSERT_EVENTS("\n\n\r\n\r: only\n\n", "");
	ASSERT_EVENTS("id: 1\n\ndata: a\n\n", "message|a|1;");
}

static void ids_stay(void **state)
{
	(void)state;
	ASSERT_EVENTS("id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n",
		      "message|a|1;message|b|1;message|c|;");
	ASSERT_EVENTS("id: 1\nid: x\0y\ndata: a\n\n", "message|a|1;");
}

static void line_ends(void **state)
{
	(void)state;
	ASSERT_EVENTS("data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", "message|a\nb|;message|c|;");
	ASSERT_EVENTS("data: a\rdata: b\r\rdata: c\r\r", "message|a\nb|;message|c|;");
	ASSERT_EVENTS("data: a\r\n\ndata: b\n\r\ndata: c\n\r", "message|a|;message|b|;message|c|;");
}

static void comments(void **state)
{
	(void)state;
	ASSERT_EVENTS(": hi\ndata: a\n:\n:data: b\n\n", "message|a|;");
}

static void byte_order_mark(void **state)
{
	(void)state;
	ASSERT_EVENTS("\xef\xbb\xbf"
		      "data: a\n\n",
		      "message|a|;");
	ASSERT_EVENTS("\xef\xbb\xbf\n\xef\xbb\xbf"
		      "data: a\n\n",
		      "");
	ASSERT_EVENTS("\xef\xbb\xbf\xef\xbb\xbf"
		      "data: a\n\n",
		      "");
	ASSERT_EVENTS("\xef\xbb"
		      "data: a\n\n",
		      "");
}

static void characters_cut_anywhere(void **state)
{
	(void)state;
	ASSERT_EVENTS("data: \xe7\x8c\xab\xf0\x9f\x90\xa1\n\n",
		      "message|\xe7\x8c\xab\xf0\x9f\x90\xa1|;");
}

static void an_incomplete_event_is_dropped(void **state)
{
	(void)state;
	ASSERT_EVENTS("data: a\n\ndata: b\n", "message|a|;");
	ASSERT_EVENTS("data: a\n\ndata: b", "message|a|;");
	ASSERT_EVENTS("", "");
}

static void limit_of_an_event(void **state)
{
	static const struct {
		const char *stream;
		size_t max; /* the last that is enough */
	} rows[] = {
		{ "data: 12345\n\ndata: 6\n\n", 11 },
		{ "data: 12345\ndata: 1\n\n", 13 },
		{ "event: x\ndata: 12345\n\n", 12 },
		{ ": a comment\n: another\n\n", 11 },
		{ "data: 12345", 11 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		for (size_t step = 1; step <= 100; step += 99) {
			AUTO(buf_done) struct buf seen = { 0 };
			struct str stream = str_from(rows[i].stream);
			struct err err = { 0 };

			assert_int_equal(read_stream(stream, step, step, rows[i].max, &seen, &err),
					 0);
			assert_int_equal(
				read_stream(stream, step, step, rows[i].max - 1, &seen, &err),
				-E_LIMIT);
			assert_non_null(strstr(err.text, "longer than"));
		}
	}
}

static int refuse(void *data, const struct sse_event *e, struct err *err)
{
	int *calls = data;

	(void)e;
	(*calls)++;
	return err_set(err, E_PARSE, "no more");
}

static void callback_ends_the_stream(void **state)
{
	int calls = 0;
	AUTO(sse_done) struct sse s = { .on_event = refuse, .data = &calls };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(sse_feed(&s, STR("data: a\n\ndata: b\n\n"), &err), -E_PARSE);
	assert_string_equal(err.text, "no more");
	assert_int_equal(calls, 1);
}

static void may_be_used_again(void **state)
{
	AUTO(buf_done) struct buf seen = { 0 };
	AUTO(sse_done) struct sse s = { .on_event = note, .data = &seen };

	(void)state;
	assert_int_equal(sse_feed(&s, STR("id: 1\nevent: x\ndata: lost\r"), NULL), 0);
	sse_done(&s);
	assert_int_equal(sse_feed(&s,
				  STR("\n\xef\xbb\xbf"
				      "data\n\ndata: a\n\n"),
				  NULL),
			 0);
	assert_string_equal(buf_z(&seen), "message|a|;");
}

/* Comments and blank lines say nothing; a field does, whole or not. */
static void what_says_something(void **state)
{
	static const struct {
		struct str piece;
		size_t said;
	} pieces[] = {
		{ STR(": working\n\n"), 0 }, { STR(": wor"), 0 }, { STR("king\r"), 0 },
		{ STR("\n\n"), 0 },          { STR("da"), 2 },    { STR("ta:x"), 6 },
		{ STR("\n:\n"), 6 },         { STR("\n"), 6 },    { STR("id\n"), 8 },
	};
	AUTO(buf_done) struct buf seen = { 0 };
	AUTO(sse_done) struct sse s = { .on_event = note, .data = &seen };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
		assert_int_equal(feed(&s, pieces[i].piece, NULL), 0);
		assert_int_equal(sse_said(&s), pieces[i].said);
	}
	assert_string_equal(buf_z(&seen), "message|x|;");
}

static void retry_is_a_number(void **state)
{
	static const struct {
		struct str stream;
		int ms; /* -1: it has not said */
	} cases[] = {
		{ STR("data: x\n\n"), -1 },
		{ STR("retry: 3000\n"), 3000 },
		{ STR("retry:0\n"), 0 },
		{ STR("retry: 3s\n"), -1 },
		{ STR("retry: -1\n"), -1 },
		{ STR("retry\n"), -1 },
		{ STR("retry: 5\nretry: x\n"), 5 },
		{ STR("retry: 99999999999999999999999999\n"), SSE_RETRY_MAX_MS },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(buf_done) struct buf seen = { 0 };
		AUTO(sse_done) struct sse s = { .on_event = note, .data = &seen };

		assert_int_equal(sse_feed(&s, cases[i].stream, NULL), 0);
		assert_int_equal(s.has_retry ? s.retry_ms : -1, cases[i].ms);
	}
}

/* An id counts also where there is no data, hence no event. */
static void id_without_data(void **state)
{
	AUTO(buf_done) struct buf seen = { 0 };
	AUTO(sse_done) struct sse s = { .on_event = note, .data = &seen };

	(void)state;
	assert_int_equal(sse_feed(&s, STR("id: 7\n\nid: 8\nretry: 1\n\n"), NULL), 0);
	assert_string_equal(buf_z(&s.id), "8");
	assert_int_equal(seen.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields),
		cmocka_unit_test(data_lines_are_joined),
		cmocka_unit_test(an_event_without_data_is_none),
		cmocka_unit_test(ids_stay),
		cmocka_unit_test(line_ends),
		cmocka_unit_test(comments),
		cmocka_unit_test(byte_order_mark),
		cmocka_unit_test(characters_cut_anywhere),
		cmocka_unit_test(an_incomplete_event_is_dropped),
		cmocka_unit_test(limit_of_an_event),
		cmocka_unit_test(callback_ends_the_stream),
		cmocka_unit_test(may_be_used_again),
		cmocka_unit_test(what_says_something),
		cmocka_unit_test(retry_is_a_number),
		cmocka_unit_test(id_without_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

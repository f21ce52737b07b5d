/* Reading a stream with a deadline for its beginning, and the thread that ticks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "os/clock.h"
#include "os/input.h"
#include "os/ticker.h"

static const struct input_limits limits = { .max_bytes = 100000, .first_ms = 50 };

static void reads_to_the_end(void **state)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct err err;
	bool cut;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "hello", 5), 5);
	(void)close(ends[1]);
	assert_int_equal(input_read(ends[0], &limits, NULL, &out, &cut, &err), 0);
	assert_string_equal(buf_z(&out), "hello");
	assert_false(cut);
	(void)close(ends[0]);
	/* A closed descriptor is an empty stream. */
	buf_clear(&out);
	assert_int_equal(input_read(ends[0], &limits, NULL, &out, &cut, &err), 0);
	assert_int_equal(out.n, 0);
}

static void cuts_at_the_limit(void **state)
{
	static const struct {
		size_t max;
		bool cut;
	} cases[] = { { 10, true }, { 65536, false }, { 65535, true }, { 70000, false } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(buf_done) struct buf out = { 0 };
		struct input_limits l = { .max_bytes = cases[i].max, .first_ms = 50 };
		char name[] = "/tmp/input-XXXXXX";
		int fd = mkstemp(name);
		struct err err;
		bool cut;

		assert_int_equal(ftruncate(fd, 65536), 0);
		assert_int_equal(input_read(fd, &l, NULL, &out, &cut, &err), 0);
		assert_int_equal(cut, cases[i].cut);
		assert_int_equal(out.n, min_size(cases[i].max, 65536));
		(void)unlink(name);
		(void)close(fd);
	}
}

static void gives_a_silent_stream_up(void **state)
{
	AUTO(buf_done) struct buf out = { 0 };
	int64_t from = clock_us();
	struct err err;
	bool cut;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(input_read(ends[0], &limits, NULL, &out, &cut, &err), 0);
	assert_int_equal(out.n, 0);
	assert_true(clock_us() - from >= 50000);
	(void)close(ends[0]);
	(void)close(ends[1]);
}

static void *fire(void *cancel)
{
	cancel_fire(cancel);
	return NULL;
}

static void can_be_cancelled(void **state)
{
	struct input_limits l = { .max_bytes = 10, .first_ms = 60000 };
	AUTO(buf_done) struct buf out = { 0 };
	AUTO(cancel_free) struct cancel *c = cancel_new(NULL);
	struct err err;
	pthread_t thread;
	bool cut;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_int_equal(pthread_create(&thread, NULL, fire, c), 0);
	assert_int_equal(input_read(ends[0], &l, c, &out, &cut, &err), -E_CANCEL);
	(void)pthread_join(thread, NULL);
	(void)close(ends[0]);
	(void)close(ends[1]);
}

static void count_tick(void *data)
{
	int *end = data;

	(void)!write(*end, "x", 1);
}

static void ticks_until_it_is_freed(void **state)
{
	struct ticker *t;
	char byte[64];
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	t = ticker_new(5, count_tick, &ends[1]);
	assert_non_null(t);
	for (int i = 0; i < 3; i++) {
		struct pollfd fd = { .fd = ends[0], .events = POLLIN };

		assert_int_equal(poll(&fd, 1, 60000), 1);
		assert_int_equal(read(ends[0], byte, 1), 1);
	}
	ticker_free(t);
	ticker_free(NULL);
	(void)close(ends[1]);
	while (read(ends[0], byte, sizeof byte) > 0)
		;
	(void)close(ends[0]);
	/* Freed at once: no tick has to come first. */
	ticker_free(ticker_new(1000000, count_tick, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_to_the_end),         cmocka_unit_test(cuts_at_the_limit),
		cmocka_unit_test(gives_a_silent_stream_up), cmocka_unit_test(can_be_cancelled),
		cmocka_unit_test(ticks_until_it_is_freed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

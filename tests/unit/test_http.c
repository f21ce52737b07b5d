/* The HTTP client against a server that misbehaves (tests/net/server.py). */
#include "net_fixture.h"

#include <stdio.h>

static void assert_body(struct client *c, const char *text)
{
	assert_string_equal(buf_z(&c->reply.body), text);
}

static void get(void **state)
{
	AUTO(client_done) struct client c = { 0 };

	(void)state;
	assert_int_equal(ASK(&c, "/echo"), 0);
	assert_echoed(&c, "/method", "GET");
	assert_echoed(&c, "/headers/content-type", "(none)");
	assert_string_equal(c.reply.content_type, "application/json; charset=utf-8");
	assert_int_equal(c.reply.attempts, 1);
}

static void post(void **state)
{
	const char *const headers[] = { "Content-Type: text/x", "X-Key: geheim", NULL };
	AUTO(client_done) struct client c = { 0 };

	(void)state;
	assert_int_equal(ASK(&c, "/echo", .body = STR("a\0b"), .headers = headers), 0);
	assert_echoed(&c, "/method", "POST");
	assert_echoed(&c, "/length", "3");
	assert_echoed(&c, "/sum", "195");
	assert_echoed(&c, "/headers/content-type", "text/x");
	assert_echoed(&c, "/headers/x-key", "geheim");
}

static void says_no_more_than_it_should(void **state)
{
	AUTO(client_done) struct client c = { 0 };

	(void)state;
	assert_int_equal(ASK(&c, "/echo", .body = STR("{}")), 0);
	assert_echoed(&c, "/headers/expect", "(none)");
	assert_echoed(&c, "/headers/accept-encoding", "(none)");
	assert_echoed(&c, "/headers/content-type", "(none)");
	assert_echoed(&c, "/headers/user-agent", "trotline/" TL_VERSION);
}

static void methods(void **state)
{
	AUTO(client_done) struct client c = { 0 };

	(void)state;
	assert_int_equal(ASK(&c, "/echo", .method = "DELETE"), 0);
	assert_echoed(&c, "/method", "DELETE");
	assert_int_equal(ASK(&c, "/echo", .method = "POST"), 0);
	assert_echoed(&c, "/method", "POST");
	assert_echoed(&c, "/headers/content-length", "0");
	assert_int_equal(ASK(&c, "/echo", .method = "PUT", .body = STR("x")), 0);
	assert_echoed(&c, "/method", "PUT");
	assert_int_equal(ASK(&c, "/echo", .method = "HEAD"), 0);
	assert_int_equal(c.reply.body.n, 0);
	assert_int_equal(ASK(&c, "/echo"), 0);
	assert_echoed(&c, "/method", "GET");
}

static void what_cannot_be_sent(void **state)
{
	static const char *const headers[][2] = {
		{ "X-A: b\r\nX-C: d" },
		{ "X-A: b\n" },
		{ "X-A: b\r" },
		{ "X-A" },
		{ ": b" },
		{ "" },
		{ "X A: b" },
	};
	static const char *const urls[] = { "",       "ftp://127.0.0.1/", "file:///etc/passwd",
					    "no url", "http://",          "http://a\r\nb/" };
	AUTO(client_done) struct client c = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(headers); i++)
		assert_int_equal(ASK(&c, "/echo", .headers = headers[i]), -E_INVAL);
	for (size_t i = 0; i < ARRAY_LEN(urls); i++)
		assert_int_equal(ask(&c, (struct http_request){ .url = urls[i] }), -E_INVAL);
	assert_int_equal(ask(&c, (struct http_request){ .url = NULL }), -E_INVAL);
	assert_int_equal(ASK(&c, "/echo", .method = "GET /x"), -E_INVAL);
	assert_int_equal(ASK(&c, "/echo", .method = ""), -E_INVAL);
	assert_int_equal(c.reply.attempts, 0);
}

static void connection_is_kept(void **state)
{
	AUTO(client_done) struct client c = { 0 };
	AUTO(arena_done) struct arena a = { 0 };
	struct str before;

	(void)state;
	assert_int_equal(ASK(&c, "/echo"), 0);
	before = arena_str(&a, echoed(&a, &c, "/connections"));
	for (int i = 0; i < 5; i++)
		assert_int_equal(ASK(&c, "/echo", .body = STR("x")), 0);
	assert_true(str_eq(echoed(&a, &c, "/connections"), before));
}

static void streams(void **state)
{
	AUTO(client_done) struct client c = { 0 };

	(void)state;
	/* All of it may have come at once to a client that had to wait for a processor. */
	for (int tries = 0; c.pieces <= 5; tries++) {
		assert_true(tries < 100);
		c.pieces = 0;
		assert_int_equal(ASK(&c, "/slow", .on_data = hear_data), 0);
		assert_string_equal(buf_z(&c.data),
				    "data: \xe7\x8c\xab\xe3\x81\xa8\xf0\x9f\x90\xa1\r\n\r\n");
		assert_string_equal(c.reply.content_type, "text/event-stream");
		assert_int_equal(c.reply.body.n, 0);
	}
}

static int refuse(void *data, struct str bytes, struct err *err)
{
	struct client *c = data;

	(void)bytes;
	c->pieces++;
	assert_int_equal(c->reply.status, 200);
	return err_set(err, E_PARSE, "not like this");
}

static void callback_ends_the_request(void **state)
{
	AUTO(client_done) struct client c = { 0 };

	(void)state;
	assert_int_equal(ASK(&c, "/stall?id=refused", .on_data = refuse, .retries = 3), -E_PARSE);
	assert_says(&c, "not like this");
	assert_int_equal(c.pieces, 1);
	server_assert_left(&server, "refused");
}

static void error_bodies_are_kept(void **state)
{
	AUTO(client_done) struct client c = { 0 };

	(void)state;
	assert_int_equal(ASK(&c, "/status?code=404", .on_data = hear_data, .retries = 3), 0);
	assert_int_equal(c.reply.status, 404);
	assert_body(&c, "no");
	assert_int_equal(c.pieces, 0);
	assert_int_equal(c.reply.attempts, 1);
	assert_int_equal(ASK(&c, "/big?code=400&size=1048576"), 0);
	assert_int_equal(c.reply.body.n, HTTP_ERROR_BODY_MAX);
	assert_int_equal(ASK(&c, "/big?code=400&size=3000000", .max_bytes = 5), 0);
	assert_int_equal(c.reply.status, 400);
	assert_int_equal(c.reply.body.n, HTTP_ERROR_BODY_MAX);
	assert_int_equal(ASK(&c, "/echo"), 0);
}

static void limit_of_a_reply(void **state)
{
	AUTO(client_done) struct client c = { 0 };

	(void)state;
	assert_int_equal(ASK(&c, "/big?size=70000", .max_bytes = 70000), 0);
	assert_int_equal(c.reply.body.n, 70000);
	assert_int_equal(ASK(&c, "/big?size=70001", .max_bytes = 70000, .retries = 3), -E_LIMIT);
	assert_says(&c, "longer than 70000 bytes");
	assert_int_equal(c.reply.attempts, 1);
	assert_int_equal(ASK(&c, "/big?size=70001", .max_bytes = 1, .on_data = hear_data), 0);
}

static void headers_without_end(void **state)
{
	AUTO(client_done) struct client c = { 0 };

	(void)state;
	assert_int_equal(ASK(&c, "/headers?lines=20&size=10000"), 0);
	assert_body(&c, "good");
	assert_int_equal(ASK(&c, "/headers?lines=1000&size=10000", .retries = 3), -E_LIMIT);
	assert_says(&c, "headers are longer");
	assert_int_equal(ASK(&c, "/headers?lines=1&size=1000000", .retries = 3), -E_LIMIT);
	assert_says(&c, "headers are longer");
	assert_int_equal(c.reply.attempts, 1);
}

static void refused(void **state)
{
	AUTO(client_done) struct client c = { 0 };
	struct port port;

	(void)state;
	port_open(&port, false);
	AUTO(free) char *url = xasprintf("http://127.0.0.1:%d/", port.number);
	AUTO(free) char *sentence =
		xasprintf("could not connect to 127.0.0.1:%d: Connection refused", port.number);
	assert_int_equal(ask(&c, (struct http_request){ .url = url, .retries = 2 }), -E_IO);
	assert_says(&c, sentence);
	assert_int_equal(c.reply.attempts, 1); /* the caller will have left by then */
	assert_true(c.reply.nobody);
	port_close(&port);
}

static void no_answer_to_a_connection(void **state)
{
	AUTO(client_done) struct client c = { 0 };
	struct port port;

	(void)state;
	port_open(&port, true);
	AUTO(free) char *url = xasprintf("http://127.0.0.1:%d/", port.number);
	assert_int_equal(ask(&c, (struct http_request){ .url = url, .connect_timeout_ms = 50 }),
			 -E_IO);
	assert_says(&c, "could not connect to 127.0.0.1");
	port_close(&port);
}

static void name_that_does_not_exist(void **state)
{
	AUTO(client_done) struct client c = { 0 };

	(void)state;
	/* RFC 6761: never resolves, not even by asking a name server */
	assert_int_equal(ask(&c, (struct http_request){ .url = "http://a.invalid:1/?key=geheim",
							.connect_timeout_ms = NET_DEADLINE_MS }),
			 -E_IO);
	assert_says(&c, "a.invalid:1");
	assert_null(strstr(c.err.text, "geheim"));
}

static void cut_in_the_middle(void **state)
{
	AUTO(client_done) struct client c = { 0 };

	(void)state;
	assert_int_equal(ASK(&c, "/cut?id=cut", .on_data = hear_data, .retries = 3), -E_IO);
	assert_string_equal(buf_z(&c.data), "hellohalf of");
	assert_says(&c, "cut off");
	assert_int_equal(c.reply.attempts, 1);
	assert_int_equal(ASK(&c, "/cut", .retries = 3), -E_IO);
	assert_int_equal(c.reply.attempts, 1);
	assert_int_equal(c.reply.status, 200);
}

static void garbage(void **state)
{
	AUTO(client_done) struct client c = { 0 };

	(void)state;
	assert_int_equal(ASK(&c, "/garbage", .retries = 3), -E_IO);
	assert_says(&c, "does not answer with HTTP");
	assert_int_equal(c.reply.attempts, 1);
	assert_int_equal(c.reply.status, 0);
}

static void assert_fell_silent(const struct client *c, int ms)
{
	AUTO(free) char *sentence = xasprintf("the server sent nothing for %d ms", ms);

	assert_says(c, sentence);
	assert_in_range(c->elapsed_ms, ms, ms + NET_DEADLINE_MS);
}

/* A silence that is too short for a busy server to begin is tried again, longer. */
static void stalls(void **state)
{
	AUTO(client_done) struct client c = { 0 };

	(void)state;
	for (int ms = 150; !c.data.n; ms *= 3) {
		AUTO(free) char *path = xasprintf("/stall?id=stalled%d", ms);

		assert_true(ms < NET_DEADLINE_MS);
		assert_int_equal(
			ASK(&c, path, .on_data = hear_data, .retries = 3, .idle_timeout_ms = ms),
			-E_IO);
		assert_fell_silent(&c, ms);
		if (c.data.n)
			server_assert_left(&server, strchr(path, '=') + 1);
	}
	assert_string_equal(buf_z(&c.data), "hello");
	assert_int_equal(ASK(&c, "/stall?silent&id=silent", .idle_timeout_ms = 1000), -E_IO);
	assert_says(&c, "the server sent nothing for 1 s");
	server_assert_left(&server, "silent");
}

/*
 * Silence is counted from the last byte: what comes slowly may take as long as it likes.  A machine
 * that is silent itself for a while gets more time.
 */
static void slow_is_not_silent(void **state)
{
	AUTO(client_done) struct client c = { 0 };
	int r = -E_IO;

	(void)state;
	for (int s = 1; r < 0; s *= 3) {
		AUTO(free) char *path = xasprintf("/slow?times=%d", 30 * s);

		assert_true(s <= 27);
		r = ASK(&c, path, .idle_timeout_ms = 1000 * s);
		assert_true(c.elapsed_ms > 1000 * s);
	}
}

static int silences;

static int hear_silence(void *data, struct str bytes, struct err *err)
{
	if (!str_starts(bytes, STR(":")))
		return hear_data(data, bytes, err);
	silences++;
	return HTTP_SILENCE;
}

/* What only keeps the connection alive is silence, when whoever reads it says so. */
static void keep_alives_are_silence(void **state)
{
	AUTO(client_done) struct client c = { 0 };

	(void)state;
	silences = 0;
	for (int ms = 150; silences < 2; ms *= 3) {
		assert_true(ms < NET_DEADLINE_MS);
		assert_int_equal(ASK(&c, "/alive", .on_data = hear_silence, .idle_timeout_ms = ms),
				 -E_IO);
		assert_fell_silent(&c, ms);
	}
}

static void encoding_that_nobody_asked_for(void **state)
{
	AUTO(client_done) struct client c = { 0 };

	(void)state;
	assert_int_equal(ASK(&c, "/encoded", .on_data = hear_data), -E_IO);
	assert_says(&c, "replied with Content-Encoding: gzip, which was not requested");
	assert_int_equal(c.pieces, 0);
	assert_int_equal(ASK(&c, "/encoded"), -E_IO);
	assert_int_equal(ASK(&c, "/encoded?code=400"), 0);
	assert_int_equal(c.reply.status, 400);
	assert_int_equal(c.reply.body.n, 0);
}

static void large_upload_to_a_slow_reader(void **state)
{
	enum { SIZE = 3000000 };
	AUTO(client_done) struct client c = { 0 };
	AUTO(free) char *body = xmalloc(SIZE);
	struct timespec before, after;
	unsigned sum = 0;
	char text[16];

	(void)state;
	for (size_t i = 0; i < SIZE; i++) {
		body[i] = (char)(i * 7 % 251);
		sum = (sum + (unsigned char)body[i]) % 65521;
	}
	(void)snprintf(text, sizeof text, "%u", sum);
	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
	assert_int_equal(ASK(&c, "/reader", .body = { body, SIZE }), 0);
	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
	assert_body(&c, text);
	/* Sleeps while the server reads; the HTTP/2 of libcurl 7.88 would not. */
	int64_t cpu_ms =
		(after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000;
	assert_in_range(cpu_ms, 0, c.elapsed_ms / 2 + 50);
}

static void retries_what_passes(void **state)
{
	static const int statuses[] = { 429, 500, 502, 503, 504, 529 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(statuses); i++) {
		AUTO(client_done) struct client c = { 0 };
		char path[64], heard[128];

		(void)snprintf(path, sizeof path, "/status?code=%d&n=2&id=passes%d", statuses[i],
			       statuses[i]);
		(void)snprintf(heard, sizeof heard,
			       "1: the server answered %d; 2: the server answered %d; ",
			       statuses[i], statuses[i]);
		assert_int_equal(ASK(&c, path, .on_data = hear_data, .retries = 5), 0);
		assert_int_equal(c.reply.status, 200);
		assert_string_equal(buf_z(&c.data), "good");
		assert_int_equal(c.reply.body.n, 0);
		assert_int_equal(c.reply.attempts, 3);
		assert_string_equal(buf_z(&c.retries), heard);
	}
}

static void gives_up(void **state)
{
	AUTO(client_done) struct client c = { 0 };

	(void)state;
	assert_int_equal(ASK(&c, "/status?code=503&id=up", .retries = 2), 0);
	assert_int_equal(c.reply.status, 503);
	assert_int_equal(c.reply.attempts, 3);
	assert_body(&c, "no");
	assert_int_equal(ASK(&c, "/status?code=503"), 0);
	assert_int_equal(c.reply.attempts, 1);
	assert_int_equal(ASK(&c, "/status?code=501", .retries = 2), 0);
	assert_int_equal(c.reply.attempts, 1);
}

/* A broken connection before the reply begins; libcurl itself already tries a reused one again. */
static void retries_a_lost_connection(void **state)
{
	AUTO(client_done) struct client c = { 0 };

	(void)state;
	assert_int_equal(ASK(&c, "/reset?n=2&id=reset", .body = STR("x"), .retries = 3), 0);
	assert_int_equal(c.reply.status, 200);
	assert_int_equal(c.reply.attempts, 3);
	assert_int_equal(ASK(&c, "/empty", .retries = 1), -E_IO);
	assert_says(&c, "without a reply");
	assert_int_equal(c.reply.attempts, 2);
}

static void waits_between_attempts(void **state)
{
	/* in units, and how much more or less they may be, in percent; a date comes nearer */
	static const struct {
		const char *path;
		int retries, units, percent, late;
	} rows[] = {
		{ "/status?code=500&id=w1", 1, 1, 25 },
		{ "/status?code=500&id=w2", 2, 2, 25 },
		{ "/status?code=500&id=w3", 3, 4, 25 },
		{ "/status?code=500&id=w5", 5, 16, 25 },
		{ "/status?code=500&id=w6", 6, 16, 25 },
		{ "/status?code=429&after=3&id=w7", 1, 3, 0 },
		{ "/status?code=429&after=60&id=w8", 1, 60, 0 },
		{ "/status?code=503&after=date&id=w10", 1, 30, 10, 60 },
		{ "/status?code=429&after=0&id=w11", 1, 1, 25 },
		{ "/status?code=429&after=soon&id=w12", 1, 1, 25 },
		{ "/status?code=429&after=-5&id=w13", 1, 1, 25 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(client_done) struct client c = { 0 };
		int ms = rows[i].units * RETRY_UNIT_MS, more = ms * rows[i].percent / 100;
		int less = more + ms * rows[i].late / 100;

		assert_int_equal(ASK(&c, rows[i].path, .retries = rows[i].retries), 0);
		if (c.last_wait_ms < ms - less - 1 || c.last_wait_ms > ms + more)
			fail_msg("%s: waited %d ms", rows[i].path, c.last_wait_ms);
		assert_true(c.elapsed_ms >= c.last_wait_ms);
	}
}

/* Never shortened: whoever asks for more is not asked again, and the caller knows for how much. */
static void too_long_a_wait(void **state)
{
	AUTO(client_done) struct client c = { 0 };

	(void)state;
	assert_int_equal(ASK(&c, "/status?code=429&after=61&id=w14", .retries = 3), 0);
	assert_int_equal(c.reply.attempts, 1);
	assert_int_equal(c.reply.retry_after_s, 61);
	assert_int_equal(ASK(&c, "/status?code=429&after=99999999999&id=w15", .retries = 3), 0);
	assert_int_equal(c.reply.attempts, 1);
	assert_true(c.reply.retry_after_s > 99999);
}

static void redirects(void **state)
{
	AUTO(client_done) struct client c = { 0 };

	(void)state;
	assert_int_equal(ASK(&c, "/redirect?n=5"), 0);
	assert_echoed(&c, "/target", "/echo");
	assert_int_equal(c.reply.attempts, 1);
	assert_int_equal(ASK(&c, "/redirect?n=6"), -E_IO);
	assert_says(&c, "more than 5 redirects");
	assert_int_equal(ASK(&c, "/redirect?to=ftp://127.0.0.1/x"), -E_INVAL);
	assert_says(&c, "redirects");
	assert_int_equal(ASK(&c, "/redirect?to=file:///etc/passwd"), -E_INVAL);
	assert_int_equal(ASK(&c, "/redirect?code=307", .body = STR("x")), 0);
	assert_int_equal(c.reply.status, 307);
	assert_body(&c, "gone");
}

/* The key in a header is for the server that was asked. */
static void redirects_do_not_carry_keys_away(void **state)
{
	const char *const headers[] = { "X-Key: geheim", "Authorization: Bearer geheim", NULL };
	AUTO(client_done) struct client c = { 0 };
	struct loopback other;
	char path[128];

	(void)state;
	assert_int_equal(ASK(&c, "/redirect", .headers = headers), 0);
	assert_echoed(&c, "/headers/x-key", "geheim");
	loopback_start(&other, "net/server.py", NULL);
	(void)snprintf(path, sizeof path, "/redirect?to=%s", server_url(&other, "/echo"));
	assert_int_equal(ASK(&c, path, .headers = headers), 0);
	server_stop(&other);
	assert_echoed(&c, "/headers/x-key", "(none)");
	assert_echoed(&c, "/headers/authorization", "(none)");
}

static void proxy_from_the_environment(void **state)
{
	AUTO(client_done) struct client c = { 0 };

	(void)state;
	(void)setenv("http_proxy", server_url(&server, ""), 1);
	int r = ask(&c, (struct http_request){ .url = "http://a.invalid/echo" });
	(void)unsetenv("http_proxy");
	assert_int_equal(r, 0);
	assert_echoed(&c, "/target", "http://a.invalid/echo");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(get),
		cmocka_unit_test(post),
		cmocka_unit_test(says_no_more_than_it_should),
		cmocka_unit_test(methods),
		cmocka_unit_test(what_cannot_be_sent),
		cmocka_unit_test(connection_is_kept),
		cmocka_unit_test(streams),
		cmocka_unit_test(callback_ends_the_request),
		cmocka_unit_test(error_bodies_are_kept),
		cmocka_unit_test(limit_of_a_reply),
		cmocka_unit_test(headers_without_end),
		cmocka_unit_test(refused),
		cmocka_unit_test(no_answer_to_a_connection),
		cmocka_unit_test(name_that_does_not_exist),
		cmocka_unit_test(cut_in_the_middle),
		cmocka_unit_test(garbage),
		cmocka_unit_test(stalls),
		cmocka_unit_test(slow_is_not_silent),
		cmocka_unit_test(keep_alives_are_silence),
		cmocka_unit_test(encoding_that_nobody_asked_for),
		cmocka_unit_test(large_upload_to_a_slow_reader),
		cmocka_unit_test(retries_what_passes),
		cmocka_unit_test(gives_up),
		cmocka_unit_test(retries_a_lost_connection),
		cmocka_unit_test(waits_between_attempts),
		cmocka_unit_test(too_long_a_wait),
		cmocka_unit_test(redirects),
		cmocka_unit_test(redirects_do_not_carry_keys_away),
		cmocka_unit_test(proxy_from_the_environment),
	};

	return cmocka_run_group_tests(tests, net_set_up, net_tear_down);
}

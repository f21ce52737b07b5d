/* Cancelling HTTP requests wherever they wait, and several threads with a client each. */
#include "net_fixture.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>

#include "os/clock.h"

enum { CONNECTING_MS = 200 };

/*
 * A pipe: a byte in it says that the request has come as far as it will.  Never closed, for a
 * thread of libcurl writes to it.
 */
static int begun[2];

struct firing {
	struct cancel *cancel;
	int64_t fired_us;
	bool unseen; /* nothing tells that the request waits */
	const char *id; /* but the server, when it has seen this one; or NULL */
};

static void tell_begun(void)
{
	assert_int_equal(write(begun[1], "x", 1), 1);
}

static void *fire_later(void *arg)
{
	struct firing *f = arg;
	struct pollfd fd = { .fd = f->unseen ? -1 : begun[0], .events = POLLIN };

	if (f->id)
		server_wait_seen(&server, f->id);
	else
		(void)poll(&fd, 1, f->unseen ? CONNECTING_MS : NET_DEADLINE_MS);
	f->fired_us = clock_us();
	cancel_fire(f->cancel);
	return NULL;
}

/* Runs a request that would last for ever, and returns how long it outlived its cancel. */
static int64_t cancel_ms(struct client *c, struct http_request rq, struct firing f)
{
	f.cancel = c->cancel = cancel_new(NULL);
	pthread_t thread;
	char byte;

	rq.idle_timeout_ms = rq.connect_timeout_ms = NET_DEADLINE_MS;
	assert_int_equal(pthread_create(&thread, NULL, fire_later, &f), 0);
	assert_int_equal(ask(c, rq), -E_CANCEL);
	int64_t now_us = clock_us();
	assert_int_equal(pthread_join(thread, NULL), 0);
	while (read(begun[0], &byte, 1) == 1) {
	}
	cancel_free(c->cancel);
	c->cancel = NULL;
	return (now_us - f.fired_us) / 1000;
}

static void cancel_during_connect(void **state)
{
	AUTO(client_done) struct client c = { 0 };
	struct port port;

	(void)state;
	port_open(&port, true);
	AUTO(free) char *url = xasprintf("http://127.0.0.1:%d/", port.number);
	assert_in_range(cancel_ms(&c, (struct http_request){ .url = url },
				  (struct firing){ .unseen = true }),
			0, CANCEL_MS);
	port_close(&port);
	assert_int_equal(ASK(&c, "/echo"), 0);
}

static int lookup[2]; /* a pipe whose end lets the look-up of slow.invalid go on */

/* In the place of the C library's, also for libcurl: this program exports it. */
__attribute__((visibility("default"))) int getaddrinfo(const char *restrict node,
						       const char *restrict service,
						       const struct addrinfo *restrict hints,
						       struct addrinfo **restrict ret_list)
{
	__typeof__(getaddrinfo) *real;
	void *found = dlsym(RTLD_NEXT, "getaddrinfo");
	struct pollfd end = { .fd = lookup[0], .events = POLLIN };

	memcpy(&real, &found, sizeof real);
	if (!node || strcmp(node, "slow.invalid") != 0)
		return real(node, service, hints, ret_list);
	tell_begun();
	(void)poll(&end, 1, 10 * CANCEL_MS);
	return EAI_AGAIN;
}

/* libcurl is not to wait for its thread that looks the name up. */
static void cancel_during_lookup(void **state)
{
	const struct http_request rq = { .url = "http://slow.invalid/" };
	AUTO(client_done) struct client c = { 0 };

	(void)state;
	assert_int_equal(pipe2(lookup, O_CLOEXEC), 0);
	assert_in_range(cancel_ms(&c, rq, (struct firing){ 0 }), 0, CANCEL_MS);
	assert_int_equal(ASK(&c, "/echo"), 0);
	(void)close(lookup[1]);
}

static void cancel_while_nothing_is_answered(void **state)
{
	AUTO(client_done) struct client c = { 0 };
	const char *url = server_url(&server, "/stall?silent&id=c1");

	(void)state;
	assert_in_range(
		cancel_ms(&c, (struct http_request){ .url = url }, (struct firing){ .id = "c1" }),
		0, CANCEL_MS);
	server_assert_left(&server, "c1");
	assert_int_equal(ASK(&c, "/echo"), 0);
}

static int hear_and_tell(void *data, struct str bytes, struct err *err)
{
	tell_begun();
	return hear_data(data, bytes, err);
}

static void cancel_in_the_middle_of_a_reply(void **state)
{
	AUTO(client_done) struct client c = { 0 };
	const struct http_request rq = { .url = server_url(&server, "/stall?id=c2"),
					 .on_data = hear_and_tell };

	(void)state;
	assert_in_range(cancel_ms(&c, rq, (struct firing){ 0 }), 0, CANCEL_MS);
	server_assert_left(&server, "c2");
	assert_string_equal(buf_z(&c.data), "hello");
	assert_int_equal(ASK(&c, "/echo"), 0);
}

static void cancel_during_the_wait_for_another_attempt(void **state)
{
	AUTO(client_done) struct client c = { .fire_on_retry = true };

	(void)state;
	(void)setenv("TROTLINE_RETRY_UNIT_MS", "1000", 1);
	c.cancel = cancel_new(NULL);
	assert_int_equal(ASK(&c, "/status?code=429&after=50&id=c3", .retries = 1), -E_CANCEL);
	assert_in_range(c.elapsed_ms, 0, CANCEL_MS);
	assert_int_equal(c.last_wait_ms, 50000);
	assert_int_equal(c.reply.attempts, 1);
	(void)setenv("TROTLINE_RETRY_UNIT_MS", "10", 1);
}

static void cancelled_before(void **state)
{
	AUTO(client_done) struct client c = { 0 };

	(void)state;
	c.cancel = cancel_new(NULL);
	cancel_fire(c.cancel);
	assert_int_equal(ASK(&c, "/echo"), -E_CANCEL);
	assert_int_equal(c.reply.attempts, 0);
}

static void *many_requests(void *arg)
{
	AUTO(client_done) struct client c = { 0 };

	for (int i = 0; i < 20; i++) {
		if (ASK(&c, "/echo", .body = STR("abc")) < 0 || c.reply.status != 200)
			return NULL;
		if (ASK(&c, "/slow", .on_data = hear_data) < 0 || c.data.n < 16)
			return NULL;
	}
	return arg;
}

static void threads_with_a_client_each(void **state)
{
	pthread_t threads[2];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, many_requests, &server), 0);
	for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
		void *good = NULL;

		assert_int_equal(pthread_join(threads[i], &good), 0);
		assert_non_null(good);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cancel_during_connect),
		cmocka_unit_test(cancel_during_lookup),
		cmocka_unit_test(cancel_while_nothing_is_answered),
		cmocka_unit_test(cancel_in_the_middle_of_a_reply),
		cmocka_unit_test(cancel_during_the_wait_for_another_attempt),
		cmocka_unit_test(cancelled_before),
		cmocka_unit_test(threads_with_a_client_each),
	};

	if (pipe2(begun, O_CLOEXEC | O_NONBLOCK) != 0)
		return 1;
	return cmocka_run_group_tests(tests, net_set_up, net_tear_down);
}

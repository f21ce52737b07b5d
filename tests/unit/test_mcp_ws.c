/* The MCP client with servers by WebSocket on loopback (tests/mcp/ws_server.py). */
#include <stdio.h>

#include "mcp/link.h"
#include "mcp_fixture.h"
#include "os/clock.h"
#include "os/fd.h"
#include "os/proc.h"

enum { TRIES = 10 };

static struct loopback web;

static int web_start(void **state)
{
	(void)state;
	loopback_start(&web, "mcp/ws_server.py", NULL);
	/* libcurl keeps what it has loaded: not a leak of the tests. */
	free(mcp_web_get(&web, "/tunnels"));
	return 0;
}

static int web_stop(void **state)
{
	(void)state;
	mcp_web_stop(&web);
	return 0;
}

/* One server "s" at this path, and more in its settings; waits for it. */
static void begin_at(const char *url, const char *more)
{
	AUTO(free) char *settings =
		xasprintf("{\"mcpServers\":{\"s\":{\"tcp\":\"%s\"%s}}}", url, more);

	mcp_begin(settings);
	assert_int_equal(mcp_servers_wait(mx.servers, mx.cancel), 0);
}

static int id; /* of the latest begin(), for /closes */

static void begin(const char *path, const char *more)
{
	AUTO(free) char *url = xasprintf("ws://127.0.0.1:%d%s?a=%%20b&id=%d", web.port, path, ++id);

	begin_at(url, more);
}

static void assert_works(void)
{
	if (mcp_about(0).state != MCP_READY)
		fail_msg("%s", mcp_about(0).reason);
	assert_int_equal(mcp_about(0).transport, MCP_TCP);
	assert_int_equal(mcp_about(0).ntools, 19);
	assert_int_equal(mcp_do("echo", "{\"text\":\"over \\ud83d\\ude00 the net\"}"), 0);
	assert_string_equal(mcp_text(), "over \xf0\x9f\x98\x80 the net");
	assert_int_equal(mcp_do("fail", NULL), 0);
	assert_true(mx.result.is_error);
}

/* How the client has ended the first connection since begin() that has ended. */
static char *close_code(void)
{
	AUTO(free) char *path = xasprintf("/closes?a=%%20b&id=%d", id);

	return mcp_web_get(&web, path);
}

static void assert_closed_with(const char *code)
{
	AUTO(free) char *said = close_code();

	assert_string_equal(said, code);
}

/*
 * The same, and false when the server did not hear it: a client waits a second for it, then it
 * resets a connection on which something else came meanwhile.
 */
static bool heard_closed_with(const char *code)
{
	AUTO(free) char *said = close_code();

	if (strcmp(said, code) != 0)
		assert_string_equal(said, "0");
	return strcmp(said, code) == 0;
}

static void end(void)
{
	mcp_servers_free(mx.servers);
	mx.servers = NULL;
}

/* Good servers, each with its ways. */
static void test_works(void **state)
{
	static const char *const paths[] = { "/mcp", "/plain", "/early", "/fragments", "/binary" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		int tries = 0;

		do {
			assert_true(tries++ < TRIES);
			begin(paths[i], "");
			assert_works();
			if (strcmp(paths[i], "/early") == 0)
				mcp_wait_log("s", "info: early");
			if (strcmp(paths[i], "/binary") == 0)
				mcp_wait_log("s", "a binary message of 3 bytes");
			end();
		} while (!heard_closed_with("1000"));
	}
}

/* `mcp add --transport ws` writes tcp; others have url and a type. */
static void test_keys(void **state)
{
	static const char *const types[] = { "", ",\"type\":\"ws\"", ",\"type\":\"websocket\"" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		AUTO(free) char *settings =
			xasprintf("{\"mcpServers\":{\"s\":{\"url\":\"ws://127.0.0.1:%d/mcp\"%s}}}",
				  web.port, types[i]);

		mcp_begin(settings);
		assert_int_equal(mcp_servers_wait(mx.servers, NULL), 0);
		assert_works();
		end();
	}
}

static void test_headers(void **state)
{
	(void)state;
	begin("/auth", "");
	assert_string_equal(mcp_about(0).reason,
			    "the server wants an authorization (401): put a token into its "
			    "settings, \"headers\": { \"Authorization\": \"Bearer $TOKEN\" }");
	/* What makes the connection is not for settings to change. */
	begin("/auth", ",\"headers\":{\"Authorization\":\"Bearer T\",\"upgrade\":\"h2c\","
		       "\"Sec-WebSocket-Protocol\":\"chat\"}");
	assert_works();
	end();
}

static void on_progress(void *data, double progress, double total, struct str message)
{
	(void)total;
	(void)message;
	*(double *)data = progress;
}

static void test_both_ways(void **state)
{
	double last = 0;

	(void)state;
	mx.sink = (struct mcp_sink){ on_progress, &last };
	begin("/mcp", "");
	assert_int_equal(mcp_do("count", NULL), 0);
	assert_true(last == 3);
	int64_t until = clock_us() + (int64_t)MCP_DEADLINE_MS * 1000;
	assert_int_equal(mcp_do("change", NULL), 0);
	while (!mcp_find_tool("mcp__s__added")) {
		assert_true(clock_us() < until);
		(void)fd_sleep(NULL, 2);
	}
	assert_int_equal(mcp_do("roots", NULL), 0);
	assert_string_equal(mcp_text(), "{\"roots\": [{\"uri\": \"file:///\"}]}");
	assert_int_equal(mcp_ping(mx.servers, "s", NULL, &mx.err), 0);
	end();
	begin("/pings", "");
	assert_int_equal(mcp_do("echo", "{\"text\":\"x\"}"), 0);
	assert_string_equal(mcp_text(), "x");
	end();
}

static void test_big(void **state)
{
	AUTO(buf_done) struct buf args = { 0 };
	const size_t n = 4 << 20;
	int tries = 0;

	(void)state;
	begin("/mcp", "");
	assert_int_equal(mcp_do("big", "{\"mib\":20}"), 0);
	assert_int_equal(strlen(mcp_text()), 20 << 20);
	buf_addz(&args, "{\"text\":\"");
	memset(buf_reserve(&args, n), 'x', n);
	args.n += n;
	buf_addz(&args, "\"}");
	assert_int_equal(mcp_do("echo", buf_z(&args)), 0);
	assert_int_equal(strlen(mcp_text()), n);
	/* More than a message may have: the connection is ended, and begins anew. */
	do {
		assert_true(tries++ < TRIES);
		begin("/mcp", "");
		assert_int_equal(mcp_do("big", "{\"mib\":40}"), -E_LIMIT);
		mcp_assert_says("the server's message is too long");
	} while (!heard_closed_with("1009"));
	mcp_wait_state(0, MCP_READY);
	assert_int_equal(mcp_do("echo", NULL), 0);
	end();
}

static void test_cancel(void **state)
{
	(void)state;
	begin("/mcp", "");
	mcp_cancel_calls();
	end();
}

/* Handshakes that are none. */
static void test_refused(void **state)
{
	static const struct {
		const char *path, *says;
	} cases[] = {
		{ "/accept", "Sec-WebSocket-Accept is wrong" },
		{ "/protocol", "another protocol than mcp" },
		{ "/extension", "an extension of WebSocket that was not offered" },
		{ "/upgrade", "the server has not changed to WebSocket" },
		{ "/http", "the server answered 200" },
		{ "/404", "the server answered 404" },
		{ "/redirect", "the server answered 301 (redirects are not followed)" },
		{ "/endless", "the head of the server's answer is over 16 KiB" },
		{ "/noise", "the server does not answer with HTTP" },
		{ "/shut", "the server has closed the connection without an answer" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		begin(cases[i].path, "");
		assert_int_equal(mcp_about(0).state, MCP_FAILED);
		if (!strstr(mcp_about(0).reason, cases[i].says))
			fail_msg("%s: %s", cases[i].path, mcp_about(0).reason);
	}
}

/* Connections that break: the call fails, the server is reached again. */
static void test_broken(void **state)
{
	static const struct {
		const char *path, *says, *code, *tool;
	} cases[] = {
		{ "/utf8", "the server has sent text that is no UTF-8", "1007", "echo" },
		{ "/masked", "the server has broken the WebSocket protocol", "1002", "echo" },
		{ "/garbage", "the server has broken the WebSocket protocol", "1002", "echo" },
		{ "/control", "the server has broken the WebSocket protocol", "1005", "echo" },
		{ "/badclose", "the server has broken the WebSocket protocol", "1002", "echo" },
		{ "/huge", "the server's message is too long", "1009", "echo" },
		{ "/sum", "the server's message is too long", "1009", "echo" },
		{ "/half", "the server has closed the connection", "0", "echo" },
		{ "/bye", "the server has closed the connection (1001): gone \\x1b[31mfishing",
		  "1001", "echo" },
		{ "/mcp", "the server has closed the connection (1011): it has died", "1011",
		  "die" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int tries = 0;

		do {
			assert_true(tries++ < TRIES);
			begin(cases[i].path, "");
			assert_int_equal(mcp_about(0).state, MCP_READY);
			if (mcp_do(cases[i].tool, NULL) >= 0)
				fail_msg("%s: no error", cases[i].path);
			mcp_assert_says(cases[i].says);
		} while (!heard_closed_with(cases[i].code));
		mcp_wait_state(0, MCP_READY);
		assert_int_equal(mcp_ping(mx.servers, "s", NULL, &mx.err), 0);
	}
}

static void test_fails(void **state)
{
	static const char *const none[] = {
		"http://127.0.0.1:9/",   "ws:",        "ws://a b/", "tcp://h/",
		"ws://u:p@127.0.0.1:9/", "127.0.0.1:9"
	};
	int64_t from;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(none); i++) {
		begin_at(none[i], "");
		if (!strstr(mcp_about(0).reason, "its address is not a ws:// or wss:// URL"))
			fail_msg("%s: %s", none[i], mcp_about(0).reason);
	}
	begin_at("ws://127.0.0.1:9/", "");
	assert_non_null(strstr(mcp_about(0).reason, "onnect"));
	/* TLS where there is none. */
	AUTO(free) char *url = xasprintf("wss://127.0.0.1:%d/mcp", web.port);
	begin_at(url, ",\"timeout\":200");
	assert_int_equal(mcp_about(0).state, MCP_FAILED);
	begin("/silent", ",\"timeout\":200");
	assert_non_null(strstr(mcp_about(0).reason, "no WebSocket connection within 200 ms"));
	/* One that does not answer delays only those who wait for it. */
	from = clock_us();
	AUTO(free) char *settings =
		xasprintf("{\"mcpServers\":{\"s\":{\"tcp\":\"ws://127.0.0.1:%d/silent\"},"
			  "\"d\":{\"tcp\":\"ws://127.0.0.1:%d/deaf\"}}}",
			  web.port, web.port);
	mcp_begin(settings);
	assert_int_equal(mcp_do("echo", NULL), -E_AGAIN);
	end();
	assert_true(clock_us() - from < (int64_t)MCP_DEADLINE_MS * 1000);
}

/* A server that asks and asks but never reads fills a buffer with a limit. */
static void test_deaf(void **state)
{
	(void)state;
	begin("/deaf", "");
	assert_int_equal(mcp_about(0).state, MCP_FAILED);
	assert_string_equal(mcp_about(0).reason, "the server does not read what it is sent");
}

static void test_proxy(void **state)
{
	AUTO(free) char *proxy = xasprintf("http://127.0.0.1:%d", web.port);
	AUTO(free) char *before = mcp_web_get(&web, "/tunnels");

	(void)state;
	(void)setenv("http_proxy", proxy, 1);
	mx.env = (const char *const *)environ;
	begin("/mcp", "");
	(void)unsetenv("http_proxy");
	assert_works();
	end();
	AUTO(free) char *after = mcp_web_get(&web, "/tunnels");
	assert_string_not_equal(before, after);
	assert_closed_with("1000");
}

static void check_tls(const char *cert, const char *key)
{
	struct loopback tls;

	loopback_start(&tls, "mcp/ws_server.py", (const char *const[]){ "--tls", cert, key, NULL });
	AUTO(free) char *url = xasprintf("wss://127.0.0.1:%d/mcp", tls.port);
	begin_at(url, "");
	assert_int_equal(mcp_about(0).state, MCP_FAILED);
	assert_non_null(strstr(mcp_about(0).reason, "certificate"));
	(void)setenv("SSL_CERT_FILE", cert, 1);
	mx.env = (const char *const *)environ;
	begin_at(url, "");
	(void)unsetenv("SSL_CERT_FILE");
	assert_works();
	assert_int_equal(mcp_do("big", "{\"mib\":5}"), 0);
	end();
	mcp_web_stop(&tls);
}

static void test_tls(void **state)
{
	char dir[] = "/tmp/trotline-XXXXXX";
	int fds = mx.fds_before;

	(void)state;
	assert_non_null(mkdtemp(dir));
	AUTO(free) char *cert = xasprintf("%s/cert", dir);
	AUTO(free) char *key = xasprintf("%s/key", dir);
	loopback_certificate(cert, key);
	check_tls(cert, key);
	mx.fds_before = fds;
	(void)unlink(cert);
	(void)unlink(key);
	(void)rmdir(dir);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, mcp_set_up, mcp_web_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_works), TEST(test_keys),   TEST(test_headers), TEST(test_both_ways),
		TEST(test_big),   TEST(test_cancel), TEST(test_refused), TEST(test_broken),
		TEST(test_fails), TEST(test_deaf),   TEST(test_proxy),   TEST(test_tls),
	};

	if (!loopback_has_openssl())
		cmocka_set_skip_filter("test_tls");
	return cmocka_run_group_tests_name("mcp_ws", tests, web_start, web_stop);
}

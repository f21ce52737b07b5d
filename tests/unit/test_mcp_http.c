/* The MCP client with servers on loopback: streamable HTTP and SSE (tests/mcp/http_server.py). */
#include <pthread.h>

#include "mcp_fixture.h"
#include "os/clock.h"
#include "os/fd.h"

static struct loopback web;

static int web_start(void **state)
{
	(void)state;
	loopback_start(&web, "mcp/http_server.py", NULL);
	/* libcurl keeps what it has loaded: not a leak of the tests. */
	free(mcp_web_get(&web, "/none"));
	return 0;
}

static int web_stop(void **state)
{
	(void)state;
	mcp_web_stop(&web);
	return 0;
}

/* One server "s": `"KEY":"http://127.0.0.1:PORT/PATH"` and more. */
static void begin(const char *key, const char *path, const char *more)
{
	AUTO(free) char *settings =
		xasprintf("{\"mcpServers\":{\"s\":{\"%s\":\"http://127.0.0.1:%d%s\"%s}}}", key,
			  web.port, path, more);

	mcp_begin(settings);
	assert_int_equal(mcp_servers_wait(mx.servers, mx.cancel), 0);
}

static void assert_works(void)
{
	if (mcp_about(0).state != MCP_READY)
		fail_msg("%s", mcp_about(0).reason);
	assert_int_equal(mcp_about(0).ntools, 19);
	assert_int_equal(mcp_do("echo", "{\"text\":\"over the net\"}"), 0);
	assert_string_equal(mcp_text(), "over the net");
	assert_int_equal(mcp_do("fail", NULL), 0);
	assert_true(mx.result.is_error);
}

/* L74: which key means which transport. */
static void test_transports(void **state)
{
	static const struct {
		const char *key, *path, *more;
		enum mcp_transport transport;
	} cases[] = {
		{ "httpUrl", "/mcp", "", MCP_HTTP },
		{ "httpUrl", "/json", "", MCP_HTTP },
		{ "url", "/mcp", ",\"type\":\"http\"", MCP_HTTP },
		{ "url", "/sse", ",\"type\":\"sse\"", MCP_SSE },
		{ "url", "/mcp", "", MCP_HTTP_OR_SSE },
		{ "url", "/sse", "", MCP_HTTP_OR_SSE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		begin(cases[i].key, cases[i].path, cases[i].more);
		assert_int_equal(mcp_about(0).transport, cases[i].transport);
		assert_works();
	}
}

static void test_headers(void **state)
{
	(void)state;
	begin("httpUrl", "/auth", "");
	assert_int_equal(mcp_about(0).state, MCP_FAILED);
	assert_string_equal(mcp_about(0).reason,
			    "initialize: the server wants you to sign in (401): run \"trotline mcp "
			    "auth s\", or put a token into its settings, \"headers\": { "
			    "\"Authorization\": \"Bearer $TOKEN\" }");
	begin("httpUrl", "/auth", ",\"headers\":{\"authorization\":\"Bearer old\"}");
	assert_non_null(strstr(mcp_about(0).reason, "(401): is it out of date"));
	begin("httpUrl", "/auth", ",\"headers\":{\"Authorization\":\"Bearer T\"}");
	assert_works();
	begin("httpUrl", "/auth", ",\"headers\":{\"Authorization\":\"Bearer\\r\\nX: T\"}");
	assert_string_equal(mcp_about(0).reason, "one of its headers is malformed");
	/* Never headers. */
	AUTO(buf_done) struct buf text = { 0 };
	(void)json_write(&text, mcp_context(&mx.arena, mx.servers, "s", "echo"), JSON_COMPACT);
	AUTO(free) char *wanted = xasprintf("{\"server_name\":\"s\",\"tool_name\":\"echo\","
					    "\"url\":\"http://127.0.0.1:%d/auth\"}",
					    web.port);
	assert_string_equal(buf_z(&text), wanted);
}

static void on_progress(void *data, double progress, double total, struct str message)
{
	(void)total;
	(void)message;
	*(double *)data = progress;
}

static void test_stream(void **state)
{
	double last = 0;

	(void)state;
	mx.sink = (struct mcp_sink){ on_progress, &last };
	begin("httpUrl", "/mcp", "");
	assert_int_equal(mcp_do("count", NULL), 0);
	assert_true(last == 3);
	/* What belongs to no request comes by the stream of the GET. */
	int64_t until = clock_us() + (int64_t)MCP_DEADLINE_MS * 1000;
	assert_int_equal(mcp_do("change", NULL), 0);
	while (!mcp_find_tool("mcp__s__added")) {
		assert_true(clock_us() < until);
		(void)fd_sleep(NULL, 2);
	}
	/* Questions of the server, too. */
	assert_int_equal(mcp_do("roots", NULL), 0);
	assert_string_equal(mcp_text(), "{\"roots\": [{\"uri\": \"file:///\"}]}");
}

static void test_cancel(void **state)
{
	static const char *const paths[][2] = { { "httpUrl", "/mcp" }, { "url", "/sse" } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		begin(paths[i][0], paths[i][1], "");
		mcp_cancel_calls();
	}
}

static void test_broken(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "empty", "has not answered the request" },
		{ "garbage", "has not answered the request" },
		{ "500", "the server answered 500: I am \\x1b[31mbroken" },
		{ "redirect", "the server answered 307" },
		{ "big", "longer than 32 MiB" },
		{ "cut", "" },
	};

	(void)state;
	begin("httpUrl", "/broken", "");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(free) char *args = xasprintf("{\"text\":\"%s\"}", cases[i].text);

		assert_int_equal(mcp_do("echo", args), -E_IO);
		mcp_assert_says(cases[i].says);
	}
	assert_int_equal(mcp_do("fail", "{}"), 0);
	assert_true(mx.result.is_error);
}

/* The stream of a POST that ends before the answer is taken up by a GET, if its events have ids. */
static void test_resumed(void **state)
{
	static const char *const cases[] = { "once", "thrice", "cut", "flaky", "empty", "late" };
	double last = 0;

	(void)state;
	begin("httpUrl", "/resume", "");
	mx.sink = (struct mcp_sink){ on_progress, &last };
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(free) char *args = xasprintf("{\"text\":\"%s\"}", cases[i]);
		int64_t from = clock_us();

		if (mcp_do("echo", args) < 0)
			fail_msg("%s: %s", cases[i], mx.err.text);
		assert_string_equal(mcp_text(), cases[i]);
		if (strcmp(cases[i], "late") == 0) /* not before the server's `retry` */
			assert_true(clock_us() - from >= 300000);
	}
	assert_true(last == 2);
}

static void test_not_resumed(void **state)
{
	static const char before[] = "the server's stream has ended before the answer and cannot "
				     "be resumed: ";
	static const struct {
		const char *text, *before, *says;
	} cases[] = {
		{ "no-id", "", "the server has not answered the request" },
		{ "bad-id", "", "the server has not answered the request" },
		{ "refused", before, "the server answered 405: not here" },
		{ "down", before, "the server answered 500: I am down" },
	};

	(void)state;
	begin("httpUrl", "/resume", "");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(free) char *args = xasprintf("{\"text\":\"%s\"}", cases[i].text);

		assert_int_equal(mcp_do("echo", args), -E_IO);
		mcp_assert_says(cases[i].before);
		mcp_assert_says(cases[i].says);
	}
	assert_int_equal(mcp_do("echo", "{}"), 0);
}

static void *fire_when_resumed(void *data)
{
	AUTO(free) char *news = mcp_web_get(&web, "/news");

	assert_non_null(strstr(news, "never"));
	cancel_fire(data);
	return NULL;
}

/* A call that waits for its resumed stream is cancelled at once, and the stream is let go. */
static void test_cancel_resumed(void **state)
{
	AUTO(free) char *news = NULL;
	pthread_t thread;

	(void)state;
	begin("httpUrl", "/resume", "");
	assert_int_equal(pthread_create(&thread, NULL, fire_when_resumed, mx.cancel), 0);
	assert_int_equal(mcp_do("echo", "{\"text\":\"never\"}"), -E_CANCEL);
	(void)pthread_join(thread, NULL);
	cancel_free(mx.cancel);
	mx.cancel = NULL;
	news = mcp_web_get(&web, "/news");
	assert_string_equal(news, "cut off");
	assert_int_equal(mcp_do("echo", "{}"), 0);
}

/* A session that is forgotten is begun anew. */
static void test_forgotten(void **state)
{
	(void)state;
	begin("httpUrl", "/forget", "");
	assert_int_equal(mcp_about(0).state, MCP_READY);
	int r = 0;
	for (int i = 0; i < 8 && r >= 0; i++)
		r = mcp_do("echo", NULL);
	assert_true(r < 0);
	mcp_wait_state(0, MCP_READY);
	assert_int_equal(mcp_do("echo", "{\"text\":\"again\"}"), 0);
}

static void test_fails(void **state)
{
	AUTO(free) char *settings = NULL;

	(void)state;
	begin("url", "/evil", ",\"type\":\"sse\"");
	assert_int_equal(mcp_about(0).state, MCP_FAILED);
	assert_string_equal(mcp_about(0).reason,
			    "the server wants its messages sent to another server");
	begin("url", "/nowhere", "");
	assert_string_equal(mcp_about(0).reason, "the server answered 405");
	settings = xstrdup("{\"mcpServers\":{\"s\":{\"httpUrl\":\"http://127.0.0.1:9/\"},"
			   "\"t\":{\"httpUrl\":\"ftp://127.0.0.1/\"},\"u\":{\"url\":\"::\"},"
			   "\"v\":{\"tcp\":\"ws://127.0.0.1:9\"}}}");
	mcp_begin(settings);
	assert_int_equal(mcp_servers_wait(mx.servers, NULL), 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(mcp_about(i).state, MCP_FAILED);
	assert_non_null(strstr(mcp_about(0).reason, "onnect"));
	/* One that is silent delays only those who wait for it. */
	AUTO(free) char *silent = xasprintf("{\"mcpServers\":{\"s\":{\"url\":\"http://127.0.0.1:%d/"
					    "silent\"}}}",
					    web.port);
	mcp_begin(silent);
	assert_int_equal(mcp_do("echo", NULL), -E_AGAIN);
}

/* The server hears that the session is over. */
static void test_leaves(void **state)
{
	AUTO(free) char *left = NULL;

	(void)state;
	begin("httpUrl", "/mcp", "");
	mcp_servers_free(mx.servers);
	mx.servers = NULL;
	left = mcp_web_get(&web, "/left");
	assert_true(str_starts(str_from(left), STR("session-")));
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, mcp_set_up, mcp_web_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_transports),  TEST(test_headers),        TEST(test_stream),
		TEST(test_cancel),      TEST(test_broken),         TEST(test_resumed),
		TEST(test_not_resumed), TEST(test_cancel_resumed), TEST(test_forgotten),
		TEST(test_fails),       TEST(test_leaves),
	};

	return cmocka_run_group_tests_name("mcp_http", tests, web_start, web_stop);
}

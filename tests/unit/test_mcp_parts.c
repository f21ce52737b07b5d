/* The parts of the MCP client that need no server: names, settings, messages, lines, lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mcp/catalog.h"
#include "mcp/lines.h"
#include "mcp/rpc.h"

static struct arena arena;

static int setup(void **state)
{
	(void)state;
	arena = (struct arena){ 0 };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_done(&arena);
	return 0;
}

static const struct json *parse(const char *text)
{
	const struct json *v;

	assert_int_equal(json_parse(&arena, str_from(text), 0, &v, NULL), 0);
	return v;
}

/* C5.2 */
static void test_names(void **state)
{
	static const struct {
		bool single;
		const char *server, *tool, *name;
	} cases[] = {
		{ false, "srv", "read", "mcp__srv__read" },
		{ true, "srv", "read", "mcp_srv_read" },
		{ false, "a b", "c/d.e:f-g", "mcp__a_b__c_d.e:f-g" },
		{ true, "s", "\x1b[31m\n", "mcp_s___31m_" },
		{ false, "s", "\xc3\xa4", "mcp__s___" },
		{ false, "s", "\xf0\x9f\x98\x80", "mcp__s____" }, /* two, as in JavaScript */
		{ false, "s", "", "mcp__s__" },
		{ true, "s", "123456789012345678901234567890123456789012345678901234567",
		  "mcp_s_123456789012345678901234567890123456789012345678901234567" },
		{ true, "s", "1234567890123456789012345678901234567890123456789012345678",
		  "mcp_s_123456789012345678901234...901234567890123456789012345678" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *name =
			mcp_tool_name(&arena, cases[i].single, cases[i].server, cases[i].tool);

		assert_string_equal(name, cases[i].name);
		assert_true(strlen(name) <= MCP_NAME_MAX);
	}
}

static struct mcp_config *configure(const char *settings, size_t *ret_n)
{
	static const char *const env[] = { "A=1", "PATH=/bin", NULL };
	const struct mcp_options options = { .settings = parse(settings), .env = env, .cwd = "/w" };

	return mcp_config_read(&arena, &options, ret_n);
}

static void test_context(void **state)
{
	static const char *const cases[][2] = {
		{ "{\"command\":\"c\",\"args\":[\"x\",1],\"cwd\":\"d\",\"env\":{\"KEY\":\"s\"}}",
		  "{\"server_name\":\"s\",\"tool_name\":\"t\",\"command\":\"c\","
		  "\"args\":[\"x\",\"1\"],\"cwd\":\"d\"}" },
		{ "{\"url\":\"http://h/\",\"headers\":{\"Authorization\":\"secret\"}}",
		  "{\"server_name\":\"s\",\"tool_name\":\"t\",\"url\":\"http://h/\"}" },
		{ "{\"httpUrl\":\"http://h/\"}",
		  "{\"server_name\":\"s\",\"tool_name\":\"t\",\"url\":\"http://h/\"}" },
		{ "{\"url\":\"ws://h/\",\"type\":\"ws\"}",
		  "{\"server_name\":\"s\",\"tool_name\":\"t\",\"url\":\"ws://h/\"}" },
		{ "{\"tcp\":\"ws://h/\"}",
		  "{\"server_name\":\"s\",\"tool_name\":\"t\",\"tcp\":\"ws://h/\"}" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(free) char *settings = xasprintf("{\"mcpServers\":{\"s\":%s}}", cases[i][0]);
		size_t n;
		struct mcp_config *c = configure(settings, &n);

		assert_int_equal(n, 1);
		assert_string_equal(
			json_text(&arena, mcp_config_context(&arena, c, "t"), JSON_COMPACT).p,
			cases[i][1]);
	}
}

/* L74, A15 */
static void test_settings(void **state)
{
	static const struct {
		const char *entry;
		enum mcp_transport transport;
		bool problem;
	} cases[] = {
		{ "{\"command\":\"c\",\"url\":\"http://h/\"}", MCP_STDIO, false },
		{ "{\"url\":\"http://h/\"}", MCP_HTTP_OR_SSE, false },
		{ "{\"url\":\"http://h/\",\"type\":\"sse\"}", MCP_SSE, false },
		{ "{\"url\":\"http://h/\",\"type\":\"http\"}", MCP_HTTP, false },
		{ "{\"url\":\"http://h/\",\"httpUrl\":\"http://i/\"}", MCP_HTTP, false },
		{ "{\"httpUrl\":\"http://h/\"}", MCP_HTTP, false },
		{ "{\"httpUrl\":\"http://h/\",\"headers\":{\"a b\":\"c\"}}", MCP_HTTP, true },
		{ "{\"httpUrl\":\"http://h/\",\"headers\":{\"a\":\"c\\u0000\"}}", MCP_HTTP, true },
		{ "{\"tcp\":\"ws://h/\"}", MCP_TCP, false },
		{ "{\"tcp\":\"ws://h/\",\"url\":\"http://h/\"}", MCP_TCP, false },
		{ "{\"tcp\":\"ws://h/\",\"httpUrl\":\"http://h/\"}", MCP_HTTP, false },
		{ "{\"tcp\":\"ws://h/\",\"headers\":{\"a b\":\"c\"}}", MCP_TCP, true },
		{ "{\"url\":\"ws://h/\",\"type\":\"ws\"}", MCP_TCP, false },
		{ "{\"url\":\"wss://h/\",\"type\":\"websocket\"}", MCP_TCP, false },
		{ "{\"url\":\"WSS://h/\"}", MCP_TCP, false },
		{ "{\"url\":\"http://h/\",\"type\":\"unheard of\"}", MCP_HTTP_OR_SSE, false },
		{ "{\"command\":\"\"}", MCP_TCP, true },
		{ "{\"command\":\"a\\u0000b\"}", MCP_TCP, true },
		{ "{\"command\":7}", MCP_TCP, true },
		{ "[]", MCP_TCP, true },
		{ "null", MCP_TCP, true },
	};
	struct mcp_config *c;
	size_t n;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(free) char *settings =
			xasprintf("{\"mcpServers\":{\"s\":%s}}", cases[i].entry);

		c = configure(settings, &n);
		assert_int_equal(c[0].transport, cases[i].transport);
		assert_int_equal(c[0].problem != NULL, cases[i].problem);
	}
	(void)configure("{\"mcpServers\":[1]}", &n);
	assert_int_equal(n, 0);
	c = configure("{\"mcp\":{\"serverCommand\":\" run  'a b'\\\\ c \\\"d\\\" \"},"
		      "\"mcpServers\":{\"x\":{\"command\":\"y\",\"timeout\":1500}}}",
		      &n);
	assert_int_equal(n, 2);
	assert_int_equal(c[0].timeout_ms, 1500);
	assert_string_equal(c[1].name, "mcp");
	assert_string_equal(c[1].argv[0], "run");
	assert_string_equal(c[1].argv[1], "a b c");
	assert_string_equal(c[1].argv[2], "d");
	assert_null(c[1].argv[3]);
	assert_int_equal(c[1].timeout_ms, MCP_TIMEOUT_MS);
	/* The handshake: as long as `timeout` says, within a limit. */
	assert_int_equal(c[0].connect_ms, 1500);
	assert_int_equal(c[1].connect_ms, MCP_CONNECT_MS);
	c = configure(
		"{\"mcpServers\":{\"x\":{\"command\":\"y\",\"timeout\":-5,\"cwd\":\"../z\"}}}", &n);
	assert_int_equal(c[0].timeout_ms, MCP_TIMEOUT_MS);
	assert_int_equal(c[0].connect_ms, MCP_CONNECT_MS);
	assert_string_equal(c[0].dir, "/z");
	/* A name is no list of others. */
	c = configure("{\"mcpServers\":{\"x\":{\"command\":\"y\",\"excludeTools\":[\"ab\","
		      "\"c(x)\"]}}}",
		      &n);
	assert_true(mcp_config_offers(c, STR("a")));
	assert_false(mcp_config_offers(c, STR("ab")));
	assert_false(mcp_config_offers(c, STR("c")));
}

static void test_messages(void **state)
{
	static const struct {
		const char *text;
		enum rpc_kind kind;
		int64_t number;
	} cases[] = {
		{ "{\"id\":1,\"result\":null}", RPC_RESULT, 1 },
		{ "{\"id\":1,\"error\":null,\"result\":{}}", RPC_RESULT, 1 },
		{ "{\"id\":1,\"error\":7}", RPC_ERROR, 1 },
		{ "{\"id\":1}", RPC_NONE, 1 },
		{ "{\"id\":\"1\",\"result\":{}}", RPC_RESULT, 0 },
		{ "{\"id\":1.5,\"result\":{}}", RPC_RESULT, 0 },
		{ "{\"id\":1e300,\"result\":{}}", RPC_RESULT, 0 },
		{ "{\"id\":-1,\"result\":{}}", RPC_RESULT, 0 },
		{ "{\"id\":null,\"result\":{}}", RPC_NONE, 0 },
		{ "{\"id\":[],\"method\":\"m\"}", RPC_NOTIFICATION, 0 },
		{ "{\"id\":\"x\",\"method\":\"m\"}", RPC_REQUEST, 0 },
		{ "{\"method\":\"m\"}", RPC_NOTIFICATION, 0 },
		{ "{\"method\":5,\"id\":9}", RPC_NONE, 9 },
		{ "null", RPC_NONE, 0 },
		{ "\"\"", RPC_NONE, 0 },
	};
	const struct json *doc;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(rpc_parse(&arena, str_from(cases[i].text), &doc, NULL), 0);
		assert_int_equal(rpc_count(doc), 1);
		assert_int_equal(rpc_at(doc, 0).kind, cases[i].kind);
		assert_int_equal(rpc_at(doc, 0).number, cases[i].number);
	}
	assert_int_equal(rpc_parse(&arena, STR("[{\"method\":\"m\"},3]"), &doc, NULL), 0);
	assert_int_equal(rpc_count(doc), 2);
	assert_int_equal(rpc_at(doc, 1).kind, RPC_NONE);
}

static void add_line(void *data, struct str line)
{
	struct buf *out = data;

	buf_addf(out, "<%.*s>", STR_ARG(line));
}

static void add_long(void *data)
{
	buf_addz(data, "<long>");
}

static void test_lines(void **state)
{
	const struct str stream = STR("one\r\n\ntwo\nthis is too long\nten bytes!\nend");

	(void)state;
	for (size_t piece = 1; piece <= stream.n; piece++) {
		AUTO(buf_done) struct buf out = { 0 };
		struct lines l = {
			.max = 10, .on_line = add_line, .on_long = add_long, .data = &out
		};

		for (size_t i = 0; i < stream.n; i += piece)
			lines_feed(&l, str_sub(stream, i, i + piece));
		lines_end(&l);
		lines_done(&l);
		assert_string_equal(buf_z(&out), "<one><><two><long><ten bytes!><end>");
	}
}

static void test_limits(void **state)
{
	const struct mcp_config config = { .name = "s" };
	struct mcp_catalog *c = catalog_new();

	(void)state;
	for (int i = 0; i <= CATALOG_ITEMS_MAX; i++) {
		const struct json *item =
			json_set(&arena, NULL, STR("name"),
				 json_new_str(&arena, arena_printf(&arena, "tool %d", i)));
		const char *why = catalog_add(c, CATALOG_TOOLS, &config, item);

		if (i < CATALOG_ITEMS_MAX)
			assert_null(why);
		else
			assert_string_equal(why, "there are more than 1,000 tools");
	}
	catalog_unref(c);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_names),    TEST(test_context), TEST(test_settings),
		TEST(test_messages), TEST(test_lines),   TEST(test_limits),
	};

	return cmocka_run_group_tests_name("mcp_parts", tests, NULL, NULL);
}

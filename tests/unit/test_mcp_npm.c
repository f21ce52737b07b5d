/*
 * The MCP client with servers that others have written, from npm (tests/mcp/package.json), in
 * .cache/mcp.  Skipped where npm cannot install them.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "mcp_fixture.h"
#include "os/fs.h"

static char *modules; /* .../node_modules/@modelcontextprotocol */

/* Starts a program with these arguments; its stdout is read from *ret_out. */
static pid_t start(char *const *argv, char *const *envp, int *ret_out)
{
	posix_spawn_file_actions_t actions;
	int out[2];
	pid_t pid;

	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	assert_int_equal(posix_spawnp(&pid, argv[0], &actions, NULL, argv, envp), 0);
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)close(out[1]);
	*ret_out = out[0];
	return pid;
}

/* False after saying why they are not there. */
static bool install(void)
{
	const char *root = getenv("TEST_SOURCE_ROOT");
	AUTO(free) char *tool = xasprintf("%s/tools/npm-install", root);
	AUTO(free) char *from = xasprintf("%s/tests/mcp", root);
	AUTO(free) char *to = xasprintf("%s/.cache/mcp", root);
	char *argv[] = { tool, from, to, NULL };
	char line[200] = "";
	int out, status;
	pid_t pid = start(argv, environ, &out);
	FILE *f = fdopen(out, "r");

	if (!fgets(line, sizeof line, f))
		line[0] = '\0';
	(void)fclose(f);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	line[strcspn(line, "\n")] = '\0';
	modules = xasprintf("%s/node_modules/@modelcontextprotocol", to);
	if (status == 0)
		return true;
	printf("1..0 # SKIP %s\n", line);
	return false;
}

static void begin(const char *package, const char *more)
{
	AUTO(free) char *settings =
		xasprintf("{\"mcpServers\":{\"s\":{\"command\":\"node\",\"args\":"
			  "[\"%s/%s/dist/index.js\"%s}}}",
			  modules, package, more);

	mcp_begin(settings);
	assert_int_equal(mcp_servers_wait(mx.servers, NULL), 0);
	if (mcp_about(0).state != MCP_READY)
		fail_msg("%s", mcp_about(0).reason);
}

static void on_progress(void *data, double progress, double total, struct str message)
{
	(void)total;
	(void)message;
	*(double *)data = progress;
}

/* What server-everything can do that the client knows, by any transport. */
static void use_everything(void)
{
	const struct mcp_resource *resources;
	const struct mcp_prompt *prompts;
	const struct json *v, *args;
	double progress = 0;

	assert_string_equal(mcp_about(0).protocol, "2025-11-25");
	assert_non_null(mcp_find_tool("mcp__s__echo"));
	assert_int_equal(mcp_do("echo", "{\"message\":\"hello\"}"), 0);
	assert_string_equal(mcp_text(), "Echo: hello");
	assert_int_equal(mcp_do("get-sum", "{\"a\":2,\"b\":3}"), 0);
	assert_non_null(strstr(mcp_text(), "5"));
	assert_int_equal(mcp_do("get-tiny-image", "{}"), 0);
	assert_true(json_is(json_pointer(mx.result.content, STR("/1/data")), J_STR));
	assert_int_equal(mcp_do("get-structured-content", "{\"location\":\"Chicago\"}"), 0);
	assert_true(json_is(json_getz(mx.result.structured, "temperature"), J_NUM));
	mx.sink = (struct mcp_sink){ on_progress, &progress };
	assert_int_equal(mcp_do("trigger-long-running-operation", "{\"duration\":0.2,\"steps\":2}"),
			 0);
	assert_true(progress == 2);
	mx.sink = (struct mcp_sink){ 0 };
	assert_true(mcp_servers_prompts(mx.servers, &prompts) > 0);
	args = json_set(&mx.arena, NULL, STR("city"), json_new_str(&mx.arena, STR("Paris")));
	assert_int_equal(
		mcp_get_prompt(mx.servers, "s", "args-prompt", args, NULL, &mx.arena, &v, &mx.err),
		0);
	assert_non_null(strstr(json_text(&mx.arena, v, 0).p, "Paris"));
	assert_true(mcp_servers_resources(mx.servers, &resources) > 0);
	assert_false(resources[0].is_template);
	assert_int_equal(
		mcp_read_resource(mx.servers, "s", resources[0].uri, NULL, &mx.arena, &v, &mx.err),
		0);
	assert_true(json_is(json_pointer(v, STR("/0/uri")), J_STR));
	assert_int_equal(mcp_ping(mx.servers, "s", NULL, &mx.err), 0);
}

static void test_everything(void **state)
{
	(void)state;
	begin("server-everything", "]");
	use_everything();
}

static void test_filesystem(void **state)
{
	char dir[] = "/tmp/trotline-mcp-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(dir));
	mx.cwd = dir;
	AUTO(free) char *more = xasprintf(",\"%s\"]", dir);
	AUTO(free) char *args =
		xasprintf("{\"path\":\"%s/a.txt\",\"content\":\"written by a tool\"}", dir);
	AUTO(free) char *path = xasprintf("{\"path\":\"%s/a.txt\"}", dir);
	AUTO(free) char *file = xasprintf("%s/a.txt", dir);
	begin("server-filesystem", more);
	assert_int_equal(mcp_do("write_file", args), 0);
	assert_false(mx.result.is_error);
	assert_true(fs_exists(file));
	assert_int_equal(mcp_do("read_text_file", path), 0);
	assert_string_equal(mcp_text(), "written by a tool");
	assert_int_equal(mcp_do("read_text_file", "{\"path\":\"/etc/passwd\"}"), 0);
	assert_true(mx.result.is_error);
	assert_true(mcp_find_tool("mcp__s__read_text_file")->read_only);
	(void)unlink(file);
	(void)rmdir(dir);
}

static void test_memory(void **state)
{
	char dir[] = "/tmp/trotline-mcp-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(dir));
	AUTO(free) char *file = xasprintf("%s/memory.jsonl", dir);
	AUTO(free) char *more = xasprintf("],\"env\":{\"MEMORY_FILE_PATH\":\"%s\"}", file);
	begin("server-memory", more);
	assert_int_equal(mcp_do("create_entities",
				"{\"entities\":[{\"name\":\"trout\",\"entityType\":\"fish\","
				"\"observations\":[\"swims\"]}]}"),
			 0);
	assert_int_equal(mcp_do("search_nodes", "{\"query\":\"trout\"}"), 0);
	assert_non_null(strstr(mcp_text(), "swims"));
	assert_true(fs_exists(file));
	(void)unlink(file);
	(void)rmdir(dir);
}

/* Starts a server on loopback that prints its port. */
static pid_t web_start(char *const *argv, int *ret_port)
{
	AUTO(free) char *path = xasprintf("PATH=%s", getenv("PATH"));
	AUTO(free) char *packages = xasprintf("NODE_PATH=%s/..", modules);
	char *envp[] = { path, packages, (char *)(uintptr_t) "PORT=0", NULL };
	char line[200];
	int out;
	pid_t pid = start(argv, envp, &out);
	FILE *f = fdopen(out, "r");

	*ret_port = 0;
	while (!*ret_port && fgets(line, sizeof line, f))
		*ret_port = (int)strtol(line, NULL, 10);
	(void)fclose(f);
	assert_true(*ret_port > 0);
	return pid;
}

/* server-everything in one of its modes, or behind the package ws. */
static pid_t everything_start(const char *mode, int *ret_port)
{
	const char *tests = getenv("TEST_SOURCE_ROOT");
	AUTO(free) char *preload = xasprintf("%s/tests/mcp/loopback.cjs", tests);
	AUTO(free) char *bridge = xasprintf("%s/tests/mcp/ws_bridge.cjs", tests);
	AUTO(free) char *script = xasprintf("%s/server-everything/dist/index.js", modules);
	const char *const by_itself[] = { "node", "--require", preload, script, mode, NULL };
	const char *const behind_ws[] = { "node", bridge, script, NULL };
	bool ws = strcmp(mode, "ws") == 0;

	return web_start((char *const *)(uintptr_t)(ws ? behind_ws : by_itself), ret_port);
}

static void test_web(void **state)
{
	static const char *const modes[][3] = {
		{ "streamableHttp", "httpUrl\":\"http:", "/mcp" },
		{ "sse", "url\":\"http:", "/sse" },
		{ "ws", "tcp\":\"ws:", "/mcp" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
		int port;
		pid_t pid = everything_start(modes[i][0], &port);
		AUTO(free) char *settings =
			xasprintf("{\"mcpServers\":{\"s\":{\"%s//127.0.0.1:%d%s\"}}}", modes[i][1],
				  port, modes[i][2]);

		mcp_begin(settings);
		assert_int_equal(mcp_servers_wait(mx.servers, NULL), 0);
		if (mcp_about(0).state != MCP_READY)
			fail_msg("%s", mcp_about(0).reason);
		use_everything();
		mcp_servers_free(mx.servers);
		mx.servers = NULL;
		(void)kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
	}
}

/* A server of the MCP SDK that ends each stream before its answer (SSE polling, 2025-11-25). */
static void test_polling(void **state)
{
	AUTO(free) char *script =
		xasprintf("%s/tests/mcp/sdk_polling.cjs", getenv("TEST_SOURCE_ROOT"));
	AUTO(free) char *packages = xasprintf("%s/..", modules);
	const char *const argv[] = { "node", script, packages, NULL };
	double progress = 0;
	int port;
	pid_t pid = web_start((char *const *)(uintptr_t)argv, &port);
	AUTO(free) char *settings = xasprintf("{\"mcpServers\":{\"s\":{\"httpUrl\":"
					      "\"http://127.0.0.1:%d/mcp\"}}}",
					      port);

	(void)state;
	mcp_begin(settings);
	assert_int_equal(mcp_servers_wait(mx.servers, NULL), 0);
	if (mcp_about(0).state != MCP_READY)
		fail_msg("%s", mcp_about(0).reason);
	mx.sink = (struct mcp_sink){ on_progress, &progress };
	for (int i = 0; i < 3; i++) {
		if (mcp_do("long-task", "{}") < 0)
			fail_msg("%s", mx.err.text);
		assert_string_equal(mcp_text(), "streams closed: 2");
	}
	assert_true(progress == 2);
	mcp_servers_free(mx.servers);
	mx.servers = NULL;
	(void)kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, mcp_set_up, mcp_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_everything), TEST(test_filesystem), TEST(test_memory),
		TEST(test_web),        TEST(test_polling),
	};
	int failed;

	if (!install())
		return 0;
	failed = cmocka_run_group_tests_name("mcp_npm", tests, NULL, NULL);
	free(modules);
	return failed;
}

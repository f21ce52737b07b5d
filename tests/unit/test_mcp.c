/* The MCP client with a server on stdio; H... are rules of the specification, C... the contract's.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mcp_fixture.h"
#include "os/clock.h"
#include "os/fd.h"
#include "os/fs.h"

static void test_ready(void **state)
{
	(void)state;
	mcp_begin_one(NULL, ",\"description\":\"What it is\"");
	assert_int_equal(mcp_about(0).state, MCP_READY);
	assert_string_equal(mcp_about(0).reason, "");
	assert_string_equal(mcp_about(0).name, "s");
	assert_string_equal(mcp_about(0).description, "What it is");
	assert_int_equal(mcp_about(0).ntools, 19); /* of three pages */
	assert_true(__atomic_load_n(&mx.changes, __ATOMIC_RELAXED) > 0);
	const struct mcp_tool *tool = mcp_find_tool("mcp__s__echo");
	assert_non_null(tool);
	assert_string_equal(tool->server, "s");
	assert_string_equal(tool->tool, "echo");
	assert_string_equal(tool->description, "Does echo");
	assert_true(json_is(json_pointer(tool->schema, STR("/properties/text")), J_OBJ));
	assert_false(tool->trust);
	assert_int_equal(mcp_ping(mx.servers, "s", NULL, &mx.err), 0);
}

static void test_call(void **state)
{
	(void)state;
	mcp_begin_one(NULL, NULL);
	assert_int_equal(mcp_do("echo", "{\"text\":\"a \\u0000 \\ud83d\\ude00\\nb\"}"), 0);
	assert_false(mx.result.is_error);
	assert_true(str_eq(json_get_str(json_at(mx.result.content, 0), "text"),
			   STR("a \0 \xf0\x9f\x98\x80\nb")));
	assert_true(json_is(json_pointer(mx.result.structured, STR("/echo/text")), J_STR));
	assert_int_equal(mcp_do("fail", NULL), 0);
	assert_true(mx.result.is_error);
	assert_string_equal(mcp_text(), "it went wrong");
	assert_int_equal(mcp_do("refuse", NULL), -E_INVAL);
	mcp_assert_says("MCP server s: I \\x1b[31mrefuse");
	assert_int_equal(mcp_do("no such tool", NULL), -E_PARSE);
	assert_int_equal(mcp_call_tool(mx.servers, "t", "echo", NULL, NULL, NULL, &mx.arena,
				       &mx.result, &mx.err),
			 -E_NOTFOUND);
}

static void test_prompts_and_resources(void **state)
{
	const struct mcp_resource *resources;
	const struct mcp_prompt *prompts;
	const struct json *v;

	(void)state;
	mcp_begin_one(NULL, NULL);
	assert_int_equal(mcp_servers_prompts(mx.servers, &prompts), 1);
	assert_string_equal(prompts[0].name, "greet");
	assert_true(json_is_true(json_pointer(prompts[0].arguments, STR("/0/required"))));
	assert_int_equal(mcp_servers_resources(mx.servers, &resources), 2);
	assert_string_equal(resources[0].uri, "test://one");
	assert_string_equal(resources[0].mime_type, "text/plain");
	assert_true(resources[1].is_template);
	assert_int_equal(
		mcp_read_resource(mx.servers, "s", "test://one", NULL, &mx.arena, &v, &mx.err), 0);
	assert_true(str_eqz(json_str(json_pointer(v, STR("/0/text")), STR("")),
			    "content of test://one"));
	v = json_set(&mx.arena, NULL, STR("who"), json_new_str(&mx.arena, STR("Ada")));
	assert_int_equal(mcp_get_prompt(mx.servers, "s", "greet", v, NULL, &mx.arena, &v, &mx.err),
			 0);
	assert_true(
		str_eqz(json_str(json_pointer(v, STR("/0/content/text")), STR("")), "Hello, Ada"));
}

static void on_progress(void *data, double progress, double total, struct str message)
{
	struct buf *out = data;

	buf_addf(out, "%g/%g %.*s;", progress, total, STR_ARG(message));
}

static void test_progress(void **state)
{
	AUTO(buf_done) struct buf heard = { 0 };

	(void)state;
	mx.sink = (struct mcp_sink){ on_progress, &heard };
	mcp_begin_one(NULL, NULL);
	assert_int_equal(mcp_do("count", NULL), 0);
	assert_string_equal(buf_z(&heard), "1/3 step 1;2/3 step 2;3/3 step 3;");
	/* What cannot be taken that fast is left out. */
	assert_int_equal(mcp_do("count", "{\"n\":20000}"), 0);
	assert_string_equal(mcp_text(), "counted");
}

static void test_cancel(void **state)
{
	(void)state;
	mcp_begin_one(NULL, NULL);
	mcp_cancel_calls();
}

/* The time is the handshake's, too: one that is too short for a busy machine is tried again. */
static bool times_out_after(int ms)
{
	AUTO(free) char *more = xasprintf(",\"timeout\":%d", ms);
	AUTO(free) char *sentence = xasprintf("MCP server s: no answer within %d ms", ms);

	mcp_begin_one(NULL, more);
	if (mcp_about(0).state != MCP_READY)
		return false;
	assert_int_equal(mcp_do("never", NULL), -E_IO);
	mcp_assert_says(sentence);
	return mcp_do("cancelled", NULL) == 0;
}

static void test_timeout(void **state)
{
	int ms = 1500;

	(void)state;
	while (!times_out_after(ms)) {
		assert_true(ms < MCP_DEADLINE_MS);
		ms *= 3;
	}
	assert_non_null(strstr(mcp_text(), "timeout"));
}

/* What a server says that it should not; calls go on. */
static void test_garbage(void **state)
{
	(void)state;
	mcp_begin_one("\"early\"", NULL);
	assert_int_equal(mcp_do("garbage", NULL), 0);
	assert_string_equal(mcp_text(), "after garbage");
	mcp_wait_log("s", "not a message: this is no JSON");
	mcp_wait_log("s", "\\x1b[31m");
	assert_int_equal(mcp_do("unasked", NULL), 0);
	assert_string_equal(mcp_text(), "asked");
	assert_int_equal(mcp_do("echo", "{\"text\":\"x\"}"), 0);
	assert_string_equal(mcp_text(), "x");
}

static void test_big(void **state)
{
	(void)state;
	mcp_begin_one(NULL, NULL);
	assert_int_equal(mcp_do("big", "{\"mib\":20}"), 0);
	assert_int_equal(strlen(mcp_text()), 20 << 20);
	assert_int_equal(mcp_do("big", "{\"mib\":100}"), -E_IO);
	mcp_assert_says("longer than 32 MiB");
	assert_int_equal(mcp_do("deep", NULL), -E_IO);
	mcp_assert_says("nested too deep");
	assert_int_equal(mcp_do("echo", "{\"text\":\"x\"}"), 0);
}

static void test_flood(void **state)
{
	AUTO(buf_done) struct buf log = { 0 };

	(void)state;
	mcp_begin_one(NULL, NULL);
	assert_int_equal(mcp_do("flood", NULL), 0);
	mcp_wait_log("s", "short line");
	assert_int_equal(mcp_server_log(mx.servers, "s", &log), 0);
	assert_true(log.n <= 64 << 10);
}

static void test_list_changed(void **state)
{
	int64_t until = clock_us() + (int64_t)MCP_DEADLINE_MS * 1000;
	const struct mcp_tool *tools;

	(void)state;
	mcp_begin_one(NULL, NULL);
	size_t n = mcp_servers_tools(mx.servers, &tools);
	assert_int_equal(mcp_do("change", NULL), 0);
	assert_string_equal(tools[n - 1].tool, "sleeper"); /* as it was, until the next call */
	while (!mcp_find_tool("mcp__s__added")) {
		assert_true(clock_us() < until);
		(void)fd_sleep(NULL, 2);
	}
}

static void test_dies(void **state)
{
	(void)state;
	mcp_begin_one(NULL, NULL);
	assert_int_equal(mcp_do("die", NULL), -E_IO);
	mcp_assert_says("the server has ended with status 3: my last words");
	/* It is started again. */
	mcp_wait_state(0, MCP_READY);
	assert_int_equal(mcp_do("echo", "{\"text\":\"again\"}"), 0);
	for (int i = 1; i < MCP_RESTARTS_MAX; i++) {
		assert_int_equal(mcp_do("die", NULL), -E_IO);
		mcp_wait_state(0, MCP_READY);
	}
	/* But not for ever, unless somebody says so. */
	assert_int_equal(mcp_do("die", NULL), -E_IO);
	mcp_wait_state(0, MCP_FAILED);
	assert_int_equal(mcp_do("echo", NULL), -E_AGAIN);
	mcp_assert_says("my last words");
	assert_int_equal(mcp_server_restart(mx.servers, "s", &mx.err), 0);
	mcp_wait_state(0, MCP_READY);
	assert_int_equal(mcp_do("echo", NULL), 0);
}

/* It is a state, and nothing else. */
static void test_fails(void **state)
{
	static const struct {
		const char *args, *reason;
	} cases[] = {
		{ "\"die-at=initialize\"", "the server has ended with status 1: I do not like" },
		{ "\"die-at=tools/list\"", "the server has ended with status 1: I do not like" },
		{ "\"version=1999-01-01\"", "its protocol version is not supported: 1999-01-01" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		mcp_begin_one(cases[i].args, NULL);
		assert_int_equal(mcp_about(0).state, MCP_FAILED);
		if (!strstr(mcp_about(0).reason, cases[i].reason))
			fail_msg("%s", mcp_about(0).reason);
		assert_int_equal(mcp_do("echo", NULL), -E_AGAIN);
	}
	mcp_begin("{\"mcpServers\":{\"s\":{\"command\":\"no-such-program-here\"},"
		  "\"d\":{\"command\":\"/bin/sh\",\"cwd\":\"nowhere\"},\"e\":{}}}");
	assert_int_equal(mcp_servers_wait(mx.servers, NULL), 0);
	assert_string_equal(mcp_about(0).reason, "program not found: no-such-program-here");
	assert_non_null(strstr(mcp_about(1).reason, "its cwd is not a directory"));
	assert_string_equal(mcp_about(2).reason, "it has no command, url, httpUrl or tcp");
}

static void test_versions(void **state)
{
	static const char *const versions[] = { "2024-11-05", "2025-03-26", "2025-06-18",
						"2025-11-25" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(versions); i++) {
		AUTO(free) char *args = xasprintf("\"version=%s\"", versions[i]);

		mcp_begin_one(args, NULL);
		assert_int_equal(mcp_about(0).state, MCP_READY);
		assert_string_equal(mcp_about(0).protocol, versions[i]);
	}
	/* What is asked for is the newest. */
	mcp_begin_one("\"good\"", NULL);
	assert_string_equal(mcp_about(0).protocol, "2025-11-25");
}

/* 2025-11-25 has icons, tasks and more: what is not known harms nothing. */
static void test_new_fields(void **state)
{
	const struct mcp_resource *resources;
	const struct mcp_prompt *prompts;

	(void)state;
	mcp_begin_one("\"new-fields\"", NULL);
	assert_int_equal(mcp_about(0).state, MCP_READY);
	assert_string_equal(mcp_about(0).own_name, "test");
	assert_string_equal(mcp_find_tool("mcp__s__echo")->description, "Does echo");
	assert_non_null(mcp_find_tool("mcp__s__may-be.a_task"));
	assert_int_equal(mcp_servers_prompts(mx.servers, &prompts), 1);
	assert_int_equal(mcp_servers_resources(mx.servers, &resources), 2);
	assert_int_equal(mcp_do("echo", "{\"text\":\"as ever\"}"), 0);
	assert_string_equal(mcp_text(), "as ever");
	/* A tool that runs as a task only would refuse every call. */
	assert_null(mcp_find_tool("mcp__s__always-a-task"));
	mcp_wait_log("s", "it runs as a task only");
	/* Without a user to ask; and what is not offered is refused like all that is not known. */
	assert_int_equal(mcp_do("ask", "{\"text\":\"elicitation/create\"}"), 0);
	assert_non_null(strstr(mcp_text(), "cancel"));
	assert_int_equal(mcp_do("ask", "{\"text\":\"tasks/list\"}"), 0);
	assert_non_null(strstr(mcp_text(), "-32601"));
	assert_int_equal(mcp_do("url", NULL), -E_INVAL);
	mcp_assert_says("open a page first");
}

/* One that is switched off is ended, is no failure, and starts when it is switched on. */
static void test_switched(void **state)
{
	static const char off[] = "its extension is disabled";

	(void)state;
	mcp_begin_one("\"good\"", NULL);
	assert_int_equal(mcp_server_switch(mx.servers, "s", NULL), 0);
	assert_int_equal(mcp_server_switch(mx.servers, "s", off), 1);
	assert_int_equal(mcp_server_switch(mx.servers, "s", off), 0);
	assert_int_equal(mcp_server_switch(mx.servers, "nobody", off), -E_NOTFOUND);
	assert_int_equal(mcp_server_restart(mx.servers, "s", &mx.err), -E_CONFIG);
	mcp_assert_says(off);
	mcp_wait_state(0, MCP_CLOSED);
	assert_string_equal(mcp_about(0).reason, off);
	assert_null(mcp_find_tool("mcp__s__echo"));
	assert_int_equal(mcp_do("echo", NULL), -E_AGAIN);
	mcp_assert_says(off);
	assert_int_equal(mcp_server_switch(mx.servers, "s", NULL), 1);
	mcp_wait_state(0, MCP_READY);
	assert_int_equal(mcp_do("echo", "{\"text\":\"again\"}"), 0);
	/* A session may end while it is off. */
	assert_int_equal(mcp_server_switch(mx.servers, "s", off), 1);
}

/* Lists that do not end, and what is in them. */
static void test_lists(void **state)
{
	(void)state;
	mcp_begin_one("\"endless\"", NULL);
	assert_int_equal(mcp_about(0).ntools, 100);
	mcp_begin_one("\"circle\"", NULL);
	assert_int_equal(mcp_about(0).ntools, 1);
	mcp_begin_one("\"no-list\"", NULL);
	assert_int_equal(mcp_about(0).ntools, 0);
	mcp_begin_one("\"odd-tools\"", NULL);
	assert_int_equal(mcp_about(0).state, MCP_READY);
	assert_string_equal(mcp_find_tool("mcp__s__twice")->title, "first");
	assert_string_equal(mcp_find_tool("mcp__s__a_b__2J___")->tool,
			    "a b\x1b[2J\u202e\U0001f600");
	assert_string_equal(mcp_find_tool("mcp__s__a_b")->tool, "a_b"); /* before "a b" */
	assert_true(json_is(mcp_find_tool("mcp__s__bare")->schema, J_OBJ));
	assert_true(json_is(mcp_find_tool("mcp__s__text")->schema, J_OBJ));
	assert_null(mcp_find_tool("mcp__s__huge"));
	assert_true(mcp_find_tool("mcp__s__hints")->read_only);
	assert_string_equal(mcp_find_tool("mcp__s__hints")->title, "Hinted");
	assert_true(str_eqz(json_str(json_pointer(mcp_find_tool("mcp__s__cyclic")->schema,
						  STR("/$defs/n/properties/next/$ref")),
				     STR("")),
			    "#/$defs/n"));
}

/* Servers that do not take part: only those wait for them who must. */
static void test_hang(void **state)
{
	static const char *const lives[] = { "never-read", "mute", "noisy", "stubborn" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lives); i++) {
		AUTO(free) char *settings = xasprintf(
			"{\"mcpServers\":{\"s\":{\"command\":\"python3\",\"args\":[\"%%S\","
			"\"%s\"]}}}",
			lives[i]);
		const struct mcp_tool *tools;
		int64_t from = clock_us();

		mcp_begin(settings);
		assert_true(mcp_servers_tools(mx.servers, &tools) < 1000);
		(void)mcp_do("echo", NULL); /* -E_AGAIN, at once */
		mcp_servers_free(mx.servers);
		mx.servers = NULL;
		assert_true(clock_us() - from < (int64_t)MCP_DEADLINE_MS * 1000);
	}
}

/* A server's children go with it. */
static void test_children(void **state)
{
	int64_t until = clock_us() + (int64_t)MCP_DEADLINE_MS * 1000;

	(void)state;
	mcp_begin_one(NULL, NULL);
	assert_int_equal(mcp_do("sleeper", NULL), 0);
	AUTO(free) char *path = xasprintf("/proc/%s", mcp_text());
	assert_true(fs_exists(path));
	mcp_servers_free(mx.servers);
	mx.servers = NULL;
	while (fs_exists(path)) {
		assert_true(clock_us() < until);
		(void)fd_sleep(NULL, 2);
	}
}

static void test_environment(void **state)
{
	static const char *const env[] = { "PATH=/usr/local/bin:/usr/bin:/bin", "HERE=value",
					   "MY_TOKEN=secret", "HOME=/", NULL };
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *v;

	(void)state;
	mx.env = env;
	mcp_begin("{\"security\":{\"environmentVariableRedaction\":{\"enabled\":true}},"
		  "\"mcpServers\":{\"s\":{\"command\":\"python3\",\"args\":[\"%S\"],"
		  "\"cwd\":\"tmp/../tmp\",\"env\":{\"A\":\"<$HERE>\",\"B\":\"${NOT_SET:-b}\","
		  "\"C\":\"$NOT_SET\",\"N\":5,\"HOME\":\"/elsewhere\",\"KEY\":\"$MY_TOKEN\"}}}}");
	assert_int_equal(mcp_servers_wait(mx.servers, NULL), 0);
	assert_int_equal(mcp_do("env", NULL), 0);
	assert_int_equal(json_parse(&a, str_from(mcp_text()), 0, &v, NULL), 0);
	static const char *const wanted[][2] = {
		{ "A", "<value>" },       { "B", "b" },        { "C", "" },        { "N", "5" },
		{ "HOME", "/elsewhere" }, { "KEY", "secret" }, { "MY_TOKEN", "" },
	};
	for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
		assert_true(str_eqz(json_str(json_getz(v, wanted[i][0]), STR("")), wanted[i][1]));
	assert_int_equal(mcp_do("cwd", NULL), 0);
	assert_string_equal(mcp_text(), "/tmp");
}

static void test_asks_us(void **state)
{
	(void)state;
	/* That it does not answer what it was asked about its log delays nothing. */
	mcp_begin_one("\"mute-logs\"", ",\"cwd\":\"/tmp\"");
	mcp_wait_log("s", "info: as you like");
	assert_int_equal(mcp_do("roots", NULL), 0);
	assert_string_equal(mcp_text(), "{\"roots\": [{\"uri\": \"file:///tmp\"}]}");
	assert_int_equal(mcp_do("ask", "{\"text\":\"ping\"}"), 0);
	assert_non_null(strstr(mcp_text(), "\"result\": {}"));
	assert_int_equal(mcp_do("ask", "{\"text\":\"sampling/createMessage\"}"), 0);
	assert_non_null(strstr(mcp_text(), "-32601"));
	assert_int_equal(mcp_do("ask", "{\"text\":\"elicitation/create\"}"), 0);
	assert_non_null(strstr(mcp_text(), "cancel"));
}

struct caller {
	struct arena arena;
	char text[16];
	bool good;
};

static void *call_often(void *data)
{
	struct caller *c = data;

	c->good = true;
	for (int i = 0; i < 50; i++) {
		const struct json *args = json_set(&c->arena, NULL, STR("text"),
						   json_new_str(&c->arena, str_from(c->text)));
		struct mcp_result result;

		if (mcp_call_tool(mx.servers, "s", "echo", args, NULL, NULL, &c->arena, &result,
				  NULL) < 0 ||
		    !str_eqz(json_str(json_pointer(result.content, STR("/0/text")), STR("")),
			     c->text))
			c->good = false;
	}
	return NULL;
}

static void test_threads(void **state)
{
	struct caller callers[8] = { 0 };
	pthread_t threads[8];

	(void)state;
	mcp_begin_one(NULL, NULL);
	for (size_t i = 0; i < ARRAY_LEN(callers); i++) {
		(void)snprintf(callers[i].text, sizeof callers[i].text, "caller %zu", i);
		assert_int_equal(pthread_create(&threads[i], NULL, call_often, &callers[i]), 0);
	}
	for (size_t i = 0; i < ARRAY_LEN(callers); i++) {
		(void)pthread_join(threads[i], NULL);
		assert_true(callers[i].good);
		arena_done(&callers[i].arena);
	}
}

static void test_wanted(void **state)
{
	static const char *const only[] = { "a", "b", NULL };
	static const char settings[] =
		"{\"mcp\":{\"allowed\":[\"a\",\"c\"],\"excluded\":[\"c\"]},\"mcpServers\":{"
		"\"a\":{\"command\":\"python3\",\"args\":[\"%S\"],\"trust\":true,"
		"\"includeTools\":[\"echo(x)\",\"fail\",\"die\"],\"excludeTools\":[\"die\"]},"
		"\"b\":{\"command\":\"python3\"},\"c\":{\"command\":\"python3\"}}}";
	const struct mcp_tool *tools;

	(void)state;
	mcp_begin(settings);
	assert_int_equal(mcp_servers_wait(mx.servers, NULL), 0);
	assert_int_equal(mcp_about(0).state, MCP_READY);
	assert_true(mcp_about(0).trust);
	assert_string_equal(mcp_about(1).reason, "mcp.allowed does not name it");
	assert_int_equal(mcp_about(1).state, MCP_CLOSED);
	assert_string_equal(mcp_about(2).reason, "mcp.excluded names it");
	assert_int_equal(mcp_servers_tools(mx.servers, &tools), 2);
	assert_string_equal(tools[0].name, "mcp__a__echo");
	assert_true(tools[0].trust);
	assert_string_equal(tools[1].name, "mcp__a__fail");
	mx.only = only + 1;
	mcp_begin(settings);
	assert_int_equal(mcp_about(0).state, MCP_CLOSED);
	mx.only = NULL;
	mx.untrusted = true;
	mcp_begin(settings);
	assert_int_equal(mcp_about(0).state, MCP_CLOSED);
	assert_non_null(strstr(mcp_about(0).reason, "not trusted"));
}

/* Many start at once: each of these waits until the others are there, too. */
static void test_parallel(void **state)
{
	char dir[] = "/tmp/trotline-mcp-XXXXXX";
	AUTO(buf_done) struct buf settings = { 0 };
	const struct mcp_tool *tools;

	(void)state;
	assert_non_null(mkdtemp(dir));
	buf_addz(&settings, "{\"mcp\":{\"serverCommand\":\"python3 '%S'\"},\"mcpServers\":{");
	for (int i = 0; i < 6; i++)
		buf_addf(&settings,
			 "%s\"s%d\":{\"command\":\"sh\",\"args\":[\"-c\",\": > %s/%d; "
			 "while ! [ -e %s/0 -a -e %s/1 -a -e %s/2 -a -e %s/3 -a -e %s/4 -a "
			 "-e %s/5 ]; do sleep 0.01; done; exec python3 '%%S'\"]}",
			 i ? "," : "", i, dir, i, dir, dir, dir, dir, dir, dir);
	buf_addz(&settings, "}}");
	mcp_begin(buf_z(&settings));
	assert_int_equal(mcp_servers_wait(mx.servers, NULL), 0);
	assert_int_equal(mcp_servers_count(mx.servers), 7);
	assert_int_equal(mcp_servers_tools(mx.servers, &tools), 7 * 19);
	assert_string_equal(tools[0].server, "s0");
	assert_string_equal(tools[6 * 19].server, "mcp");
	for (int i = 0; i < 6; i++) {
		AUTO(free) char *path = xasprintf("%s/%d", dir, i);

		assert_int_equal(unlink(path), 0);
	}
	assert_int_equal(rmdir(dir), 0);
}

/* Whose a tool is does not depend on who is faster: a's may be called b__echo, too. */
static void test_names_wait(void **state)
{
	char dir[] = "/tmp/trotline-mcp-XXXXXX";
	AUTO(buf_done) struct buf settings = { 0 };
	AUTO(free) char *fifo = NULL;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	fifo = fs_join(dir, "go");
	assert_int_equal(mkfifo(fifo, 0600), 0);
	buf_addf(&settings,
		 "{\"mcpServers\":{\"a\":{\"command\":\"sh\",\"args\":[\"-c\",\"read x < "
		 "'%s'; exec python3 '%%S'\"]},\"a__b\":{\"command\":\"python3\",\"args\":["
		 "\"%%S\"]},\"c\":{\"command\":\"python3\",\"args\":[\"%%S\"]}}}",
		 fifo);
	mcp_begin(buf_z(&settings));
	mcp_wait_state(1, MCP_READY);
	mcp_wait_state(2, MCP_READY);
	assert_null(mcp_find_tool("mcp__a__b__echo"));
	assert_non_null(mcp_find_tool("mcp__c__echo"));
	fd = open(fifo, O_WRONLY | O_CLOEXEC);
	assert_int_equal(write(fd, "\n", 1), 1);
	(void)close(fd);
	assert_int_equal(mcp_servers_wait(mx.servers, mx.cancel), 0);
	assert_string_equal(mcp_find_tool("mcp__a__b__echo")->server, "a__b");
	assert_non_null(mcp_find_tool("mcp__a__echo"));
	(void)unlink(fifo);
	(void)rmdir(dir);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, mcp_set_up, mcp_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_ready),        TEST(test_call),       TEST(test_prompts_and_resources),
		TEST(test_progress),     TEST(test_cancel),     TEST(test_timeout),
		TEST(test_garbage),      TEST(test_big),        TEST(test_flood),
		TEST(test_list_changed), TEST(test_dies),       TEST(test_fails),
		TEST(test_versions),     TEST(test_new_fields), TEST(test_lists),
		TEST(test_hang),         TEST(test_children),   TEST(test_environment),
		TEST(test_asks_us),      TEST(test_threads),    TEST(test_wanted),
		TEST(test_parallel),     TEST(test_names_wait), TEST(test_switched),
	};

	return cmocka_run_group_tests_name("mcp", tests, NULL, NULL);
}

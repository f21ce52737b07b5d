#include "mcp_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>

#include "net/http.h"
#include "os/clock.h"
#include "os/fd.h"
#include "temp.h"

struct mcp_test mx;

int mcp_set_up(void **state)
{
	char unit[16];

	(void)state;
	(void)snprintf(unit, sizeof unit, "%d", MCP_UNIT_MS);
	(void)setenv("TROTLINE_RETRY_UNIT_MS", unit, 1);
	mx = (struct mcp_test){ .cwd = "/", .env = (const char *const *)environ };
	mx.fds_before = temp_fds();
	mx.cancel = cancel_new(NULL);
	return 0;
}

int mcp_tear_down(void **state)
{
	siginfo_t info;

	(void)state;
	mcp_servers_free(mx.servers);
	cancel_free(mx.cancel);
	arena_done(&mx.arena);
	assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT), -1);
	assert_int_equal(errno, ECHILD);
	assert_int_equal(temp_fds(), mx.fds_before);
	return 0;
}

static void on_change(void *data)
{
	struct mcp_test *t = data;

	(void)__atomic_add_fetch(&t->changes, 1, __ATOMIC_RELAXED);
}

void mcp_begin(const char *settings)
{
	struct mcp_options options = { .env = mx.env,
				       .cwd = mx.cwd,
				       .untrusted = mx.untrusted,
				       .only = mx.only,
				       .on_change = on_change,
				       .data = &mx };
	AUTO(buf_done) struct buf text = { 0 };
	struct str rest = str_from(settings);

	for (ptrdiff_t at; (at = str_find(rest, STR("%S"), 0)) >= 0;) {
		buf_adds(&text, str_sub(rest, 0, (size_t)at));
		buf_addf(&text, "%s/tests/mcp/server.py", getenv("TEST_SOURCE_ROOT"));
		rest = str_sub(rest, (size_t)at + 2, rest.n);
	}
	buf_adds(&text, rest);
	if (json_parse(&mx.arena, buf_str(&text), 0, &options.settings, &mx.err) < 0)
		fail_msg("%s in %s", mx.err.text, buf_z(&text));
	mcp_servers_free(mx.servers);
	mx.servers = mcp_servers_new(&options);
}

void mcp_begin_one(const char *args, const char *more)
{
	AUTO(free) char *settings = xasprintf("{\"mcpServers\":{\"s\":{\"command\":\"python3\","
					      "\"args\":[\"%%S\"%s%s]%s}}}",
					      args ? "," : "", args ? args : "", more ? more : "");

	mcp_begin(settings);
	assert_int_equal(mcp_servers_wait(mx.servers, mx.cancel), 0);
}

struct mcp_server_info mcp_about(size_t i)
{
	struct mcp_server_info info;

	mcp_server_info(mx.servers, i, &info);
	return info;
}

static void pause_until(int64_t until_us, const char *what)
{
	if (clock_us() > until_us)
		fail_msg("no %s within %d ms", what, MCP_DEADLINE_MS);
	(void)fd_sleep(NULL, 2);
}

void mcp_wait_state(size_t i, enum mcp_state state)
{
	int64_t until = clock_us() + (int64_t)MCP_DEADLINE_MS * 1000;

	while (mcp_about(i).state != state)
		pause_until(until, "such state");
}

void mcp_wait_log(const char *server, const char *part)
{
	int64_t until = clock_us() + (int64_t)MCP_DEADLINE_MS * 1000;

	for (;;) {
		AUTO(buf_done) struct buf log = { 0 };

		assert_int_equal(mcp_server_log(mx.servers, server, &log), 0);
		if (strstr(buf_z(&log), part))
			return;
		pause_until(until, part);
	}
}

const struct mcp_tool *mcp_find_tool(const char *name)
{
	const struct mcp_tool *tools;
	size_t n = mcp_servers_tools(mx.servers, &tools);

	for (size_t i = 0; i < n; i++)
		if (strcmp(tools[i].name, name) == 0)
			return &tools[i];
	return NULL;
}

int mcp_do(const char *tool, const char *args)
{
	const struct json *v = NULL;

	if (args)
		assert_int_equal(json_parse(&mx.arena, str_from(args), 0, &v, NULL), 0);
	mx.result = (struct mcp_result){ 0 };
	mx.err = (struct err){ 0 };
	return mcp_call_tool(mx.servers, "s", tool, v, mx.sink.progress ? &mx.sink : NULL,
			     mx.cancel, &mx.arena, &mx.result, &mx.err);
}

static void *fire_soon(void *data)
{
	(void)fd_sleep(NULL, 50);
	cancel_fire(data);
	return NULL;
}

static void cancel_a_call(void)
{
	pthread_t thread;

	if (!mx.cancel)
		mx.cancel = cancel_new(NULL);
	assert_int_equal(pthread_create(&thread, NULL, fire_soon, mx.cancel), 0);
	assert_int_equal(mcp_do("never", NULL), -E_CANCEL);
	(void)pthread_join(thread, NULL);
	assert_int_equal(mcp_do("echo", NULL), -E_CANCEL);
	cancel_free(mx.cancel);
	mx.cancel = NULL;
}

void mcp_cancel_calls(void)
{
	int64_t until = clock_us() + (int64_t)MCP_DEADLINE_MS * 1000;

	do {
		assert_true(clock_us() < until);
		cancel_a_call();
		assert_int_equal(mcp_do("cancelled", NULL), 0);
	} while (!strstr(mcp_text(), "\"requestId\""));
}

const char *mcp_text(void)
{
	const struct json *text = json_getz(json_at(mx.result.content, 0), "text");

	return arena_z(&mx.arena, json_str(text, STR("(no text)")));
}

void mcp_assert_says(const char *part)
{
	if (!strstr(mx.err.text, part))
		fail_msg("no \"%s\" in: %s", part, mx.err.text);
}

/* ---- servers on loopback ---- */

void mcp_web_stop(struct loopback *web)
{
	(void)close(web->in);
	assert_int_equal(waitpid(web->pid, NULL, 0), web->pid);
}

char *mcp_web_get(const struct loopback *web, const char *path)
{
	AUTO(http_reply_done) struct http_reply reply = { 0 };
	AUTO(http_free) struct http *http = http_new();
	AUTO(free) char *url = xasprintf("http://127.0.0.1:%d%s", web->port, path);

	assert_int_equal(http_run(http, &(struct http_request){ .url = url }, NULL, &reply, NULL),
			 0);
	return buf_take(&reply.body);
}

int mcp_web_tear_down(void **state)
{
	(void)state;
	mcp_servers_free(mx.servers);
	cancel_free(mx.cancel);
	arena_done(&mx.arena);
	assert_int_equal(temp_fds(), mx.fds_before);
	return 0;
}

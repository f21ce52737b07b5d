/* trotline mcp test: connects to servers as a session does and tells what they offer. */
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "base/meant.h"
#include "base/utf8.h"
#include "cli/agent/progress.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/mcp/mcp_test.h"
#include "mcp/transport.h"
#include "os/clock.h"
#include "os/fd.h"
#include "os/fs.h"
#include "os/queue.h"

enum {
	PING_MS = 10000, /* where no --timeout says otherwise */
	SILENT_MS = 3000, /* then it is said what is waited for */
};

static const struct opt test_rows[] = {
	{ "call", 0, "TOOL", OPT_STR, offsetof(struct test_args, call),
	  "call this tool without confirmation and print its result" },
	{ "args", 0, "JSON", OPT_STR, offsetof(struct test_args, call_args),
	  "the tool's arguments: JSON, @FILE, or - for stdin" },
	{ "answer", 0, "JSON", OPT_STR, offsetof(struct test_args, answer),
	  "what fills a form that the server asks for during --call; defaults do the rest" },
	{ "timeout", 't', "MS", OPT_INT, offsetof(struct test_args, timeout),
	  "milliseconds that connecting, and then each request, may take" },
	{ "header", 'H', "NAME: VALUE", OPT_LIST, offsetof(struct test_args, headers),
	  "an HTTP header for a URL that is not configured" },
	{ "dir", 'C', "DIR", OPT_STR, offsetof(struct test_args, load.dir),
	  "work in this directory instead of the current one" },
	{ "skip-trust", 0, NULL, OPT_FLAG, offsetof(struct test_args, load.trust),
	  "read the project's settings and start its servers, trusted or not" },
	{ "json", 0, NULL, OPT_FLAG, offsetof(struct test_args, load.json), "print JSON" },
};
const struct opt_set mcp_test_opts = OPT_SET(test_rows, struct test_args);

/* --timeout takes the place of what the settings say. */
static void set_timeouts(struct test *t)
{
	const struct json *all = json_getz(t->settings, "mcpServers");
	struct arena *a = &t->arena;
	const struct json *changed = json_new_obj(a);

	if (!t->args->timeout)
		return;
	for (size_t i = 0; json_is(all, J_OBJ) && i < all->n; i++) {
		const struct json_member *m = &all->members[i];
		const struct json *v = &m->v;

		if (json_is(v, J_OBJ))
			v = json_set(a, v, STR("timeout"), json_new_int(a, t->args->timeout));
		changed = json_set(a, changed, m->key, v);
	}
	t->settings = json_set(a, t->settings, STR("mcpServers"), changed);
}

/* ---- connecting ---- */

static void on_change(void *data)
{
	queue_push(data, xcalloc(1, sizeof(struct message)));
}

/* The first end of connecting counts: a server that will be restarted has failed. */
static bool look(struct test *t, int64_t start_us)
{
	bool all = true;

	for (size_t i = 0; i < t->n; i++) {
		struct tested *one = &t->p[i];
		bool settled = one->info.state != MCP_CONNECTING;

		if (settled)
			continue;
		mcp_server_info(t->servers, i, &one->info);
		if (one->info.state == MCP_READY)
			one->connect_us = clock_us() - start_us;
		all &= one->info.state != MCP_CONNECTING;
	}
	return all;
}

/* "files, docs" */
static void add_waiting(const struct test *t, struct buf *out)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->p[i].info.state == MCP_CONNECTING)
			buf_addf(out, "%s%s", out->n ? ", " : "waiting for ", t->p[i].info.name);
}

/* (waits) Until all have settled, the time is over, or it is interrupted. */
static void connect_all(struct test *t)
{
	struct progress *progress = progress_new(stderr);
	int64_t start = clock_us(), say = progress ? INT64_MAX : start + SILENT_MS * 1000LL;
	int64_t end = t->args->timeout ? start + t->args->timeout * 1000 : INT64_MAX;

	while (!look(t, start) && !halt_fired(t->halt) && clock_us() < end) {
		AUTO(buf_done) struct buf text = { 0 };
		struct pollfd fds[] = { { queue_fd(t->changes), POLLIN, 0 },
					{ cancel_fd(t->halt->work), POLLIN, 0 } };
		struct message *m;

		add_waiting(t, &text);
		progress_set(progress, buf_z(&text));
		(void)fd_poll_until(fds, ARRAY_LEN(fds), say < end ? say : end);
		while ((m = queue_pop(t->changes)))
			free(m);
		if (clock_us() < say || look(t, start))
			continue;
		/* Once, where no line of progress can be shown. */
		buf_clear(&text);
		add_waiting(t, &text);
		complain("%s", buf_z(&text));
		say = INT64_MAX;
	}
	progress_free(progress);
	for (size_t i = 0; i < t->n; i++)
		t->p[i].late = t->p[i].info.state == MCP_CONNECTING;
}

/* ---- a call ---- */

/* By the name that the model sees, or the server's own. */
static const struct mcp_tool *tool_find(struct test *t, const char *name)
{
	const struct mcp_tool *list;
	size_t n = mcp_servers_tools(t->servers, &list);

	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i].name, name) == 0)
			return &list[i];
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i].tool, name) == 0)
			return &list[i];
	return NULL;
}

static void show_progress(void *data, double progress, double total, struct str message)
{
	AUTO(buf_done) struct buf text = { 0 };

	(void)data;
	buf_addf(&text, "%g", progress);
	if (total >= 0)
		buf_addf(&text, " of %g", total);
	complain("%s%s%.*s", buf_z(&text), message.n ? ": " : "",
		 STR_ARG(utf8_prefix(message, 200)));
}

/* (waits) */
static int call(struct test *t, const struct json *args)
{
	const struct mcp_sink sink = { show_progress, t, test_ask };
	const struct mcp_tool *tool = tool_find(t, t->args->call);
	struct mcp_result result;
	struct err err;

	if (!tool) {
		enum { NAMES_MAX = 500 };
		const char *names[NAMES_MAX];
		const struct mcp_tool *list;
		size_t n = min_size(mcp_servers_tools(t->servers, &list), NAMES_MAX);

		for (size_t i = 0; i < n; i++)
			names[i] = list[i].tool;
		complain("unknown tool \"%s\"%s", t->args->call,
			 meant_of(str_from(t->args->call), names, n).text);
		return EXIT_USAGE;
	}
	if (mcp_call_tool(t->servers, tool->server, tool->tool, args, &sink, t->halt->work,
			  &t->arena, &result, &err) < 0) {
		complain("%s", err.text);
		if (t->args->load.json)
			json_error(err.text, EXIT_USAGE);
		return EXIT_USAGE;
	}
	test_print_result(&result, t->args->load.json);
	if (result.is_error && !t->args->load.json) {
		(void)fflush(stdout);
		complain("the tool %s failed", t->args->call);
	}
	return result.is_error ? EXIT_USAGE : EXIT_OK;
}

/* ---- the command ---- */

int test_start(struct test *t)
{
	if (!t->changes) {
		t->changes = queue_new();
		if (!t->changes || !halt_init(t->halt)) {
			complain("out of file descriptors");
			return EXIT_USAGE;
		}
		interrupt_halt(t->halt);
	}
	mcp_servers_free(t->servers);
	free(t->p);
	/* A command on the command line is the user's own word. */
	t->servers = mcp_servers_new(&(struct mcp_options){
		.settings = t->settings,
		.env = (const char *const *)environ,
		.cwd = t->cwd,
		.home = tl_hooks_home(t->hooks),
		.unnamed = t->given,
		.untrusted = !t->trusted && !t->given,
		.enablement = t->given ? NULL : t->enablement,
		.request_ms = t->args->call || t->args->timeout ? 0 : PING_MS,
		.on_change = on_change,
		.data = t->changes,
	});
	t->n = mcp_servers_count(t->servers);
	t->p = xcalloc(t->n, sizeof *t->p);
	for (size_t i = 0; i < t->n; i++) {
		mcp_server_info(t->servers, i, &t->p[i].info);
		t->p[i].index = i;
		t->p[i].connect_us = t->p[i].ping_us = -1;
		t->p[i].target = mcp_target(
			&t->arena, mcp_context(&t->arena, t->servers, t->p[i].info.name, ""));
		/* It may have settled already: look() is to see it. */
		if (t->p[i].info.state == MCP_READY)
			t->p[i].info.state = MCP_CONNECTING;
	}
	connect_all(t);
	return halt_fired(t->halt) ? interrupt_status() : EXIT_OK;
}

static bool all_ready(const struct test *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->p[i].info.state != MCP_READY || (!t->args->call && t->p[i].ping_us < 0))
			return false;
	return true;
}

/* (waits) */
static int run(struct test *t, const struct json *call_args)
{
	int status = test_start(t);
	struct test_shown shown;

	if (status != EXIT_OK)
		return status;
	if (t->args->call && (all_ready(t) || tool_find(t, t->args->call)))
		return call(t, call_args);
	for (size_t i = 0; i < t->n && !halt_fired(t->halt); i++) {
		struct tested *one = &t->p[i];
		int64_t start = clock_us();
		AUTO(buf_done) struct buf clean = { 0 };
		struct err err;

		if (one->info.state != MCP_READY)
			continue;
		if (mcp_ping(t->servers, one->info.name, t->halt->work, &err) == 0) {
			one->ping_us = clock_us() - start;
			continue;
		}
		(void)utf8_add_visible(&clean, str_from(err.text), false);
		memcpy(one->ping_error, buf_z(&clean), min_size(clean.n, MCP_REASON_MAX - 1));
	}
	if (halt_fired(t->halt))
		return interrupt_status();
	shown = (struct test_shown){ t->servers, t->p, t->n };
	if (t->args->load.json && t->unread && !t->n)
		return EXIT_USAGE; /* the error is all that there is */
	if (t->args->load.json)
		test_print_json(&shown);
	else if (!t->n && !t->unread)
		out_f(PLAIN, "No MCP servers are configured.  Add one: trotline mcp add NAME "
			     "COMMAND\n");
	else
		test_print_text(&shown);
	return all_ready(t) && !t->unread ? EXIT_OK : EXIT_USAGE;
}

/* An object of an option; NULL after having said what is wrong. */
static const struct json *object_arg(const char *text, const char *option, struct arena *a)
{
	AUTO(wb_done) struct wb wb = cli_wb(false);
	const struct json *v;
	struct err err;

	if (wb_json_arg(&wb, text, option, a, &v, &err) < 0) {
		complain("%s", err.text);
		return NULL;
	}
	if (json_is(v, J_OBJ))
		return v;
	complain("%s must be a JSON object, this is %s", option, json_what(v));
	return NULL;
}

static int check_args(struct test *t, const struct json **ret_args)
{
	const struct test_args *args = t->args;

	*ret_args = NULL;
	if (args->timeout < 0 || args->timeout > INT_MAX) {
		complain("--timeout takes milliseconds, for example 30000");
		return EXIT_USAGE;
	}
	if (!args->call && (args->call_args || args->answer)) {
		complain("%s belongs to --call TOOL", args->call_args ? "--args" : "--answer");
		return EXIT_USAGE;
	}
	if (args->call_args)
		*ret_args = object_arg(args->call_args, "--args", &t->arena);
	if (args->answer)
		t->answer = object_arg(args->answer, "--answer", &t->arena);
	return (args->call_args && !*ret_args) || (args->answer && !t->answer) ? EXIT_USAGE
									       : EXIT_OK;
}

int cmd_mcp_test(const void *args_, int n, char **rest)
{
	static struct halt halt; /* of the signal handlers */
	AUTO(test_done) struct test t = { .args = args_, .halt = &halt, .takes_commands = true };
	const struct json *call_args;
	int status = check_args(&t, &call_args);

	if (status == EXIT_OK)
		status = test_open(&t);
	if (status == EXIT_OK)
		status = test_choose(&t, n, rest);
	if (status != EXIT_OK)
		return status;
	if (!t.given && n == 0)
		t.unread = test_say_unread(&t) || test_has_misshapen(&t);
	set_timeouts(&t);
	return run(&t, call_args);
}

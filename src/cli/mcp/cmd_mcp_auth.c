/* trotline mcp auth: signs the user in to a server, or out. */
#include <stdio.h>
#include <unistd.h>

#include "base/json_pack.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/mcp/mcp_test.h"
#include "workbench/show.h"

struct auth_args {
	struct test_args test;
	bool forget, no_browser;
};

static const struct opt auth_rows[] = {
	{ "forget", 0, NULL, OPT_FLAG, offsetof(struct auth_args, forget),
	  "forget the authorization that there is" },
	{ "no-browser", 0, NULL, OPT_FLAG, offsetof(struct auth_args, no_browser),
	  "only print the address that is to be opened" },
	{ "timeout", 't', "MS", OPT_INT, offsetof(struct auth_args, test.timeout),
	  "milliseconds that connecting may take" },
	{ "dir", 'C', "DIR", OPT_STR, offsetof(struct auth_args, test.load.dir),
	  "work in this directory instead of the current one" },
	{ "skip-trust", 0, NULL, OPT_FLAG, offsetof(struct auth_args, test.load.trust),
	  "read the project's settings, trusted or not" },
	{ "json", 0, NULL, OPT_FLAG, offsetof(struct auth_args, test.load.json), "print JSON" },
};
const struct opt_set mcp_auth_opts = OPT_SET(auth_rows, struct auth_args);

/* For the user alone: what is on stdout may be read by a program. */
static void show(void *data, const char *url, bool opened)
{
	(void)data;
	(void)fprintf(stderr,
		      "%s\n\n  %s\n\nWaiting up to 5 minutes for the browser's answer; Ctrl+C "
		      "gives up.\n",
		      opened ? "The browser opens this address; if it does not, open it yourself:"
			     : "Open this address in a browser on this machine:",
		      url);
}

static int fail(const struct test *t, const struct err *err)
{
	complain("%s", err->text);
	if (t->args->load.json)
		json_error(err->text, EXIT_USAGE);
	return EXIT_USAGE;
}

static int finish(const struct test *t, const char *status, const char *text)
{
	AUTO(arena_done) struct arena a = { 0 };
	const char *name = t->given ? t->p[0].target : t->p[0].info.name;

	AUTO(buf_done) struct buf json = { 0 };

	if (t->args->load.json) {
		buf_adds(&json, json_text(&a, json_pack(&a, "name:z status:z", name, status),
					  JSON_PRETTY));
		out_json(&json);
		return EXIT_OK;
	}
	out_f(PLAIN, "%s: %s\n", name, text);
	return EXIT_OK;
}

/* (waits) */
static int sign_in(struct test *t, const struct auth_args *args)
{
	const struct mcp_sign_in how = { .no_browser = args->no_browser,
					 .unseen = !isatty(STDERR_FILENO),
					 .show = show };
	const char *name = t->p[0].info.name;
	struct err err;
	int r = mcp_server_sign_in(t->servers, name, &how, t->halt->work, &err);

	if (halt_fired(t->halt))
		return interrupt_status();
	if (r == -E_NOTFOUND && t->p[0].info.state == MCP_READY)
		return finish(t, "not-needed", "it is ready, and asks for no authorization.");
	if (r < 0)
		return fail(t, &err);
	/* Whether it is good for anything. */
	r = test_start(t);
	if (r != EXIT_OK)
		return r;
	if (t->p[0].info.state != MCP_READY) {
		(void)err_set(&err, E_IO,
			      "MCP server %s: you are signed in, but it is not ready: %s", name,
			      t->p[0].info.reason);
		return fail(t, &err);
	}
	return finish(t, "authorized", "you are signed in, and it is ready.");
}

int cmd_mcp_auth(const void *args_, int n, char **rest)
{
	static struct halt halt; /* of the signal handlers */
	const struct auth_args *args = args_;
	AUTO(test_done) struct test t = { .args = &args->test, .halt = &halt };
	int status = test_open(&t), r;
	struct err err;

	if (status == EXIT_OK)
		status = test_choose(&t, n, rest);
	if (status == EXIT_OK)
		status = test_start(&t);
	if (status != EXIT_OK)
		return status;
	if (!args->forget)
		return sign_in(&t, args);
	r = mcp_server_sign_out(t.servers, t.p[0].info.name, &err);
	if (r < 0)
		return fail(&t, &err);
	return finish(&t, r ? "forgotten" : "absent",
		      r ? "its authorization is forgotten here; the server may still know it."
			: "not authorized.");
}

/* trotline mcp enable, disable: switches a server off and on, wherever it is defined. */
#include "cli/commands.h"
#include "cli/mcp/mcp_test.h"

static const struct opt enable_rows[] = {
	{ "dir", 'C', "DIR", OPT_STR, offsetof(struct test_args, load.dir),
	  "work in this directory instead of the current one" },
	{ "skip-trust", 0, NULL, OPT_FLAG, offsetof(struct test_args, load.trust),
	  "read the project's settings, trusted or not" },
};
const struct opt_set mcp_enable_opts = OPT_SET(enable_rows, struct test_args);

static int change(const void *args, const char *name, bool on)
{
	AUTO(test_done) struct test t = { .args = args };
	const struct json *servers, *enablement = NULL;
	int status = test_open(&t), r;
	struct err err;

	if (status != EXIT_OK)
		return status;
	servers = json_getz(t.settings, "mcpServers");
	/* A mistyped name would leave the server as it is, in silence. */
	if (!json_getz(servers, name) &&
	    !(on && mcp_enablement_read(&t.arena, tl_hooks_home(t.hooks), &enablement, &err) == 0 &&
	      mcp_enablement_is_off(enablement, name))) {
		complain("no MCP server is named \"%s\"%s", name,
			 did_you_mean_key(&t.arena, name, servers));
		if (!test_say_unread(&t))
			out_note("All servers: trotline mcp list");
		return EXIT_USAGE;
	}
	r = mcp_enablement_set(tl_hooks_home(t.hooks), name, on, &err);
	if (r < 0) {
		complain("%s", err.text);
		return EXIT_CONFIG;
	}
	out_f(PLAIN, "MCP server \"%s\" is %s%s.\n", name, r ? "" : "already ",
	      on ? "enabled" : "disabled");
	return EXIT_OK;
}

int cmd_mcp_enable(const void *args, int n, char **rest)
{
	(void)n;
	return change(args, rest[0], true);
}

int cmd_mcp_disable(const void *args, int n, char **rest)
{
	(void)n;
	return change(args, rest[0], false);
}

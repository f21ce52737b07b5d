/* trotline mcp enable, disable: switches a server off and on, wherever it is defined. */
#include <unistd.h>

#include "cli/commands.h"
#include "cli/mcp/mcp_test.h"
#include "os/fs.h"

static const struct opt enable_rows[] = {
	{ "dir", 'C', "DIR", OPT_STR, offsetof(struct test_args, load.dir),
	  "work in this directory instead of the current one" },
	{ "skip-trust", 0, NULL, OPT_FLAG, offsetof(struct test_args, load.trust),
	  "read the project's settings, trusted or not" },
};
const struct opt_set mcp_enable_opts = OPT_SET(enable_rows, struct test_args);

/* A slip of the pen would leave the server as it is, in silence. */
static bool is_known(struct test *t, const char *name, bool on)
{
	const struct json *servers, *enablement = NULL;
	struct err err;

	servers = json_getz(t->settings, "mcpServers");
	if (json_getz(servers, name))
		return true;
	if (!on)
		return false;
	return mcp_enablement_read(&t->arena, tl_hooks_home(t->hooks), &enablement, &err) == 0 &&
	       mcp_enablement_is_off(enablement, name);
}

static int set(struct test *t, const char *name, bool on)
{
	struct err err;
	int r;

	if (!is_known(t, name, on)) {
		complain("there is no MCP server \"%s\"%s", name,
			 did_you_mean_key(&t->arena, name, json_getz(t->settings, "mcpServers")));
		if (!test_say_unread(t))
			complain("which there are: trotline mcp list");
		return EXIT_USAGE;
	}
	r = mcp_enablement_set(tl_hooks_home(t->hooks), name, on, &err);
	if (r < 0) {
		complain("%s", err.text);
		return EXIT_CONFIG;
	}
	out_f(PLAIN, "MCP server \"%s\" is %s%s.\n", name, r ? "" : "already ",
	      on ? "enabled" : "disabled");
	return EXIT_OK;
}

static int change(const void *args, char **rest, bool on)
{
	AUTO(free) char *here = getcwd(NULL, 0);
	struct test t = { .args = args };
	AUTO(free) char *cwd =
		fs_absolute(here ? here : "/", t.args->load.dir ? t.args->load.dir : ".");
	int status = load_hooks(&t.args->load, true, &t.hooks);

	if (status != EXIT_OK)
		return status;
	t.trusted = tl_hooks_folder_trusted(t.hooks);
	status = test_read_settings(&t, cwd);
	if (status == EXIT_OK)
		status = set(&t, rest[0], on);
	arena_done(&t.arena);
	tl_hooks_unref(t.hooks);
	return status;
}

int cmd_mcp_enable(const void *args, int n, char **rest)
{
	(void)n;
	return change(args, rest, true);
}

int cmd_mcp_disable(const void *args, int n, char **rest)
{
	(void)n;
	return change(args, rest, false);
}

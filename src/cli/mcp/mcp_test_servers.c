/* trotline mcp test, which servers: those that a session would have, or one that was given. */
#include <stdio.h>
#include <unistd.h>

#include "base/json_pack.h"
#include "cli/mcp/mcp_test.h"
#include "extensions/extension.h"
#include "mcp/transport.h"
#include "os/fs.h"
#include "settings/read.h"
#include "settings/settings.h"
#include "workbench/show.h"

static void complain_of_settings(void *data, const char *text)
{
	(void)data;
	complain("%s", text);
}

void test_done(struct test *t)
{
	mcp_servers_free(t->servers);
	queue_free(t->changes, (void (*)(struct message *))free);
	tl_hooks_unref(t->hooks);
	free(t->p);
	arena_done(&t->arena);
}

int test_open(struct test *t)
{
	struct tl_settings set = TL_SETTINGS_INIT();
	AUTO(free) char *here = getcwd(NULL, 0);
	AUTO(free) char *cwd =
		fs_absolute(here ? here : "/", t->args->load.dir ? t->args->load.dir : ".");
	int status = load_hooks(&t->args->load, true, &t->hooks);

	if (status != EXIT_OK)
		return status;
	t->cwd = arena_z(&t->arena, str_from(cwd));
	t->trusted = tl_hooks_folder_trusted(t->hooks);
	tl_hooks_settings(t->hooks, &set);
	struct extension_options options = { .home = tl_hooks_home(t->hooks),
					     .project = tl_hooks_project_dir(t->hooks),
					     .untrusted = !t->trusted,
					     .project_env = t->trusted };
	struct settings_dirs from = {
		.dirs = hooks_dirs(t->hooks, t->cwd),
		.trusted = t->trusted,
		.sources = set.sources,
		.below = extensions_settings(&t->arena, extensions_read(&t->arena, &options)),
		.complain = complain_of_settings,
	};
	struct err err;

	if (settings_load(&t->arena, &from, &t->settings, &err) == 0 &&
	    mcp_enablement_read(&t->arena, options.home, &t->enablement, &err) >= 0)
		return EXIT_OK;
	complain("%s", err.text);
	if (t->args->load.json)
		json_error(err.text, EXIT_CONFIG);
	return EXIT_CONFIG;
}

/* mcpServers of a place's file; NULL when it has none. */
static const struct json *servers_in(const struct test *t, const struct settings_place *p,
				     struct arena *a)
{
	struct dirs dirs = hooks_dirs(t->hooks, NULL);
	const char *path = p->use == PLACE_READ ? place_path(p, &dirs, a) : NULL;
	const struct json *doc;

	return path && settings_read(a, path, NULL, &doc, NULL) > 0 ? json_getz(doc, "mcpServers")
								    : NULL;
}

bool test_has_misshapen(const struct test *t)
{
	AUTO(arena_done) struct arena a = { 0 };

	for (const struct settings_place *p = NULL; (p = place_next(p, NULL, PLACE_SERVERS));) {
		const struct json *servers = servers_in(t, p, &a);

		if (servers && !json_is(servers, J_OBJ) && !json_is(servers, J_NULL) &&
		    (t->trusted || !tiers[p->tier].foreign))
			return true;
	}
	return false;
}

bool test_say_unread(const struct test *t)
{
	AUTO(arena_done) struct arena a = { 0 };

	for (const struct settings_place *p = NULL; (p = place_next(p, NULL, PLACE_SERVERS));) {
		const struct json *servers =
			tiers[p->tier].foreign && !t->trusted ? servers_in(t, p, &a) : NULL;

		if (!json_is(servers, J_OBJ) || servers->n == 0)
			continue;
		complain("%s is not read, because this folder is not trusted: \"trotline hooks "
			 "trust\" trusts it, --skip-trust for this run",
			 p->path);
		return true;
	}
	return false;
}

/* Leaves the named servers, or all when none is named. */
static int use_names(struct test *t, int n, char **names)
{
	const struct json *all = json_getz(t->settings, "mcpServers"), *left;

	if (n == 0)
		return EXIT_OK;
	left = json_new_obj(&t->arena);
	for (int i = 0; i < n; i++) {
		const struct json *entry = json_getz(all, names[i]);

		if (!entry) {
			const char *meant = did_you_mean_key(&t->arena, names[i], all);

			complain("no MCP server is named \"%s\"%s", names[i], meant);
			if (!test_say_unread(t) && !*meant)
				out_note(t->takes_commands
						 ? "All servers: trotline mcp list\n"
						   "A command that is not configured goes after "
						   "--: trotline mcp test -- COMMAND ..."
						 : "All servers: trotline mcp list");
			return EXIT_USAGE;
		}
		left = json_set(&t->arena, left, str_from(names[i]), entry);
	}
	t->settings = json_set(&t->arena, t->settings, STR("mcpServers"), left);
	return EXIT_OK;
}

int test_choose(struct test *t, int n, char **rest)
{
	bool command = n > 0 && strcmp(rest[0], "--") == 0;
	bool url = n > 0 && !command && strstr(rest[0], "://");
	const struct opt_list *headers = &t->args->headers;
	struct arena *a = &t->arena;
	const struct json *entry, *naming;
	const char *odd = "";

	if (headers->n && !url) {
		complain("--header is for a URL; servers that are configured have theirs in the "
			 "settings");
		return EXIT_USAGE;
	}
	if (!command && !url)
		return use_names(t, n, rest);
	if (url ? n > 1 : n == 1 || !*rest[1]) {
		complain(url ? "unexpected argument after the URL: %s"
			     : "a command is missing behind %s",
			 rest[url]);
		return EXIT_USAGE;
	}
	if (url) {
		entry = mcp_entry_of_url(a, rest[0], headers->p, headers->n, &odd);
	} else {
		struct json_list args = { 0 };

		for (int i = 2; i < n; i++)
			json_list_add(&args, json_pack_str(a, rest[i]));
		entry = json_pack(a, "command:z args:j", rest[1], json_list_take(a, &args));
	}
	if (!entry) {
		complain("--header takes a name and a value with \":\" between them, not \"%s\"",
			 odd);
		return EXIT_USAGE;
	}
	/* The only server: nothing in the settings keeps it from being used. */
	naming = json_pointer(t->settings, STR("/mcp/toolNaming"));
	t->settings = json_set(a, t->settings, STR("mcp"), json_pack(a, "?toolNaming:j", naming));
	t->settings =
		json_set(a, t->settings, STR("mcpServers"), json_pack(a, GIVEN_NAME ":j", entry));
	t->given = true;
	return EXIT_OK;
}

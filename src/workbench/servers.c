/* MCP servers of hooks that are run without a session: the one that is asked is connected. */
#include <unistd.h>

#include "agent/hook_hosts.h"
#include "extensions/extension.h"
#include "settings/settings.h"
#include "workbench/show.h"
#include "workbench/wb.h"

static struct mcp_servers *connect(void *wb_, const char *server, struct err *err)
{
	struct wb *wb = wb_;
	struct arena *a = &wb->arena;
	const struct extension_options options = { .home = wb->dirs.home,
						   .project = wb->dirs.project,
						   .untrusted = !wb->dirs_trusted,
						   .project_env = wb->dirs_trusted };
	const struct settings_dirs from = {
		.dirs = wb->dirs,
		.trusted = wb->dirs_trusted,
		.sources = wb->sources,
		.below = extensions_settings(a, extensions_read(a, &options)),
	};
	const struct json *settings, *all, *enablement = NULL;
	const char **only = ARENA_ARRAY(a, const char *, 2);

	if (settings_load(a, &from, &settings, err) < 0 ||
	    mcp_enablement_read(a, wb->dirs.home, &enablement, err) < 0)
		return NULL;
	all = json_getz(settings, "mcpServers");
	if (!json_getz(all, server)) {
		(void)err_set(err, E_NOTFOUND, "no MCP server is named \"%s\"%s", server,
			      did_you_mean_key(a, server, all));
		return NULL;
	}
	only[0] = arena_z(a, str_from(server));
	return mcp_servers_new(&(struct mcp_options){ .settings = settings,
						      .env = wb->dirs.env,
						      .cwd = wb->dirs.cwd,
						      .untrusted = !wb->dirs_trusted,
						      .enablement = enablement,
						      .only = only });
}

static struct session *open_model(void *wb_, struct err *err)
{
	struct wb *wb = wb_;

	return wb->open_model(wb, err);
}

static void close_model(void *wb_)
{
	struct wb *wb = wb_;

	wb->close_model(wb);
}

void wb_give_handlers(struct wb *wb, struct tl_options *o)
{
	if (!wb->hosts)
		wb->hosts = hook_hosts_new(&(struct hook_hosts_options){
			.kinds = hook_kinds,
			.connect = connect,
			.open_model = wb->open_model ? open_model : NULL,
			.close_model = close_model,
			.data = wb });
	o->handlers = hook_hosts_rows(wb->hosts, &o->nhandlers);
}

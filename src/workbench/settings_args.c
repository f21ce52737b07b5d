/* --into, --scope: which settings files are meant. */
#include "workbench/settings_args.h"

#include "os/fs.h"
#include "settings/home.h"

enum { ANY = PLACE_HOOKS | PLACE_SERVERS };

void settings_target_done(struct settings_target *t)
{
	settings_roots_done(&t->roots);
	free(t->hooks_path);
	free(t->hooks_other);
	free(t->mcp_path);
	free(t->mcp_other);
}

int agent_target_find(struct wb *wb, const char *name, const struct agent **ret_agent)
{
	*ret_agent = agent_target(name ? name : "gemini");
	return *ret_agent ? EXIT_OK : wb_fail_word(wb, "--into", AGENT_TARGETS, name);
}

int settings_target_find(struct wb *wb, const struct settings_args *args,
			 struct settings_target *ret_t)
{
	struct settings_target *t = ret_t;
	struct err err;

	t->user = false;
	t->dry_run = args->dry_run;
	if (wb_scope(wb, args->scope, &t->user) != EXIT_OK)
		return EXIT_USAGE;
	if (agent_target_find(wb, args->into, &t->agent) != EXIT_OK)
		return EXIT_USAGE;
	if (settings_roots_find(args->dir ? wb_path(wb, args->dir) : wb->cwd, &t->roots, &err) < 0)
		return wb_fail_err(wb, EXIT_USAGE, &err);
	if (!t->user && t->roots.at_home)
		return wb_fail(wb, EXIT_USAGE,
			       "this is your home directory, not a project: start in the folder of "
			       "a project, or use --scope user");
	if (!*(t->user ? t->roots.home : t->roots.project))
		return wb_fail_home(wb);
	for (const struct settings_place *p = NULL;
	     (p = place_next_in(p, tier_of_scope(t->user), t->agent->files, ANY));) {
		if (t->agent->own && !p->own)
			continue;
		if (p->holds & PLACE_HOOKS && !t->hooks_path)
			t->hooks_path = settings_target_file(t, p->path);
		else if (p->own && !t->hooks_other)
			t->hooks_other = settings_target_file(t, p->path);
		if (p->holds & PLACE_SERVERS && !t->mcp_path)
			t->mcp_path = settings_target_file(t, p->path);
		else if (p->holds & PLACE_SERVERS && !t->mcp_other)
			t->mcp_other = settings_target_file(t, p->path);
	}
	return EXIT_OK;
}

int settings_roots_of_agents(struct wb *wb, const struct settings_args *args,
			     struct settings_roots *ret_roots, bool *ret_user)
{
	bool user = true;
	struct err err;

	if (wb_scope(wb, args->scope, &user) != EXIT_OK)
		return EXIT_USAGE;
	if (settings_roots_find(args->dir ? wb_path(wb, args->dir) : wb->cwd, ret_roots, &err) < 0)
		return wb_fail_err(wb, EXIT_USAGE, &err);
	if (!*ret_roots->home)
		return wb_fail_home(wb);
	if (!user && ret_roots->at_home)
		return wb_fail(wb, EXIT_USAGE,
			       "--scope is user (the default), or project inside of one");
	*ret_user = user;
	return EXIT_OK;
}

char *settings_target_file(const struct settings_target *t, const char *name)
{
	return t->user ? home_file(t->roots.home, (const char *const *)environ, name)
		       : fs_join(t->roots.project, name);
}

struct settings_change settings_target_change(const struct settings_target *t, const char *path)
{
	return (struct settings_change){ .path = path,
					 .project = t->user ? NULL : t->roots.project,
					 .home = t->roots.home,
					 .dry_run = t->dry_run };
}

int settings_failed(struct wb *wb, const struct err *err)
{
	int status = err->code == E_PARSE || err->code == E_CONFIG ? EXIT_CONFIG : EXIT_USAGE;

	(void)wb_fail_err(wb, status, err);
	if (status == EXIT_CONFIG)
		wb_complain(wb, "nothing was written; correct the file and try again");
	return status;
}

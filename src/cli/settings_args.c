/* --into, --scope: which settings files are meant. */
#include "cli/settings_args.h"

#include "os/fs.h"

void settings_target_done(struct settings_target *t)
{
	settings_roots_done(&t->roots);
	free(t->hooks_path);
	free(t->mcp_path);
}

static const struct agent *find_agent(const char *name)
{
	const struct agent *agent = agent_target(name ? name : "gemini");

	if (!agent)
		complain("--into is gemini, tabnine, terminai or claude, not \"%s\"", name);
	return agent;
}

int settings_target_find(const struct settings_args *args, struct settings_target *ret_t)
{
	struct settings_target *t = ret_t;
	const char *root;
	struct err err;

	t->user = args->scope && strcmp(args->scope, "user") == 0;
	t->dry_run = args->dry_run;
	if (args->scope && !t->user && strcmp(args->scope, "project") != 0) {
		complain("--scope is project or user, not \"%s\"", args->scope);
		return EXIT_USAGE;
	}
	t->agent = find_agent(args->into);
	if (!t->agent)
		return EXIT_USAGE;
	if (settings_roots_find(args->dir, &t->roots, &err) < 0) {
		complain("%s", err.text);
		return EXIT_USAGE;
	}
	if (!t->user && t->roots.at_home) {
		complain("this is your home directory, which is no project: start in the folder of "
			 "a project, or use --scope user");
		return EXIT_USAGE;
	}
	root = t->user ? t->roots.home : t->roots.project;
	if (!*root) {
		complain("there is no home directory; set HOME");
		return EXIT_USAGE;
	}
	t->hooks_path = fs_join(root, t->agent->settings);
	t->mcp_path = fs_join(root, t->user ? t->agent->mcp_user : t->agent->mcp_project);
	return EXIT_OK;
}

struct settings_change settings_target_change(const struct settings_target *t, const char *path)
{
	return (struct settings_change){ .path = path,
					 .project = t->user ? NULL : t->roots.project,
					 .home = t->roots.home,
					 .dry_run = t->dry_run };
}

int settings_failed(const struct err *err, bool json)
{
	int status = err->code == E_PARSE || err->code == E_CONFIG ? EXIT_CONFIG : EXIT_USAGE;

	complain("%s", err->text);
	if (status == EXIT_CONFIG)
		complain("nothing was written; correct the file and try again");
	if (json)
		json_error(err->text, status);
	return status;
}

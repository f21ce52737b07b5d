/* Where the skills of the user and of the project are, and which of the two --scope means. */
#include "cli/extensions/skill_commands.h"

int skill_roots_find(struct wb *wb, const struct skill_args *args, struct skill_roots *ret_roots)
{
	struct tl_hooks *hooks;
	int status = wb_load(wb, &args->load, WB_QUIET, &hooks);

	if (status != EXIT_OK)
		return status;
	*ret_roots = (struct skill_roots){
		.home = xstrdup(tl_hooks_home(hooks)),
		.project = xstrdup(tl_hooks_project_dir(hooks)),
		.trusted = tl_hooks_folder_trusted(hooks),
	};
	ret_roots->at_home = dirs_at_home(
		&(struct dirs){ .project = ret_roots->project, .home = ret_roots->home });
	tl_hooks_unref(hooks);
	return EXIT_OK;
}

void skill_roots_done(struct skill_roots *r)
{
	free(r->home);
	free(r->project);
}

int skill_scope(struct wb *wb, const struct skill_args *args, const struct skill_roots *r,
		const char *dflt, bool *ret_user)
{
	bool user = false;

	if (wb_scope(wb, args->scope ? args->scope : dflt, &user) != EXIT_OK)
		return EXIT_USAGE;
	if (user && !*r->home)
		return wb_fail_home(wb);
	/* What is meant for "here" is the user's, when here is the home directory. */
	*ret_user = user || r->at_home;
	return EXIT_OK;
}

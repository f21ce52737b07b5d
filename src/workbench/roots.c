#include "workbench/roots.h"

#include "os/fs.h"
#include "settings/places.h"

int settings_roots_find(const char *dir, struct settings_roots *ret_roots, struct err *err)
{
	struct tl_options o = TL_OPTIONS_INIT(.cwd = dir, .flags = TL_LOAD_NO_FILES);
	struct tl_hooks *hooks;
	struct tl_err e;

	if (dir && !fs_is_dir(dir))
		return err_set(err, E_NOTFOUND, "%s: no such directory", dir);
	if (tl_hooks_load(&o, &hooks, &e) < 0)
		return err_set(err, E_INVAL, "%s", e.text);
	*ret_roots = (struct settings_roots){
		.project = xstrdup(tl_hooks_project_dir(hooks)),
		.home = xstrdup(tl_hooks_home(hooks)),
	};
	ret_roots->at_home = dirs_at_home(
		&(struct dirs){ .project = ret_roots->project, .home = ret_roots->home });
	tl_hooks_unref(hooks);
	return 0;
}

void settings_roots_done(struct settings_roots *r)
{
	free(r->project);
	free(r->home);
}

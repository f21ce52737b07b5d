#include "hosts/load.h"

#include <unistd.h>

#include "os/fs.h"

/* The directory, or its nearest parent, that has a file of ours for projects; NULL = none. */
static char *own_settings(const char *home, const char *dir)
{
	char *path = dir && *dir == '/' ? xstrdup(dir) : NULL;

	while (path && *path) {
		AUTO(free) char *file = fs_join(path, ".trotline/settings.json");

		if (strcmp(path, home) != 0 && fs_exists(file))
			return path;
		*strrchr(path, '/') = '\0';
	}
	free(path);
	return NULL;
}

int host_load(const struct host_load *l, struct tl_hooks **ret_hooks, struct tl_err *err)
{
	AUTO(free) char *here = getcwd(NULL, 0);
	AUTO(free) char *project = NULL;
	struct tl_options o =
		TL_OPTIONS_INIT(.cwd = l->cwd, .agent_reads = l->reads ? l->reads : "");

	for (const char *const *dir = l->dirs; !project && dir && *dir; dir++)
		project = own_settings(l->home, *dir);
	if (!project)
		project = own_settings(l->home, here);
	o.project_dir = project;
	return tl_hooks_load(&o, ret_hooks, err);
}

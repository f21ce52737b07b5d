#include "workbench/policy_setup.h"

#include "settings/settings.h"
#include "workbench/wb.h"

struct policy *policy_setup(struct policy_setup *s, struct arena *a, struct err *err)
{
	const char *home = tl_hooks_home(s->hooks), *project = tl_hooks_project_dir(s->hooks);
	const struct extensions *all = extensions_read(
		a, &(struct extension_options){
			   .home = home, .project = project, .plugins = s->hooks->set.plugins });
	struct settings_dirs from = { .dirs = hooks_dirs(s->hooks, project),
				      .trusted = s->trusted,
				      .below = extensions_settings(a, all) };
	struct policy_options o = s->o;

	if (settings_load(a, &from, &s->settings, err) < 0)
		return NULL;
	s->agents = agents_read(a, &(struct catalog_options){ .home = home,
							      .project = project,
							      .trusted = s->trusted,
							      .extensions = all,
							      .settings = s->settings });
	o.settings = s->settings;
	o.extension_policies = extensions_dirs(a, all, "policies");
	o.home = home;
	o.project = project;
	o.trusted = s->trusted;
	o.complain = s->complain;
	o.data = s->data;
	if (!o.cwd)
		o.cwd = project;
	return policy_new(&o, err);
}

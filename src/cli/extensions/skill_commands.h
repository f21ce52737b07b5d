/* What `trotline skills` and its files share (docs/skills.md). */
#pragma once

#include "agent/catalog/skills.h"
#include "cli/cli.h"
#include "settings/edit.h"
#include "workbench/roots.h"

struct skill_args {
	struct load_args load;
	const char *scope, *path;
	bool consent, all;
};

/* Where things are, and whether the project counts. */
struct skill_roots {
	char *home, *project; /* home may be "" */
	bool at_home; /* the home directory is no project */
	bool trusted;
};

/* Finds them; an exit status, after having said what is wrong. */
int skill_roots_find(struct wb *wb, const struct skill_args *args, struct skill_roots *ret_roots);
void skill_roots_done(struct skill_roots *r);
DEFINE_AUTO(struct skill_roots, skill_roots_done)
/* *ret_user: is --scope the user's?  "workspace" and "project" are the same; without the option it
 * is dflt.  An exit status. */
int skill_scope(struct wb *wb, const struct skill_args *args, const struct skill_roots *r,
		const char *dflt, bool *ret_user);

int cmd_skills_install(struct wb *wb, const void *args, int n, char **rest);
int cmd_skills_link(struct wb *wb, const void *args, int n, char **rest);
int cmd_skills_uninstall(struct wb *wb, const void *args, int n, char **rest);
extern const struct opt_set skill_install_opts, skill_link_opts, skill_uninstall_opts;
extern const struct command skills_commands[];
extern const size_t skills_commands_n;

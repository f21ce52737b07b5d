/* The directories that settings are looked for in, as the engine finds them. */
#pragma once

#include "base/err.h"

struct settings_roots {
	char *project, *home; /* home is "" when there is none */
	bool at_home; /* the home directory is no project */
};

int settings_roots_find(const char *dir, struct settings_roots *ret_roots, struct err *err);
void settings_roots_done(struct settings_roots *r);
DEFINE_AUTO(struct settings_roots, settings_roots_done)

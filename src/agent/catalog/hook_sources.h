/* Hooks in the front matter of agents and skills, loaded with all others. */
#pragma once

#include "trotline.h"

/*
 * tl_hooks_load(), and where an agent or a skill has hooks they are in the snapshot, each with the
 * name of what it belongs to.  A project's are there whether it is trusted or not, so that they can
 * be shown and approved.
 */
int hooks_load_with_catalog(const struct tl_options *o, struct tl_hooks **ret_hooks,
			    struct tl_err *err);

/* trotline hooks init: a first configuration and a hook that works. */
#include "cli/commands.h"

struct init_args {
	const char *language, *dir;
};

static const struct opt opts[] = {
	{ "language", 'l', "NAME", OPT_STR, offsetof(struct init_args, language),
	  "write the hook in sh (default), python, node or c" },
	{ "dir", 'C', "DIR", OPT_STR, offsetof(struct init_args, dir),
	  "work in this directory instead of the current one" },
};
const struct opt_set init_opts = OPT_SET(opts, struct init_args);

int cmd_init(const void *args, int n, char **rest)
{
	(void)args;
	(void)n;
	(void)rest;
	return EXIT_OK;
}

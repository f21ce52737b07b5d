#include "cli/commands.h"

struct switch_args {
	struct load_args load;
};

static const struct opt opts[] = {
	LOAD_OPTS(struct switch_args),
};
const struct opt_set switch_opts = OPT_SET(opts, struct switch_args);

int cmd_enable(const void *args, int n, char **rest)
{
	(void)args;
	(void)n;
	(void)rest;
	return EXIT_USAGE;
}

int cmd_disable(const void *args, int n, char **rest)
{
	(void)args;
	(void)n;
	(void)rest;
	return EXIT_USAGE;
}

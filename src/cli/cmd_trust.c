#include "cli/commands.h"

struct trust_args {
	struct load_args load;
};

static const struct opt opts[] = {
	LOAD_OPTS(struct trust_args),
};
const struct opt_set trust_opts = OPT_SET(opts, struct trust_args);

int cmd_trust(const void *args, int n, char **rest)
{
	(void)args;
	(void)n;
	(void)rest;
	return EXIT_USAGE;
}

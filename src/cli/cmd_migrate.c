/* trotline hooks migrate. */
#include "cli/commands.h"

static const struct opt opts[] = { { "json", 0, NULL, OPT_FLAG, 0, "print JSON" } };
const struct opt_set migrate_opts = { opts, 1, sizeof(bool) };

int cmd_migrate(const void *args, int n, char **rest)
{
	(void)args;
	(void)n;
	(void)rest;
	return EXIT_USAGE;
}

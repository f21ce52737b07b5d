/* trotline hooks lint: what is wrong or suspicious in the configuration. */
#include "cli/commands.h"

struct lint_args {
	struct load_args load;
};

static const struct opt opts[] = {
	LOAD_OPTS(struct lint_args),
};
const struct opt_set lint_opts = OPT_SET(opts, struct lint_args);

int cmd_lint(const void *args_, int n, char **rest)
{
	const struct lint_args *args = args_;
	struct tl_hooks *hooks;
	int status = load_hooks(&args->load, false, &hooks);

	(void)n;
	(void)rest;
	if (status == EXIT_OK)
		tl_hooks_unref(hooks);
	return status;
}

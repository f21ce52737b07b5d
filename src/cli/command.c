/* The command that is meant, in this process. */
#include "cli/agent/agent_run.h"
#include "cli/cli.h"

static int show_help(const char *path, const struct command *commands, size_t n,
		     const struct command *c)
{
	AUTO(wb_done) struct wb wb = cli_wb(false);

	if (c)
		command_help(&wb, path, c);
	else
		command_help_list(&wb, path, commands, n);
	return cli_show(&wb, EXIT_OK);
}

static int complain_unknown(const char *path, const struct command *commands, size_t n,
			    const char *name)
{
	AUTO(wb_done) struct wb wb = cli_wb(false);

	return cli_show(&wb, command_unknown(&wb, path, commands, n, name));
}

int command_run(const char *path, const struct command *commands, size_t n, int argc, char **argv)
{
	const struct command *c;

	if (argc == 0 || command_is_help(argv[0]) || strcmp(argv[0], "help") == 0) {
		c = argc > 1 ? command_find(commands, n, argv[1]) : NULL;
		if (argc > 1 && !c && !command_is_help(argv[1]))
			return complain_unknown(path, commands, n, argv[1]);
		(void)show_help(path, commands, n, c);
		return argc == 0 ? EXIT_USAGE : EXIT_OK;
	}
	c = command_find(commands, n, argv[0]);
	if (!c)
		return complain_unknown(path, commands, n, argv[0]);
	if (!c->sub) {
		AUTO(wb_done) struct wb wb = cli_wb(false);

		wb.open_model = hook_model_open;
		wb.close_model = hook_model_close;
		return cli_show(&wb, cli_call(&wb, path, c, argc - 1, argv + 1));
	}
	if (argc > 1 && command_is_help(argv[1]))
		return show_help(path, commands, n, c);
	AUTO(free) char *inner = xasprintf("%s %s", path, c->name);
	return command_run(inner, c->sub, c->nsub, argc - 1, argv + 1);
}

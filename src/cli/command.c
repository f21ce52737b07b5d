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

static int complain_unknown(const char *path, const struct command *commands, size_t n, bool json,
			    const char *name)
{
	AUTO(wb_done) struct wb wb = cli_wb(json);

	return cli_show(&wb, command_unknown(&wb, path, commands, n, name));
}

/* --json where no command is: what is wrong is then told as JSON. */
static bool take_json(int *argc, char **argv)
{
	int kept = 0, n = *argc;

	for (int i = 0; i < n; i++)
		if (strcmp(argv[i], "--json") != 0)
			argv[kept++] = argv[i];
	*argc = kept;
	return kept < n;
}

int command_run(const char *path, const struct command *commands, size_t n, int argc, char **argv)
{
	const struct command *c = argc ? command_find(commands, n, argv[0]) : NULL;
	bool json = !c && take_json(&argc, argv);

	if (argc == 0 && json)
		return complain_unknown(path, commands, n, json, NULL);
	if (argc == 0 || command_is_help(argv[0]) || strcmp(argv[0], "help") == 0) {
		c = argc > 1 ? command_find(commands, n, argv[1]) : NULL;
		if (argc > 1 && !c && !command_is_help(argv[1]))
			return complain_unknown(path, commands, n, json, argv[1]);
		(void)show_help(path, commands, n, c);
		return argc == 0 ? EXIT_USAGE : EXIT_OK;
	}
	if (!c)
		return complain_unknown(path, commands, n, json, argv[0]);
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

/* The tree of commands: finding the one that is meant, its options, its help. */
#include "cli/cli.h"

#include <stdio.h>

enum { SUMMARY_AT = 14 };

static void help_list(const char *path, const struct command *commands, size_t n)
{
	out_f(PLAIN, "Usage: %s COMMAND ...\n\nCommands:\n", path);
	for (size_t i = 0; i < n; i++)
		if (!commands[i].hidden)
			out_f(PLAIN, "  %-*s %s\n", SUMMARY_AT - 3, commands[i].name,
			      commands[i].summary);
	out_f(PLAIN, "\n%s COMMAND --help explains one.\n", path);
}

static void help_one(const char *path, const struct command *c)
{
	AUTO(buf_done) struct buf opts = { 0 };
	bool options = c->opts && c->opts->n > 0;

	if (c->sub) {
		AUTO(free) char *inner = xasprintf("%s %s", path, c->name);

		if (c->text)
			out_f(PLAIN, "%s\n", c->text);
		help_list(inner, c->sub, c->nsub);
		return;
	}
	out_f(PLAIN, "Usage: %s %s%s%s%s\n\n%c%s.\n", path, c->name, options ? " [OPTIONS]" : "",
	      c->args ? " " : "", c->args ? c->args : "", c->summary[0] - 'a' + 'A',
	      c->summary + 1);
	if (c->text)
		out_f(PLAIN, "\n%s", c->text);
	if (!options)
		return;
	opt_help(&opts, c->opts->opts, c->opts->n, out_columns());
	out_f(PLAIN, "\nOptions:\n%s", buf_z(&opts));
}

static bool is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int run_one(const char *path, const struct command *c, int argc, char **argv)
{
	AUTO(wb_done) struct wb wb = cli_wb(false);
	int status;

	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (c->words && argv[i][0] != '-')
			break; /* it may be meant for the command that follows */
		if (is_help(argv[i])) {
			help_one(path, c);
			return EXIT_OK;
		}
	}
	status = command_call(&wb, path, c, argc, argv);
	if (c->run && !wb.failure.p) /* it has printed by itself */
		return status;
	return cli_show(&wb, status);
}

int command_run(const char *path, const struct command *commands, size_t n, int argc, char **argv)
{
	const struct command *c;

	if (argc == 0 || is_help(argv[0]) || strcmp(argv[0], "help") == 0) {
		if (argc > 1 && (c = command_find(commands, n, argv[1])))
			help_one(path, c);
		else
			help_list(path, commands, n);
		return argc == 0 ? EXIT_USAGE : EXIT_OK;
	}
	c = command_find(commands, n, argv[0]);
	if (!c) {
		AUTO(wb_done) struct wb wb = cli_wb(false);

		return cli_show(&wb, command_unknown(&wb, path, commands, n, argv[0]));
	}
	if (!c->sub)
		return run_one(path, c, argc - 1, argv + 1);
	if (argc > 1 && is_help(argv[1])) {
		help_one(path, c);
		return EXIT_OK;
	}
	AUTO(free) char *inner = xasprintf("%s %s", path, c->name);
	return command_run(inner, c->sub, c->nsub, argc - 1, argv + 1);
}

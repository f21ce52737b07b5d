/* The tree of commands: finding the one that is meant, its options, its help. */
#include "cli/cli.h"

#include <limits.h>
#include <stdio.h>

enum { SUMMARY_AT = 14 };

static const struct command *command_find(const struct command *commands, size_t n,
					  const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

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

static int parse(const struct command *c, const struct opt_set *opts, void *args, int argc,
		 char **argv, int *ret_n, struct err *err)
{
	int words = c->words ? c->words : INT_MAX, end = argc, r;

	for (int i = 0; c->keeps_dashes && i < end; i++)
		if (strcmp(argv[i], "--") == 0)
			end = i;
	r = opt_parse_until(opts->opts, opts->n, args, words, end, argv, ret_n, err);
	if (r < 0)
		return r;
	memmove(argv + *ret_n, argv + end, (size_t)(argc - end) * sizeof *argv);
	*ret_n += argc - end;
	return 0;
}

static int run_one(const char *path, const struct command *c, int argc, char **argv)
{
	static const struct opt_set none;
	const struct opt_set *opts = c->opts ? c->opts : &none;
	AUTO(free) void *args = xcalloc(1, opts->size);
	struct err err;
	int n = 0;

	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (c->words && argv[i][0] != '-')
			break; /* it may be meant for the command that follows */
		if (is_help(argv[i])) {
			help_one(path, c);
			return EXIT_OK;
		}
	}
	if (parse(c, opts, args, argc, argv, &n, &err) < 0) {
		complain("%s", err.text);
	} else if (n < c->min_args) {
		complain("%s %s needs %s", path, c->name, c->args);
	} else if (c->max_args >= 0 && n > c->max_args) {
		complain("%s %s: one argument too many: %s", path, c->name, argv[c->max_args]);
	} else {
		return c->run(args, n, argv);
	}
	(void)fprintf(stderr, "%s %s --help explains it.\n", path, c->name);
	return EXIT_USAGE;
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
		const char *names[32];
		size_t known = min_size(n, ARRAY_LEN(names));

		for (size_t i = 0; i < known; i++)
			names[i] = commands[i].name;
		const char *near = str_nearest(str_from(argv[0]), names, known);
		complain("there is no command \"%s\"%s%s%s", argv[0],
			 near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
		(void)fprintf(stderr, "%s --help lists them.\n", path);
		return EXIT_USAGE;
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

#include "cli/cli.h"

#include <stdio.h>

static const char hooks_text[] =
	"Hooks are programs that an agent runs at fixed moments and that may observe, change, "
	"deny\n"
	"or stop what happens.  These commands show and check the hooks of this project:\n"
	"\n"
	"  trotline hooks list                     which hooks there are, in run order\n"
	"  trotline hooks run BeforeTool --tool run_shell_command --input '{\"command\":\"ls\"}'\n"
	"  trotline hooks why BeforeTool --tool write_file\n"
	"  trotline hooks lint                     what is wrong with the configuration\n";

static int show_version(void)
{
	(void)printf("trotline %s\n", tl_version());
	return EXIT_OK;
}

int main(int argc, char **argv)
{
	const struct command commands[] = {
		{ .name = "hooks", .summary = "run, explain, check and manage hooks",
		  .text = hooks_text, .sub = hooks_commands, .nsub = hooks_commands_n },
	};
	int status;

	if (argc == 2 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-v") == 0))
		return show_version();
	status = command_run("trotline", commands, ARRAY_LEN(commands), argc - 1, argv + 1);
	if (fflush(stdout) != 0 && status == EXIT_OK) {
		complain("writing the output failed");
		return EXIT_USAGE;
	}
	return status;
}

/* The program: `trotline hooks ...` are the hooks' commands, everything else is the agent. */
#include <errno.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/agent/agent_run.h"
#include "cli/commands.h"
#include "cli/extensions/extensions.h"
#include "cli/extensions/skill_commands.h"
#include "os/watch.h"

static const char hooks_text[] =
	"Hooks are programs that an agent runs at fixed moments and that may observe, change, "
	"deny\n"
	"or stop what happens.  These commands show and check the hooks of this project:\n"
	"\n"
	"  trotline hooks list                     which hooks there are, in run order\n"
	"  trotline hooks run BeforeTool --tool run_shell_command --input '{\"command\":\"ls\"}'\n"
	"  trotline hooks why BeforeTool --tool write_file\n"
	"  trotline hooks lint                     what is wrong with the configuration\n";

static const char mcp_text[] =
	"MCP servers are programs that offer tools, prompts and resources to the agent.  These\n"
	"commands edit the list of them in settings files and try them; trotline is such a server\n"
	"itself (serve):\n"
	"\n"
	"  trotline mcp list\n"
	"  trotline mcp add files npx -y @modelcontextprotocol/server-filesystem .\n"
	"  trotline mcp test files                 what it offers, or why it does not start\n";

static const char skills_text[] =
	"Skills are instructions for certain kinds of tasks, in files SKILL.md.  The agent\n"
	"is told what each is for and reads it when a task needs it.  These commands\n"
	"manage them:\n"
	"\n"
	"  trotline skills list\n"
	"  trotline skills install ./skills/review\n";

static const char extensions_text[] =
	"Extensions are directories that bring hooks, MCP servers, context files, skills and\n"
	"commands.  They live in ~/.gemini/extensions, shared with Gemini CLI:\n"
	"\n"
	"  trotline extensions new my-guards hooks\n"
	"  trotline extensions link my-guards\n"
	"  trotline extensions list\n";

/* Commands of Gemini CLI that would otherwise be taken for a prompt. */
static bool is_foreign_command(const char *word)
{
	return strcmp(word, "gemma") == 0;
}

static void print_help(FILE *to)
{
	AUTO(buf_done) struct buf text = { 0 };

	agent_options_help(&text, out_columns());
	(void)fputs(buf_z(&text), to);
}

static int run_agent(int argc, char **argv)
{
	AUTO(agent_options_done) struct agent_options args;
	struct err err;

	if (agent_options_parse(&args, argc, argv, &err) < 0) {
		print_help(stderr);
		(void)fprintf(stderr, "\n%s\n", err.text);
		return EXIT_USAGE;
	}
	if (args.help) {
		print_help(stdout);
		return EXIT_OK;
	}
	if (args.version) {
		(void)printf("trotline %s\n", tl_version());
		return EXIT_OK;
	}
	return cmd_agent(&args);
}

static int dispatch(int argc, char **argv)
{
	struct command groups[] = {
		{ .name = "hooks",
		  .summary = "run, explain, check and manage hooks",
		  .text = hooks_text,
		  .sub = hooks_commands,
		  .nsub = hooks_commands_n },
		{ .name = "mcp",
		  .summary = "add, list, test and remove MCP servers",
		  .text = mcp_text,
		  .sub = mcp_commands,
		  .nsub = mcp_commands_n },
		{ .name = argc > 1 && strcmp(argv[1], "skill") == 0 ? "skill" : "skills",
		  .summary = "list, install and switch skills",
		  .text = skills_text,
		  .sub = skills_commands,
		  .nsub = skills_commands_n },
		{ .name = argc > 1 && strcmp(argv[1], "extension") == 0 ? "extension"
									: "extensions",
		  .summary = "install, update and switch extensions",
		  .text = extensions_text,
		  .sub = extensions_commands,
		  .nsub = extensions_commands_n },
	};

	if (argc > 1 && strcmp(argv[1], "hook") == 0)
		groups[0].name = "hook";
	for (size_t i = 0; argc > 1 && i < ARRAY_LEN(groups); i++)
		if (strcmp(argv[1], groups[i].name) == 0)
			return command_run("trotline", &groups[i], 1, argc - 1, argv + 1);
	if (argc == 2 && strcmp(argv[1], "help") == 0) {
		print_help(stdout);
		return EXIT_OK;
	}
	if (argc > 1 && is_foreign_command(argv[1])) {
		complain("there is no command \"%s\" here; trotline --help lists what there is",
			 argv[1]);
		return EXIT_USAGE;
	}
	return run_agent(argc - 1, argv + 1);
}

/*
 * Each request of a session needs a little more than the one before it.  Memory that is given back
 * to the kernel in between is taken again page by page, at twice the price of the request.
 */
static void keep_memory(void)
{
#ifdef __GLIBC__
	enum { TRIM_BYTES = 16 << 20, MMAP_BYTES = 4 << 20 };

	(void)mallopt(M_TRIM_THRESHOLD, TRIM_BYTES);
	(void)mallopt(M_MMAP_THRESHOLD, MMAP_BYTES);
#endif
}

int main(int argc, char **argv)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	const struct sigaction by_default = { .sa_handler = SIG_DFL };
	int status;
	int fd;

	if (argc == 2 && strcmp(argv[1], cli_watchdog[1]) == 0)
		return watch_run();
	/* Whoever started us may ignore it, which would take the exit statuses of hooks away. */
	(void)sigaction(SIGCHLD, &by_default, NULL);
	/* A file that may not grow is an error of writing, not our end. */
	(void)sigaction(SIGXFSZ, &ignore, NULL);
	/* A file that we open must not get the number of a standard stream that somebody has
	 * closed. */
	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		(void)close(fd);
	keep_memory();
	status = dispatch(argc, argv);
	/* A reader that has seen enough is no failure. */
	if (fflush(stdout) != 0 && errno != EPIPE && status == EXIT_OK) {
		complain("writing the output failed");
		return EXIT_USAGE;
	}
	return status;
}

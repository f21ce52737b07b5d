/* The program as a process: its signals, descriptors and memory. */
#include <signal.h>
#include <stdio.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <unistd.h>

#include "cli/cli.h"
#include "cli/dispatch.h"
#include "hosts/keep.h"
#include "os/fd.h"
#include "os/watch.h"

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

	if (argc == 2 && strcmp(argv[1], cli_watchdog[1]) == 0)
		return watch_run();
	/* Whoever started us may ignore it, which would take the exit statuses of hooks away. */
	(void)sigaction(SIGCHLD, &by_default, NULL);
	/* A file that may not grow is an error of writing, not our end. */
	(void)sigaction(SIGXFSZ, &ignore, NULL);
	fd_fill_standard();
	if (argc == 3 && strcmp(argv[1], KEEP_HOOKS) == 0)
		keep_hooks(argv[2]);
	keep_memory();
	status = dispatch(argc - (argc > 0), argv + (argc > 0));
	/* A reader that has seen enough is no failure. */
	if ((fflush(stdout) != 0 || ferror(stdout)) && !fd_is_abandoned(STDOUT_FILENO) &&
	    status == EXIT_OK) {
		complain("writing the output failed");
		return EXIT_USAGE;
	}
	return status;
}

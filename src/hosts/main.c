/* trotline-hook: `trotline hook` as a program of its own, which starts with less. */
#include <signal.h>

#include "hosts/dispatch.h"
#include "hosts/keep.h"
#include "os/fd.h"

int main(int argc, char **argv)
{
	const struct sigaction by_default = { .sa_handler = SIG_DFL };

	/* Whoever started us may ignore it, which would take the exit statuses of hooks away. */
	(void)sigaction(SIGCHLD, &by_default, NULL);
	fd_fill_standard();
	if (argc == 3 && strcmp(argv[1], KEEP_HOOKS) == 0)
		keep_hooks(argv[2]);
	host_dispatch(argc - 1, argv + 1);
}

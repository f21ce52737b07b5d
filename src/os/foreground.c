#include "os/foreground.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

int foreground_edit(const char *command, const char *file, struct err *err)
{
	AUTO(free) char *script = xasprintf("%s \"$1\"", command);
	const char *argv[] = { "sh", "-c", script, "sh", file, NULL };
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	int status = 0;
	pid_t pid;
	int r;

	/* Ctrl+C there is the editor's. */
	(void)sigaction(SIGINT, &ignore, &before);
	r = posix_spawn(&pid, "/bin/sh", NULL, NULL, (char *const *)argv, environ);
	while (r == 0 && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			r = errno;
	(void)sigaction(SIGINT, &before, NULL);
	if (r)
		return err_set(err, E_SPAWN, "The editor %s could not be run.", command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

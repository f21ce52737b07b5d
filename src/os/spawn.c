/* posix_spawn, because fork() costs by the memory of the host: 80 times as much at 1 GB. */
#include "os/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <features.h>
#include <spawn.h>

#include "os/fd.h"
#include "os/proc.h"

#ifndef __GLIBC_PREREQ
#define __GLIBC_PREREQ(major, minor) 0
#endif

void spawn_close_child_ends(struct spawn_ends *ends)
{
	fd_close(&ends->child_in);
	for (size_t i = 0; i < SPAWN_STREAMS; i++)
		fd_close(&ends->child_to[i]);
}

void spawn_close(struct spawn_ends *ends)
{
	spawn_close_child_ends(ends);
	fd_close(&ends->in);
	for (size_t i = 0; i < SPAWN_STREAMS; i++)
		fd_close(&ends->from[i]);
}

/*
 * The child's end must not have a number that a child's end is copied to, where the copy before it
 * would overwrite it.  pipe2(O_NONBLOCK) would make that end non-blocking too, which programs do
 * not expect.
 */
static int make_pipe(int *ret_ours, int *ret_childs, bool we_read, int lowest)
{
	int ends[2], r;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	*ret_ours = ends[we_read ? 0 : 1];
	*ret_childs = ends[we_read ? 1 : 0];
	r = fd_lift(ret_ours, FD_LOWEST);
	if (r == 0)
		r = fd_lift(ret_childs, lowest);
	if (r == 0 && fcntl(*ret_ours, F_SETFL, O_NONBLOCK) < 0)
		r = -errno;
	return r;
}

int spawn_pipes(struct spawn_ends *ends, bool with_result)
{
	int lowest = with_result ? PROC_RESULT_FD + 1 : PROC_RESULT_FD;
	int r = 0;

	*ends = (struct spawn_ends){ -1, { -1, -1, -1 }, -1, { -1, -1, -1 } };
	/* stdout first: its lower number is ours and may then be PROC_RESULT_FD. */
	for (size_t i = 0; r == 0 && i < (with_result ? SPAWN_STREAMS : SPAWN_RESULT); i++)
		r = make_pipe(&ends->from[i], &ends->child_to[i], true, lowest);
	if (r == 0)
		r = make_pipe(&ends->in, &ends->child_in, false, lowest);
	if (r < 0)
		spawn_close(ends);
	return r;
}

static int set_actions(posix_spawn_file_actions_t *fa, const struct proc_spec *spec,
		       const struct spawn_ends *ends)
{
	static const int numbers[SPAWN_STREAMS] = { STDOUT_FILENO, STDERR_FILENO, PROC_RESULT_FD };
	int r = posix_spawn_file_actions_adddup2(fa, ends->child_in, STDIN_FILENO);

	for (size_t i = 0; r == 0 && i < SPAWN_STREAMS; i++)
		if (ends->child_to[i] >= 0)
			r = posix_spawn_file_actions_adddup2(fa, ends->child_to[i], numbers[i]);
	if (r == 0 && spec->cwd)
		r = posix_spawn_file_actions_addchdir_np(fa, spec->cwd);
#if __GLIBC_PREREQ(2, 34)
	/* Other libraries of the host forget close-on-exec. */
	if (r == 0)
		r = posix_spawn_file_actions_addclosefrom_np(
			fa, spec->result_pipe ? PROC_RESULT_FD + 1 : PROC_RESULT_FD);
#endif
	return r;
}

/* Own session and group, no blocked and no ignored signals, whatever the host does. */
static int set_attributes(posix_spawnattr_t *attr)
{
	sigset_t set;
	int r;

	(void)sigfillset(&set);
	r = posix_spawnattr_setsigdefault(attr, &set);
	(void)sigemptyset(&set);
	if (r == 0)
		r = posix_spawnattr_setsigmask(attr, &set);
	if (r == 0)
		r = posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF |
							   POSIX_SPAWN_SETSIGMASK);
	return r;
}

int spawn_process(const struct proc_spec *spec, const struct spawn_ends *ends, pid_t *ret_pid)
{
	char *const *envp = spec->envp ? (char *const *)spec->envp : environ;
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t attr;
	pid_t pid;
	int r;

	r = posix_spawn_file_actions_init(&fa);
	if (r)
		return -r;
	r = posix_spawnattr_init(&attr);
	if (r == 0) {
		r = set_actions(&fa, spec, ends);
		if (r == 0)
			r = set_attributes(&attr);
		if (r == 0)
			r = posix_spawn(&pid, spec->file, &fa, &attr, (char *const *)spec->argv,
					envp);
		(void)posix_spawnattr_destroy(&attr);
	}
	(void)posix_spawn_file_actions_destroy(&fa);
	if (r == 0)
		*ret_pid = pid;
	return -r;
}

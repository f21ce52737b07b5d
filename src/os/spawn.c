/*
 * What posix_spawn() does, by hand: fork() costs by the memory of the host, 80 times as much at
 * 1 GB, and only clone() gives a pidfd that is there before the child can end, so that a host that
 * reaps everything takes no exit status from us.
 */
#include "os/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/env.h"
#include "os/fd.h"
#include "os/fs.h"
#include "os/proc.h"
#include "os/sandbox.h"

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x1000
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/*
 * ThreadSanitizer takes the place of clone() to prepare every child for a life of its own, and ours
 * would do so in our memory: from then on it takes us for the child of a fork.  This is the name
 * that it leaves alone.
 */
#ifdef __SANITIZE_THREAD__
#define clone __clone
extern int clone(int (*fn)(void *), void *stack, int flags, void *arg, ...);
#endif

enum { STACK = 16 << 10, SIGSET_BYTES = NSIG / 8 };

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
static int make_pipe(int *ret_ours, int *ret_childs, bool we_read, bool socket, int lowest)
{
	int ends[2], r;

	r = socket ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)
		   : pipe2(ends, O_CLOEXEC);
	if (r < 0)
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

static const int numbers[SPAWN_STREAMS] = {
	[SPAWN_STDOUT] = STDOUT_FILENO,  [SPAWN_STDERR] = STDERR_FILENO,
	[SPAWN_RESULT] = PROC_RESULT_FD, [SPAWN_REPORT] = PROC_REPORT_FD,
	[SPAWN_NOTICE] = PROC_NOTICE_FD,
};

int spawn_pipes(struct spawn_ends *ends, unsigned extra)
{
	int lowest = PROC_RESULT_FD;
	int r = 0;

	*ends = SPAWN_NO_ENDS;
	for (size_t i = SPAWN_RESULT; i < SPAWN_STREAMS; i++)
		if (extra & 1u << i)
			lowest = numbers[i] + 1;
	/* stdout first: its lower number is ours and may then be that of an extra one. */
	for (size_t i = 0; r == 0 && i < SPAWN_STREAMS; i++)
		if (i < SPAWN_RESULT || extra & 1u << i)
			r = make_pipe(&ends->from[i], &ends->child_to[i], true, i == SPAWN_NOTICE,
				      lowest);
	if (r == 0)
		r = make_pipe(&ends->in, &ends->child_in, false, false, lowest);
	if (r < 0)
		spawn_close(ends);
	return r;
}

/* The child, between clone() and execve(). */
struct launch {
	const struct proc_spec *spec;
	struct cage cage;
	const struct spawn_ends *ends;
	int error; /* set by the child */
};

/* One that has the number already is to stay open. */
ALONE static long give(int from, int to)
{
	if (from == to)
		return syscall(SYS_fcntl, from, F_SETFD, 0);
	return syscall(SYS_dup3, from, to, 0);
}

ALONE static long give_all(const struct spawn_ends *ends)
{
	int last = STDERR_FILENO;

	if (give(ends->child_in, STDIN_FILENO) < 0)
		return -1;
	for (size_t i = 0; i < SPAWN_STREAMS; i++) {
		if (ends->child_to[i] < 0)
			continue;
		if (give(ends->child_to[i], numbers[i]) < 0)
			return -1;
		last = numbers[i];
	}
	/* Other libraries of the host forget close-on-exec. */
	(void)syscall(SYS_close_range, last + 1, ~0u, 0);
	return 0;
}

/* Own session and group, no blocked and no ignored signals, whatever the host does. */
ALONE static const char *const *environment(const struct proc_spec *spec)
{
	return spec->envp ? spec->envp : (const char *const *)environ;
}

ALONE static int child_run(void *data)
{
	struct launch *l = data;
	const struct proc_spec *spec = l->spec;
	const long nothing[8] = { 0 }; /* the default action, or an empty set of signals */

	for (int sig = 1; sig < NSIG; sig++)
		(void)syscall(SYS_rt_sigaction, sig, nothing, NULL, SIGSET_BYTES);
	if (syscall(SYS_setsid) >= 0 && cage_enter_files(&l->cage) == 0 && give_all(l->ends) == 0 &&
	    (!spec->cwd || syscall(SYS_chdir, spec->cwd) == 0)) {
		if (spec->ret_group)
			atomic_store(spec->ret_group, (int)syscall(SYS_getpid));
		(void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, nothing, NULL, SIGSET_BYTES);
		if (cage_enter_calls(&l->cage) == 0)
			(void)syscall(SYS_execve, spec->file, spec->argv, environment(spec));
	}
	l->error = errno;
	(void)syscall(SYS_exit_group, 127);
	return 127;
}

bool spawn_is_old(const struct proc_spec *spec)
{
	return env_get(environment(spec), "TROTLINE_NO_PIDFD");
}

char *spawn_path(const struct proc_spec *spec)
{
	return spec->file[0] != '/' && spec->cwd ? fs_join(spec->cwd, spec->file)
						 : xstrdup(spec->file);
}

int spawn_process(const struct proc_spec *spec, const struct spawn_ends *ends, pid_t *ret_pid,
		  int *ret_pidfd)
{
	struct launch l = { .spec = spec, .ends = ends, .cage.ruleset = -1 };
	_Alignas(16) char stack[STACK]; /* we are suspended while it is in use */
	int flags = CLONE_VM | CLONE_VFORK | SIGCHLD, pidfd = -1, r;
	sigset_t all, old;
	siginfo_t info;
	pid_t pid = -1;

	if (spec->sandbox) {
		AUTO(free) char *file = spawn_path(spec);

		r = cage_make(&l.cage, spec->sandbox, file);
		if (r < 0)
			return r;
	}
	/* A handler of ours must not run there. */
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	errno = EINVAL;
	if (!spawn_is_old(spec))
		pid = clone(child_run, stack + STACK, flags | CLONE_PIDFD, &l, &pidfd);
	if (pid < 0 && errno == EINVAL) /* a kernel without them */
		pid = clone(child_run, stack + STACK, flags, &l);
	r = pid < 0 ? -errno : -l.error;
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	cage_done(&l.cage);
	if (pid >= 0 && r < 0) {
		while (waitid(P_PID, (id_t)pid, &info, WEXITED) < 0 && errno == EINTR)
			continue;
		fd_close(&pidfd);
	}
	if (r == 0) {
		*ret_pid = pid;
		*ret_pidfd = pidfd;
	}
	return r;
}

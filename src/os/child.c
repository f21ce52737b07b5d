/* The kernel tells of an exit by a pidfd; where there is none, a thread waits for it instead. */
#include "os/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "os/clock.h"
#include "os/fd.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

/* waitid() for this child only; by pidfd where there is one, since that cannot mean another. */
static int wait_for(const struct child *c, siginfo_t *info, int flags)
{
	const idtype_t by_pidfd = (idtype_t)3; /* P_PIDFD, which glibc names since 2.36 */
	int r;

	memset(info, 0, sizeof *info);
	do {
		if (c->is_pidfd)
			r = waitid(by_pidfd, (id_t)c->fd, info, WEXITED | flags);
		else
			r = waitid(P_PID, (id_t)c->pid, info, WEXITED | flags);
	} while (r < 0 && errno == EINTR);
	return r;
}

struct watcher {
	pid_t pid;
	int fd;
};

/* Leaves the zombie: the pid must stay ours.  The closed pipe end is the message. */
static void *watcher_run(void *arg)
{
	AUTO(free) struct watcher *w = arg;
	const struct child c = { .pid = w->pid };
	siginfo_t info;

	(void)wait_for(&c, &info, WNOWAIT);
	(void)close(w->fd);
	return NULL;
}

static int thread_start(pthread_t *ret_thread, struct watcher *w)
{
	sigset_t all, old;
	int r;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(ret_thread, NULL, watcher_run, w);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -r;
}

static int watch_by_thread(struct child *c)
{
	int ends[2], r;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	AUTO(free) struct watcher *w = xmalloc(sizeof *w);
	r = fd_lift(&ends[0], FD_LOWEST);
	if (r == 0)
		r = fd_lift(&ends[1], FD_LOWEST);
	*w = (struct watcher){ c->pid, ends[1] };
	if (r == 0)
		r = thread_start(&c->thread, w);
	if (r < 0) {
		fd_close(&ends[0]);
		fd_close(&ends[1]);
		return r;
	}
	w = NULL; /* the thread's */
	c->fd = ends[0];
	c->has_thread = true;
	return 0;
}

void child_signal(const struct child *c, int sig)
{
	siginfo_t info;

	if (wait_for(c, &info, WNOHANG | WNOWAIT) == 0)
		(void)kill(-c->pid, sig);
}

int child_watch(struct child *c, pid_t pid)
{
	siginfo_t info;
	int r;

	*c = (struct child){ .pid = pid, .fd = -1 };
	if (!getenv("TROTLINE_NO_PIDFD"))
		c->fd = (int)syscall(SYS_pidfd_open, pid, 0);
	c->is_pidfd = c->fd >= 0;
	/* Without: no such call, or forbidden, or reaped by the host already. */
	r = c->is_pidfd ? fd_lift(&c->fd, FD_LOWEST) : watch_by_thread(c);
	if (r < 0) {
		child_signal(c, SIGKILL);
		(void)wait_for(c, &info, 0);
		fd_close(&c->fd);
	}
	return r;
}

bool child_wait(const struct child *c, int timeout_ms)
{
	int64_t until = clock_us() + (int64_t)timeout_ms * 1000;
	struct pollfd fd = { .fd = c->fd, .events = POLLIN };
	int r;

	do {
		int64_t left_ms = (until - clock_us() + 999) / 1000;

		r = poll(&fd, 1, left_ms > 0 ? (int)left_ms : 0);
	} while (r < 0 && errno == EINTR);
	return r > 0;
}

static enum child_end read_end(const siginfo_t *info, int *ret_code)
{
	*ret_code = info->si_status;
	return info->si_code == CLD_EXITED ? CHILD_EXITED : CHILD_SIGNALLED;
}

bool child_peek(const struct child *c, enum child_end *ret_end, int *ret_code)
{
	siginfo_t info;

	if (wait_for(c, &info, WNOHANG | WNOWAIT) < 0 || info.si_pid == 0)
		return false;
	*ret_end = read_end(&info, ret_code);
	return true;
}

enum child_end child_reap(struct child *c, int *ret_code)
{
	siginfo_t info;
	int r = wait_for(c, &info, WNOHANG);

	if (c->has_thread)
		(void)pthread_join(c->thread, NULL);
	(void)close(c->fd);
	*c = (struct child){ .fd = -1 };
	if (r < 0 || info.si_pid == 0)
		return CHILD_LOST;
	return read_end(&info, ret_code);
}

void child_abandon(struct child *c)
{
	if (c->has_thread)
		(void)pthread_detach(c->thread);
	(void)close(c->fd);
	*c = (struct child){ .fd = -1 };
}

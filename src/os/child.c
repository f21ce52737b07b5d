/* The kernel tells of an exit by a pidfd; where there is none, a thread waits for it instead. */
#include "os/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "os/clock.h"
#include "os/fd.h"

/* As in <linux/pidfd.h> since Linux 6.15; the first version of the structure. */
struct pidfd_status {
	uint64_t mask, cgroup;
	uint32_t ids[11];
	int32_t exit_code; /* as waitpid() tells it */
};
#define GET_STATUS _IOWR(0xFF, 11, struct pidfd_status)
enum { HAS_STATUS = 1 << 3, REAPED_MS = 1000 };

/* As waitid() would: an error once the lender is gone, who alone knows. */
static int ask_lender(const struct child *c, siginfo_t *info)
{
	struct child_end_message m;
	ssize_t n = recv(c->fd, &m, sizeof m, MSG_PEEK | MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n != sizeof m || m.end == CHILD_LOST)
		return -1;
	info->si_pid = c->pid;
	info->si_code = m.end == CHILD_EXITED ? CLD_EXITED : CLD_KILLED;
	info->si_status = m.code;
	return 0;
}

/* A host may have closed it, and its number may be of another process's pidfd by now. */
static bool has_own_fd(const struct child *c)
{
	return fd_is_of(c->fd, c->file);
}

/* waitid() for this child only; by pidfd where there is one, since that cannot mean another. */
static int wait_for(const struct child *c, siginfo_t *info, int flags)
{
	const idtype_t by_pidfd = (idtype_t)3; /* P_PIDFD, which glibc names since 2.36 */
	int r;

	memset(info, 0, sizeof *info);
	if (c->borrowed)
		return ask_lender(c, info);
	do {
		if (c->is_pidfd && has_own_fd(c))
			r = waitid(by_pidfd, (id_t)c->fd, info, WEXITED | flags);
		else
			r = waitid(P_PID, (id_t)c->pid, info, WEXITED | flags);
	} while (r < 0 && errno == EINTR);
	return r == 0 && info->si_pid != 0 && info->si_pid != c->pid ? -1 : r;
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

static int watch_by_thread(struct child *c)
{
	sigset_t all, old;
	int ends[2], r;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	AUTO(free) struct watcher *w = xmalloc(sizeof *w);
	r = fd_lift(&ends[0], FD_LOWEST);
	if (r == 0)
		r = fd_lift(&ends[1], FD_LOWEST);
	*w = (struct watcher){ c->pid, ends[1] };
	if (r == 0) { /* no signal is for this thread */
		(void)sigfillset(&all);
		(void)pthread_sigmask(SIG_SETMASK, &all, &old);
		r = -pthread_create(&c->thread, NULL, watcher_run, w);
		(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	}
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

bool child_is_ours(const struct child *c)
{
	return c->parent == getpid();
}

void child_signal(const struct child *c, int sig)
{
	siginfo_t info;

	if (wait_for(c, &info, WNOHANG | WNOWAIT) == 0)
		(void)kill(-c->pid, sig);
}

int child_watch(struct child *c, pid_t pid, int pidfd)
{
	siginfo_t info;
	int r;

	*c = (struct child){ .pid = pid,
			     .parent = getpid(),
			     .fd = pidfd,
			     .file = fd_file(pidfd),
			     .is_pidfd = pidfd >= 0 };
	r = c->is_pidfd ? fd_lift(&c->fd, FD_LOWEST) : watch_by_thread(c);
	if (r < 0) {
		child_signal(c, SIGKILL);
		(void)wait_for(c, &info, 0);
		fd_close(&c->fd);
	}
	return r;
}

void child_borrow(struct child *c, pid_t pid, int socket)
{
	*c = (struct child){ .pid = pid, .parent = getpid(), .fd = socket, .borrowed = true };
}

void child_bequeath(const struct child *c, int64_t ms)
{
	const struct child_bequest m = { ms };

	(void)send(c->fd, &m, sizeof m, MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool child_wait(const struct child *c, int timeout_ms)
{
	int64_t until = clock_us() + (int64_t)timeout_ms * 1000;
	struct pollfd fd = { .fd = c->fd, .events = POLLIN };

	while (fd_poll_until(&fd, 1, until) == 0)
		if (clock_us() >= until)
			return false;
	return true;
}

bool child_is_lost(bool host_reaps, bool is_old)
{
	struct utsname name;
	struct sigaction act;
	int major, minor;

	if (!host_reaps && sigaction(SIGCHLD, NULL, &act) == 0 && act.sa_handler != SIG_IGN &&
	    !(act.sa_flags & SA_NOCLDWAIT))
		return false;
	return is_old || uname(&name) < 0 || sscanf(name.release, "%d.%d", &major, &minor) != 2 ||
	       major < 6 || (major == 6 && minor < 15);
}

/* What the kernel keeps of a child that somebody else has reaped, or is about to reap. */
static enum child_end ask_kernel(const struct child *c, int *ret_code)
{
	struct pidfd_status s = { .mask = HAS_STATUS };
	struct pollfd reaped = { .fd = c->fd }; /* hung up once it was */

	if (!c->is_pidfd || !has_own_fd(c))
		return CHILD_LOST;
	(void)fd_poll(&reaped, 1, REAPED_MS);
	if (ioctl(c->fd, GET_STATUS, &s) < 0 || !(s.mask & HAS_STATUS))
		return CHILD_LOST;
	*ret_code = WIFEXITED(s.exit_code) ? WEXITSTATUS(s.exit_code) : WTERMSIG(s.exit_code);
	return WIFEXITED(s.exit_code) ? CHILD_EXITED : CHILD_SIGNALLED;
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
	enum child_end end =
		r < 0 || info.si_pid == 0 ? ask_kernel(c, ret_code) : read_end(&info, ret_code);

	if (c->has_thread)
		(void)pthread_join(c->thread, NULL);
	(void)close(c->fd);
	*c = (struct child){ .fd = -1, .parent = c->parent };
	return end;
}

void child_abandon(struct child *c)
{
	if (c->has_thread && child_is_ours(c)) /* a fork has no such thread */
		(void)pthread_detach(c->thread);
	(void)close(c->fd);
	*c = (struct child){ .fd = -1, .parent = c->parent };
}

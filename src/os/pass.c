#include "os/pass.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "os/fd.h"
#include "os/fs.h"

enum { BACKLOG = 64 };

/* Through the directory's descriptor: a name in sun_path has 107 bytes at most. */
static int open_dir(const char *dir, const char *name, struct sockaddr_un *ret)
{
	int fd = open(dir, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || st.st_uid != geteuid() || st.st_mode & 077) {
		(void)close(fd);
		return -EPERM;
	}
	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	(void)snprintf(ret->sun_path, sizeof ret->sun_path, "/proc/self/fd/%d/%s", fd, name);
	return fd;
}

static int new_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	return fd < 0 ? -errno : fd;
}

int pass_listen(const char *dir, const char *name)
{
	struct sockaddr_un at;
	int where = open_dir(dir, name, &at), fd, r = 0;

	if (where < 0)
		return where;
	fd = new_socket();
	if (fd >= 0) {
		(void)unlink(at.sun_path);
		if (bind(fd, (struct sockaddr *)&at, sizeof at) < 0 ||
		    chmod(at.sun_path, 0600) < 0 || listen(fd, BACKLOG) < 0)
			r = -errno;
	}
	(void)close(where);
	if (r < 0)
		fd_close(&fd);
	return r < 0 ? r : fd;
}

int pass_connect(const char *dir, const char *name)
{
	struct sockaddr_un at;
	const int on = 1;
	int where = open_dir(dir, name, &at), fd, r = 0;

	if (where < 0)
		return where;
	fd = new_socket();
	/* A queue that is full is as good as a peer that hangs. */
	if (fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) < 0)
		r = -errno;
	(void)close(where);
	if (fd >= 0 && r == 0 &&
	    (!pass_is_own(fd) || setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) < 0))
		r = -EPERM;
	if (r < 0)
		fd_close(&fd);
	return r < 0 ? r : fd;
}

/* The number of a process of this user; else 0, as for one that we cannot see. */
static pid_t peer_of(int socket)
{
	struct ucred peer = { 0 };
	socklen_t n = sizeof peer;

	if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &n) < 0 || n != sizeof peer ||
	    peer.uid != geteuid())
		return 0;
	return peer.pid;
}

bool pass_is_own(int socket)
{
	return peer_of(socket) > 0;
}

bool pass_runs(int socket, const char *file)
{
	char exe[sizeof "/proc/2147483647/exe"];
	struct stat theirs, ours;

	(void)snprintf(exe, sizeof exe, "/proc/%d/exe", (int)peer_of(socket));
	return stat(exe, &theirs) == 0 && stat(file, &ours) == 0 && fs_is_same(&theirs, &ours);
}

union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(PASS_FDS_MAX * sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
};

int pass_send(int socket, const void *bytes, size_t n, const int *fds, size_t nfds)
{
	struct iovec iov = { (void *)bytes, n };
	union control control = { .bytes = { 0 } };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *c;
	ssize_t r;

	if (nfds) {
		m.msg_control = control.bytes;
		m.msg_controllen = CMSG_SPACE(nfds * sizeof(int));
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(nfds * sizeof(int));
		memcpy(CMSG_DATA(c), fds, nfds * sizeof(int));
	}
	do
		r = sendmsg(socket, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (r < 0 && errno == EINTR);
	if (r < 0)
		return -errno;
	return (size_t)r == n ? 0 : -EMSGSIZE;
}

/* What came is taken whatever the message is worth: otherwise its descriptors stay open. */
static void take_fds(struct msghdr *m, int fds[PASS_FDS_MAX], size_t *ret_nfds)
{
	size_t n = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		for (size_t i = 0; c->cmsg_type == SCM_RIGHTS && i < count; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
			if (n < PASS_FDS_MAX && fd_lift(&fd, FD_LOWEST) == 0)
				fds[n++] = fd;
			else
				fd_close(&fd);
		}
	}
	*ret_nfds = n;
}

int pass_receive(int socket, void *bytes, size_t n, int64_t until_us, int fds[PASS_FDS_MAX],
		 size_t *ret_nfds)
{
	struct iovec iov = { bytes, n };
	union control control;
	struct pollfd ready = { .fd = socket, .events = POLLIN };
	struct msghdr m = { .msg_iov = &iov,
			    .msg_iovlen = 1,
			    .msg_control = control.bytes,
			    .msg_controllen = sizeof control };
	struct ucred from;
	bool own = true;
	ssize_t r;

	*ret_nfds = 0;
	if (fd_poll_until(&ready, 1, until_us) <= 0)
		return -ETIMEDOUT;
	do
		r = recvmsg(socket, &m, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	while (r < 0 && errno == EINTR);
	if (r < 0)
		return -errno;
	take_fds(&m, fds, ret_nfds);
	/* Another process may have written it than the one that listened. */
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS) {
			memcpy(&from, CMSG_DATA(c), sizeof from);
			own &= from.pid == peer_of(socket);
		}
	if (own && (size_t)r == n && !(m.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
		return 0;
	while (*ret_nfds > 0)
		fd_close(&fds[--*ret_nfds]);
	if (!own)
		return -EPERM;
	return r == 0 ? -EPIPE : -EMSGSIZE;
}

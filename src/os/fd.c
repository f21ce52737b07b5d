#include "os/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/stat.h>

#include "base/cancel.h"
#include "os/clock.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u /* Linux 6.3; systems may insist on it */
#endif

uint64_t fd_file(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 ? st.st_ino ^ (uint64_t)st.st_dev << 32 : 0;
}

bool fd_is_of(int fd, uint64_t file)
{
	uint64_t now;

	errno = 0;
	now = fd_file(fd);
	return now ? !file || now == file : fd >= 0 && errno != EBADF;
}

void fd_close(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

int fd_lift(int *fd, int lowest)
{
	int high;

	if (*fd >= lowest)
		return 0;
	high = fcntl(*fd, F_DUPFD_CLOEXEC, lowest);
	if (high < 0)
		return -errno;
	(void)close(*fd);
	*fd = high;
	return 0;
}

ssize_t fd_read(int fd, struct buf *out, size_t want)
{
	ssize_t r;

	do {
		r = read(fd, buf_reserve(out, want), want);
	} while (r < 0 && errno == EINTR);
	if (r < 0)
		return -errno;
	out->n += (size_t)r;
	return r;
}

int fd_write(int fd, struct str bytes, size_t *ret_n)
{
	size_t done = 0;
	int errnum = 0;

	while (done < bytes.n && !errnum) {
		ssize_t r = write(fd, bytes.p + done, bytes.n - done);

		if (r > 0)
			done += (size_t)r;
		else if (r == 0 || errno != EINTR)
			errnum = r == 0 ? EIO : errno;
	}
	if (ret_n)
		*ret_n = done;
	return -errnum;
}

int fd_append(int fd, struct str bytes)
{
	size_t done;
	int r = fd_write(fd, bytes, &done);
	off_t end = r < 0 && done ? lseek(fd, 0, SEEK_CUR) : -1;
	struct stat st;

	/* Only what is last in the file is ours to take back. */
	if (end >= (off_t)done && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == end &&
	    ftruncate(fd, end - (off_t)done) == 0)
		(void)lseek(fd, 0, SEEK_END);
	return r;
}

int fd_sealed(const char *name, const void *bytes, size_t n)
{
	static const int seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	int fd = memfd_create(name, flags | MFD_NOEXEC_SEAL), r;

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create(name, flags);
	if (fd < 0)
		return -errno;
	r = fd_lift(&fd, FD_LOWEST);
	if (r == 0)
		r = fd_write(fd, (struct str){ bytes, n }, NULL);
	if (r == 0 && fcntl(fd, F_ADD_SEALS, seals) < 0)
		r = -errno;
	if (r == 0)
		return fd;
	fd_close(&fd);
	return r;
}

/* Sets of pselect(), made by hand: descriptors may be above FD_SETSIZE. */
enum { WORD_BITS = 8 * sizeof(unsigned long) };

static unsigned long bit_of(int fd)
{
	return 1UL << (unsigned)fd % WORD_BITS;
}

/*
 * What poll() would say of a descriptor that pselect() calls readable: of an empty pipe without
 * writers only that it is hung up.
 */
static int readable(int fd)
{
	struct stat st;
	int bytes;

	if (fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode) && ioctl(fd, FIONREAD, &bytes) == 0 &&
	    bytes == 0)
		return POLLHUP;
	return POLLIN;
}

/* As ppoll(), but for errors of descriptors that nothing is asked of. */
static int poll_by_select(struct pollfd *fds, size_t n, const struct timespec *timeout)
{
	int highest = 0, ready, told = 0;

	for (size_t i = 0; i < n; i++)
		highest = fds[i].fd > highest ? fds[i].fd : highest;
	size_t words = (size_t)highest / WORD_BITS + 1;
	AUTO(free) unsigned long *in = xcalloc(2 * words, sizeof *in);
	unsigned long *out = in + words;

	for (size_t i = 0; i < n; i++) {
		if (fds[i].fd >= 0 && fds[i].events & POLLIN)
			in[fds[i].fd / WORD_BITS] |= bit_of(fds[i].fd);
		if (fds[i].fd >= 0 && fds[i].events & POLLOUT)
			out[fds[i].fd / WORD_BITS] |= bit_of(fds[i].fd);
	}
	ready = pselect(highest + 1, (fd_set *)in, (fd_set *)out, NULL, timeout, NULL);
	if (ready < 0 && errno != EBADF)
		return -1;
	for (size_t i = 0; i < n; i++) {
		int fd = fds[i].fd, events = 0;

		if (fd >= 0 && ready < 0)
			events = fcntl(fd, F_GETFD) < 0 ? POLLNVAL : 0;
		else if (fd >= 0 && ready > 0)
			events = (in[fd / WORD_BITS] & bit_of(fd) ? readable(fd) : 0) |
				 (out[fd / WORD_BITS] & bit_of(fd) ? POLLOUT : 0);
		fds[i].revents = (short)events;
		told += events != 0;
	}
	return told;
}

/*
 * poll() refuses more descriptors than the process may have open. A hook can lower that limit of
 * its host at any time (prlimit, same user), and may not make it deaf with it.
 */
static int polled(int ready, struct pollfd *fds, size_t n, const struct timespec *timeout)
{
	if (ready < 0 && errno == EINVAL)
		ready = poll_by_select(fds, n, timeout);
	if (ready >= 0)
		return ready;
	/* No memory: the caller's deadlines go on. */
	if (errno != EINTR)
		(void)nanosleep(&(struct timespec){ .tv_nsec = 10 * 1000 * 1000 }, NULL);
	for (size_t i = 0; i < n; i++)
		fds[i].revents = 0;
	return 0;
}

int fd_poll(struct pollfd *fds, size_t n, int timeout_ms)
{
	struct timespec ts = { .tv_sec = timeout_ms / 1000,
			       .tv_nsec = (long)(timeout_ms % 1000) * 1000 * 1000 };

	/* ppoll() also tells how much time is left. */
	return polled(poll(fds, n, timeout_ms), fds, n, timeout_ms < 0 ? NULL : &ts);
}

int fd_poll_until(struct pollfd *fds, size_t n, int64_t until_us)
{
	int64_t us = until_us == INT64_MAX ? 0 : until_us - clock_us();
	struct timespec ts = { .tv_sec = us > 0 ? us / 1000000 : 0,
			       .tv_nsec = us > 0 ? us % 1000000 * 1000 : 0 };
	const struct timespec *timeout = until_us == INT64_MAX ? NULL : &ts;

	return polled(ppoll(fds, n, timeout, NULL), fds, n, timeout);
}

void fd_fill_standard(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		(void)close(fd);
}

bool fd_is_abandoned(int fd)
{
	struct pollfd p = { .fd = fd };

	return fd_poll(&p, 1, 0) > 0 && p.revents & (POLLERR | POLLHUP);
}

bool fd_sleep(struct cancel *cancel, int64_t ms)
{
	int64_t until = clock_us() + ms * 1000;

	while (!cancel_fired(cancel)) {
		struct pollfd fd = { .fd = cancel_fd(cancel), .events = POLLIN };

		if (clock_us() >= until)
			return false;
		(void)fd_poll_until(&fd, 1, until);
	}
	return true;
}

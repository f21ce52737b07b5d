#include "os/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u /* Linux 6.3; systems may insist on it */
#endif

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

static int fill(int fd, const char *bytes, size_t n)
{
	while (n) {
		ssize_t r = write(fd, bytes, n);

		if (r < 0 && errno != EINTR)
			return -errno;
		if (r < 0)
			continue;
		bytes += r;
		n -= (size_t)r;
	}
	return 0;
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
		r = fill(fd, bytes, n);
	if (r == 0 && fcntl(fd, F_ADD_SEALS, seals) < 0)
		r = -errno;
	if (r == 0)
		return fd;
	fd_close(&fd);
	return r;
}

int fd_poll(struct pollfd *fds, size_t n, int timeout_ms)
{
	int ready = poll(fds, n, timeout_ms);

	if (ready < 0 && errno != EINTR)
		BUG();
	return ready < 0 ? 0 : ready;
}

#include "os/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>

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

int fd_poll(struct pollfd *fds, size_t n, int timeout_ms)
{
	int ready = poll(fds, n, timeout_ms);

	if (ready < 0 && errno != EINTR)
		BUG();
	return ready < 0 ? 0 : ready;
}

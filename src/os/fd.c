#include "os/fd.h"

#include <errno.h>
#include <fcntl.h>

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

#include "os/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>

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

int fd_poll(struct pollfd *fds, size_t n, int timeout_ms)
{
	int ready = poll(fds, n, timeout_ms);

	/* No memory, or a limit below n that somebody set: the caller's deadlines go on. */
	if (ready < 0 && errno != EINTR)
		(void)nanosleep(&(struct timespec){ .tv_nsec = 10 * 1000 * 1000 }, NULL);
	return ready < 0 ? 0 : ready;
}

/*
 * Preloaded by tests: once trotline itself has read its payload, the FAULT_AT-th of the calls
 * below fails with FAULT_ERRNO; where that is 0, those that count bytes say 0.  FAULT_AT=0: none,
 * and how many there were is written to the file FAULT_COUNT.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHOWN __attribute__((visibility("default")))

static atomic_long made;
static atomic_int begun;

static long number(const char *name)
{
	const char *n = getenv(name);

	return n ? atol(n) : 0;
}

/* Whether this call is the one; then errno is set. */
static int fails(void)
{
	if (!atomic_load(&begun) || atomic_fetch_add(&made, 1) + 1 != number("FAULT_AT"))
		return 0;
	errno = (int)number("FAULT_ERRNO");
	return 1;
}

/* What a call says: that it failed, or what the kernel makes of it. */
#define SAYS(call) (number("FAULT_ERRNO") != 0 && fails() ? -1 : (call))
/* The same of one that counts bytes. */
#define COUNTS(call) (fails() ? (errno ? -1 : 0) : (call))

SHOWN ssize_t read(int fd, void *to, size_t n)
{
	ssize_t r = COUNTS(syscall(SYS_read, fd, to, n));

	if (fd == STDIN_FILENO && r == 0 && strcmp(program_invocation_short_name, "trotline") == 0)
		atomic_store(&begun, 1);
	return r;
}

SHOWN ssize_t write(int fd, const void *from, size_t n)
{
	return COUNTS(syscall(SYS_write, fd, from, n));
}

SHOWN ssize_t writev(int fd, const struct iovec *iov, int n)
{
	return COUNTS(syscall(SYS_writev, fd, iov, n));
}

SHOWN int ioctl(int fd, unsigned long what, ...)
{
	va_list args;
	void *p;

	va_start(args, what);
	p = va_arg(args, void *);
	va_end(args);
	return (int)SAYS(syscall(SYS_ioctl, fd, what, p));
}

SHOWN int fcntl64(int fd, int what, ...)
{
	va_list args;
	void *p;

	va_start(args, what);
	p = va_arg(args, void *);
	va_end(args);
	return (int)SAYS(syscall(SYS_fcntl, fd, what, p));
}

SHOWN int open64(const char *path, int flags, ...)
{
	va_list args;
	unsigned mode;

	va_start(args, flags);
	mode = va_arg(args, unsigned);
	va_end(args);
	return (int)SAYS(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

SHOWN int stat64(const char *path, struct stat64 *st)
{
	return (int)SAYS(syscall(SYS_newfstatat, AT_FDCWD, path, st, 0));
}

SHOWN int lstat64(const char *path, struct stat64 *st)
{
	return (int)SAYS(syscall(SYS_newfstatat, AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW));
}

SHOWN int fstat64(int fd, struct stat64 *st)
{
	return (int)SAYS(syscall(SYS_newfstatat, fd, "", st, AT_EMPTY_PATH));
}

SHOWN ssize_t readlink(const char *path, char *to, size_t n)
{
	return SAYS(syscall(SYS_readlinkat, AT_FDCWD, path, to, n));
}

SHOWN int pipe2(int ends[2], int flags)
{
	return (int)SAYS(syscall(SYS_pipe2, ends, flags));
}

SHOWN int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	struct timespec copy = timeout ? *timeout : (struct timespec){ 0 };

	return (int)SAYS(syscall(SYS_ppoll, fds, n, timeout ? &copy : NULL, mask, sizeof(long)));
}

SHOWN int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	return (int)SAYS(syscall(SYS_waitid, type, id, info, options, NULL));
}

/* _exit() calls no destructors: the program under test ends with it. */
SHOWN _Noreturn void _exit(int status)
{
	const char *path = getenv("FAULT_COUNT");
	char text[32];
	int fd = -1;

	if (path && atomic_load(&begun) && number("FAULT_AT") == 0)
		fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd >= 0) {
		long n = atomic_load(&made);
		int at = sizeof text;

		do
			text[--at] = (char)('0' + n % 10);
		while (n /= 10);
		(void)syscall(SYS_write, fd, text + at, sizeof text - (size_t)at);
	}
	syscall(SYS_exit_group, status);
	__builtin_unreachable();
}

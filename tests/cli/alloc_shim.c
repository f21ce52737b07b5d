/*
 * Preloaded by tests: the ALLOC_FAILS-th allocation of trotline itself fails, as if there were no
 * memory left; 0 = none, and how many there were is written to the file ALLOC_COUNT.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHOWN __attribute__((visibility("default")))

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);

static long fails = -1; /* not looked at */
static atomic_long made;

static long read_fails(void)
{
	const char *n = getenv("ALLOC_FAILS");

	return n && strncmp(program_invocation_short_name, "trotline", 8) == 0 ? atol(n) : 0;
}

static int is_to_fail(void)
{
	if (fails < 0)
		fails = read_fails();
	if (atomic_fetch_add(&made, 1) + 1 != fails)
		return 0;
	errno = ENOMEM;
	return 1;
}

SHOWN void *malloc(size_t n)
{
	return is_to_fail() ? NULL : __libc_malloc(n);
}

SHOWN void *calloc(size_t n, size_t size)
{
	return is_to_fail() ? NULL : __libc_calloc(n, size);
}

SHOWN void *realloc(void *p, size_t n)
{
	return is_to_fail() ? NULL : __libc_realloc(p, n);
}

/* _exit() calls no destructors: the program under test ends with it. */
SHOWN _Noreturn void _exit(int status)
{
	const char *path = getenv("ALLOC_COUNT");
	char text[32];
	int fd = path && fails == 0 && strncmp(program_invocation_short_name, "trotline", 8) == 0
			 ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600)
			 : -1;
	size_t i = sizeof text;

	for (long n = made; fd >= 0 && i > 0; n /= 10) {
		text[--i] = (char)('0' + n % 10);
		if (n < 10)
			break;
	}
	if (fd >= 0)
		(void)!write(fd, text + i, sizeof text - i);
	_Exit(status);
}

/* Preloaded by tests: the monotonic clock is as many seconds ahead as $CLOCK_AHEAD has in it. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__attribute__((visibility("default"))) int clock_gettime(clockid_t id, struct timespec *ret)
{
	const char *name = getenv("CLOCK_AHEAD");
	int r = (int)syscall(SYS_clock_gettime, id, ret), fd;
	char text[20] = "";

	fd = r == 0 && id == CLOCK_MONOTONIC && name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
	if (fd >= 0) {
		if (read(fd, text, sizeof text - 1) > 0)
			ret->tv_sec += atol(text);
		(void)close(fd);
	}
	return r;
}

#include "base/stack.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "base/util.h"

enum { MANY = 4 << 20 };

size_t stack_left(void)
{
	static __thread uintptr_t low, high; /* high: 0 = not looked at yet */
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	pthread_attr_t attr;
	struct rlimit limit;
	void *start;
	size_t size;

	if (!high && syscall(SYS_gettid) == getpid()) {
		/* It grows, and where it ends is a file to be read: its limit will do. */
		if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < MANY &&
		    limit.rlim_cur / 2 <= here)
			low = here - limit.rlim_cur / 2;
		high = UINTPTR_MAX;
	} else if (!high && pthread_getattr_np(pthread_self(), &attr) == 0) {
		if (pthread_attr_getstack(&attr, &start, &size) == 0) {
			low = (uintptr_t)start;
			high = low + size;
		}
		(void)pthread_attr_destroy(&attr);
	}
	/* A host may switch to stacks of its own. */
	return low && here > low && here <= high ? here - low : SIZE_MAX;
}

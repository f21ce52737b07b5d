#include "os/input.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "os/clock.h"
#include "os/fd.h"

enum { CHUNK_BYTES = 64 << 10 };

/* 1 readable, 0 too late, or -E_CANCEL.  until_us: INT64_MAX = any time. */
static int wait_for(int fd, int64_t until_us, struct cancel *cancel)
{
	struct pollfd fds[] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = cancel_fd(cancel), .events = POLLIN },
	};

	for (;;) {
		int n = fd_poll_until(fds, ARRAY_LEN(fds), until_us);

		if (cancel_fired(cancel))
			return -E_CANCEL;
		if (n > 0)
			return 1;
		if (clock_us() >= until_us)
			return 0;
	}
}

int input_read(int fd, const struct input_limits *limits, struct cancel *cancel, struct buf *out,
	       bool *ret_cut, struct err *err)
{
	int64_t until_us = clock_us() + limits->first_ms * 1000LL;
	size_t from = out->n;

	*ret_cut = false;
	for (;;) {
		size_t room = limits->max_bytes - (out->n - from);
		/* One byte more than fits tells "full" from "cut". */
		size_t want = min_size(CHUNK_BYTES, room + 1);
		int r = wait_for(fd, until_us, cancel);

		if (r < 0)
			return err_set(err, E_CANCEL, "cancelled");
		if (r == 0)
			return 0;
		until_us = INT64_MAX;
		ssize_t n = fd_read(fd, out, want);
		if (n == -EAGAIN)
			continue;
		if (n == -EBADF || n == 0)
			return 0;
		if (n < 0)
			return err_errno(err, (int)-n, "reading standard input");
		*ret_cut = (size_t)n > room;
		out->n -= *ret_cut ? (size_t)n - room : 0;
		if (*ret_cut)
			return 0;
	}
}

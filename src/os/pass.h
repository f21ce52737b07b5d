/*
 * Whom a Unix socket leads to, and small messages over it, with descriptors: for programs of one
 * user that lend each other processes.
 */
#pragma once

#include <stddef.h>

#include "base/util.h"

enum { PASS_FDS_MAX = 6 };

/*
 * A socket (close-on-exec, non-blocking) in a directory, whose name may be of any length: bound and
 * listening, or connected.  A negative errno; -EPERM when the directory or the other side is not
 * this user's alone.
 */
int pass_listen(const char *dir, const char *name);
int pass_connect(const char *dir, const char *name);
/* Is the other side this user? */
bool pass_is_own(int socket);
/* Does the other side run this program, the very file? */
bool pass_runs(int socket, const char *file);
/* The whole message at once: 0 or a negative errno. */
int pass_send(int socket, const void *bytes, size_t n, const int *fds, size_t nfds);
/*
 * A message of exactly n bytes, by until_us of clock_us(), with as many descriptors as came
 * (close-on-exec, not below FD_LOWEST; the caller's).  0, or a negative errno; -EPIPE at the end,
 * -EPERM for what pass_connect() has led to and another process than the one there has written.
 */
int pass_receive(int socket, void *bytes, size_t n, int64_t until_us, int fds[PASS_FDS_MAX],
		 size_t *ret_nfds);

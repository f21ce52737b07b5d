/* Descriptors: closing them once, and keeping ours away from the numbers of the host. */
#pragma once

#include "base/buf.h"

/* Closes *fd unless it is -1, and makes it -1. */
void fd_close(int *fd);
/* Which file it is of, both ends of a pipe alike; 0 = none, or it cannot be told. */
uint64_t fd_file(int fd);
/* False when it is known to be of another file than that, or of none. */
bool fd_is_of(int fd, uint64_t file);
/*
 * Moves *fd (close-on-exec) to a number that is not below lowest.  In a host that has closed its
 * standard descriptors a new one would get their numbers, and its printf() would write there.
 * Returns 0 or a negative errno; *fd is still open then.
 */
int fd_lift(int *fd, int lowest);
enum { FD_LOWEST = 3 };
/* For the start of a program: a file that it opens must not get the number of a standard stream
 * that somebody has closed. */
void fd_fill_standard(void);
/* One read of at most `want` bytes, put behind *out: how many, 0 at the end, a negative errno.  A
 * signal does not end it. */
ssize_t fd_read(int fd, struct buf *out, size_t want);
/* Writes all bytes: 0 or a negative errno; *ret_n (NULL allowed) tells how many were written. */
int fd_write(int fd, struct str bytes, size_t *ret_n);
/* As fd_write() at the end of a file, which is left as it was when not all can be written. */
int fd_append(int fd, struct str bytes);
/*
 * A file in memory (close-on-exec, not below FD_LOWEST) that holds the bytes and that nobody can
 * change any longer, whoever opens it through /proc; a negative errno.
 */
int fd_sealed(const char *name, const void *bytes, size_t n);
/*
 * (waits) poll() that also works above a limit of descriptors which somebody lowered: until one of
 * fds is ready or timeout_ms (-1 = none) are over, or until a time of clock_us() (INT64_MAX =
 * none). Returns how many are ready. Interruptions by signals are a return of 0, with no revents.
 */
struct pollfd;
int fd_poll(struct pollfd *fds, size_t n, int timeout_ms);
int fd_poll_until(struct pollfd *fds, size_t n, int64_t until_us);
/* Whether whoever read what is written there has gone. */
bool fd_is_abandoned(int fd);
/* (waits) Until ms have passed, or `cancel` (NULL allowed) fires: then true. */
struct cancel;
bool fd_sleep(struct cancel *cancel, int64_t ms);

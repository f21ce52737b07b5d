#include "os/family.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/str.h"
#include "os/proc.h"

enum { PATH_SIZE = 64 };

static atomic_int held;

/* The parts joined; a handler may not use snprintf(). */
static void path_make(char out[PATH_SIZE], const char *a, const char *b, const char *c)
{
	const char *const parts[] = { a, b, c };
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		for (const char *s = parts[i]; *s && n < PATH_SIZE - 1; s++)
			out[n++] = *s;
	out[n] = '\0';
}

/* Does the process run the program that we are? */
static bool is_our_program(const char *pid)
{
	char ours[PATH_MAX], theirs[PATH_MAX], path[PATH_SIZE];
	ssize_t n, m;

	path_make(path, "/proc/", pid, "/exe");
	n = readlink(OWN_PROGRAM, ours, sizeof ours);
	m = readlink(path, theirs, sizeof theirs);
	return n > 0 && n == m && memcmp(ours, theirs, (size_t)n) == 0;
}

/* "123 456 ": the children that one thread has started. */
static void kill_listed(int fd)
{
	char text[4096], pid[16];
	size_t n = 0;
	ssize_t got;

	while ((got = read(fd, text, sizeof text)) > 0)
		for (ssize_t i = 0; i < got; i++) {
			if (char_is_digit(text[i]) && n < sizeof pid - 1) {
				pid[n++] = text[i];
				continue;
			}
			pid[n] = '\0';
			if (n) {
				long number = 0;

				for (size_t k = 0; k < n; k++)
					number = number * 10 + (pid[k] - '0');
				if (number > 1 && !is_our_program(pid))
					(void)kill((pid_t)-number, SIGKILL);
			}
			n = 0;
		}
}

/* As the kernel lays it out: readdir() allocates. */
struct entry {
	uint64_t ino;
	int64_t off;
	unsigned short reclen;
	unsigned char type;
	char name[];
};

void family_hold(sigset_t *ret_before)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	sigset_t set;

	(void)sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		(void)sigaddset(&set, numbers[i]);
	(void)pthread_sigmask(SIG_BLOCK, &set, ret_before);
	atomic_fetch_add(&held, 1);
}

void family_release(const sigset_t *before)
{
	atomic_fetch_sub(&held, 1);
	(void)pthread_sigmask(SIG_SETMASK, before, NULL);
}

void family_kill(void)
{
	_Alignas(struct entry) char list[4096];
	char path[PATH_SIZE];
	int dir, fd;
	long n;

	for (int ms = 0; atomic_load(&held) && ms < FAMILY_HOLD_MS; ms++)
		(void)poll(NULL, 0, 1);
	dir = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return;
	while ((n = syscall(SYS_getdents64, dir, list, sizeof list)) > 0)
		for (long at = 0; at < n;) {
			const struct entry *e = (const struct entry *)(list + at);

			at += e->reclen;
			if (!char_is_digit(e->name[0]))
				continue;
			path_make(path, "/proc/self/task/", e->name, "/children");
			fd = open(path, O_RDONLY | O_CLOEXEC);
			if (fd < 0)
				continue;
			kill_listed(fd);
			(void)close(fd);
		}
	(void)close(dir);
}

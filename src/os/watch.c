#include "os/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "os/child.h"
#include "os/clock.h"
#include "os/fd.h"
#include "os/proc.h"
#include "os/spawn.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

struct table {
	pid_t host;
	struct {
		atomic_int group; /* 0 = free, -1 = being filled */
		atomic_llong until_us;
	} entries[WATCH_MAX];
};

struct watch {
	pthread_mutex_t lock; /* of the start */
	const char **argv;
	const char *const *env;
	struct table *table; /* NULL before the start, and where that failed */
	atomic_int owner; /* who has tried to start it: a fork of the host needs one of its own */
	int lifeline; /* its other end is the program's stdin */
	struct child child;
};

/* ---- the host ---- */

struct watch *watch_new(const char *const *argv, const char *const *env)
{
	struct watch *w = xcalloc(1, sizeof *w);
	size_t n = 0;

	while (argv[n])
		n++;
	w->argv = xcalloc(n + 1, sizeof *w->argv);
	for (size_t i = 0; i < n; i++)
		w->argv[i] = xstrdup(argv[i]);
	w->env = env;
	w->lifeline = -1;
	(void)pthread_mutex_init(&w->lock, NULL);
	return w;
}

static struct table *share(int fd)
{
	void *p = mmap(NULL, sizeof(struct table), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* A descriptor of its own for each end, so that none has a number that the program needs. */
static int open_ends(struct spawn_ends *ends, int *ret_lifeline, int *ret_memory)
{
	int pipe_ends[2];

	*ends = SPAWN_NO_ENDS;
	if (pipe2(pipe_ends, O_CLOEXEC) < 0)
		return -errno;
	ends->child_in = pipe_ends[0];
	*ret_lifeline = pipe_ends[1];
	*ret_memory = memfd_create("trotline", MFD_CLOEXEC);
	ends->child_to[SPAWN_STDOUT] = open("/dev/null", O_WRONLY | O_CLOEXEC);
	ends->child_to[SPAWN_STDERR] = open("/dev/null", O_WRONLY | O_CLOEXEC);
	ends->child_to[SPAWN_RESULT] = fcntl(*ret_memory, F_DUPFD_CLOEXEC, PROC_RESULT_FD + 1);
	if (ends->child_to[SPAWN_STDERR] < 0 || ends->child_to[SPAWN_RESULT] < 0 ||
	    ftruncate(*ret_memory, sizeof(struct table)) < 0)
		return -errno;
	for (size_t i = 0; i < SPAWN_RESULT; i++)
		if (fd_lift(&ends->child_to[i], PROC_RESULT_FD + 1) < 0)
			return -EMFILE;
	if (fd_lift(&ends->child_in, PROC_RESULT_FD + 1) < 0)
		return -EMFILE;
	return fd_lift(ret_lifeline, PROC_RESULT_FD + 1);
}

static void let_go(struct watch *w)
{
	fd_close(&w->lifeline);
	if (w->table)
		(void)munmap(w->table, sizeof *w->table);
	w->table = NULL;
}

/* A host without it goes on: what it loses is the care after its own death. */
static void start(struct watch *w)
{
	const struct proc_spec spec = { .file = w->argv[0], .argv = w->argv, .envp = w->env };
	struct spawn_ends ends;
	int memory = -1, pidfd;
	pid_t pid;
	int r = open_ends(&ends, &w->lifeline, &memory);

	if (r == 0)
		w->table = share(memory);
	if (w->table)
		w->table->host = getpid();
	if (w->table)
		r = spawn_process(&spec, &ends, &pid, &pidfd);
	if (w->table && r == 0)
		r = child_watch(&w->child, pid, pidfd);
	spawn_close(&ends);
	fd_close(&memory);
	if (r == 0 && w->table)
		return;
	let_go(w);
}

void watch_start(struct watch *w)
{
	if (!w || w->owner == getpid())
		return;
	(void)pthread_mutex_lock(&w->lock);
	if (w->owner != getpid()) {
		if (w->table)
			child_abandon(&w->child);
		let_go(w);
		start(w);
		w->owner = getpid();
	}
	(void)pthread_mutex_unlock(&w->lock);
}

void watch_free(struct watch *w)
{
	bool left = false;
	int code;

	if (!w)
		return;
	for (size_t i = 0; w->table && i < WATCH_MAX; i++)
		left |= atomic_load(&w->table->entries[i].group) > 0;
	fd_close(&w->lifeline);
	if (w->table && (left || w->owner != getpid())) {
		child_abandon(&w->child);
	} else if (w->table) {
		child_signal(&w->child, SIGKILL);
		if (child_wait(&w->child, PROC_GIVE_UP_MS))
			(void)child_reap(&w->child, &code);
		else
			child_abandon(&w->child);
	}
	let_go(w);
	for (size_t i = 0; w->argv[i]; i++)
		free((char *)w->argv[i]);
	free(w->argv);
	(void)pthread_mutex_destroy(&w->lock);
	free(w);
}

int watch_add(struct watch *w, int64_t until_us, atomic_int **ret_group)
{
	for (int i = 0; w && w->table && i < WATCH_MAX; i++) {
		int unused = 0;

		if (!atomic_compare_exchange_strong(&w->table->entries[i].group, &unused, -1))
			continue;
		atomic_store(&w->table->entries[i].until_us, until_us);
		*ret_group = &w->table->entries[i].group;
		return i;
	}
	return -1;
}

void watch_set(struct watch *w, int entry, int64_t until_us)
{
	if (entry >= 0)
		atomic_store(&w->table->entries[entry].until_us, until_us);
}

void watch_remove(struct watch *w, int entry)
{
	if (entry >= 0)
		atomic_store(&w->table->entries[entry].group, 0);
}

/* ---- the program ---- */

struct left {
	pid_t group;
	int64_t until_us;
	bool asked; /* to end */
};

/* Of the entries those whose leader is there, with a descriptor of it: the number may be used
 * again. */
static size_t find_left(struct table *t, struct left *left, struct pollfd *fds)
{
	int64_t idle_us = clock_us() + (int64_t)WATCH_IDLE_MS * 1000;
	size_t n = 0;

	for (size_t i = 0; i < WATCH_MAX; i++) {
		pid_t group = atomic_load(&t->entries[i].group);
		int64_t until_us = atomic_load(&t->entries[i].until_us);
		int fd = group > 0 ? (int)syscall(SYS_pidfd_open, group, 0) : -1;

		if (fd < 0)
			continue;
		left[n] = (struct left){ group, until_us ? until_us : idle_us, false };
		fds[n++] = (struct pollfd){ .fd = fd, .events = POLLIN };
	}
	return n;
}

/* Forks of the host hold the lifeline as well, and may live longer. */
static void wait_for_host(pid_t host)
{
	struct pollfd fds[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = getppid() == host ? (int)syscall(SYS_pidfd_open, host, 0) : -1,
		  .events = POLLIN },
	};

	while (getppid() == host && !fds[0].revents && !fds[1].revents)
		(void)fd_poll_until(fds, ARRAY_LEN(fds), INT64_MAX);
	fd_close(&fds[1].fd);
}

int watch_run(void)
{
	struct table *t = share(PROC_RESULT_FD);
	struct left left[WATCH_MAX];
	struct pollfd fds[WATCH_MAX];
	size_t n;

	if (!t)
		return 1;
	wait_for_host(t->host);
	n = find_left(t, left, fds);
	while (n) {
		int64_t next_us = INT64_MAX;

		for (size_t i = 0; i < n; i++)
			next_us = left[i].until_us < next_us ? left[i].until_us : next_us;
		(void)fd_poll_until(fds, n, next_us);
		for (size_t i = n; i-- > 0;) {
			struct left *l = &left[i];
			bool asked = l->asked;

			if (!fds[i].revents && clock_us() < l->until_us)
				continue;
			/* What ended by itself may have left others behind on purpose. */
			if (!fds[i].revents || asked)
				(void)kill(-l->group, asked ? SIGKILL : SIGTERM);
			l->until_us += (int64_t)WATCH_GRACE_MS * 1000;
			l->asked = true;
			if (!fds[i].revents && !asked)
				continue;
			(void)close(fds[i].fd);
			n--;
			left[i] = left[n];
			fds[i] = fds[n];
		}
	}
	return 0;
}

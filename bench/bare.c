#include "bare.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>

#include "bench.h"

enum { KB = 1024, FITS = 4 * KB };

struct bare {
	pid_t pid;
	int in, out, err; /* -1 when closed */
	size_t written;
};

static void start(struct bare *b, const struct bare_command *c)
{
	int in[2], out[2], err[2];
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t attr;

	bench_must(!pipe2(in, O_CLOEXEC) && !pipe2(out, O_CLOEXEC) && !pipe2(err, O_CLOEXEC),
		   "pipe2");
	(void)posix_spawn_file_actions_init(&fa);
	(void)posix_spawn_file_actions_adddup2(&fa, in[0], 0);
	(void)posix_spawn_file_actions_adddup2(&fa, out[1], 1);
	(void)posix_spawn_file_actions_adddup2(&fa, err[1], 2);
	(void)posix_spawnattr_init(&attr);
	(void)posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID);
	bench_must(!posix_spawn(&b->pid, c->argv[0], &fa, &attr, (char *const *)c->argv, environ),
		   c->argv[0]);
	(void)posix_spawnattr_destroy(&attr);
	(void)posix_spawn_file_actions_destroy(&fa);
	(void)close(in[0]);
	(void)close(out[1]);
	(void)close(err[1]);
	*b = (struct bare){ b->pid, in[1], out[0], err[0], 0 };
	if (c->ninput <= FITS) {
		(void)!write(b->in, c->input, c->ninput);
		(void)close(b->in);
		b->in = -1;
		return;
	}
	(void)fcntl(b->in, F_SETFL, O_NONBLOCK);
}

static void read_some(int *fd)
{
	char bytes[64 * KB];

	if (read(*fd, bytes, sizeof bytes) > 0)
		return;
	(void)close(*fd);
	*fd = -1;
}

static void write_some(struct bare *b, const struct bare_command *c)
{
	ssize_t r = write(b->in, c->input + b->written, c->ninput - b->written);

	b->written += r > 0 ? (size_t)r : 0;
	if (b->written < c->ninput)
		return;
	(void)close(b->in);
	b->in = -1;
}

static void loop(struct bare *bares, size_t n, const struct bare_command *c)
{
	struct pollfd fds[BARE_MAX * 3];

	for (;;) {
		bool open = false;

		for (size_t i = 0; i < n; i++) {
			fds[3 * i] = (struct pollfd){ .fd = bares[i].out, .events = POLLIN };
			fds[3 * i + 1] = (struct pollfd){ .fd = bares[i].err, .events = POLLIN };
			fds[3 * i + 2] = (struct pollfd){ .fd = bares[i].in, .events = POLLOUT };
			open |= bares[i].out >= 0 || bares[i].err >= 0;
		}
		if (!open)
			return;
		bench_must(poll(fds, 3 * n, -1) > 0, "poll");
		for (size_t i = 0; i < n; i++) {
			if (fds[3 * i].revents)
				read_some(&bares[i].out);
			if (fds[3 * i + 1].revents)
				read_some(&bares[i].err);
			if (fds[3 * i + 2].revents)
				write_some(&bares[i], c);
		}
	}
}

static void run_one(const struct bare_command *c)
{
	struct bare b;

	start(&b, c);
	if (b.in >= 0)
		loop(&b, 1, c);
	while (b.out >= 0)
		read_some(&b.out);
	while (b.err >= 0)
		read_some(&b.err);
	bench_must(waitpid(b.pid, NULL, 0) == b.pid, "waitpid");
}

void bare_run(const struct bare_command *c)
{
	struct bare bares[BARE_MAX];

	if (c->n == 1) {
		run_one(c);
		return;
	}
	for (size_t i = 0; i < c->n; i++)
		start(&bares[i], c);
	loop(bares, c->n, c);
	for (size_t i = 0; i < c->n; i++)
		bench_must(waitpid(bares[i].pid, NULL, 0) == bares[i].pid, "waitpid");
}

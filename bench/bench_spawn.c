/*
 * What supervising costs: os/proc against the same program started with a bare posix_spawn, three
 * pipes, read to EOF and waited for, with no limit, deadline or group.  Both are run in turn; the
 * numbers are medians, and only their ratios carry over to other machines.
 */
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "os/clock.h"
#include "os/proc.h"

enum { KB = 1024, MB = 1024 * KB, AT_ONCE = 50, ROUNDS_MAX = 1000 };

struct command {
	const char *const *argv;
	size_t input;
};

static char input[MB];
static char script[] = "/tmp/trotline-bench-XXXXXX";

static struct proc_spec spec_of(const struct command *c, struct iovec *iov)
{
	*iov = (struct iovec){ input, c->input };
	return (struct proc_spec){
		.file = c->argv[0], .argv = c->argv, .input = iov, .ninput = 1, .timeout_ms = 60000
	};
}

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

static void ours(const struct command *c)
{
	AUTO(proc_done) struct proc p;
	struct iovec iov;
	struct proc_spec spec = spec_of(c, &iov);

	must(proc_run(&p, &spec, NULL, NULL) == 0 && p.result.end == PROC_EXITED, "proc_run");
}

static void ours_at_once(const struct command *c)
{
	struct proc procs[AT_ONCE];
	struct pollfd fds[AT_ONCE * PROC_FDS_MAX];
	struct iovec iov;
	struct proc_spec spec = spec_of(c, &iov);
	size_t left = AT_ONCE;

	for (size_t i = 0; i < AT_ONCE; i++)
		must(proc_start(&procs[i], &spec, NULL) == 0, "proc_start");
	while (left) {
		size_t at[AT_ONCE + 1] = {0};

		for (size_t i = 0; i < AT_ONCE; i++)
			at[i + 1] = at[i] + proc_fds(&procs[i], fds + at[i]);
		must(poll(fds, at[AT_ONCE], -1) > 0, "poll");
		for (size_t i = 0; i < AT_ONCE; i++)
			if (at[i + 1] > at[i] &&
			    proc_step(&procs[i], fds + at[i], at[i + 1] - at[i]))
				left--;
	}
	for (size_t i = 0; i < AT_ONCE; i++)
		proc_done(&procs[i]);
}

struct bare {
	pid_t pid;
	int in, out, err;
	size_t written;
};

static void bare_start(struct bare *b, const struct command *c)
{
	int in[2], out[2], err[2];
	posix_spawn_file_actions_t fa;

	must(!pipe2(in, O_CLOEXEC) && !pipe2(out, O_CLOEXEC) && !pipe2(err, O_CLOEXEC), "pipe2");
	(void)posix_spawn_file_actions_init(&fa);
	(void)posix_spawn_file_actions_adddup2(&fa, in[0], 0);
	(void)posix_spawn_file_actions_adddup2(&fa, out[1], 1);
	(void)posix_spawn_file_actions_adddup2(&fa, err[1], 2);
	must(!posix_spawn(&b->pid, c->argv[0], &fa, NULL, (char *const *)c->argv, environ),
	     "spawn");
	(void)posix_spawn_file_actions_destroy(&fa);
	(void)close(in[0]);
	(void)close(out[1]);
	(void)close(err[1]);
	*b = (struct bare){ b->pid, in[1], out[0], err[0], 0 };
	if (c->input <= 4 * KB) {
		(void)!write(b->in, input, c->input);
		(void)close(b->in);
		b->in = -1;
		return;
	}
	(void)fcntl(b->in, F_SETFL, O_NONBLOCK);
}

static void bare_read(int *fd)
{
	char bytes[64 * KB];

	if (read(*fd, bytes, sizeof bytes) > 0)
		return;
	(void)close(*fd);
	*fd = -1;
}

static void bare_write(struct bare *b, const struct command *c)
{
	ssize_t r = write(b->in, input + b->written, c->input - b->written);

	b->written += r > 0 ? (size_t)r : 0;
	if (b->written < c->input)
		return;
	(void)close(b->in);
	b->in = -1;
}

static void bare_run(struct bare *bares, size_t n, const struct command *c)
{
	struct pollfd fds[AT_ONCE * 3];

	for (;;) {
		bool open = false;

		for (size_t i = 0; i < n; i++) {
			fds[3 * i] = (struct pollfd){ .fd = bares[i].out, .events = POLLIN };
			fds[3 * i + 1] = (struct pollfd){ .fd = bares[i].err, .events = POLLIN };
			fds[3 * i + 2] = (struct pollfd){ .fd = bares[i].in, .events = POLLOUT };
			open |= bares[i].out >= 0 || bares[i].err >= 0;
		}
		if (!open)
			break;
		must(poll(fds, 3 * n, -1) > 0, "poll");
		for (size_t i = 0; i < n; i++) {
			if (fds[3 * i].revents)
				bare_read(&bares[i].out);
			if (fds[3 * i + 1].revents)
				bare_read(&bares[i].err);
			if (fds[3 * i + 2].revents)
				bare_write(&bares[i], c);
		}
	}
	for (size_t i = 0; i < n; i++)
		must(waitpid(bares[i].pid, NULL, 0) == bares[i].pid, "waitpid");
}

static void bare(const struct command *c)
{
	struct bare b;

	bare_start(&b, c);
	if (b.in >= 0) {
		bare_run(&b, 1, c);
		return;
	}
	while (b.out >= 0)
		bare_read(&b.out);
	while (b.err >= 0)
		bare_read(&b.err);
	must(waitpid(b.pid, NULL, 0) == b.pid, "waitpid");
}

static void bare_at_once(const struct command *c)
{
	struct bare bares[AT_ONCE];

	for (size_t i = 0; i < AT_ONCE; i++)
		bare_start(&bares[i], c);
	bare_run(bares, AT_ONCE, c);
}

static double timed(void (*run)(const struct command *), const struct command *c)
{
	int64_t start = clock_us();

	run(c);
	return (double)(clock_us() - start);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, size_t n)
{
	qsort(values, n, sizeof *values, by_value);
	return values[n / 2];
}

static void compare(const char *name, size_t rounds, const struct command *c,
		    void (*run_ours)(const struct command *),
		    void (*run_bare)(const struct command *))
{
	static double a[ROUNDS_MAX], b[ROUNDS_MAX];

	(void)timed(run_ours, c);
	(void)timed(run_bare, c);
	for (size_t i = 0; i < rounds; i++) {
		bool first = i % 2 == 0;

		if (first)
			a[i] = timed(run_ours, c);
		b[i] = timed(run_bare, c);
		if (!first)
			a[i] = timed(run_ours, c);
	}
	printf("{\"name\": \"%s\", \"unit\": \"us\", \"ours\": %.1f, "
	       "\"peer\": \"bare posix_spawn\", \"theirs\": %.1f}\n",
	       name, median(a, rounds), median(b, rounds));
	(void)fflush(stdout);
}

/* How a start grows with the memory of the host: fork() would copy its page tables. */
static void compare_heaps(const struct command *c)
{
	enum { BLOCKS = 4, EACH = 100 };
	static double with[ROUNDS_MAX], without[ROUNDS_MAX];
	size_t size = (size_t)1 << 30, n = 0;

	for (size_t block = 0; block < BLOCKS; block++) {
		for (size_t i = 0; i < EACH; i++)
			without[n + i] = timed(ours, c);
		char *heap = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				  -1, 0);
		must(heap != MAP_FAILED, "mmap");
		(void)madvise(heap, size, MADV_NOHUGEPAGE);
		for (size_t at = 0; at < size; at += 4096)
			heap[at] = 1;
		for (size_t i = 0; i < EACH; i++)
			with[n + i] = timed(ours, c);
		(void)munmap(heap, size);
		n += EACH;
	}
	printf("{\"name\": \"spawn-heap-1gb\", \"unit\": \"us\", \"ours\": %.1f, "
	       "\"peer\": \"ours, small heap\", \"theirs\": %.1f}\n",
	       median(with, n), median(without, n));
}

static void make_script(void)
{
	static const char text[] = "#!/bin/sh\ncat >/dev/null\necho '{}'\n";
	int fd = mkostemp(script, O_CLOEXEC);

	must(fd >= 0 && write(fd, text, sizeof text - 1) > 0 && !fchmod(fd, 0755), script);
	(void)close(fd);
}

int main(void)
{
	const char *const bash_c[] = { "/bin/bash", "-c", "cat >/dev/null; echo '{}'", NULL };
	const struct command true_1k = { (const char *const[]){ "/bin/true", NULL }, KB };
	const struct command script_1k = { (const char *const[]){ script, NULL }, KB };
	const struct command bash_1k = { bash_c, KB }, bash_1m = { bash_c, MB };

	/* The bare one needs it: true does not read what it is sent. */
	(void)sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	make_script();
	compare("spawn-true", 400, &true_1k, ours, bare);
	compare("spawn-script", 200, &script_1k, ours, bare);
	compare("spawn-bash-c", 200, &bash_1k, ours, bare);
	compare("spawn-input-1mb", 200, &bash_1m, ours, bare);
	compare("spawn-50-true", 20, &true_1k, ours_at_once, bare_at_once);
	compare("spawn-50-script", 10, &script_1k, ours_at_once, bare_at_once);
	compare_heaps(&true_1k);
	(void)unlink(script);
	return 0;
}

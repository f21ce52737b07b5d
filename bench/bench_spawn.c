/*
 * What supervising costs: os/proc against the same program started with a bare posix_spawn, three
 * pipes, read to EOF and waited for, with no limit or deadline.  Both are run in turn; only the
 * ratios carry over to other machines.
 */
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "bare.h"
#include "bench.h"
#include "os/proc.h"

enum { KB = 1024, MB = 1024 * KB, AT_ONCE = BARE_MAX };

static char input[MB];
static char script[] = "/tmp/trotline-bench-XXXXXX";

static struct proc_spec spec_of(const struct bare_command *c, struct iovec *iov)
{
	*iov = (struct iovec){ input, c->ninput };
	return (struct proc_spec){
		.file = c->argv[0], .argv = c->argv, .input = iov, .ninput = 1, .timeout_ms = 60000
	};
}

static void ours(void *data)
{
	const struct bare_command *c = data;
	AUTO(proc_done) struct proc p;
	struct iovec iov;
	struct proc_spec spec = spec_of(c, &iov);

	bench_must(proc_run(&p, &spec, NULL, NULL) == 0 && p.result.end == PROC_EXITED, "proc_run");
}

/* As a hook whose sandbox reads a project, and writes in one directory of it. */
static void ours_sandboxed(void *data)
{
	static const char *const read[] = { "/tmp", NULL }, *const write[] = { "/var/tmp", NULL };
	static const struct sandbox sandbox = { .read = read, .write = write, .inside = "/tmp" };
	const struct bare_command *c = data;
	AUTO(proc_done) struct proc p;
	struct iovec iov;
	struct proc_spec spec = spec_of(c, &iov);

	spec.sandbox = &sandbox;
	bench_must(proc_run(&p, &spec, NULL, NULL) == 0 && p.result.end == PROC_EXITED &&
			   p.result.code == 0,
		   "proc_run in a sandbox");
}

static void ours_at_once(void *data)
{
	const struct bare_command *c = data;
	struct proc procs[AT_ONCE];
	struct pollfd fds[AT_ONCE * PROC_FDS_MAX];
	struct iovec iov;
	struct proc_spec spec = spec_of(c, &iov);
	size_t left = AT_ONCE;

	for (size_t i = 0; i < AT_ONCE; i++)
		bench_must(proc_start(&procs[i], &spec, NULL) == 0, "proc_start");
	while (left) {
		size_t at[AT_ONCE + 1] = { 0 };

		for (size_t i = 0; i < AT_ONCE; i++)
			at[i + 1] = at[i] + proc_fds(&procs[i], fds + at[i]);
		bench_must(poll(fds, at[AT_ONCE], -1) > 0, "poll");
		for (size_t i = 0; i < AT_ONCE; i++)
			if (at[i + 1] > at[i] &&
			    proc_step(&procs[i], fds + at[i], at[i + 1] - at[i]))
				left--;
	}
	for (size_t i = 0; i < AT_ONCE; i++)
		proc_done(&procs[i]);
}

static void bare(void *data)
{
	bare_run(data);
}

static void compare_with(const char *name, size_t rounds, void (*run)(void *data),
			 const struct bare_command *c)
{
	struct bench_pair pair = {
		.name = name,
		.peer = "bare posix_spawn",
		.ours = run,
		.theirs = bare,
		.our_data = (void *)c,
		.their_data = (void *)c,
		.rounds = rounds,
	};

	bench_compare(&pair);
}

static void compare(const char *name, size_t rounds, const struct bare_command *c)
{
	compare_with(name, rounds, c->n == 1 ? ours : ours_at_once, c);
}

/* How a start grows with the memory of the host: fork() would copy its page tables. */
static void compare_heaps(struct bare_command *c)
{
	enum { BLOCKS = 4, EACH = 100 };
	static double with[BLOCKS * EACH], without[BLOCKS * EACH];
	size_t size = (size_t)1 << 30, n = 0;

	for (size_t block = 0; block < BLOCKS; block++) {
		for (size_t i = 0; i < EACH; i++)
			without[n + i] = bench_timed(ours, c);
		char *heap = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				  -1, 0);
		bench_must(heap != MAP_FAILED, "mmap");
		(void)madvise(heap, size, MADV_NOHUGEPAGE);
		for (size_t at = 0; at < size; at += 4096)
			heap[at] = 1;
		for (size_t i = 0; i < EACH; i++)
			with[n + i] = bench_timed(ours, c);
		(void)munmap(heap, size);
		n += EACH;
	}
	bench_print("spawn-heap-1gb", "us", bench_quiet(with, n), "ours, small heap",
		    bench_quiet(without, n));
}

static void make_script(void)
{
	static const char text[] = "#!/bin/sh\ncat >/dev/null\necho '{}'\n";
	int fd = mkostemp(script, O_CLOEXEC);

	bench_must(fd >= 0 && write(fd, text, sizeof text - 1) > 0 && !fchmod(fd, 0755), script);
	(void)close(fd);
}

int main(void)
{
	const char *const true_[] = { "/bin/true", NULL }, *const cat[] = { script, NULL };
	const char *const bash_c[] = { "/bin/bash", "-c", "cat >/dev/null; echo '{}'", NULL };
	struct bare_command true_1k = { true_, input, KB, 1 };

	/* The bare one needs it: true does not read what it is sent. */
	(void)sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	make_script();
	compare("spawn-true", 400, &true_1k);
	compare("spawn-script", 200, &(struct bare_command){ cat, input, KB, 1 });
	compare("spawn-bash-c", 200, &(struct bare_command){ bash_c, input, KB, 1 });
	compare("spawn-input-1mb", 200, &(struct bare_command){ bash_c, input, MB, 1 });
	compare("spawn-50-true", 20, &(struct bare_command){ true_, input, KB, AT_ONCE });
	compare("spawn-50-script", 20, &(struct bare_command){ cat, input, KB, AT_ONCE });
	if (sandbox_abi() > 0) {
		compare_with("spawn-sandboxed-true", 400, ours_sandboxed, &true_1k);
		compare_with("spawn-sandboxed-script", 200, ours_sandboxed,
			     &(struct bare_command){ cat, input, KB, 1 });
	}
	compare_heaps(&true_1k);
	(void)unlink(script);
	return 0;
}

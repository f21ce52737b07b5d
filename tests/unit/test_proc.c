/* Supervision: input, output, limits, deadlines, cancelling (contract 6.2 to 6.5). */
#include "proc_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "os/clock.h"

enum { MB = 1 << 20 };

static void exit_status_is_the_code(void **state)
{
	static const int codes[] = { 0, 1, 2, 126, 127, 255 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
		AUTO(proc_done) struct proc p;
		char script[32];

		(void)snprintf(script, sizeof script, "exit %d", codes[i]);
		assert_int_equal(RUN_SH(&p, script), 0);
		assert_exit(&p, codes[i]);
		assert_true(p.result.elapsed_us > 0);
	}
}

static void signal_is_the_code(void **state)
{
	AUTO(proc_done) struct proc p;

	(void)state;
	assert_int_equal(RUN_SH(&p, "printf '{\"half'; kill -SEGV $$"), 0);
	assert_int_equal(p.result.end, PROC_SIGNALLED);
	assert_int_equal(p.result.code, SIGSEGV);
	assert_out(&p, "{\"half");
}

static void c6_2_standard_descriptors_are_pipes(void **state)
{
	AUTO(proc_done) struct proc p;

	(void)state;
	/* Opening these fails where a runner gives sockets to its children. */
	assert_int_equal(RUN_SH(&p, "cat /dev/stdin; echo x >/dev/stdout; echo y >/dev/stderr",
				INPUT("in\n", 3)),
			 0);
	assert_exit(&p, 0);
	assert_out(&p, "in\nx\n");
	assert_string_equal(buf_z(&p.result.err), "y\n");
	proc_done(&p);
	assert_int_equal(RUN_SH(&p, "wc -c </dev/stdin", INPUT("12345", 5)), 0);
	assert_out(&p, "5\n");
}

static void output_may_hold_nul(void **state)
{
	AUTO(proc_done) struct proc p;

	(void)state;
	assert_int_equal(RUN_SH(&p, "printf 'a\\0b\\n'"), 0);
	assert_int_equal(p.result.out.n, 4);
	assert_memory_equal(p.result.out.p, "a\0b\n", 4);
}

/* More parts than one writev takes, empty ones among them, and more bytes than any pipe holds. */
static void c6_2_big_input_in_parts(void **state)
{
	enum { PARTS = 100, SIZE = 50000 };
	AUTO(free) char *bytes = xmalloc(PARTS * SIZE);
	struct iovec parts[PARTS * 2];
	AUTO(proc_done) struct proc p;

	(void)state;
	for (size_t i = 0; i < PARTS * SIZE; i++)
		bytes[i] = (char)(i * 2654435761u >> 13);
	for (size_t i = 0; i < PARTS; i++) {
		parts[2 * i] = (struct iovec){ NULL, 0 };
		parts[2 * i + 1] = (struct iovec){ bytes + i * SIZE, SIZE };
	}
	assert_int_equal(RUN_SH(&p, "cat", .input = parts, .ninput = ARRAY_LEN(parts)), 0);
	assert_exit(&p, 0);
	assert_int_equal(p.result.out.n, PARTS * SIZE);
	assert_memory_equal(p.result.out.p, bytes, PARTS * SIZE);
}

static void c6_2_input_may_be_ignored(void **state)
{
	AUTO(free) char *bytes = xcalloc(4, MB);
	AUTO(proc_done) struct proc p;

	(void)state;
	assert_int_equal(RUN_SH(&p, "echo ok", INPUT(bytes, 4 * MB)), 0);
	assert_exit(&p, 0);
	assert_out(&p, "ok\n");
	proc_done(&p);
	assert_int_equal(RUN_SH(&p, "head -c 100000 | wc -c", INPUT(bytes, 4 * MB)), 0);
	assert_exit(&p, 0);
	assert_out(&p, "100000\n");
}

/* The host keeps the default action of SIGPIPE, which would end this test. */
static void c6_2_closed_stdin_is_no_error(void **state)
{
	AUTO(free) char *bytes = xcalloc(4, MB);
	AUTO(proc_done) struct proc p;
	struct pollfd fds[PROC_FDS_MAX];
	sigset_t pending;

	(void)state;
	assert_int_equal(START_SH(&p, "exec <&-; exec sleep 1000", INPUT(bytes, 4 * MB)), 0);
	while (p.ends.in >= 0) {
		size_t n = proc_fds(&p, fds);

		assert_true(poll(fds, n, DEADLINE_MS) > 0);
		assert_false(proc_step(&p, fds, n));
	}
	(void)sigpending(&pending);
	assert_false(sigismember(&pending, SIGPIPE));
	proc_cancel(&p);
	step_to_end(&p);
	assert_int_equal(p.result.end, PROC_CANCELLED);
}

/* A write to a pipe without a reader, and whether a SIGPIPE is pending after it. */
static bool write_is_refused(int fd, bool pending_after)
{
	struct iovec one = { (char[]){ "x" }, 1 };
	sigset_t pending;
	bool refused = pipe_writev(fd, &one, 1) == -1 && errno == EPIPE;

	(void)sigpending(&pending);
	return refused && sigismember(&pending, SIGPIPE) == pending_after;
}

static bool a_pending_sigpipe_is_left(void)
{
	sigset_t sigpipe, old;
	int ends[2], sig;
	bool left = pipe2(ends, O_CLOEXEC) == 0;

	(void)close(ends[0]);
	left &= write_is_refused(ends[1], false);
	(void)sigemptyset(&sigpipe);
	(void)sigaddset(&sigpipe, SIGPIPE);
	(void)pthread_sigmask(SIG_BLOCK, &sigpipe, &old);
	left &= write_is_refused(ends[1], false);
	(void)raise(SIGPIPE);
	left &= write_is_refused(ends[1], true);
	(void)sigwait(&sigpipe, &sig);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	(void)close(ends[1]);
	return left;
}

static void pipe_writev_leaves_a_pending_sigpipe(void **state)
{
	(void)state;
	assert_true(a_pending_sigpipe_is_left());
}

/* A thread whose writes cannot say that they want no signal, as before Linux 6.18. */
static void *on_an_older_kernel(void *ret_left)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwritev2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { ARRAY_LEN(rules), rules };

	*(bool *)ret_left = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
			    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0 &&
			    pwritev2(-1, NULL, 0, -1, 0) == -1 && errno == EOPNOTSUPP &&
			    a_pending_sigpipe_is_left();
	return NULL;
}

static void pipe_writev_needs_no_flag_of_the_kernel(void **state)
{
	pthread_t thread;
	bool left = false;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, on_an_older_kernel, &left), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(left);
}

static void result_pipe_does_not_dead_lock(void **state)
{
	AUTO(proc_done) struct proc p;

	(void)state;
	assert_int_equal(RUN_SH(&p, "head -c 200000 /dev/zero >&3; echo ok; echo e >&2",
				.result_pipe = true),
			 0);
	assert_exit(&p, 0);
	assert_int_equal(p.result.result.n, 200000);
	assert_out(&p, "ok\n");
	assert_int_equal(p.result.err.n, 2);
}

/*
 * Runs a script that never ends until its deadline; should it not have printed this before on a
 * busy machine, again with a later one.
 */
static void run_late(struct proc *p, const char *script, int grace_ms, const char *out)
{
	for (int ms = 100;; ms *= 3) {
		assert_true(ms < DEADLINE_MS);
		assert_int_equal(RUN_SH(p, script, .timeout_ms = ms, .grace_ms = grace_ms), 0);
		assert_int_equal(p->result.end, PROC_TIMED_OUT);
		assert_true(p->result.elapsed_us >= (int64_t)ms * 1000);
		if (str_eqz(buf_str(&p->result.out), out))
			return;
		proc_done(p);
	}
}

static void c6_3_deadline_ends_the_group(void **state)
{
	const char *path = scratch_file("deadline", NULL, 0);
	int fifo = open_fifo(path);
	AUTO(proc_done) struct proc p;
	char script[256];

	(void)state;
	(void)snprintf(script, sizeof script, "exec 9>%s; echo hi; sleep 1000 & sleep 1000", path);
	run_late(&p, script, DEADLINE_MS, "hi\n");
	assert_int_equal(p.result.code, SIGTERM);
	assert_hung_up(fifo);
	(void)close(fifo);
}

static void c6_3_deadline_kills_who_ignores_sigterm(void **state)
{
	AUTO(proc_done) struct proc p;

	(void)state;
	run_late(&p, "trap '' TERM; echo; while :; do sleep 1000; done", GRACE_MS, "\n");
	assert_int_equal(p.result.code, SIGKILL);
	assert_true(p.result.elapsed_us >= (100 + GRACE_MS) * 1000);
}

/* The leader goes at SIGTERM; who ignores it in its group goes with it. */
static void c6_3_nothing_of_the_group_is_left(void **state)
{
	const char *path = scratch_file("left", NULL, 0);
	int fifo = open_fifo(path);
	AUTO(proc_done) struct proc p;
	char script[256];

	(void)state;
	(void)snprintf(script, sizeof script,
		       "exec 9>%s; (trap '' TERM; echo; while :; do sleep 1000; done) & wait",
		       path);
	run_late(&p, script, DEADLINE_MS, "\n");
	assert_hung_up(fifo);
	(void)close(fifo);
}

static void c6_3_exit_zero_after_the_deadline_is_too_late(void **state)
{
	AUTO(proc_done) struct proc p;

	(void)state;
	run_late(&p, "trap 'echo late; exit 0' TERM; sleep 1000 & wait", DEADLINE_MS, "late\n");
	assert_int_equal(p.result.code, 0);
}

static void c6_3_deadline_covers_the_input(void **state)
{
	AUTO(free) char *bytes = xcalloc(4, MB);
	AUTO(proc_done) struct proc p;

	(void)state;
	assert_int_equal(RUN_SH(&p, "exec sleep 1000", INPUT(bytes, 4 * MB), .timeout_ms = 100), 0);
	assert_int_equal(p.result.end, PROC_TIMED_OUT);
}

/* EOF is not exit: all pipes closed, and it runs on. */
static void c6_3_deadline_holds_after_eof(void **state)
{
	AUTO(proc_done) struct proc p;

	(void)state;
	assert_int_equal(RUN_SH(&p, "exec >&- 2>&-; exec sleep 1000", .timeout_ms = 100), 0);
	assert_int_equal(p.result.end, PROC_TIMED_OUT);
	proc_done(&p);
	assert_int_equal(RUN_SH(&p, "exec <&- >&- 2>&-; exit 7"), 0);
	assert_exit(&p, 7);
}

static pid_t pid_from(const struct buf *b)
{
	int64_t pid = 0;

	assert_true(str_to_int(str_trim(buf_str(b)), &pid));
	return (pid_t)pid;
}

/* Exit is not EOF: who is left keeps the pipes, and delays nothing. */
static void c6_4_grandchild_delays_nothing(void **state)
{
	static const char *const scripts[] = {
		"echo hi; sleep 1000 & echo $! >&3; exit 0",
		"echo hi; setsid sleep 1000 & echo $! >&3; exit 0",
		"echo hi; (trap '' TERM; exec sleep 1000) & echo $! >&3; exit 0",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(scripts); i++) {
		AUTO(proc_done) struct proc p;

		assert_int_equal(RUN_SH(&p, scripts[i], .result_pipe = true), 0);
		assert_exit(&p, 0);
		assert_out(&p, "hi\n");
		assert_true(p.result.elapsed_us < DEADLINE_MS * 1000);
		assert_int_equal(kill(pid_from(&p.result.result), SIGKILL), 0); /* it lives on */
	}
}

/* The pipe is full when the leader goes, and yes waits for room: its part is not waited for. */
static void c6_4_grandchild_that_writes_for_ever(void **state)
{
	AUTO(proc_done) struct proc p;

	(void)state;
	assert_int_equal(START_SH(&p, "head -c 65536 /dev/zero; yes & exit 0", .max_stdout = 65536),
			 0);
	assert_true(child_wait(&p.child, DEADLINE_MS));
	assert_true(proc_step(&p, NULL, 0));
	assert_exit(&p, 0);
	assert_int_equal(p.result.out.n, 65536);
	/* It may write too much before the leader has come to its exit. */
	int64_t until = clock_us() + (int64_t)DEADLINE_MS * 1000;
	do {
		assert_true(clock_us() < until);
		proc_done(&p);
		assert_int_equal(RUN_SH(&p, "yes & exit 0"), 0);
	} while (p.result.end == PROC_TOO_BIG);
	assert_exit(&p, 0);
}

/* It was over before the first step: everything comes from what the pipes hold. */
static void c6_4_what_the_pipes_hold_is_read(void **state)
{
	AUTO(proc_done) struct proc p;

	(void)state;
	assert_int_equal(START_SH(&p, "head -c 60000 /dev/zero; printf x >&2; printf y >&3; exit 5",
				  .result_pipe = true),
			 0);
	assert_true(child_wait(&p.child, DEADLINE_MS));
	assert_true(proc_step(&p, NULL, 0));
	assert_exit(&p, 5);
	assert_int_equal(p.result.out.n, 60000);
	assert_string_equal(buf_z(&p.result.err), "x");
	assert_string_equal(buf_z(&p.result.result), "y");
	proc_done(&p);
	assert_int_equal(START_SH(&p, "head -c 60000 /dev/zero", .max_stdout = 59999), 0);
	assert_true(child_wait(&p.child, DEADLINE_MS));
	assert_true(proc_step(&p, NULL, 0));
	assert_int_equal(p.result.end, PROC_TOO_BIG);
	assert_int_equal(p.result.out.n, 59999);
}

static void c6_5_stdout_is_limited(void **state)
{
	static const struct {
		const char *script;
		size_t max;
		enum proc_end end;
		size_t n;
	} cases[] = {
		{ "printf 1234567890", 10, PROC_EXITED, 10 },
		{ "printf 1234567890x", 10, PROC_TOO_BIG, 10 },
		{ "head -c 1000000 /dev/zero", 1000000, PROC_EXITED, 1000000 },
		{ "head -c 1000001 /dev/zero", 1000000, PROC_TOO_BIG, 1000000 },
		{ "yes", 100000, PROC_TOO_BIG, 100000 },
		{ "trap '' TERM PIPE; head -c 100000000 /dev/zero; sleep 1000", MB, PROC_TOO_BIG,
		  MB },
		{ "head -c 100000000 /dev/zero", 0, PROC_TOO_BIG, PROC_STDOUT_MAX },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(proc_done) struct proc p;

		assert_int_equal(RUN_SH(&p, cases[i].script, .max_stdout = cases[i].max), 0);
		assert_int_equal(p.result.end, cases[i].end);
		assert_int_equal(p.result.out.n, cases[i].n);
		assert_true(p.result.out.cap <= 3 * cases[i].n + 8192);
	}
}

static void c6_5_result_pipe_is_limited(void **state)
{
	AUTO(proc_done) struct proc p;

	(void)state;
	assert_int_equal(RUN_SH(&p, "yes >&3", .result_pipe = true, .max_result = 1000), 0);
	assert_int_equal(p.result.end, PROC_TOO_BIG);
	assert_int_equal(p.result.result.n, 1000);
	proc_done(&p);
	assert_int_equal(RUN_SH(&p, "printf 12 >&3", .result_pipe = true, .max_stdout = 2), 0);
	assert_exit(&p, 0);
	proc_done(&p);
	assert_int_equal(RUN_SH(&p, "printf 123 >&3", .result_pipe = true, .max_stdout = 2), 0);
	assert_int_equal(p.result.end, PROC_TOO_BIG);
}

static void c6_5_stderr_keeps_its_tail(void **state)
{
	AUTO(proc_done) struct proc p;

	(void)state;
	assert_int_equal(RUN_SH(&p, "seq 100000 >&2"), 0);
	assert_exit(&p, 0);
	assert_int_equal(p.result.err.n, PROC_STDERR_MAX);
	assert_int_equal(p.result.err_lost + p.result.err.n, 588895);
	assert_true(str_ends(buf_str(&p.result.err), STR("99999\n100000\n")));
	assert_true(p.result.err.cap <= 8 * PROC_STDERR_MAX);
	proc_done(&p);
	assert_int_equal(RUN_SH(&p, "printf 1234567890 >&2", .max_stderr = 4), 0);
	assert_string_equal(buf_z(&p.result.err), "7890");
	assert_int_equal(p.result.err_lost, 6);
	proc_done(&p);
	assert_int_equal(RUN_SH(&p, "printf 1234 >&2", .max_stderr = 4), 0);
	assert_string_equal(buf_z(&p.result.err), "1234");
	assert_int_equal(p.result.err_lost, 0);
}

struct firing {
	struct cancel *cancel;
	const char *path;
};

/* Fires once somebody opens the FIFO for writing. */
static void *fire_when_opened(void *arg)
{
	const struct firing *f = arg;
	int fd = open(f->path, O_RDONLY | O_CLOEXEC);

	cancel_fire(f->cancel);
	(void)close(fd);
	return NULL;
}

static void c6_3_cancel_ends_the_group(void **state)
{
	const char *path = scratch_file("cancel", NULL, 0);
	AUTO(cancel_free) struct cancel *parent = cancel_new(NULL);
	struct cancel *cancel = cancel_new(parent);
	struct firing firing = { parent, path };
	AUTO(proc_done) struct proc p;
	int fifo = open_fifo(path);
	char script[256];
	pthread_t thread;

	(void)state;
	(void)close(fifo);
	assert_int_equal(pthread_create(&thread, NULL, fire_when_opened, &firing), 0);
	(void)snprintf(script, sizeof script, "trap '' TERM; : >%s; while :; do sleep 1000; done",
		       path);
	assert_int_equal(
		proc_run(&p,
			 &(struct proc_spec){ .file = "/bin/sh",
					      .argv = (const char *[]){ "sh", "-c", script, NULL },
					      .grace_ms = GRACE_MS },
			 cancel, NULL),
		0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(p.result.end, PROC_CANCELLED);
	assert_int_equal(p.result.code, SIGKILL);
	cancel_free(cancel);
}

static void fired_cancel_starts_nothing(void **state)
{
	AUTO(cancel_free) struct cancel *cancel = cancel_new(NULL);
	AUTO(proc_done) struct proc p;
	struct proc_spec spec = { .file = "/nonexistent", .argv = (const char *[]){ "x", NULL } };

	(void)state;
	cancel_fire(cancel);
	assert_int_equal(proc_run(&p, &spec, cancel, NULL), 0);
	assert_int_equal(p.result.end, PROC_CANCELLED);
	assert_int_equal(p.result.out.n, 0);
}

static void step_needs_no_poll(void **state)
{
	AUTO(proc_done) struct proc p;
	struct pollfd fds[PROC_FDS_MAX];

	(void)state;
	assert_int_equal(START_SH(&p, "cat; exit 3", INPUT("abc", 3)), 0);
	while (!proc_step(&p, NULL, 0))
		(void)poll(fds, proc_fds(&p, fds), DEADLINE_MS);
	assert_exit(&p, 3);
	assert_out(&p, "abc");
	assert_int_equal(proc_fds(&p, fds), 0);
	assert_true(proc_step(&p, NULL, 0));
	assert_true(proc_wait(&p, NULL, INT64_MAX)); /* nothing is left that could wake it */
	assert_true(proc_deadline_us(&p) == INT64_MAX);
	proc_cancel(&p);
	assert_exit(&p, 3);
}

static void done_kills_what_runs(void **state)
{
	const char *path = scratch_file("done", NULL, 0);
	int fifo = open_fifo(path);
	struct proc p, never = { 0 };
	char script[256];
	struct pollfd fd = { .fd = fifo, .events = POLLIN };

	(void)state;
	(void)snprintf(script, sizeof script,
		       "trap '' TERM; exec 9>%s; echo >&9; sleep 1000 & sleep 1000", path);
	assert_int_equal(START_SH(&p, script), 0);
	assert_int_equal(poll(&fd, 1, DEADLINE_MS), 1);
	proc_done(&p);
	proc_done(&p);
	proc_done(&never);
	assert_hung_up(fifo);
	(void)close(fifo);
}

static void many_in_one_poll(void **state)
{
	enum { N = 50 };
	struct proc procs[N];
	struct pollfd fds[N * PROC_FDS_MAX];
	size_t left = N;

	(void)state;
	for (size_t i = 0; i < N; i++)
		assert_int_equal(START_SH(&procs[i], "cat; echo $0 >&2", INPUT("same", 4)), 0);
	while (left) {
		size_t at[N + 1] = { 0 };

		for (size_t i = 0; i < N; i++)
			at[i + 1] = at[i] + proc_fds(&procs[i], fds + at[i]);
		assert_true(poll(fds, at[N], DEADLINE_MS) > 0);
		for (size_t i = 0; i < N; i++)
			if (at[i + 1] > at[i] &&
			    proc_step(&procs[i], fds + at[i], at[i + 1] - at[i]))
				left--;
	}
	for (size_t i = 0; i < N; i++) {
		assert_exit(&procs[i], 0);
		assert_out(&procs[i], "same");
		proc_done(&procs[i]);
	}
}

static void *run_twenty(void *arg)
{
	const char *text = arg;
	intptr_t good = 0;

	for (int i = 0; i < 20; i++) {
		AUTO(proc_done) struct proc p;

		if (RUN_SH(&p, "cat", INPUT(text, strlen(text))) == 0 &&
		    p.result.end == PROC_EXITED && p.result.code == 0 &&
		    str_eqz(buf_str(&p.result.out), text))
			good++;
	}
	return (void *)good;
}

static void threads_do_not_disturb_each_other(void **state)
{
	static char texts[8][8] = { "0", "11", "222", "3333", "44444", "555555", "6666666", "7" };
	pthread_t threads[ARRAY_LEN(texts)];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, run_twenty, texts[i]), 0);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		void *good = NULL;

		assert_int_equal(pthread_join(threads[i], &good), 0);
		assert_int_equal((intptr_t)good, 20);
	}
}

/* Of these scripts each says what it says, and waits until it is let go. */
#define WAITS "; read go <&4"

static void c6_9_an_announced_status_ends_the_run(void **state)
{
	AUTO(proc_done) struct proc p;

	(void)state;
	assert_int_equal(START_SH(&p, "echo said; echo why >&2; echo 'exit 2' >&4" WAITS "; exit 7",
				  .announces = true, .result_pipe = true),
			 0);
	step_to_end(&p);
	assert_exit(&p, 2);
	assert_true(p.result.announced);
	assert_out(&p, "said\n");
	assert_string_equal(buf_z(&p.result.err), "why\n");
	/* It goes on, and its own end comes later. */
	proc_go_on(&p);
	step_to_end(&p);
	assert_exit(&p, 7);
	assert_false(p.result.announced);
}

static void c6_9_what_is_no_announcement(void **state)
{
	static const char *const scripts[] = {
		"printf 'exit 0' >&4",
		"echo 'exit' >&4",
		"echo 'exit 256' >&4",
		"echo 'exit -1' >&4",
		"echo 'exit 0 0' >&4",
		"echo 'exit 0x' >&4",
		"echo exit 0 >&4; echo exit 0 >&4; kill -STOP $$",
		"echo >&4",
		"exec 4>&-",
		"head -c 9000 /dev/zero >&4",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(scripts); i++) {
		AUTO(proc_done) struct proc p;
		char script[256];
		bool stops = strstr(scripts[i], "STOP");

		(void)snprintf(script, sizeof script, "%s%s; exit 3", scripts[i],
			       strstr(scripts[i], "4>&-") ? "" : "; read go <&4");
		assert_int_equal(START_SH(&p, script, .announces = true), 0);
		if (stops) { /* both lines are there when we look */
			siginfo_t info;

			assert_int_equal(waitid(P_PID, (id_t)p.child.pid, &info, WSTOPPED), 0);
			assert_int_equal(kill(p.child.pid, SIGCONT), 0);
		}
		step_to_end(&p);
		assert_exit(&p, 3);
		assert_false(p.result.announced);
	}
}

/* What ends it first counts, and it is not kept waiting. */
static void c6_9_an_announcement_after_the_end_was_asked_for(void **state)
{
	AUTO(proc_done) struct proc p;

	(void)state;
	assert_int_equal(START_SH(&p, "trap '' TERM; echo up; while :; do sleep 0.01; done & wait",
				  .announces = true, .timeout_ms = 300),
			 0);
	step_to_end(&p);
	assert_int_equal(p.result.end, PROC_TIMED_OUT);
	proc_done(&p);
	assert_int_equal(START_SH(&p,
				  "trap 'echo exit 0 >&4; read go <&4; exit 5' TERM; echo up\n"
				  "while :; do sleep 0.01; done",
				  .announces = true, .grace_ms = DEADLINE_MS),
			 0);
	while (p.result.out.n == 0)
		(void)proc_wait(&p, NULL, clock_us() + 1000);
	proc_cancel(&p);
	step_to_end(&p);
	assert_int_equal(p.result.end, PROC_CANCELLED);
	assert_int_equal(p.result.code, 5);
}

static void c6_9_the_deadline_holds_after_the_announcement(void **state)
{
	AUTO(proc_done) struct proc p;

	(void)state;
	assert_int_equal(START_SH(&p, "echo exit 0 >&4" WAITS "; exec sleep 1000",
				  .announces = true, .timeout_ms = 500),
			 0);
	step_to_end(&p);
	assert_exit(&p, 0);
	proc_go_on(&p);
	step_to_end(&p);
	assert_int_equal(p.result.end, PROC_TIMED_OUT);
}

static void c6_5_too_much_before_the_announcement(void **state)
{
	AUTO(proc_done) struct proc p;

	(void)state;
	assert_int_equal(START_SH(&p, "head -c 5000 /dev/zero; echo exit 0 >&4" WAITS,
				  .announces = true, .max_stdout = 4000),
			 0);
	step_to_end(&p);
	assert_int_equal(p.result.end, PROC_TOO_BIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH_MODES(exit_status_is_the_code),
		BOTH_MODES(signal_is_the_code),
		BOTH_MODES(c6_2_standard_descriptors_are_pipes),
		BOTH_MODES(output_may_hold_nul),
		BOTH_MODES(c6_2_big_input_in_parts),
		BOTH_MODES(c6_2_input_may_be_ignored),
		BOTH_MODES(c6_2_closed_stdin_is_no_error),
		cmocka_unit_test(pipe_writev_leaves_a_pending_sigpipe),
		cmocka_unit_test(pipe_writev_needs_no_flag_of_the_kernel),
		BOTH_MODES(result_pipe_does_not_dead_lock),
		BOTH_MODES(c6_3_deadline_ends_the_group),
		BOTH_MODES(c6_3_deadline_kills_who_ignores_sigterm),
		BOTH_MODES(c6_3_nothing_of_the_group_is_left),
		BOTH_MODES(c6_3_exit_zero_after_the_deadline_is_too_late),
		BOTH_MODES(c6_3_deadline_covers_the_input),
		BOTH_MODES(c6_3_deadline_holds_after_eof),
		BOTH_MODES(c6_4_grandchild_delays_nothing),
		BOTH_MODES(c6_4_grandchild_that_writes_for_ever),
		BOTH_MODES(c6_4_what_the_pipes_hold_is_read),
		BOTH_MODES(c6_5_stdout_is_limited),
		BOTH_MODES(c6_5_result_pipe_is_limited),
		BOTH_MODES(c6_5_stderr_keeps_its_tail),
		BOTH_MODES(c6_3_cancel_ends_the_group),
		BOTH_MODES(fired_cancel_starts_nothing),
		BOTH_MODES(step_needs_no_poll),
		BOTH_MODES(done_kills_what_runs),
		BOTH_MODES(many_in_one_poll),
		BOTH_MODES(threads_do_not_disturb_each_other),
		BOTH_MODES(c6_9_an_announced_status_ends_the_run),
		BOTH_MODES(c6_9_what_is_no_announcement),
		BOTH_MODES(c6_9_an_announcement_after_the_end_was_asked_for),
		BOTH_MODES(c6_9_the_deadline_holds_after_the_announcement),
		BOTH_MODES(c6_5_too_much_before_the_announcement),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

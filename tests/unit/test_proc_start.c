/* Starting: what the child inherits, what happens in an unusual host, what cannot start. */
#include "proc_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "os/clock.h"
#include "os/family.h"
#include "temp.h"

static void c6_2_own_session_and_group(void **state)
{
	AUTO(proc_done) struct proc p;

	(void)state;
	assert_int_equal(RUN_SH(&p,
				"read -r pid name state parent group session rest </proc/$$/stat; "
				"[ $pid = $group ] && [ $pid = $session ] && echo $parent"),
			 0);
	assert_exit(&p, 0);
	char parent[16];
	(void)snprintf(parent, sizeof parent, "%d\n", (int)getpid());
	assert_out(&p, parent);
}

static void c6_2_no_descriptor_of_the_host(void **state)
{
	int leaky = fcntl(STDERR_FILENO, F_DUPFD, 50); /* not close-on-exec */
	AUTO(proc_done) struct proc p;

	(void)state;
	assert_true(leaky >= 50);
	assert_int_equal(RUN_SH(&p, "ls /proc/self/fd"), 0);
	assert_out(&p, "0\n1\n2\n3\n"); /* the last is the directory */
	proc_done(&p);
	assert_int_equal(RUN_SH(&p, "ls /proc/self/fd", .result_pipe = true), 0);
	assert_out(&p, "0\n1\n2\n3\n4\n");
	(void)close(leaky);
}

/* Pipe ends then get the numbers that the child's are copied to; all seven kinds of such hosts. */
static void c6_2_host_without_standard_descriptors(void **state)
{
	(void)state;
	for (int closed = 1; closed < 8; closed++) {
		for (int with_result = 0; with_result < 2; with_result++) {
			AUTO(proc_done) struct proc p;
			int saved[3], lowest = -1;

			for (int fd = 0; fd < 3; fd++)
				saved[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 100);
			for (int fd = 0; fd < 3; fd++)
				if (closed & 1 << fd)
					(void)close(fd);
			(void)START_SH(&p, "cat; echo e >&2; [ $0 = sh ] && echo r >&3",
				       INPUT("in", 2), .result_pipe = with_result);
			lowest = open("/dev/null", O_RDONLY | O_CLOEXEC);
			step_to_end(&p);
			(void)close(lowest);
			for (int fd = 0; fd < 3; fd++) {
				(void)dup2(saved[fd], fd);
				(void)close(saved[fd]);
			}
			assert_true(lowest < 3); /* we hold none of the host's numbers */
			assert_int_equal(p.result.end, PROC_EXITED);
			assert_out(&p, "in");
			if (with_result)
				assert_string_equal(buf_z(&p.result.err), "e\n");
			assert_string_equal(buf_z(&p.result.result), with_result ? "r\n" : "");
		}
	}
}

static void c6_2_default_signals(void **state)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old_int, old_pipe;
	AUTO(proc_done) struct proc p;
	sigset_t block, old;

	(void)state;
	(void)sigfillset(&block);
	(void)sigaction(SIGINT, &ignore, &old_int);
	(void)sigaction(SIGPIPE, &ignore, &old_pipe);
	(void)pthread_sigmask(SIG_BLOCK, &block, &old);
	assert_int_equal(RUN_SH(&p, "cat /proc/self/status | sed -n 's/^Sig[BI].*://p'"), 0);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	(void)sigaction(SIGINT, &old_int, NULL);
	(void)sigaction(SIGPIPE, &old_pipe, NULL);
	const unsigned long long of_libc = 3ull << 31; /* glibc ignores its own two */
	unsigned long long blocked = 1, ignored = 1;
	assert_int_equal(sscanf(buf_z(&p.result.out), "%llx %llx", &blocked, &ignored), 2);
	assert_true(blocked == 0 && (ignored & ~of_libc) == 0);
}

static void directory_and_environment(void **state)
{
	AUTO(proc_done) struct proc p;

	(void)state;
	assert_int_equal(RUN_SH(&p, "pwd; echo $A", .cwd = "/usr/bin",
				.envp = (const char *[]){ "A=with space", NULL }),
			 0);
	assert_out(&p, "/usr/bin\nwith space\n");
	proc_done(&p);
	(void)setenv("TROTLINE_TEST_VALUE", "inherited", 1);
	assert_int_equal(RUN_SH(&p, "echo $TROTLINE_TEST_VALUE"), 0);
	assert_out(&p, "inherited\n");
}

static void assert_not_started(const char *file, const char *cwd, int errnum, const char *text)
{
	AUTO(proc_done) struct proc p;
	struct proc_spec spec = { .file = file,
				  .argv = (const char *[]){ file, NULL },
				  .cwd = cwd };
	struct err err = { 0 };

	assert_int_equal(proc_run(&p, &spec, NULL, &err), -E_SPAWN);
	assert_int_equal(err.code, E_SPAWN);
	if (!strstr(err.text, text))
		fail_msg("\"%s\" does not say \"%s\"", err.text, text);
	assert_int_equal(p.result.end, PROC_NOT_STARTED);
	assert_int_equal(p.result.code, errnum);
	assert_int_equal(p.result.out.n, 0);
	assert_true(proc_step(&p, NULL, 0));
}

static void what_cannot_start(void **state)
{
	(void)state;
	assert_not_started("/nonexistent", NULL, ENOENT, "cannot start /nonexistent: No such file");
	assert_not_started("true", "/", ENOENT, "cannot start true"); /* PATH is not searched */
	assert_not_started("/bin/true", "/nonexistent", ENOENT, "working directory /nonexistent");
	assert_not_started("/bin/true", "/bin/true", ENOTDIR, "Not a directory");
	assert_not_started("/", NULL, EACCES, "Permission denied");
	assert_not_started(scratch_file("plain", "echo\n", 0644), NULL, EACCES,
			   "Permission denied");
	assert_not_started(scratch_file("no-magic", "echo\n", 0755), NULL, ENOEXEC, "Exec format");
	assert_not_started(scratch_file("no-interpreter", "#!/nonexistent\n", 0755), NULL, ENOENT,
			   "the interpreter that it names");
}

static void too_many_arguments(void **state)
{
	AUTO(free) char *big = xmalloc(4 << 20);
	AUTO(proc_done) struct proc p;
	struct proc_spec spec = { .file = "/bin/true",
				  .argv = (const char *[]){ "true", big, NULL } };

	(void)state;
	memset(big, 'x', (4 << 20) - 1);
	big[(4 << 20) - 1] = '\0';
	assert_int_equal(proc_run(&p, &spec, NULL, NULL), -E_SPAWN);
	assert_int_equal(p.result.code, E2BIG);
}

static void relative_program_is_seen_from_cwd(void **state)
{
	AUTO(proc_done) struct proc p;
	struct proc_spec spec = { .file = "./here",
				  .argv = (const char *[]){ "here", NULL },
				  .cwd = scratch_dir() };

	(void)state;
	(void)scratch_file("here", "#!/bin/sh\necho here\n", 0755);
	assert_int_equal(proc_run(&p, &spec, NULL, NULL), 0);
	assert_out(&p, "here\n");
}

static void no_descriptor_left(void **state)
{
	struct rlimit old, low;
	int started = 0, refused = 0;
	struct proc_spec spec = { .file = "/bin/true",
				  .argv = (const char *[]){ "true", NULL },
				  .result_pipe = true };

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	for (int n = 3; n < 24; n++) {
		AUTO(proc_done) struct proc p;
		int before = temp_fds();

		low = (struct rlimit){ .rlim_cur = (rlim_t)n, .rlim_max = old.rlim_max };
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
		(void)proc_run(&p, &spec, NULL, NULL);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
		if (p.result.end == PROC_NOT_STARTED) {
			assert_int_equal(p.result.code, EMFILE);
			refused++;
		} else {
			assert_exit(&p, 0);
			started++;
		}
		assert_int_equal(temp_fds(), before);
	}
	assert_true(started > 0 && refused > 4);
}

static void host_ignores_sigchld(void **state)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
	struct proc p[3];

	(void)state;
	(void)sigaction(SIGCHLD, &ignore, &old);
	(void)RUN_SH(&p[0], "cat; echo err >&2; exit 7", INPUT("in", 2));
	(void)RUN_SH(&p[1], "trap '' TERM; while :; do sleep 1000; done", .timeout_ms = 100);
	(void)START_SH(&p[2], "sleep 1000");
	proc_done(&p[2]);
	(void)sigaction(SIGCHLD, &old, NULL);
	assert_exit(&p[0], 7);
	assert_out(&p[0], "in");
	assert_string_equal(buf_z(&p[0].result.err), "err\n");
	assert_int_equal(p[1].result.end, PROC_TIMED_OUT);
	for (size_t i = 0; i < 2; i++)
		proc_done(&p[i]);
}

/* Once the host has reaped it, the number of its group may be another's: no signal is sent. */
static void no_signal_to_a_lost_group(void **state)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
	const char *path = scratch_file("lost", NULL, 0);
	int fifo = open_fifo(path);
	struct pollfd fd = { .fd = fifo };
	struct proc p;
	char script[256];
	int64_t pid = 0;

	(void)state;
	(void)snprintf(script, sizeof script, "exec 9>%s; sleep 1000 & echo $! >&3; exit 0", path);
	(void)sigaction(SIGCHLD, &ignore, &old);
	assert_int_equal(START_SH(&p, script, .result_pipe = true), 0);
	assert_true(child_wait(&p.child, DEADLINE_MS));
	proc_cancel(&p);
	assert_true(proc_step(&p, NULL, 0));
	(void)sigaction(SIGCHLD, &old, NULL);
	assert_int_equal(p.result.end, PROC_CANCELLED);
	assert_int_equal(poll(&fd, 1, 100), 0); /* still held open */
	assert_true(str_to_int(str_trim(buf_str(&p.result.result)), &pid));
	assert_int_equal(kill((pid_t)pid, SIGKILL), 0);
	assert_hung_up(fifo);
	(void)close(fifo);
	proc_done(&p);
}

static volatile sig_atomic_t reaped;

static void reap_all(int sig)
{
	int saved = errno;

	(void)sig;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		reaped++;
	errno = saved;
}

static void host_reaps_everything(void **state)
{
	struct sigaction handler = { .sa_handler = reap_all }, old;
	struct proc p[2];

	(void)state;
	reaped = 0;
	(void)sigaction(SIGCHLD, &handler, &old);
	(void)RUN_SH(&p[0], "cat; exit 7", INPUT("in", 2), .host_reaps = true);
	(void)RUN_SH(&p[1], "exec sleep 1000", .timeout_ms = 100, .host_reaps = true);
	(void)sigaction(SIGCHLD, &old, NULL);
	/* Whose waitid() was first is the kernel's choice. */
	assert_in_range(reaped, 0, 2);
	assert_exit(&p[0], 7);
	assert_out(&p[0], "in");
	assert_int_equal(p[1].result.end, PROC_TIMED_OUT);
	for (size_t i = 0; i < 2; i++)
		proc_done(&p[i]);
}

/* A process that we may not signal, as one that sudo started: the call returns all the same. */
static void gives_up_on_another_users_process(void **state)
{
	struct proc p;
	int before = temp_fds();
	pid_t pid;

	(void)state;
	assert_int_equal(START_SH(&p, "exec sleep 1000", .timeout_ms = 50), 0);
	pid = p.child.pid;
	assert_int_equal(setresuid(65534, 65534, 0), 0);
	step_to_end(&p);
	assert_int_equal(setresuid(0, 0, 0), 0);
	assert_int_equal(p.result.end, PROC_TIMED_OUT);
	proc_done(&p);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	for (int64_t until = clock_us() + DEADLINE_MS * 1000; temp_fds() != before;)
		assert_true(clock_us() < until); /* the thread goes when the process does */
}

static void *kill_and_tell(void *fd)
{
	family_kill();
	assert_int_equal(write(*(int *)fd, "k", 1), 1);
	return NULL;
}

/* Holds for a while, and returns for how many milliseconds: "p" is said before the end of that. */
static int64_t hold_for_a_while(const int fds[2])
{
	int64_t start = clock_us(), held_us;
	sigset_t before, now;
	pthread_t thread;
	int end = fds[1];

	family_hold(&before);
	(void)pthread_sigmask(SIG_SETMASK, NULL, &now);
	assert_true(sigismember(&now, SIGINT) && sigismember(&now, SIGTERM));
	assert_int_equal(pthread_create(&thread, NULL, kill_and_tell, &end), 0);
	(void)poll(&(struct pollfd){ fds[0], POLLIN, 0 }, 1, FAMILY_HOLD_MS / 4);
	assert_int_equal(write(fds[1], "p", 1), 1);
	held_us = clock_us() - start;
	family_release(&before);
	(void)pthread_join(thread, NULL);
	(void)pthread_sigmask(SIG_SETMASK, NULL, &now);
	assert_int_equal(sigismember(&now, SIGINT), sigismember(&before, SIGINT));
	return held_us / 1000;
}

/* C2.3: what ends the program waits until a reaper has its payload, but not for ever. */
static void the_end_waits_for_a_hold(void **state)
{
	char said[3] = "";
	int64_t start, ms;
	sigset_t before;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	for (int tries = 0;; tries++) {
		assert_true(tries < 100);
		ms = hold_for_a_while(fds);
		assert_int_equal(read(fds[0], said, 2), 2);
		if (ms < FAMILY_HOLD_MS) /* else a busy machine held it for too long */
			break;
	}
	assert_string_equal(said, "pk");
	start = clock_us();
	family_hold(&before);
	family_kill();
	family_release(&before);
	assert_in_range(clock_us() - start, FAMILY_HOLD_MS * 1000, DEADLINE_MS * 1000);
	(void)close(fds[0]);
	(void)close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH_MODES(c6_2_own_session_and_group),
		BOTH_MODES(c6_2_no_descriptor_of_the_host),
		BOTH_MODES(c6_2_host_without_standard_descriptors),
		BOTH_MODES(c6_2_default_signals),
		BOTH_MODES(directory_and_environment),
		BOTH_MODES(what_cannot_start),
		BOTH_MODES(too_many_arguments),
		BOTH_MODES(relative_program_is_seen_from_cwd),
		BOTH_MODES(no_descriptor_left),
		BOTH_MODES(host_ignores_sigchld),
		BOTH_MODES(no_signal_to_a_lost_group),
		BOTH_MODES(host_reaps_everything),
		cmocka_unit_test(the_end_waits_for_a_hold),
		BOTH_MODES(gives_up_on_another_users_process),
	};

	if (geteuid() != 0) /* only root can become another user */
		cmocka_set_skip_filter("gives_up_on_another_users_process*");
	return cmocka_run_group_tests(tests, NULL, NULL);
}

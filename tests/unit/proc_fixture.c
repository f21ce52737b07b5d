#include "proc_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "os/clock.h"
#include "os/fs.h"
#include "temp.h"

static int fds_before;

int with_pidfd(void **state)
{
	(void)state;
	(void)unsetenv("TROTLINE_NO_PIDFD");
	fds_before = temp_fds();
	return 0;
}

int with_thread(void **state)
{
	(void)state;
	(void)setenv("TROTLINE_NO_PIDFD", "1", 1);
	fds_before = temp_fds();
	return 0;
}

int left_nothing(void **state)
{
	siginfo_t info;

	(void)state;
	assert_int_equal(temp_fds(), fds_before);
	assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT), -1);
	assert_int_equal(errno, ECHILD);
	return 0;
}

typedef int (*start_fn)(struct proc *p, const struct proc_spec *spec);

static int run_spec(struct proc *p, const struct proc_spec *spec)
{
	return proc_run(p, spec, NULL, NULL);
}

static int start_spec(struct proc *p, const struct proc_spec *spec)
{
	return proc_start(p, spec, NULL);
}

static int with_sh(struct proc *p, const char *script, struct proc_spec spec, start_fn start)
{
	spec.file = "/bin/sh";
	spec.argv = (const char *[]){ "sh", "-c", script, NULL };
	spec.timeout_ms = spec.timeout_ms ? spec.timeout_ms : DEADLINE_MS;
	spec.grace_ms = spec.grace_ms ? spec.grace_ms : GRACE_MS;
	return start(p, &spec);
}

int run_sh(struct proc *p, const char *script, struct proc_spec spec)
{
	return with_sh(p, script, spec, run_spec);
}

int start_sh(struct proc *p, const char *script, struct proc_spec spec)
{
	return with_sh(p, script, spec, start_spec);
}

void step_to_end(struct proc *p)
{
	struct pollfd fds[PROC_FDS_MAX];
	size_t n;

	do {
		int64_t wait_us = proc_deadline_us(p) - clock_us();

		n = proc_fds(p, fds);
		(void)poll(fds, n, wait_us > 0 ? (int)(wait_us / 1000 + 1) : 0);
	} while (!proc_step(p, fds, n));
}

void assert_out(const struct proc *p, const char *text)
{
	AUTO(free) char *out = xstrndup(buf_str(&p->result.out).p, p->result.out.n);

	assert_string_equal(out, text);
}

void assert_exit(const struct proc *p, int status)
{
	assert_int_equal(p->result.end, PROC_EXITED);
	assert_int_equal(p->result.code, status);
}

int open_fifo(const char *path)
{
	int fd;

	(void)unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

void assert_hung_up(int fifo)
{
	struct pollfd fd = { .fd = fifo };

	assert_int_equal(poll(&fd, 1, DEADLINE_MS), 1);
	assert_true(fd.revents & POLLHUP);
}

static char scratch[64];

static void remove_scratch(void)
{
	AUTO(fs_names_done) struct fs_names names = { 0 };

	if (fs_list(scratch, &names, NULL) < 0)
		return;
	for (size_t i = 0; i < names.n; i++) {
		AUTO(free) char *path = fs_join(scratch, names.p[i]);

		(void)unlink(path);
	}
	(void)rmdir(scratch);
}

const char *scratch_dir(void)
{
	if (scratch[0])
		return scratch;
	(void)snprintf(scratch, sizeof scratch, "/tmp/trotline-test-XXXXXX");
	assert_non_null(mkdtemp(scratch));
	(void)atexit(remove_scratch);
	return scratch;
}

const char *scratch_file(const char *name, const char *content, unsigned mode)
{
	static char path[128];
	int fd;

	(void)snprintf(path, sizeof path, "%s/%s", scratch_dir(), name);
	if (!content)
		return path;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, content, strlen(content)), strlen(content));
	assert_int_equal(fchmod(fd, mode), 0);
	assert_int_equal(close(fd), 0);
	return path;
}

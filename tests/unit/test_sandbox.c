/* What a sandbox keeps in (C6.12): os/sandbox.h, on processes that try. */
#include "proc_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/fs.h"
#include "os/sandbox_calls.h"

#if defined __x86_64__
#define ARCH AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define ARCH AUDIT_ARCH_AARCH64
#else
#define ARCH AUDIT_ARCH_RISCV64
#endif
#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const char *dir; /* with in/, out/ and a secret in out/secret */

static int make_dirs(void **state)
{
	AUTO(free) char *in = fs_join(scratch_dir(), "in");
	AUTO(free) char *out = fs_join(scratch_dir(), "out");

	(void)state;
	dir = scratch_dir();
	if (fs_mkdirs(in, 0700, NULL) < 0 || fs_mkdirs(out, 0700, NULL) < 0)
		return -1;
	(void)scratch_file("out/secret", "secret\n", 0600);
	(void)scratch_file("in/own", "own\n", 0600);
	return 0;
}

static const char *below(const char *name)
{
	static char text[16][4096];
	static unsigned n;

	(void)snprintf(text[n %= 16], sizeof text[0], "%s/%s", dir, name);
	return text[n++];
}

static void c6_12_reads_what_it_may(void **state)
{
	struct sandbox s = { .read = LIST(below("in")) };
	AUTO(proc_done) struct proc p;

	(void)state;
	assert_int_equal(RUN_SH(&p, "cat in/own; cat out/secret 2>/dev/null || echo no", .cwd = dir,
				.sandbox = &s),
			 0);
	assert_out(&p, "own\nno\n");
}

static void c6_12_writes_what_it_may(void **state)
{
	struct sandbox s = { .write = LIST(below("in")) };
	AUTO(proc_done) struct proc p;

	(void)state;
	assert_int_equal(RUN_SH(&p,
				"echo x >in/new && mv in/new in/newer && rm in/newer && echo made; "
				"echo x 2>/dev/null >out/new || echo no; "
				"mv in/own out/ 2>/dev/null || echo kept",
				.cwd = dir, .sandbox = &s),
			 0);
	assert_out(&p, "made\nno\nkept\n");
}

/* A directory of the project may be a link that somebody else has put there. */
static void c6_12_a_link_widens_nothing(void **state)
{
	struct sandbox s = { .read = LIST(below("in/link")), .inside = below("in") };
	AUTO(proc_done) struct proc p;

	(void)state;
	(void)unlink(below("in/link"));
	assert_int_equal(symlink(below("out"), below("in/link")), 0);
	assert_int_equal(
		RUN_SH(&p, "cat in/link/secret 2>/dev/null || echo no", .cwd = dir, .sandbox = &s),
		0);
	assert_out(&p, "no\n");
	proc_done(&p);
	s.inside = NULL;
	assert_int_equal(RUN_SH(&p, "cat in/link/secret", .cwd = dir, .sandbox = &s), 0);
	assert_out(&p, "secret\n");
}

static void c6_12_the_program_itself_can_be_read(void **state)
{
	const char *script = scratch_file("out/script", "#!/bin/sh\necho ran\n", 0700);
	AUTO(proc_done) struct proc p;
	struct sandbox s = { 0 };

	(void)state;
	const char *const argv[] = { "script", NULL };
	assert_int_equal(proc_run(&p,
				  &(struct proc_spec){ .file = script,
						       .argv = argv,
						       .sandbox = &s,
						       .timeout_ms = DEADLINE_MS },
				  NULL, NULL),
			 0);
	assert_out(&p, "ran\n");
	proc_done(&p);
	/* Also where a shell is between, which tells how it ended. */
	assert_int_equal(proc_run(&p,
				  &(struct proc_spec){ .file = script,
						       .argv = argv,
						       .sandbox = &s,
						       .host_reaps = true,
						       .timeout_ms = DEADLINE_MS },
				  NULL, NULL),
			 0);
	assert_out(&p, "ran\n");
}

/* No session of its own: the deadline ends all of it.  A pair of sockets stays possible. */
static void c6_12_calls(void **state)
{
	static const char script[] =
		"import os, socket\n"
		"def t(name, f):\n"
		"    try:\n        f(); print(name, 'yes')\n"
		"    except OSError as e:\n        print(name, e.strerror)\n"
		"if os.fork() == 0:\n    t('setsid', os.setsid); os._exit(0)\n"
		"os.wait()\n"
		"t('inet', lambda: socket.socket())\n"
		"t('unix', lambda: socket.socket(socket.AF_UNIX))\n"
		"t('pair', lambda: socket.socketpair())\n"
		"t('datagrams', lambda: socket.socketpair(type=socket.SOCK_DGRAM))\n"
		"t('mode', lambda: os.chmod('in/own', 0o600))\n";
	struct sandbox s = { .read = LIST(below("in")) };
	AUTO(proc_done) struct proc p;

	(void)state;
	const char *const argv[] = { "/usr/bin/python3", "-uc", script, NULL };
	struct proc_spec spec = { .file = "/usr/bin/python3",
				  .argv = argv,
				  .cwd = dir,
				  .sandbox = &s,
				  .timeout_ms = DEADLINE_MS };
	assert_int_equal(proc_run(&p, &spec, NULL, NULL), 0);
	assert_out(&p, "setsid Operation not permitted\ninet Permission denied\n"
		       "unix Permission denied\npair yes\ndatagrams Permission denied\n"
		       "mode Operation not permitted\n");
	proc_done(&p);
	s = (struct sandbox){ .write = LIST(below("in")), .network = true, .roams = true };
	assert_int_equal(proc_run(&p, &spec, NULL, NULL), 0);
	assert_out(&p, "setsid yes\ninet yes\nunix Permission denied\npair yes\n"
		       "datagrams Permission denied\nmode yes\n");
}

/* C6.13 */
static void c6_13_a_kernel_without(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(sandbox_check(0, &err), -E_SPAWN);
	assert_non_null(strstr(err.text, "this kernel has no sandbox"));
	for (int abi = 1; abi < 10; abi++)
		assert_int_equal(sandbox_check(abi, &err), 0);
}

struct cut {
	const char *path;
	const char *said; /* what was not as it should be */
};

/* In a thread of its own, whose filter ends with it. */
static const char *cut_off(const char *path)
{
	struct sock_filter steps[CAGE_STEPS];
	struct sock_fprog prog = { .filter = steps };

	prog.len = sandbox_calls(steps, ARCH, CALLS_TRUNCATE);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) < 0)
		return "no filter";
	if (open(path, O_RDONLY | O_TRUNC) >= 0 || errno != EPERM)
		return "open";
	if (truncate(path, 0) == 0 || errno != EPERM)
		return "truncate";
	int fds[] = { open(path, O_RDONLY), open(path, O_WRONLY | O_TRUNC) };
	for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
		if (fds[i] < 0)
			return "what is allowed";
		(void)close(fds[i]);
	}
	return NULL;
}

static void *cut_thread(void *data)
{
	struct cut *c = data;

	c->said = cut_off(c->path);
	return NULL;
}

/* Where Landlock does not know that a file is cut off, the filter does. */
static void c6_12_opening_cuts_nothing_off(void **state)
{
	struct cut c = { .path = scratch_file("long", "long", 0600) };
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, cut_thread, &c), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	if (c.said)
		fail_msg("%s", c.said);
}

/* The longest program fits, and its jumps are in it. */
static void the_program_fits(void **state)
{
	struct sock_filter steps[CAGE_STEPS * 2];

	(void)state;
	for (unsigned refused = 0; refused < 32; refused++) {
		unsigned short n = sandbox_calls(steps, 1, refused);

		assert_true(n <= CAGE_STEPS);
		for (unsigned short i = 0; i < n; i++)
			if (BPF_CLASS(steps[i].code) == BPF_JMP) {
				assert_true(i + 1 + steps[i].jt < n);
				assert_true(i + 1 + steps[i].jf < n);
			}
	}
}

/* What the kernel would make of a call, by the steps that the program has. */
static int answer_to(const struct sock_filter *steps, int nr, const uint64_t args[6])
{
	struct seccomp_data data = { .nr = nr, .arch = ARCH };
	uint32_t a = 0, x = 0;

	memcpy(data.args, args, sizeof data.args);
	for (const struct sock_filter *s = steps;; s++) {
		bool yes = false;

		switch (s->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			memcpy(&a, (const char *)&data + s->k, sizeof a);
			continue;
		case BPF_LD | BPF_IMM:
			a = s->k;
			continue;
		case BPF_MISC | BPF_TAX:
			x = a;
			continue;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= s->k;
			continue;
		case BPF_ALU | BPF_LSH | BPF_X:
			assert_true(x < 32);
			a <<= x;
			continue;
		case BPF_JMP | BPF_JEQ | BPF_K:
			yes = a == s->k;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			yes = a >= s->k;
			break;
		case BPF_JMP | BPF_JGT | BPF_K:
			yes = a > s->k;
			break;
		case BPF_JMP | BPF_JSET | BPF_K:
			yes = a & s->k;
			break;
		case BPF_RET | BPF_K:
			return s->k == SECCOMP_RET_ALLOW ? 0 : (int)(s->k & SECCOMP_RET_DATA);
		default:
			fail_msg("a step that is not known: %#x", s->code);
		}
		s += yes ? s->jt : s->jf;
	}
}

static void c6_12_what_the_filter_refuses(void **state)
{
	static const struct {
		unsigned refused;
		int nr;
		uint64_t args[6];
		int error;
	} rows[] = {
		{ 0, SYS_read, { 0 }, 0 },
		{ 0, SYS_ptrace, { 0 }, EPERM },
		{ 0, SYS_clone3, { 0 }, ENOSYS },
		{ 0, SYS_clone, { 0x11 }, 0 },
		{ 0, SYS_clone, { 0x10000011 }, EPERM },
		{ 0, SYS_clone, { 0xffffffff00000011 }, 0 },
		{ 0, SYS_unshare, { 0x80 }, EPERM },
		{ 0, SYS_prlimit64, { 0 }, 0 },
		{ 0, SYS_prlimit64, { 7 }, EPERM },
		{ 0, SYS_ioctl, { 0, 0x5412 }, EPERM },
		{ 0, SYS_ioctl, { 0, 0xffffffff00005412 }, EPERM },
		{ 0, SYS_ioctl, { 0, 0x5401 }, 0 },
		{ 0, SYS_socket, { 2, 1, 0 }, 0 },
		{ 0, SYS_socket, { 2, 1 | 0x80000, 6 }, 0 },
		{ 0, SYS_socket, { 10, 2, 17 }, 0 },
		{ 0, SYS_socket, { 1, 1, 0 }, EACCES },
		{ 0, SYS_socket, { 40, 1, 0 }, EACCES },
		{ 0, SYS_socket, { 34, 1, 0 }, EACCES },
		{ 0, SYS_socket, { 16, 3, 0 }, 0 },
		{ 0, SYS_socket, { 16, 3, 9 }, EACCES },
		{ 0, SYS_socketpair, { 1, 1, 0 }, 0 },
		{ 0, SYS_socketpair, { 1, 2, 0 }, EACCES },
		{ 0, SYS_socketpair, { 1, 2 | 0x800, 0 }, EACCES },
		{ CALLS_NETWORK, SYS_socket, { 2, 1, 0 }, EACCES },
		{ CALLS_NETWORK, SYS_socketpair, { 1, 5, 0 }, 0 },
		{ 0, SYS_fchmod, { 0 }, 0 },
		{ CALLS_CHANGE, SYS_fchmod, { 0 }, EPERM },
		{ CALLS_CHANGE, 452, { 0 }, EPERM },
		{ 0, SYS_setsid, { 0 }, 0 },
		{ CALLS_ROAM, SYS_setsid, { 0 }, EPERM },
		{ 0, 466, { 0 }, 0 },
		{ 0, 467, { 0 }, ENOSYS },
		{ 0, 0x40000000, { 0 }, ENOSYS },
		{ 0, -1, { 0 }, ENOSYS },
	};
	struct sock_filter steps[CAGE_STEPS];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		(void)sandbox_calls(steps, ARCH, rows[i].refused);
		if (answer_to(steps, rows[i].nr, rows[i].args) != rows[i].error)
			fail_msg("row %zu: call %d: %d", i, rows[i].nr,
				 answer_to(steps, rows[i].nr, rows[i].args));
	}
	(void)sandbox_calls(steps, ARCH ^ 1, 0);
	assert_int_equal(answer_to(steps, SYS_read, rows[0].args), ENOSYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH_MODES(c6_12_reads_what_it_may),
		BOTH_MODES(c6_12_writes_what_it_may),
		BOTH_MODES(c6_12_a_link_widens_nothing),
		BOTH_MODES(c6_12_the_program_itself_can_be_read),
		BOTH_MODES(c6_12_calls),
		cmocka_unit_test(c6_12_opening_cuts_nothing_off),
		cmocka_unit_test(c6_13_a_kernel_without),
		cmocka_unit_test(the_program_fits),
		cmocka_unit_test(c6_12_what_the_filter_refuses),
	};
	const struct CMUnitTest without[] = {
		cmocka_unit_test(c6_13_a_kernel_without),
		cmocka_unit_test(the_program_fits),
		cmocka_unit_test(c6_12_what_the_filter_refuses),
	};

	if (sandbox_abi() == 0)
		return cmocka_run_group_tests(without, NULL, NULL);
	return cmocka_run_group_tests(tests, make_dirs, NULL);
}

#include "os/sandbox_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "base/util.h"

/* Newer than the headers of some systems; the same number on all processors. */
enum {
	CALL_FCHMODAT2 = 452,
	CALL_SETXATTRAT = 463,
	CALL_REMOVEXATTRAT = 466,
	CALL_LAST = 466, /* what is newer may do anything */
};

#define NAMESPACES                                                                                 \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |             \
	 CLONE_NEWPID | CLONE_NEWNET)
#define NAMESPACE_OF_TIME 0x80 /* a part of the signal in clone() */
#define ANY 0xffffffffu
#define TYPE 0xf /* SOCK_STREAM... without SOCK_CLOEXEC and its like */

/* When a call is refused: always, or by the lower half of an argument under a mask. */
enum when { ALWAYS, IF, UNLESS, UNLESS_ONE_OF };

struct call {
	int nr;
	unsigned in; /* CALLS_...; 0 = in every sandbox */
	enum when when;
	unsigned arg;
	uint32_t mask, value; /* UNLESS_ONE_OF: a bit for each value below 32 */
	int error; /* 0 = EPERM */
};

#define CALL(name)                                                                                 \
	{                                                                                          \
		.nr = SYS_##name                                                                   \
	}
#define CALL_IN(name, group)                                                                       \
	{                                                                                          \
		.nr = SYS_##name, .in = (group)                                                    \
	}

/* By its type and number: the size of what it points to differs among versions. */
#define IOCTL(type, number)                                                                        \
	{                                                                                          \
		.nr = SYS_ioctl, .when = IF, .arg = 1, .mask = 0xffff,                             \
		.value = (uint32_t)(type) << 8 | (number)                                          \
	}

static const struct call calls[] = {
	/* Sockets.  Those of Unix lead to other programs: docker, ssh-agent, D-Bus, X11. */
	{ .nr = SYS_socket, .in = CALLS_NETWORK, .error = EACCES },
	{ .nr = SYS_connect, .in = CALLS_NETWORK, .error = EACCES },
	{ .nr = SYS_bind, .in = CALLS_NETWORK, .error = EACCES },
	{ .nr = SYS_listen, .in = CALLS_NETWORK, .error = EACCES },
	{ .nr = SYS_socket,
	  .in = CALLS_CONNECTED,
	  .when = UNLESS_ONE_OF,
	  .arg = 0,
	  .mask = ANY,
	  .value = 1u << AF_INET | 1u << AF_INET6 | 1u << AF_NETLINK,
	  .error = EACCES },
	{ .nr = SYS_socket,
	  .in = CALLS_CONNECTED,
	  .when = UNLESS_ONE_OF,
	  .arg = 1,
	  .mask = TYPE,
	  /* Addresses are looked up with a raw socket of AF_NETLINK; of others that needs
	   * CAP_NET_RAW, which is gone. */
	  .value = 1u << SOCK_STREAM | 1u << SOCK_DGRAM | 1u << SOCK_RAW,
	  .error = EACCES },
	{ .nr = SYS_socket, /* IP, ICMP, TCP, UDP; NETLINK_ROUTE */
	  .in = CALLS_CONNECTED,
	  .when = UNLESS_ONE_OF,
	  .arg = 2,
	  .mask = ANY,
	  .value = 1u << 0 | 1u << 1 | 1u << 6 | 1u << 17,
	  .error = EACCES },
	/* A pair of datagram sockets can be pointed at other sockets later. */
	{ .nr = SYS_socketpair,
	  .when = UNLESS,
	  .arg = 0,
	  .mask = ANY,
	  .value = AF_UNIX,
	  .error = EACCES },
	{ .nr = SYS_socketpair,
	  .when = UNLESS_ONE_OF,
	  .arg = 1,
	  .mask = TYPE,
	  .value = 1u << SOCK_STREAM | 1u << SOCK_SEQPACKET,
	  .error = EACCES },
	/* They do what the calls here do, unseen. */
	CALL(io_uring_setup),
	CALL(io_uring_enter),
	CALL(io_uring_register),
	/* Other processes. */
	CALL(ptrace),
	CALL(process_vm_readv),
	CALL(process_vm_writev),
	CALL(process_madvise),
	CALL(pidfd_getfd),
	CALL(kcmp),
	CALL(move_pages),
	CALL(migrate_pages),
	{ .nr = SYS_prlimit64, .when = UNLESS, .arg = 0, .mask = ANY },
	CALL(shmget),
	CALL(shmat),
	CALL(shmctl),
	CALL(msgget),
	CALL(msgsnd),
	CALL(msgrcv),
	CALL(msgctl),
	CALL(semget),
	CALL(semop),
	CALL(semtimedop),
	CALL(semctl),
	CALL(mq_open),
	CALL(mq_unlink),
	{ .nr = SYS_ioctl, .when = IF, .arg = 1, .mask = ANY, .value = TIOCSTI },
	{ .nr = SYS_ioctl, .when = IF, .arg = 1, .mask = ANY, .value = 0x541c /* TIOCLINUX */ },
	/* Keys. */
	CALL(keyctl),
	CALL(add_key),
	CALL(request_key),
	/* Other roots and namespaces. */
	{ .nr = SYS_clone, .when = UNLESS, .arg = 0, .mask = NAMESPACES },
	{ .nr = SYS_clone3, .error = ENOSYS }, /* its flags are in memory; libraries try clone() */
	{ .nr = SYS_unshare, .when = UNLESS, .arg = 0, .mask = NAMESPACES | NAMESPACE_OF_TIME },
	CALL(setns),
	CALL(chroot),
	CALL(pivot_root),
	CALL(mount),
	CALL(umount2),
	CALL(move_mount),
	CALL(open_tree),
	CALL(fsopen),
	CALL(fsconfig),
	CALL(fsmount),
	CALL(fspick),
	CALL(mount_setattr),
	CALL(name_to_handle_at),
	CALL(open_by_handle_at),
	CALL(fanotify_init),
	CALL(fanotify_mark),
	CALL(quotactl),
	/* The kernel. */
	CALL(bpf),
	CALL(perf_event_open),
	CALL(userfaultfd),
	CALL(init_module),
	CALL(finit_module),
	CALL(delete_module),
	CALL(kexec_load),
	CALL(reboot),
	CALL(swapon),
	CALL(swapoff),
	CALL(acct),
	CALL(syslog),
	CALL(vhangup),
	CALL(sethostname),
	CALL(setdomainname),
	CALL(settimeofday),
	CALL(adjtimex),
	CALL(clock_settime),
	CALL(clock_adjtime),
#ifdef SYS_iopl
	CALL(iopl),
	CALL(ioperm),
#endif
#ifdef SYS_kexec_file_load
	CALL(kexec_file_load),
#endif
	/* The deadline ends a process group. */
	CALL_IN(setsid, CALLS_ROAM),
	CALL_IN(setpgid, CALLS_ROAM),
	/* What Landlock does not look at. */
	IOCTL('f', 2), /* FS_IOC_SETFLAGS */
	IOCTL('X', 32), /* FS_IOC_FSSETXATTR */
	IOCTL('v', 2), /* FS_IOC_SETVERSION, and the one of ext4 */
	IOCTL('f', 4),
	IOCTL('f', 133), /* FS_IOC_ENABLE_VERITY: it cannot be written again */
	IOCTL('f', 19), /* FS_IOC_SET_ENCRYPTION_POLICY */
	/* Btrfs makes and removes whole trees, and shuts them, where a directory can be read. */
	IOCTL(0x94, 1), /* SNAP_CREATE, and its second version */
	IOCTL(0x94, 23),
	IOCTL(0x94, 14), /* SUBVOL_CREATE */
	IOCTL(0x94, 24),
	IOCTL(0x94, 15), /* SNAP_DESTROY */
	IOCTL(0x94, 63),
	IOCTL(0x94, 25), /* SUBVOL_SETFLAGS */
	IOCTL(0x94, 37), /* SET_RECEIVED_SUBVOL */
	IOCTL(0x94, 50), /* SET_FSLABEL */
	CALL_IN(fchmod, CALLS_CHANGE),
	CALL_IN(fchmodat, CALLS_CHANGE),
	{ .nr = CALL_FCHMODAT2, .in = CALLS_CHANGE },
	CALL_IN(fchown, CALLS_CHANGE),
	CALL_IN(fchownat, CALLS_CHANGE),
	CALL_IN(utimensat, CALLS_CHANGE),
	CALL_IN(setxattr, CALLS_CHANGE),
	CALL_IN(lsetxattr, CALLS_CHANGE),
	CALL_IN(fsetxattr, CALLS_CHANGE),
	{ .nr = CALL_SETXATTRAT, .in = CALLS_CHANGE },
	CALL_IN(removexattr, CALLS_CHANGE),
	CALL_IN(lremovexattr, CALLS_CHANGE),
	CALL_IN(fremovexattr, CALLS_CHANGE),
	{ .nr = CALL_REMOVEXATTRAT, .in = CALLS_CHANGE },
#ifdef SYS_chmod
	CALL_IN(chmod, CALLS_CHANGE),
	CALL_IN(chown, CALLS_CHANGE),
	CALL_IN(lchown, CALLS_CHANGE),
	CALL_IN(utime, CALLS_CHANGE),
	CALL_IN(utimes, CALLS_CHANGE),
	CALL_IN(futimesat, CALLS_CHANGE),
#endif
	/* To open a file for reading can cut it off. */
	CALL_IN(truncate, CALLS_TRUNCATE),
	{ .nr = SYS_openat,
	  .in = CALLS_TRUNCATE,
	  .when = IF,
	  .arg = 2,
	  .mask = O_ACCMODE | O_TRUNC,
	  .value = O_TRUNC },
	{ .nr = SYS_openat2, .in = CALLS_TRUNCATE, .error = ENOSYS },
#ifdef SYS_open
	{ .nr = SYS_open,
	  .in = CALLS_TRUNCATE,
	  .when = IF,
	  .arg = 1,
	  .mask = O_ACCMODE | O_TRUNC,
	  .value = O_TRUNC },
#endif
};

/* ---- writing the program ---- */

struct program {
	struct sock_filter *p;
	unsigned short n;
};

static void step(struct program *g, uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
	g->p[g->n++] = (struct sock_filter){ code, yes, no, k };
}

static void load(struct program *g, size_t offset)
{
	step(g, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static int error_of(const struct call *c)
{
	return c->error ? c->error : EPERM;
}

static void answer(struct program *g, int error)
{
	step(g, BPF_RET | BPF_K, error ? SECCOMP_RET_ERRNO | (uint32_t)error : SECCOMP_RET_ALLOW, 0,
	     0);
}

/*
 * Whether a call is refused by an argument, which takes the place of its number.  The lower half is
 * looked at; all processors here begin with it.  A test ends where the call is refused; a jump over
 * one step leads past that.
 */
static void test(struct program *g, const struct call *c, const struct call *before)
{
	if (!before || before->arg != c->arg || before->mask != c->mask ||
	    before->when == UNLESS_ONE_OF) {
		load(g, offsetof(struct seccomp_data, args) + c->arg * sizeof(uint64_t));
		step(g, BPF_ALU | BPF_AND | BPF_K, c->mask, 0, 0);
	}
	if (c->when == UNLESS_ONE_OF) {
		step(g, BPF_JMP | BPF_JGE | BPF_K, 32, 4, 0);
		step(g, BPF_MISC | BPF_TAX, 0, 0, 0);
		step(g, BPF_LD | BPF_IMM, 1, 0, 0);
		step(g, BPF_ALU | BPF_LSH | BPF_X, 0, 0, 0);
		step(g, BPF_JMP | BPF_JSET | BPF_K, c->value, 1, 0);
	} else {
		step(g, BPF_JMP | BPF_JEQ | BPF_K, c->value, c->when == UNLESS, c->when == IF);
	}
	answer(g, error_of(c));
}

/* The rows that count here, by number; those of one number in their order. */
struct sorted {
	const struct call *rows[ARRAY_LEN(calls)];
	size_t n;
	/* Where the rows of a number begin, or of some that follow each other and are alike. */
	size_t first[ARRAY_LEN(calls) + 1], groups;
};

static bool are_one_group(const struct call *a, const struct call *b)
{
	return a->nr == b->nr || (a->nr + 1 == b->nr && a->when == ALWAYS && b->when == ALWAYS &&
				  error_of(a) == error_of(b));
}

static void sort(struct sorted *s, unsigned refused)
{
	for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
		size_t at = s->n;

		if (calls[i].in && !(calls[i].in & refused))
			continue;
		for (s->n++; at > 0 && s->rows[at - 1]->nr > calls[i].nr; at--)
			s->rows[at] = s->rows[at - 1];
		s->rows[at] = &calls[i];
	}
	for (size_t i = 0; i < s->n; i++)
		if (i == 0 || !are_one_group(s->rows[i - 1], s->rows[i]))
			s->first[s->groups++] = i;
	s->first[s->groups] = s->n;
}

/*
 * How many groups are compared one by one.  The kernel follows the program for each number that
 * there is when it takes it, translates all of it, and follows it for each call that is not always
 * allowed: short ways count, and few steps.
 */
enum { NEIGHBOURS = 6 };

/* Begins with the number of the call. */
static void compare(struct program *g, const struct sorted *s, size_t from, size_t to)
{
	const struct call *always[NEIGHBOURS];
	uint8_t *jumps[NEIGHBOURS];
	unsigned short at[NEIGHBOURS], answers[NEIGHBOURS];
	size_t n = 0, same;

	for (size_t i = from; i < to; i++) {
		const struct call *const *rows = &s->rows[s->first[i]];
		size_t left = s->first[i + 1] - s->first[i];
		uint32_t first = (uint32_t)rows[0]->nr, last = (uint32_t)rows[left - 1]->nr;
		struct sock_filter *jump;

		if (first < last)
			step(g, BPF_JMP | BPF_JGE | BPF_K, first, 0, 1);
		jump = &g->p[g->n];
		step(g, BPF_JMP | (first < last ? BPF_JGT : BPF_JEQ) | BPF_K, last, 0, 0);
		if (rows[0]->when == ALWAYS) {
			always[n] = rows[0];
			jumps[n] = first < last ? &jump->jf : &jump->jt;
			at[n++] = g->n;
			continue;
		}
		for (size_t k = 0; k < left; k++)
			test(g, rows[k], k ? rows[k - 1] : NULL);
		answer(g, 0);
		jump->jf = (uint8_t)(&g->p[g->n] - jump - 1);
	}
	if (to == s->groups) {
		step(g, BPF_JMP | BPF_JGT | BPF_K, CALL_LAST, 0, 1);
		answer(g, ENOSYS);
	}
	answer(g, 0);
	/* What is refused in any case, each error once. */
	for (size_t i = 0; i < n; i++) {
		for (same = 0; error_of(always[same]) != error_of(always[i]);)
			same++;
		answers[i] = same < i ? answers[same] : g->n;
		if (same == i)
			answer(g, error_of(always[i]));
		*jumps[i] = (uint8_t)(answers[i] - at[i]);
	}
}

/* Begins with the number of the call.  A jump leads past everything: CAGE_STEPS. */
static void search(struct program *g, const struct sorted *s, size_t from, size_t to)
{
	size_t middle = from + (to - from) / 2;
	unsigned short at = g->n;

	if (to - from <= NEIGHBOURS) {
		compare(g, s, from, to);
		return;
	}
	step(g, BPF_JMP | BPF_JGE | BPF_K, (uint32_t)s->rows[s->first[middle]]->nr, 0, 0);
	search(g, s, from, middle);
	g->p[at].jt = (uint8_t)(g->n - at - 1);
	search(g, s, middle, to);
}

unsigned short sandbox_calls(struct sock_filter *steps, uint32_t arch, unsigned refused)
{
	struct program g = { .p = steps };
	struct sorted s = { .n = 0 };

	if (!(refused & CALLS_NETWORK))
		refused |= CALLS_CONNECTED;
	sort(&s, refused);
	/* Another processor's calls have other numbers; its programs do not run. */
	load(&g, offsetof(struct seccomp_data, arch));
	step(&g, BPF_JMP | BPF_JEQ | BPF_K, arch, 1, 0);
	answer(&g, ENOSYS);
	load(&g, offsetof(struct seccomp_data, nr));
	search(&g, &s, 0, s.groups);
	return g.n;
}

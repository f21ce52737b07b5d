#include "os/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/path.h"
#include "os/fd.h"
#include "os/fs.h"
#include "os/sandbox_calls.h"
#include "os/spawn.h"

#if defined __x86_64__
#define OUR_ARCH AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define OUR_ARCH AUDIT_ARCH_AARCH64
#elif defined __riscv && __riscv_xlen == 64
#define OUR_ARCH AUDIT_ARCH_RISCV64
#else
#define OUR_ARCH 0
#endif

/* ---- files ---- */

/* Rights that the headers of an older system lack. */
#define FS_REFER (1ull << 13)
#define FS_TRUNCATE (1ull << 14)
#define FS_IOCTL_DEV (1ull << 15)
enum { SCOPE_ABSTRACT_SOCKETS = 1 << 0, SCOPE_SIGNALS = 1 << 1 };

#define OF_FILES                                                                                   \
	(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE |                               \
	 LANDLOCK_ACCESS_FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV)
#define TO_READ                                                                                    \
	(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
/* No device and no socket: both lead out of the directory that they are made in. */
#define TO_WRITE                                                                                   \
	(TO_READ | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |                 \
	 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |                            \
	 LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_FIFO |                              \
	 LANDLOCK_ACCESS_FS_MAKE_SYM | FS_REFER | FS_TRUNCATE)

/* The version that brought a right, and how much of the structure is known to it. */
enum { ABI_REFER = 2, ABI_TRUNCATE = 3, ABI_NET = 4, ABI_IOCTL = 5, ABI_SCOPE = 6 };

struct ruleset {
	uint64_t files, net, scoped;
};

static const char *const system_paths[] = {
	"/usr",
	"/bin",
	"/sbin",
	"/lib",
	"/lib32",
	"/lib64",
	"/libx32",
	"/etc",
	"/opt",
	"/nix/store",
	"/gnu/store",
	"/run/current-system",
	"/home/linuxbrew/.linuxbrew",
	"/run/systemd/resolve",
	"/run/NetworkManager/resolv.conf",
	"/run/resolvconf",
	/* Of other processes names and numbers; their memory, environment and files stay shut. */
	"/proc",
	"/sys/devices/system",
	"/sys/fs/cgroup",
	"/sys/kernel/mm",
	NULL,
};
static const char *const devices[] = {
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", NULL,
};

int sandbox_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	return abi > 0 ? (int)abi : 0;
}

int sandbox_check(int abi, struct err *err)
{
	if (!OUR_ARCH)
		return err_set(err, E_SPAWN, "sandboxes are not supported on this processor");
	if (abi < 1)
		return err_set(err, E_SPAWN,
			       "this kernel has no sandbox: Landlock (Linux 5.13) is missing or "
			       "switched off");
	return 0;
}

static uint64_t handled(int abi)
{
	uint64_t all = (1ull << 13) - 1;

	return all | (abi >= ABI_REFER ? FS_REFER : 0) | (abi >= ABI_TRUNCATE ? FS_TRUNCATE : 0) |
	       (abi >= ABI_IOCTL ? FS_IOCTL_DEV : 0);
}

static int make_ruleset(int abi)
{
	const struct ruleset attr = {
		.files = handled(abi),
		.scoped = abi >= ABI_SCOPE ? SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS : 0,
	};
	size_t size = abi >= ABI_SCOPE ? sizeof attr
		      : abi >= ABI_NET ? offsetof(struct ruleset, scoped)
				       : offsetof(struct ruleset, net);
	long fd = syscall(SYS_landlock_create_ruleset, &attr, size, 0);

	return fd < 0 ? -errno : (int)fd;
}

struct open_how_here {
	uint64_t flags, mode, resolve;
};

/* -1 for what is not there, and for what links lead out of the directory `inside`. */
static int open_place(const char *path, const char *inside)
{
	enum { BENEATH = 0x08 };
	const struct open_how_here how = { .flags = O_PATH | O_CLOEXEC, .resolve = BENEATH };
	const char *below = inside ? path_below(inside, path) : NULL;

	if (!below || !*below)
		return open(path, O_PATH | O_CLOEXEC);
	AUTO(close) int dir = open(inside, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return dir < 0 ? -1 : (int)syscall(SYS_openat2, dir, below, &how, sizeof how);
}

static long add_rule(int ruleset, const struct landlock_path_beneath_attr *rule)
{
	return syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, rule, 0);
}

static int allow(int ruleset, int abi, const char *path, const char *inside, uint64_t rights)
{
	struct landlock_path_beneath_attr rule = { .allowed_access = rights & handled(abi) };
	AUTO(close) int place = open_place(path, inside);

	if (place < 0)
		return 0;
	rule.parent_fd = place;
	if (add_rule(ruleset, &rule) == 0)
		return 0;
	/* Most are directories; the others have fewer rights. */
	rule.allowed_access &= OF_FILES;
	if (errno == EINVAL && add_rule(ruleset, &rule) == 0)
		return 0;
	/* Of a pipe or a socket nothing can be said: it stays shut. */
	return errno == EBADFD ? 0 : -errno;
}

static int allow_all(int ruleset, int abi, const char *const *paths, const char *inside,
		     uint64_t rights)
{
	int r = 0;

	for (; r == 0 && paths && *paths; paths++)
		r = allow(ruleset, abi, *paths, inside, rights);
	return r;
}

/* ---- capabilities ---- */

static bool must_drop(struct cage *c)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct has[2];

	c->keeps = 1u << CAP_CHOWN | 1u << CAP_DAC_OVERRIDE | 1u << CAP_FOWNER | 1u << CAP_FSETID |
		   1u << CAP_SETGID | 1u << CAP_SETUID | 1u << CAP_NET_BIND_SERVICE;
	if (syscall(SYS_capget, &head, has) < 0)
		return true;
	c->keeps &= has[0].permitted;
	return (has[0].permitted & ~c->keeps) || has[1].permitted;
}

/* ---- the cage ---- */

int cage_make(struct cage *c, const struct sandbox *s, const char *file)
{
	int abi = s ? sandbox_abi() : 0, r;

	c->ruleset = -1;
	if (!s)
		return 0;
	if (sandbox_check(abi, NULL) < 0)
		return -ENOSYS;
	c->ruleset = make_ruleset(abi);
	if (c->ruleset < 0)
		return c->ruleset;
	r = allow_all(c->ruleset, abi, system_paths, NULL, TO_READ);
	if (r == 0)
		r = allow_all(c->ruleset, abi, devices, NULL,
			      OF_FILES & ~(uint64_t)LANDLOCK_ACCESS_FS_EXECUTE);
	if (r == 0)
		r = allow_all(c->ruleset, abi, s->read, s->inside, TO_READ);
	if (r == 0)
		r = allow_all(c->ruleset, abi, s->write, s->inside, TO_WRITE);
	if (r == 0 && file)
		r = allow(c->ruleset, abi, file, s->inside, TO_READ & OF_FILES);
	if (r == 0 && s->program)
		r = allow(c->ruleset, abi, s->program, s->inside, TO_READ & OF_FILES);
	if (r == 0)
		r = fd_lift(&c->ruleset, FD_LOWEST);
	if (r < 0) {
		cage_done(c);
		return r;
	}
	c->filter = (struct sock_fprog){
		.len = sandbox_calls(c->steps, OUR_ARCH,
				     (s->network ? 0 : CALLS_NETWORK) |
					     (s->write && *s->write ? 0 : CALLS_CHANGE) |
					     (s->roams ? 0 : CALLS_ROAM) |
					     (abi < ABI_TRUNCATE ? CALLS_TRUNCATE : 0)),
		.filter = c->steps,
	};
	c->drops = must_drop(c);
	return 0;
}

void cage_done(struct cage *c)
{
	fd_close(&c->ruleset);
}

ALONE long cage_enter_files(const struct cage *c)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	const struct __user_cap_data_struct keep[2] = { { c->keeps, c->keeps, 0 }, { 0, 0, 0 } };

	if (c->ruleset < 0)
		return 0;
	if (syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	if (c->drops && syscall(SYS_capset, &head, keep) < 0)
		return -1;
	return syscall(SYS_landlock_restrict_self, c->ruleset, 0);
}

ALONE long cage_enter_calls(const struct cage *c)
{
	if (c->ruleset < 0)
		return 0;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &c->filter);
}

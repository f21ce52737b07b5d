#include "os/world.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "os/clock.h"
#include "os/fs.h"

enum { STATUS_MAX = 64 << 10 };

/* No two of these are the same. */
static void add_unknown(struct buf *out)
{
	buf_addf(out, "? %lld\n", (long long)clock_us());
}

static void add_file(struct buf *out, const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0)
		buf_addf(out, "%llx %llx\n", (unsigned long long)st.st_dev,
			 (unsigned long long)st.st_ino);
	else if (errno == ENOENT) /* a kind of namespace that this kernel does not know */
		buf_addc(out, '\n');
	else
		add_unknown(out);
}

void world_add(struct buf *out, const char *dir)
{
	static const char *const files[] = { "/proc/self/root",    "/proc/self/ns/mnt",
					     "/proc/self/ns/pid",  "/proc/self/ns/net",
					     "/proc/self/ns/user", "/proc/self/ns/ipc",
					     "/proc/self/ns/uts",  "/proc/self/ns/time" };
	static const char *const rights[] = { "Umask:", "Uid:",        "Gid:",   "Groups:",
					      "Cap",    "NoNewPrivs:", "Seccomp" };
	AUTO(buf_done) struct buf status = { 0 };
	struct rlimit limit;
	struct str rest;

	add_file(out, dir);
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		add_file(out, files[i]);
	for (int which = 0; which < RLIMIT_NLIMITS; which++)
		if (getrlimit(which, &limit) == 0)
			buf_addf(out, "%llx %llx\n", (unsigned long long)limit.rlim_cur,
				 (unsigned long long)limit.rlim_max);
		else
			add_unknown(out);
	if (fs_read("/proc/self/status", STATUS_MAX, &status, NULL) < 0)
		add_unknown(out);
	rest = buf_str(&status);
	for (struct str line; str_split(&rest, '\n', &line);)
		for (size_t i = 0; i < ARRAY_LEN(rights); i++)
			if (str_starts(line, str_from(rights[i]))) {
				buf_addf(out, "%.*s\n", STR_ARG(line));
				break;
			}
}

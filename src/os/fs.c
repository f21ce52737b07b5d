#include "os/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/vec.h"
#include "os/clock.h"
#include "os/fd.h"

#define TEMP_BEGIN ".trotline-"
#define TEMP_END ".tmp"

enum {
	TEMP_DIGITS = 16,
	READ_CHUNK = 64 << 10,
	LINKS_MAX = 40, /* as the kernel's */
	LOCK_POLL_MS = 5,
};

static int read_fd(int fd, const char *path, size_t max, struct buf *out, struct err *err)
{
	size_t before = out->n;

	for (;;) {
		size_t left = max - (out->n - before);
		/* One more tells "over max". */
		size_t want = min_size(left, buf_room(out, READ_CHUNK) - 1) + 1;
		ssize_t r = fd_read(fd, out, want);

		if (r < 0)
			return err_errno(err, (int)-r, "reading %s", path);
		if ((size_t)r > left)
			return err_set_at(err, E_LIMIT, path, 0, 0, "more than %zu bytes", max);
		if (r == 0)
			return 0;
	}
}

static int open_regular(const char *path, int flags, struct stat *st, struct err *err)
{
	/* Without O_NONBLOCK a FIFO would hold us until somebody opens its other end. */
	AUTO(close) int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);

	if (fd < 0)
		return err_errno(err, errno, "opening %s", path);
	if (fstat(fd, st) < 0)
		return err_errno(err, errno, "%s", path);
	if (!S_ISREG(st->st_mode))
		return err_set_at(err, E_IO, path, 0, 0, "not a regular file");
	int ret = fd;
	fd = -1;
	return ret;
}

static int read_whole(const char *path, int flags, size_t max, struct buf *out, struct err *err)
{
	size_t n = out->n, out_max = out->max;
	struct stat st = { 0 };
	AUTO(close) int fd = open_regular(path, O_RDONLY | flags, &st, err);
	int r;

	if (fd < 0)
		return fd;
	if (st.st_size > 0 && (size_t)st.st_size > max)
		return err_set_at(err, E_LIMIT, path, 0, 0, "more than %zu bytes", max);
	out->max = 0;
	if (st.st_size > 0)
		(void)buf_reserve(out, (size_t)st.st_size + 1);
	r = read_fd(fd, path, max, out, err);
	out->max = out_max;
	if (r < 0)
		out->n = n;
	return r;
}

int fs_read(const char *path, size_t max, struct buf *out, struct err *err)
{
	return read_whole(path, 0, max, out, err);
}

int fs_read_nofollow(const char *path, size_t max, struct buf *out, struct err *err)
{
	return read_whole(path, O_NOFOLLOW, max, out, err);
}

int64_t fs_read_end(const char *path, size_t max, struct buf *out, struct err *err)
{
	struct stat st = { 0 };
	AUTO(close) int fd = open_regular(path, O_RDONLY | O_NOFOLLOW, &st, err);
	int64_t from;
	ssize_t n = 1;

	if (fd < 0)
		return fd;
	from = (uint64_t)st.st_size > max ? st.st_size - (int64_t)max : 0;
	if (lseek(fd, from, SEEK_SET) < 0)
		return err_errno(err, errno, "%s", path);
	/* What is written meanwhile is not waited for. */
	for (int64_t left = st.st_size - from; left > 0 && n > 0; left -= n)
		n = fd_read(fd, out, (size_t)left);
	return n < 0 ? err_errno(err, (int)-n, "reading %s", path) : from;
}

/* Follows links by hand: realpath() has no answer for one whose target is yet to be made. */
static char *follow_links(const char *path)
{
	char *at = xstrdup(path);

	for (int i = 0; i < LINKS_MAX; i++) {
		char link[4096];
		ssize_t n = readlink(at, link, sizeof link - 1);

		if (n < 0)
			return at;
		link[n] = '\0';
		AUTO(free) char *dir = path_parent(at);
		free(at);
		at = link[0] == '/' ? xstrdup(link) : fs_join(dir, link);
	}
	free(at);
	errno = ELOOP;
	return NULL;
}

void fs_sweep(const char *dir)
{
	DIR *d = opendir(dir);

	for (const struct dirent *e; d && (e = readdir(d));) {
		struct stat st;
		size_t n = strlen(TEMP_BEGIN);

		if (!(strncmp(e->d_name, TEMP_BEGIN, n) == 0 &&
		      strspn(e->d_name + n, "0123456789abcdef") == TEMP_DIGITS &&
		      strcmp(e->d_name + n + TEMP_DIGITS, TEMP_END) == 0))
			continue;
		AUTO(close) int fd =
			openat(dirfd(d), e->d_name,
			       O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		    st.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0)
			(void)unlinkat(dirfd(d), e->d_name, 0);
	}
	if (d)
		(void)closedir(d);
}

/* A new file next to the one to be replaced, whose name is left out of it since it may be long. */
static int make_temp(const char *dir, unsigned mode, char **ret_path)
{
	for (int i = 0; i < 100; i++) {
		char name[40];
		struct stat st;
		uint64_t r = 0;

		/* Where there is no randomness yet the time is enough: O_EXCL decides. */
		(void)!getrandom(&r, sizeof r, GRND_NONBLOCK);
		r ^= (uint64_t)clock_us();
		(void)snprintf(name, sizeof name, TEMP_BEGIN "%016llx" TEMP_END,
			       (unsigned long long)r);
		AUTO(free) char *path = fs_join(dir, name);
		int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);

		if (fd < 0 && errno == EEXIST)
			continue;
		/*
		 * It is locked as long as we live, which tells fs_sweep() those that a killed
		 * process has left.  That may have been faster, and have taken this one away.
		 */
		if (fd >= 0 && ((flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) ||
				fstat(fd, &st) < 0 || st.st_nlink == 0)) {
			(void)close(fd);
			continue;
		}
		if (fd >= 0)
			*ret_path = MOVE(path);
		return fd >= 0 ? fd : -errno;
	}
	return -EEXIST;
}

static int replace_at(const char *target, const char *dir, struct str bytes, unsigned mode,
		      const struct stat *old)
{
	AUTO(free) char *temp = NULL;
	AUTO(close) int fd = make_temp(dir, old ? 0600 : mode, &temp);
	int r;

	if (!temp)
		return fd;
	/* The owner first: a change of it takes the set-id bits away. */
	if (old && ((geteuid() == 0 && fchown(fd, old->st_uid, old->st_gid) < 0) ||
		    fchmod(fd, old->st_mode & 07777) < 0))
		r = -errno;
	else
		r = fd_write(fd, bytes, NULL);
	if (r == 0 && (fsync(fd) < 0 || rename(temp, target) < 0))
		r = -errno;
	if (r < 0)
		(void)unlink(temp);
	return r;
}

int fs_replace(const char *path, struct str bytes, unsigned mode, struct err *err)
{
	AUTO(free) char *target = follow_links(path);
	struct stat st;
	bool exists;
	int r;
	AUTO(close) int fd = -1;

	if (!target)
		return err_errno(err, errno, "writing %s", path);
	exists = lstat(target, &st) == 0;
	if (exists && !S_ISREG(st.st_mode))
		return err_set(err, E_IO, "writing %s: not a regular file", path);
	AUTO(free) char *dir = path_parent(target);
	r = replace_at(target, dir, bytes, mode, exists ? &st : NULL);
	if (r < 0)
		return err_errno(err, -r, "writing %s", path);
	/* Makes the new name last. Not every file system can, and then there is nothing better to
	 * do. */
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		(void)fsync(fd);
	return 0;
}

/* There is no flock() with a time limit; a lock is held for one write, so that waiting is rare. */
static int lock_fd(int fd, int wait_ms)
{
	const struct timespec pause = { .tv_nsec = LOCK_POLL_MS * 1000000L };
	int64_t until = clock_us() + (int64_t)wait_ms * 1000;

	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno == EINTR)
			continue;
		if (errno != EWOULDBLOCK || clock_us() >= until)
			return -errno;
		(void)nanosleep(&pause, NULL);
	}
	return 0;
}

static int lock_error(int errnum, const char *path, struct err *err)
{
	if (errnum == EWOULDBLOCK)
		return err_set(err, E_BUSY, "%s is locked by another process", path);
	return err_errno(err, errnum, "locking %s", path);
}

int fs_append(const char *path, struct str bytes, struct err *err)
{
	const int flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW;
	struct stat st;
	AUTO(close) int fd = open_regular(path, flags, &st, err);
	int r, locked;

	if (fd < 0)
		return fd;
	locked = lock_fd(fd, FS_APPEND_WAIT_MS);
	if (locked < 0 && locked != -EWOULDBLOCK)
		return lock_error(-locked, path, err);
	if (fstat(fd, &st) < 0)
		return err_errno(err, errno, "%s", path);
	r = fd_write(fd, bytes, NULL);
	if (r == 0)
		return 0;
	if (locked == 0)
		(void)!ftruncate(fd, st.st_size); /* half a record would spoil the next one too */
	return err_errno(err, -r, "writing %s", path);
}

/* Who held it before us may have removed it, and somebody else may hold the next one already. */
int fs_lock(const char *path, int wait_ms, struct err *err)
{
	for (;;) {
		struct stat st;
		AUTO(close) int fd = open_regular(path, O_RDWR | O_CREAT | O_NOFOLLOW, &st, err);
		int r = fd < 0 ? fd : lock_fd(fd, wait_ms);
		struct stat now;

		if (fd < 0)
			return fd;
		if (r < 0)
			return lock_error(-r, path, err);
		if (lstat(path, &now) < 0 || !fs_is_same(&now, &st))
			continue;
		r = fd;
		fd = -1;
		return r;
	}
}

int fs_mkdirs(const char *path, unsigned mode, struct err *err)
{
	if (fs_is_dir(path))
		return 0;
	if (mkdir(path, mode) == 0)
		return 0;
	if (errno == ENOENT) {
		AUTO(free) char *parent = path_parent(path);
		int r = strcmp(parent, path) == 0 ? -E_NOTFOUND : fs_mkdirs(parent, mode, err);

		if (r < 0)
			return r;
		if (mkdir(path, mode) == 0)
			return 0;
	}
	if (errno == EEXIST && fs_is_dir(path)) /* made meanwhile */
		return 0;
	return err_errno(err, errno, "making directory %s", path);
}

bool fs_exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0;
}

bool fs_has(const char *dir, const char *name)
{
	AUTO(free) char *path = fs_join(dir, name);

	return fs_exists(path);
}

bool fs_is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool fs_is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;
}

bool fs_find_program(const char *name, const char *path_var, char **ret_path)
{
	struct str rest = { path_var, path_var ? strlen(path_var) : 0 }, entry;

	if (!name[0] || strchr(name, '/'))
		return false;
	while (str_split(&rest, ':', &entry)) {
		if (entry.n == 0 || entry.p[0] != '/')
			return false;
		AUTO(free) char *dir = xstrndup(entry.p, entry.n);
		AUTO(free) char *path = fs_join(dir, name);
		if (fs_is_program(path)) {
			*ret_path = MOVE(path);
			return true;
		}
	}
	return false;
}

/* Adds the parts of path to out, which is "" for the root and "/a/b" else. */
static void add_parts(struct buf *out, const char *path)
{
	for (struct str rest = str_from(path), part; str_split(&rest, '/', &part);) {
		if (part.n == 0 || str_eq(part, STR(".")))
			continue;
		if (!str_eq(part, STR(".."))) {
			buf_addc(out, '/');
			buf_adds(out, part);
			continue;
		}
		while (out->n && out->p[--out->n] != '/')
			continue;
	}
}

char *fs_absolute(const char *base, const char *path)
{
	AUTO(buf_done) struct buf out = { 0 };

	if (path[0] != '/')
		add_parts(&out, base);
	add_parts(&out, path);
	if (out.n == 0)
		buf_addc(&out, '/');
	return buf_take(&out);
}

char *fs_real(const char *path)
{
	return realpath(path, NULL);
}

/* Where a link to what does not exist leads, from the real place of the link; else NULL. */
static char *dangling_target(const char *path)
{
	AUTO(free) char *parent = path_parent(path);
	AUTO(free) char *real = fs_real(parent);
	char target[4096];
	ssize_t n = readlink(path, target, sizeof target - 1);

	if (n <= 0 || !real)
		return NULL;
	target[n] = '\0';
	return target[0] == '/' ? xstrdup(target) : fs_join(real, target);
}

char *fs_resolve(const char *path)
{
	AUTO(free) char *at = fs_join("/", path);
	AUTO(free) char *rest = xstrdup("");

	for (int links = 0; path[0] == '/' && links < LINKS_MAX;) {
		struct stat st;
		/* Looking at every part of a path again for each that is missing takes long. */
		bool there = lstat(at, &st) == 0 || (errno != ENOENT && errno != ENOTDIR);
		AUTO(free) char *real = there ? fs_real(at) : NULL;
		char *next;

		if (real)
			return rest[0] ? fs_join(real, rest) : MOVE(real);
		next = there ? dangling_target(at) : NULL;
		if (next) {
			links++;
		} else if (!at[1]) {
			return NULL; /* not even the root can be looked at */
		} else {
			char *longer =
				*rest ? fs_join(path_name(at), rest) : xstrdup(path_name(at));

			free(rest);
			rest = longer;
			next = path_parent(at);
		}
		free(at);
		at = next;
	}
	return NULL;
}

bool fs_is_in(const char *dir, const char *path)
{
	AUTO(free) char *real_dir = dir ? fs_real(dir) : NULL;
	AUTO(free) char *real = path ? fs_resolve(path) : NULL;
	struct stat wanted, st;

	if (!real_dir || !real || dir[0] != '/')
		return false;
	if (path_below(real_dir, real))
		return true;
	/* It has several names where letter case is ignored, and where it is mounted twice. */
	if (!path_below("/", real) || stat(real_dir, &wanted) < 0)
		return false;
	for (;; path_climb(&real)) {
		if (stat(real, &st) == 0 && fs_is_same(&st, &wanted))
			return true;
		if (strcmp(real, "/") == 0)
			return false;
	}
}

char *fs_join(const char *dir, const char *name)
{
	size_t n = strlen(dir), size;
	char *path;

	if (n == 0)
		return xstrdup(name);
	while (n && dir[n - 1] == '/')
		n--;
	while (*name == '/')
		name++;
	size = strlen(name) + 1;
	path = xmalloc(n + 1 + size);
	memcpy(path, dir, n);
	path[n] = '/';
	memcpy(path + n + 1, name, size);
	return path;
}

void fs_names_done(struct fs_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->p[i]);
	free(names->p);
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

unsigned char fs_entry_type(int dir_fd, const struct dirent *entry)
{
	struct stat st;

	/* Not every file system says it with the name. */
	if (entry->d_type != DT_UNKNOWN ||
	    fstatat(dir_fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return entry->d_type;
	return IFTODT(st.st_mode);
}

int fs_list(const char *dir, struct fs_names *ret_names, struct err *err)
{
	AUTO(closedir) DIR *d = opendir(dir);
	AUTO(fs_names_done) struct fs_names names = { 0 };

	if (!d)
		return err_errno(err, errno, "reading directory %s", dir);
	for (;;) {
		errno = 0;
		const struct dirent *entry = readdir(d);

		if (!entry && errno)
			return err_errno(err, errno, "reading directory %s", dir);
		if (!entry)
			break;
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			*VEC_ADD(&names) = xstrdup(entry->d_name);
	}
	if (names.n)
		qsort(names.p, names.n, sizeof *names.p, by_bytes);
	*ret_names = names;
	names = (struct fs_names){ 0 };
	return 0;
}

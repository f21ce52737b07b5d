#include "os/changes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "base/vec.h"
#include "os/fd.h"
#include "os/fs.h"

enum {
	HASHED_MAX = 1 << 20, /* of larger files the times tell */
	NEWS = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO,
};

/* What a file was; all zero = it was not there. */
struct look {
	bool there;
	ino_t inode;
	off_t size;
	struct timespec mtime;
	uint64_t hash;
};

struct watched {
	char *path;
	int kind;
	bool wanted;
	struct look was;
};

struct changes {
	struct watched *p;
	size_t n, cap;
	int fd;
};

static struct look look_at(const char *path)
{
	AUTO(buf_done) struct buf bytes = { 0 };
	struct look l = { 0 };
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return l;
	l = (struct look){
		.there = true, .inode = st.st_ino, .size = st.st_size, .mtime = st.st_mtim
	};
	/* Two changes may share a tick of the clock. */
	if (st.st_size <= HASHED_MAX && fs_read(path, HASHED_MAX, &bytes, NULL) >= 0)
		l.hash = str_hash(0, buf_str(&bytes));
	return l;
}

struct changes *changes_new(void)
{
	struct changes *c = xcalloc(1, sizeof *c);

	c->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (c->fd >= 0 && fd_lift(&c->fd, FD_LOWEST) < 0)
		fd_close(&c->fd);
	return c;
}

void changes_free(struct changes *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++)
		free(c->p[i].path);
	free(c->p);
	if (c->fd >= 0)
		fd_close(&c->fd);
	free(c);
}

/* False when the path is in no directory, or that cannot be watched. */
static bool hear_of_directory(const struct changes *c, const char *path)
{
	const char *slash = strrchr(path, '/');
	AUTO(free) char *dir = NULL;

	if (!slash || c->fd < 0)
		return false;
	dir = xasprintf("%.*s", (int)max_size(1, (size_t)(slash - path)), path);
	return inotify_add_watch(c->fd, dir, NEWS | IN_ONLYDIR) >= 0;
}

/* Of a directory that is not there yet, by the one above it; it may come before that is watched. */
static void hear_about(const struct changes *c, const char *path)
{
	const char *slash = strrchr(path, '/');
	AUTO(free) char *dir = NULL;

	if (!slash || hear_of_directory(c, path))
		return;
	dir = xasprintf("%.*s", (int)(slash - path), path);
	if (hear_of_directory(c, dir))
		(void)hear_of_directory(c, path);
}

void changes_set(struct changes *c, int kind, const char *const *paths)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->n; i++)
		c->p[i].wanted = c->p[i].kind != kind;
	for (; *paths; paths++) {
		size_t k = 0;

		while (k < c->n && (c->p[k].kind != kind || strcmp(c->p[k].path, *paths) != 0))
			k++;
		if (k < c->n) {
			c->p[k].wanted = true;
			continue;
		}
		hear_about(c, *paths);
		*VEC_ADD(c) = (struct watched){ .path = xstrdup(*paths),
						.kind = kind,
						.wanted = true,
						.was = look_at(*paths) };
	}
	for (size_t i = 0; i < c->n; i++) {
		if (c->p[i].wanted)
			c->p[kept++] = c->p[i];
		else
			free(c->p[i].path);
	}
	c->n = kept;
}

bool changes_next(struct changes *c, struct change *ret)
{
	for (size_t i = 0; i < c->n; i++) {
		struct watched *w = &c->p[i];
		bool was_there = w->was.there;
		struct look now;

		if (!was_there)
			hear_about(c, w->path); /* its directory may be new */
		now = look_at(w->path);
		if (now.there == was_there && now.inode == w->was.inode &&
		    now.size == w->was.size && now.mtime.tv_sec == w->was.mtime.tv_sec &&
		    now.mtime.tv_nsec == w->was.mtime.tv_nsec && now.hash == w->was.hash)
			continue;
		w->was = now;
		*ret = (struct change){ .path = w->path,
					.kind = w->kind,
					.how = !was_there   ? CHANGE_ADDED
					       : !now.there ? CHANGE_UNLINKED
							    : CHANGE_CHANGED };
		return true;
	}
	return false;
}

int changes_fd(const struct changes *c)
{
	return c->fd;
}

/* A directory that the file is in may have come, too. */
static bool concerns(const struct changes *c, const struct inotify_event *e)
{
	for (size_t i = 0; i < c->n; i++) {
		const char *slash = strrchr(c->p[i].path, '/');

		if (e->mask & (IN_ISDIR | IN_Q_OVERFLOW) ||
		    (e->len && slash && strcmp(slash + 1, e->name) == 0))
			return true;
	}
	return false;
}

bool changes_heard(struct changes *c)
{
	_Alignas(struct inotify_event) char
		bytes[16 * (sizeof(struct inotify_event) + NAME_MAX + 1)];
	bool heard = false;
	ssize_t n;

	while (c->fd >= 0 && (n = read(c->fd, bytes, sizeof bytes)) > 0)
		for (ssize_t i = 0; i < n;) {
			const struct inotify_event *e = (const void *)(bytes + i);

			heard |= concerns(c, e);
			i += (ssize_t)(sizeof *e + e->len);
		}
	return heard;
}

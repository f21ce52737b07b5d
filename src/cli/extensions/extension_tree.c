#include "cli/extensions/extension_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "cli/interrupt.h"
#include "extensions/extension.h"
#include "os/fs.h"

enum { CHUNK = 64 << 10, FILE_MAX = 64 << 20, OPEN_MAX_DIRS = 32 };

enum walk_what { WALK_COPY, WALK_TIDY, WALK_LOOK };

struct walk {
	enum walk_what what;
	const char *from, *to; /* to: of a copy */
	const char *real; /* of from */
	const char *fence; /* what links lead to in it is copied; real, around it */
	struct buf *left_out;
	uint64_t entries, bytes;
};

/* What an installation has of its own: the source's would be taken for it. */
static bool is_of_installation(const char *name)
{
	return strcmp(name, EXTENSION_INSTALL_FILE) == 0 || strcmp(name, ".env") == 0;
}

/* ---- one entry ---- */

static mode_t mode_of(const struct stat *st)
{
	return S_ISDIR(st->st_mode) || (st->st_mode & 0111) ? 0700 : 0600;
}

static int copy_file(const char *from, const char *to, const struct stat *st, const char *name,
		     struct err *err)
{
	AUTO(close) int in = open(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	AUTO(close) int out = -1;
	uint64_t copied = 0;
	struct stat now;

	if (in < 0)
		return err_errno(err, errno, "opening %s", name);
	if (fstat(in, &now) < 0 || !S_ISREG(now.st_mode))
		return err_set(err, E_IO, "%s: not a regular file", name);
	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_of(st));
	if (out < 0)
		return err_errno(err, errno, "making %s", name);
	AUTO(free) char *chunk = xmalloc(CHUNK);
	for (;;) {
		ssize_t n = read(in, chunk, CHUNK), done = 0;

		if (n == 0)
			return 0;
		while (n > 0 && done < n) {
			ssize_t k = write(out, chunk + done, (size_t)(n - done));

			if (k < 0 && errno != EINTR)
				return err_errno(err, errno, "writing %s", name);
			done += k > 0 ? k : 0;
		}
		if (n < 0 && errno != EINTR)
			return err_errno(err, errno, "reading %s", name);
		/* A file that grows while it is copied has been counted with its old size. */
		copied += n > 0 ? (uint64_t)n : 0;
		if (copied > TREE_BYTES_MAX || interrupt_signal())
			return interrupt_signal() ? err_set(err, E_CANCEL, "interrupted")
						  : err_set(err, E_LIMIT, "%s grows", name);
	}
}

static int walk_dir(struct walk *w, const char *relative, unsigned depth, struct err *err);

/* What is elsewhere in the fence, as if it stood here. */
static int copy_target(struct walk *w, const char *target, const char *to, const char *name,
		       unsigned depth, struct err *err)
{
	struct walk inner = *w;
	struct stat st;
	int r;

	if (lstat(target, &st) < 0)
		return err_errno(err, errno, "%s", name);
	if (S_ISREG(st.st_mode)) {
		w->bytes += (uint64_t)st.st_size;
		return copy_file(target, to, &st, name, err);
	}
	if (mkdir(to, 0700) < 0)
		return err_errno(err, errno, "making %s", name);
	inner.from = inner.real = target;
	inner.to = to;
	r = walk_dir(&inner, "", depth + 1, err);
	w->entries = inner.entries;
	w->bytes = inner.bytes;
	return r;
}

/* Only what stays inside is of any use where it will be. */
static int walk_link(struct walk *w, const char *from, const char *to, const char *name,
		     unsigned depth, struct err *err)
{
	AUTO(free) char *dir = path_parent(from), *lexical = NULL, *text = NULL;
	AUTO(free) char *target = fs_real(from);
	char said[PATH_MAX];
	ssize_t n = readlink(from, said, sizeof said - 1);
	const char *below;

	if (n < 0)
		return err_errno(err, errno, "reading the link %s", name);
	said[n] = '\0';
	lexical = fs_absolute(dir, said);
	below = path_below(w->real, target);
	if (said[0] != '/' && path_below(w->from, lexical) && fs_is_in(w->real, from))
		text = xstrdup(said);
	else if (below) {
		/* The text of a link at `name` to `target`; both are in the tree, from its top. */
		AUTO(buf_done) struct buf out = { 0 };

		for (const char *c = name; *c; c++)
			if (*c == '/')
				buf_addz(&out, "../");
		buf_addz(&out, *below ? below : ".");
		text = xstrdup(buf_z(&out));
	}
	if (text)
		return w->what == WALK_COPY && symlink(text, to) < 0
			       ? err_errno(err, errno, "making the link %s", name)
			       : 0;
	/* Not what this is in, which has no end. */
	if (w->what == WALK_COPY && path_below(w->fence, target) && !path_below(target, from))
		return copy_target(w, target, to, name, depth, err);
	buf_addf(w->left_out, "%s\n", name);
	return w->what == WALK_TIDY && unlink(from) < 0 ? err_errno(err, errno, "%s", name) : 0;
}

static int walk_entry(struct walk *w, const char *name, unsigned depth, struct err *err)
{
	AUTO(free) char *from = fs_join(w->from, name);
	AUTO(free) char *to = w->to ? fs_join(w->to, name) : NULL;
	struct stat st;

	if (lstat(from, &st) < 0)
		return err_errno(err, errno, "%s", name);
	if (interrupt_signal())
		return err_set(err, E_CANCEL, "interrupted");
	if (++w->entries > TREE_ENTRIES_MAX)
		return err_set(err, E_LIMIT, "there are more than %d files", TREE_ENTRIES_MAX);
	if (S_ISREG(st.st_mode))
		w->bytes += (uint64_t)st.st_size;
	if (w->bytes > TREE_BYTES_MAX)
		return err_set(err, E_LIMIT, "it is larger than %d MiB (at %s)",
			       (int)(TREE_BYTES_MAX >> 20), name);
	if (S_ISLNK(st.st_mode))
		return walk_link(w, from, to, name, depth, err);
	if (S_ISDIR(st.st_mode)) {
		if (w->what == WALK_COPY && mkdir(to, 0700) < 0)
			return err_errno(err, errno, "making %s", name);
		if (w->what == WALK_TIDY && chmod(from, 0700) < 0)
			return err_errno(err, errno, "%s", name);
		return walk_dir(w, name, depth + 1, err);
	}
	if (!S_ISREG(st.st_mode))
		return err_set(err, E_INVAL, "%s is neither a file, a directory nor a link", name);
	if (w->what == WALK_COPY)
		return copy_file(from, to, &st, name, err);
	if (w->what == WALK_TIDY && chmod(from, mode_of(&st)) < 0)
		return err_errno(err, errno, "%s", name);
	return 0;
}

/* ---- all ---- */

/* 1 = it is passed over. */
static int at_top(const struct walk *w, const char *name, struct err *err)
{
	AUTO(free) char *path = fs_join(w->from, name);

	if (strcmp(name, ".git") == 0)
		return 1;
	if (!is_of_installation(name))
		return 0;
	if (w->what == WALK_TIDY && unlink(path) < 0)
		return err_errno(err, errno, "%s", name);
	return 1;
}

static int walk_dir(struct walk *w, const char *relative, unsigned depth, struct err *err)
{
	AUTO(free) char *dir = *relative ? fs_join(w->from, relative) : xstrdup(w->from);
	AUTO(fs_names_done) struct fs_names names = { 0 };
	int r;

	if (depth > TREE_DEPTH_MAX)
		return err_set(err, E_LIMIT, "there are directories that are more than %d deep",
			       TREE_DEPTH_MAX);
	r = fs_list(dir, &names, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < names.n; i++) {
		AUTO(free) char *name = fs_join(relative, names.p[i]);

		if (r >= 0)
			r = depth ? 0 : at_top(w, name, err);
		if (r == 0)
			r = walk_entry(w, name, depth, err);
	}
	return r < 0 ? r : 0;
}

static int walk(enum walk_what what, const char *from, const char *fence, const char *to,
		struct buf *left_out, struct err *err)
{
	AUTO(free) char *real = fs_real(from);
	struct walk w = { .what = what,
			  .from = real,
			  .to = to,
			  .real = real,
			  .fence = fence,
			  .left_out = left_out };

	if (!real)
		return err_errno(err, errno, "%s", from);
	return walk_dir(&w, "", 0, err);
}

int tree_copy(const char *from, const char *fence, const char *to, struct buf *left_out,
	      struct err *err)
{
	if (mkdir(to, 0700) < 0)
		return err_errno(err, errno, "making %s", to);
	return walk(WALK_COPY, from, fence, to, left_out, err);
}

int tree_tidy(const char *dir, struct buf *left_out, struct err *err)
{
	if (chmod(dir, 0700) < 0)
		return err_errno(err, errno, "%s", dir);
	return walk(WALK_TIDY, dir, NULL, NULL, left_out, err);
}

int tree_check(const char *dir, struct buf *left_out, struct err *err)
{
	return walk(WALK_LOOK, dir, NULL, NULL, left_out, err);
}

/* ---- while it grows ---- */

/* Of the walk of this thread: nftw() hands nothing on. */
static __thread struct {
	uint64_t entries, bytes;
} grown;

static int add_grown(const char *path, const struct stat *st, int what, struct FTW *at)
{
	(void)path, (void)at;
	grown.entries++;
	if (what == FTW_F && S_ISREG(st->st_mode))
		grown.bytes += (uint64_t)st->st_size;
	return grown.entries > 2 * (uint64_t)TREE_ENTRIES_MAX || grown.bytes > TREE_CLONE_MAX;
}

bool tree_is_over(const char *dir)
{
	grown.entries = grown.bytes = 0;
	return nftw(dir, add_grown, OPEN_MAX_DIRS, FTW_PHYS) > 0;
}

/* ---- comparing ---- */

bool tree_same(const char *a, const char *b)
{
	AUTO(buf_done) struct buf old = { 0 }, now = { 0 };
	struct stat x, y;

	if (lstat(a, &x) < 0 || lstat(b, &y) < 0 || (x.st_mode & S_IFMT) != (y.st_mode & S_IFMT))
		return false;
	if (S_ISDIR(x.st_mode))
		return tree_has(a, b);
	if (S_ISLNK(x.st_mode)) {
		char to_a[PATH_MAX], to_b[PATH_MAX];
		ssize_t n = readlink(a, to_a, sizeof to_a);

		return n >= 0 && readlink(b, to_b, sizeof to_b) == n &&
		       memcmp(to_a, to_b, (size_t)n) == 0;
	}
	return ((x.st_mode ^ y.st_mode) & 0100) == 0 && x.st_size == y.st_size &&
	       fs_read(a, FILE_MAX, &old, NULL) == 0 && fs_read(b, FILE_MAX, &now, NULL) == 0 &&
	       str_eq(buf_str(&old), buf_str(&now));
}

bool tree_has(const char *dir, const char *part)
{
	AUTO(fs_names_done) struct fs_names names = { 0 };
	bool same = true;

	if (fs_list(part, &names, NULL) < 0)
		return false;
	for (size_t i = 0; i < names.n; i++) {
		AUTO(free) char *a = fs_join(dir, names.p[i]);
		AUTO(free) char *b = fs_join(part, names.p[i]);

		same = same && (strcmp(names.p[i], ".git") == 0 || is_of_installation(names.p[i]) ||
				tree_same(a, b));
	}
	return same;
}

/* ---- removing ---- */

static int remove_entry(const char *path, const struct stat *st, int what, struct FTW *at)
{
	(void)st, (void)what, (void)at;
	return remove(path) < 0 && errno != ENOENT ? -1 : 0;
}

/* A directory that may not be read would keep its content from being removed. */
static int open_up(const char *path, const struct stat *st, int what, struct FTW *at)
{
	(void)at;
	if (what == FTW_D || what == FTW_DNR)
		(void)chmod(path, st->st_mode | 0700);
	return 0;
}

int tree_remove(const char *dir, struct err *err)
{
	struct stat st;

	if (lstat(dir, &st) < 0)
		return 0;
	if (!S_ISDIR(st.st_mode))
		return unlink(dir) < 0 ? err_errno(err, errno, "removing %s", dir) : 0;
	(void)nftw(dir, open_up, OPEN_MAX_DIRS, FTW_PHYS);
	if (nftw(dir, remove_entry, OPEN_MAX_DIRS, FTW_DEPTH | FTW_PHYS) < 0)
		return err_errno(err, errno, "removing %s", dir);
	return 0;
}

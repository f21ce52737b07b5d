/*
 * A stack of directories, each held open, so that renaming cannot move the walk elsewhere:
 * every step is openat() without following links.  The levels above root hold rules only.
 */
#include "tools/walk.h"
#include "base/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/vec.h"
#include "base/words.h"
#include "os/fs.h"
#include "tools/files.h"
#include "tools/ignore.h"

struct level {
	int fd;
	size_t path_n; /* length of the walk's path up to this directory */
	struct ignore ignore;
	struct buf text; /* the names, each a byte of its type and NUL-terminated */
	struct {
		size_t *p; /* offsets in text */
		size_t n, cap;
	} names;
	size_t at;
};

struct walk {
	struct walk_options o;
	struct {
		struct level *p;
		size_t n, cap;
	} levels;
	size_t root_level; /* index of root's level */
	size_t root_n; /* bytes of path before what is shown */
	struct buf path; /* from top: "src/a.c" */
	bool enter; /* the last entry was a directory to be read now */
	size_t entries, ignored;
	bool cut;
};

static void level_done(struct level *l)
{
	auto_close(&l->fd);
	ignore_done(&l->ignore);
	buf_done(&l->text);
	free(l->names.p);
}

static int by_name(const void *a, const void *b, void *text)
{
	return strcmp((char *)text + *(const size_t *)a + 1, (char *)text + *(const size_t *)b + 1);
}

static int read_names(struct walk *w, struct level *l)
{
	/* Its own descriptor: fdopendir() would take ours. */
	int fd = openat(l->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO(closedir) DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *d;

	if (!dir) {
		auto_close(&fd);
		w->cut = true;
		return 0;
	}
	while ((d = readdir(dir)) != NULL) {
		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
			continue;
		if (w->entries >= w->o.max_entries) {
			w->cut = true;
			break;
		}
		if ((++w->entries & 1023) == 0 && cancel_fired(w->o.cancel))
			return -E_CANCEL;
		*VEC_ADD(&l->names) = l->text.n;
		unsigned char type = fs_entry_type(l->fd, d);
		buf_addc(&l->text, (char)(type == DT_REG   ? WALK_FILE
					  : type == DT_DIR ? WALK_DIR
					  : type == DT_LNK ? WALK_LINK
							   : WALK_OTHER));
		buf_add(&l->text, d->d_name, strlen(d->d_name) + 1);
	}
	if (l->names.n)
		qsort_r(l->names.p, l->names.n, sizeof *l->names.p, by_name, l->text.p);
	return 0;
}

/* Rules from the deepest directory to the top; the first that says something decides. */
static bool ignored(const struct walk *w, struct str path, bool is_dir)
{
	for (size_t i = w->levels.n; i-- > 0;) {
		const struct level *l = &w->levels.p[i];
		size_t skip = l->path_n ? l->path_n + 1 : 0;
		enum ignore_verdict v =
			ignore_check(&l->ignore, str_sub(path, skip, path.n), is_dir);

		if (v != IGNORE_UNSAID)
			return v == IGNORE_YES;
	}
	return false;
}

/* The directory becomes a level; fd is taken. */
static struct level *push(struct walk *w, int take_fd, size_t path_n)
{
	struct level *l = VEC_ADD(&w->levels);

	*l = (struct level){ .fd = take_fd, .path_n = path_n };
	if (w->o.flags & WALK_GITIGNORE) {
		if (w->levels.n == 1)
			ignore_load(&l->ignore, l->fd, ".git/info/exclude");
		ignore_load(&l->ignore, l->fd, ".gitignore");
	}
	if (w->o.flags & WALK_GEMINIIGNORE)
		ignore_load(&l->ignore, l->fd, ".geminiignore");
	return l;
}

static int open_below(int dir_fd, const char *name)
{
	return openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/*
 * Goes from top down along `below` ("src/lib"), each directory a level; with `check` stops at the
 * first one that is ignored.  1 then, 0 else, or a negative errno.
 */
static int descend(struct walk *w, const char *below, bool check)
{
	for (struct str rest = str_from(below), part; str_split(&rest, '/', &part);) {
		const struct level *l = &w->levels.p[w->levels.n - 1];
		bool last = rest.p == NULL;
		struct stat st;
		int fd;

		if (part.n == 0)
			continue;
		if (w->path.n)
			buf_addc(&w->path, '/');
		buf_adds(&w->path, part);
		AUTO(free) char *name = xstrndup(part.p, part.n);
		bool is_dir = !last || (fstatat(l->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
					S_ISDIR(st.st_mode));
		if (check && ignored(w, buf_str(&w->path), is_dir))
			return 1;
		if (check && last)
			return 0;
		fd = open_below(l->fd, name);
		if (fd < 0)
			return -errno;
		(void)push(w, fd, w->path.n);
	}
	return 0;
}

struct walk *walk_new(const struct walk_options *o, struct err *err)
{
	const char *top = o->top && path_below(o->top, o->root) ? o->top : o->root;
	AUTO(walk_free) struct walk *w = xcalloc(1, sizeof *w);
	int fd = file_open(top, O_RDONLY | O_DIRECTORY, 0), r;

	w->o = *o;
	w->o.max_depth = o->max_depth ? o->max_depth : WALK_DEPTH_MAX;
	w->o.max_entries = o->max_entries ? o->max_entries : WALK_ENTRIES_MAX;
	r = fd;
	if (fd >= 0) {
		(void)push(w, fd, 0);
		r = descend(w, path_below(top, o->root), false);
	}
	if (r < 0) {
		(void)err_errno(err, -r, "reading directory %s", o->root);
		return NULL;
	}
	w->root_level = w->levels.n - 1;
	w->root_n = w->path.n ? w->path.n + 1 : 0;
	if (read_names(w, &w->levels.p[w->root_level]) < 0) {
		(void)err_set(err, E_CANCEL, "cancelled");
		return NULL;
	}
	return MOVE(w);
}

/* Reads the directory that was returned last. */
static int enter(struct walk *w)
{
	struct level *l = &w->levels.p[w->levels.n - 1];
	const char *name = l->text.p + l->names.p[l->at - 1] + 1;
	int fd;

	w->enter = false;
	if (w->levels.n - w->root_level >= w->o.max_depth) {
		w->cut |= w->o.max_depth > 1;
		return 0;
	}
	fd = open_below(l->fd, name);
	if (fd < 0) {
		w->cut = true;
		return 0;
	}
	l = push(w, fd, w->path.n);
	return read_names(w, l);
}

int walk_next(struct walk *w, struct walk_entry *ret_e)
{
	if (w->enter && enter(w) < 0)
		return -E_CANCEL;
	while (w->levels.n > w->root_level) {
		struct level *l = &w->levels.p[w->levels.n - 1];

		if (cancel_fired(w->o.cancel))
			return -E_CANCEL;
		if (l->at == l->names.n) {
			level_done(l);
			w->levels.n--;
			continue;
		}
		const char *entry = l->text.p + l->names.p[l->at++], *name = entry + 1;
		enum walk_type type = (enum walk_type)entry[0];
		w->path.n = l->path_n;
		if (w->path.n)
			buf_addc(&w->path, '/');
		buf_addz(&w->path, name);
		if ((type == WALK_DIR &&
		     (w->o.skip && word_in(str_from(name), w->o.skip, WORDS_ALL))) ||
		    ignored(w, buf_str(&w->path), type == WALK_DIR)) {
			w->ignored++;
			continue;
		}
		w->enter = type == WALK_DIR;
		*ret_e = (struct walk_entry){ buf_z(&w->path) + w->root_n, name, l->fd, type };
		return 1;
	}
	return 0;
}

size_t walk_ignored(const struct walk *w)
{
	return w->ignored;
}

bool walk_cut(const struct walk *w)
{
	return w->cut;
}

void walk_free(struct walk *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->levels.n; i++)
		level_done(&w->levels.p[i]);
	free(w->levels.p);
	buf_done(&w->path);
	free(w);
}

bool walk_ignores(const char *top, const char *path, unsigned flags)
{
	AUTO(walk_free) struct walk *w = xcalloc(1, sizeof *w);
	int fd = path_below(top, path) ? file_open(top, O_RDONLY | O_DIRECTORY, 0) : -1;

	if (fd < 0)
		return false;
	w->o.flags = flags;
	(void)push(w, fd, 0);
	return descend(w, path_below(top, path), true) == 1;
}

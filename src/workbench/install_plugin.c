/* Files of our own in agents that have no list of hooks: plugins, programs named after events. */
#include "workbench/install_plugin.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "hosts/plugins.h"
#include "os/fs.h"
#include "settings/home.h"
#include "settings/ledger.h"

enum { FILE_MAX_BYTES = 1 << 20, FOLDERS_MAX = 16 };

/* One of the files. */
struct file {
	char *path;
	struct buf text; /* what is there */
	bool there, ours;
	unsigned folders; /* that were made for it */
};

static void file_done(struct file *f)
{
	free(f->path);
	buf_done(&f->text);
}
DEFINE_AUTO(struct file, file_done)

static int look(struct file *f, const struct plugin_job *j, const struct host_plugin *p,
		struct err *err)
{
	struct str mark = STR(PLUGIN_MARK), rest;
	int64_t folders = 0;
	ptrdiff_t at;
	int r;

	f->path = j->in_project ? fs_join(j->top, p->project)
				: home_file(j->top, (const char *const *)environ, p->user);
	if (j->in_project && !fs_is_in(j->top, f->path))
		return err_set(err, E_CONFIG, "%s leads out of the project", f->path);
	r = fs_read_nofollow(f->path, FILE_MAX_BYTES, &f->text, err);
	if (r < 0 && r != -E_NOTFOUND)
		return r;
	f->there = r >= 0;
	at = str_find(buf_str(&f->text), mark, 0);
	f->ours = at >= 0;
	if (!f->ours)
		return 0;
	rest = str_sub(buf_str(&f->text), (size_t)at + mark.n, (size_t)at + mark.n + 2);
	while (rest.n && !char_is_digit(rest.p[rest.n - 1]))
		rest.n--;
	if (str_to_int(rest, &folders) && folders > 0 && folders <= FOLDERS_MAX)
		f->folders = (unsigned)folders;
	return 0;
}

static unsigned missing_folders(const char *path)
{
	AUTO(free) char *dir = path_parent(path);
	unsigned n = 0;

	while (!fs_exists(dir) && n < FOLDERS_MAX) {
		char *up = path_parent(dir);

		free(dir);
		dir = up;
		n++;
	}
	return n;
}

static int put(struct plugin_job *j, const struct host_plugin *p, struct err *err)
{
	AUTO(file_done) struct file f = { 0 };
	struct str text;
	int r = look(&f, j, p, err);

	if (r < 0)
		return r;
	text = host_plugin_text(j->arena, j->host, p, j->program, j->home,
				f.there ? f.folders : missing_folders(f.path));
	if (f.there && str_eq(text, buf_str(&f.text)) && (!p->event || fs_is_program(f.path)))
		return 0;
	j->status = f.there && j->status != REG_INSTALLED ? REG_UPDATED : REG_INSTALLED;
	if (j->dry_run) {
		buf_addf(&j->diff, "+++ %s\n%.*s", f.path, STR_ARG(text));
		return 0;
	}
	AUTO(free) char *dir = path_parent(f.path);
	r = fs_mkdirs(dir, 0755, err);
	if (r >= 0)
		r = fs_replace(f.path, text, p->event ? 0755 : 0644, err);
	/* The mode of a file that was there is kept. */
	if (r >= 0 && p->event && chmod(f.path, 0755) < 0)
		r = err_errno(err, errno, "making %s a program", f.path);
	return r;
}

/* Folders that were made for the file go with it, unless somebody has put something in. */
static int drop(struct plugin_job *j, const struct host_plugin *p, struct err *err)
{
	AUTO(file_done) struct file f = { 0 };
	int r = look(&f, j, p, err);

	if (r < 0 || !f.ours)
		return r;
	j->status = REG_REMOVED;
	if (j->dry_run) {
		buf_addf(&j->diff, "--- %s\n", f.path);
		return 0;
	}
	if (unlink(f.path) < 0)
		return err_errno(err, errno, "removing %s", f.path);
	AUTO(free) char *dir = path_parent(f.path);
	dirs_leave(j->ledger, dir, (int)f.folders);
	return 0;
}

int wb_install_plugin(struct plugin_job *j, struct err *err)
{
	const struct host_plugin *list = j->host->file.plugins;
	size_t n = 0;

	j->status = j->removing ? REG_ABSENT : REG_UNCHANGED;
	for (; list[n].user; n++) {
		AUTO(file_done) struct file f = { 0 };
		int r = j->removing ? 0 : look(&f, j, &list[n], err);

		if (r < 0)
			return r;
		if (f.there && !f.ours)
			return err_set(err, E_CONFIG,
				       "%s is there already and not ours; move it, or start "
				       "trotline-hook in it",
				       f.path);
	}
	/* What made the folders comes first, and goes last. */
	for (size_t i = 0; i < n; i++) {
		const struct host_plugin *p = &list[j->removing ? n - 1 - i : i];
		int r = j->removing ? drop(j, p, err) : put(j, p, err);

		if (r < 0)
			return r;
	}
	return 0;
}

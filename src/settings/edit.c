/* Changing one settings file that belongs to somebody else. */
#include "settings/edit.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diff.h"
#include "base/path.h"
#include "os/fs.h"
#include "settings/home.h"

enum { LOCK_MS = 30000, TRIES = 3 }; /* a dozen of us at once, on a slow disk */

/* ---- places ---- */

/* The nearest directory or file on the way up that exists, be it a link to nothing. */
static char *nearest_existing(const char *path)
{
	char *at = xstrdup(path);
	struct stat st;

	while (strcmp(at, "/") != 0 && lstat(at, &st) < 0)
		path_climb(&at);
	return at;
}

/* A project may not make us write elsewhere by a symbolic link. */
static int check_place(const struct settings_change *c, struct err *err)
{
	AUTO(free) char *project = NULL;
	AUTO(free) char *there = nearest_existing(c->path);
	AUTO(free) char *real = fs_real(there);

	if (!c->project)
		return 0;
	project = fs_real(c->project);
	if (path_below(project, real))
		return 0;
	return err_set(err, E_UNTRUSTED,
		       "%s is a symbolic link that leaves the project; not followed", there);
}

int settings_lock(const char *home, struct err *err)
{
	AUTO(free) char *dir = fs_join(home, ".trotline");
	AUTO(free) char *path = fs_join(dir, "settings.lock");
	int r;

	if (!*home)
		return home_missing(err);
	r = fs_mkdirs(dir, 0700, err);
	return r < 0 ? r : fs_lock(path, LOCK_MS, err);
}

void settings_unlock(int *lock)
{
	char name[40], path[PATH_MAX];
	ssize_t n;

	if (*lock < 0)
		return;
	(void)snprintf(name, sizeof name, "/proc/self/fd/%d", *lock);
	n = readlink(name, path, sizeof path - 1);
	if (n > 0) {
		path[n] = '\0';
		(void)unlink(path);
	}
	(void)close(*lock);
	*lock = -1;
}

/* ---- paths in the document ---- */

struct str pointer_join(struct arena *a, struct str base, struct str key)
{
	AUTO(buf_done) struct buf out = { 0 };

	buf_adds(&out, base);
	buf_addc(&out, '/');
	for (size_t i = 0; i < key.n; i++) {
		if (key.p[i] == '~' || key.p[i] == '/')
			buf_addz(&out, key.p[i] == '~' ? "~0" : "~1");
		else
			buf_addc(&out, key.p[i]);
	}
	return arena_str(a, buf_str(&out));
}

struct str pointer_item(struct arena *a, struct str base, size_t i)
{
	return arena_printf(a, "%.*s/%zu", STR_ARG(base), i);
}

void settings_note_containers(struct settings_change *c, struct str path)
{
	struct receipt *r = &c->receipt;

	for (ptrdiff_t at = str_chr(path, '/', 1);; at = str_chr(path, '/', (size_t)at + 1)) {
		struct str base = at < 0 ? path : str_sub(path, 0, (size_t)at);

		if (!json_pointer(c->e.doc, base))
			r->containers =
				list_add(&c->arena, r->containers, json_new_str(&c->arena, base));
		if (at < 0)
			return;
	}
}

/* An empty container without comments. */
static bool is_bare(const struct json_edit *e, const struct json *v)
{
	struct str text = json_edit_text(e);
	ptrdiff_t end;

	if (!v || v->n || (v->type != J_ARR && v->type != J_OBJ))
		return false;
	end = str_chr(text, v->type == J_ARR ? ']' : '}', v->pos);
	return end > 0 && str_trim(str_sub(text, v->pos + 1, (size_t)end)).n == 0;
}

int settings_prune(struct settings_change *c, struct err *err)
{
	struct receipt *r = &c->receipt;

	/* The inner ones were noted after those that they are in. */
	for (size_t i = r->containers->n; i-- > 0;) {
		struct str path = json_str(json_at(r->containers, i), STR(""));
		const struct json *v = json_pointer(c->e.doc, path);

		if (v && !is_bare(&c->e, v))
			continue;
		if (v && json_edit_remove(&c->e, path, err) < 0)
			return -err->code;
		r->containers = list_drop(&c->arena, r->containers, i);
	}
	return 0;
}

/* ---- the change ---- */

void settings_change_done(struct settings_change *c)
{
	json_edit_done(&c->e);
	arena_done(&c->arena);
	buf_done(&c->diff);
}

/* One attempt. */
struct attempt {
	struct settings_change *c;
	char *real; /* where the file is, or will be */
	struct buf old; /* what was read */
	bool is_new;
	bool knows_before;
	struct str before; /* the bytes before the first entry of ours */
	struct str text; /* what the file will be */
	bool gone; /* it will not be */
};

static void attempt_done(struct attempt *t)
{
	free(t->real);
	buf_done(&t->old);
}
DEFINE_AUTO(struct attempt, attempt_done)

static int attempt_open(struct attempt *t, struct err *err)
{
	struct settings_change *c = t->c;
	const struct json *doc;
	int r = fs_read(c->path, SETTINGS_MAX_BYTES, &t->old, err);

	t->is_new = r == -E_NOTFOUND;
	if (r < 0 && !t->is_new)
		return r;
	settings_change_done(c);
	c->e = (struct json_edit){ 0 };
	c->diff = (struct buf){ 0 };
	c->changed = false;
	/* Links resolved, also one to a file that is not there yet. */
	t->real = fs_resolve(c->path);
	if (!t->real)
		t->real = xstrdup(c->path);
	r = settings_parse(&c->arena, c->path, buf_str(&t->old), &doc, err);
	if (r < 0)
		return r;
	r = json_edit_open(&c->e, buf_str(&t->old), err);
	if (r < 0)
		return err_wrap(err, "%s", c->path);
	receipt_load(&c->arena, c->home, t->real, &c->receipt);
	if (!receipt_is_empty(&c->receipt)) {
		t->knows_before =
			receipt_undo(&c->receipt, buf_str(&t->old), &c->arena, &t->before);
		return 0;
	}
	c->receipt.containers = json_new_arr(&c->arena, NULL, 0);
	c->receipt.made_file = t->is_new;
	c->receipt.made_dirs = 0;
	t->knows_before = true;
	t->before = arena_str(&c->arena, buf_str(&t->old));
	return 0;
}

/* When nothing of ours is left, the file is again what it was before. */
static void attempt_restore(struct attempt *t)
{
	struct settings_change *c = t->c;
	const struct json *before = json_new_obj(&c->arena);

	t->text = json_edit_text(&c->e);
	if (!c->home || !receipt_is_empty(&c->receipt) || !c->e.changed)
		return;
	if (c->receipt.made_file && c->e.doc->n == 0 && is_bare(&c->e, c->e.doc)) {
		t->gone = true;
		return;
	}
	if (!t->knows_before)
		return;
	if (str_trim(t->before).n && json_parse(&c->arena, t->before, JSON_C, &before, NULL) < 0)
		return;
	if (json_equal(before, c->e.doc))
		t->text = t->before;
}

/* An editor that was faster keeps no lock of ours. */
static int check_unchanged(const struct attempt *t, struct err *err)
{
	AUTO(buf_done) struct buf now = { 0 };
	int r = fs_read(t->c->path, SETTINGS_MAX_BYTES, &now, err);

	if (r < 0 && r != -E_NOTFOUND)
		return r;
	if ((r == -E_NOTFOUND) == t->is_new && str_eq(buf_str(&now), buf_str(&t->old)))
		return 0;
	return err_set(err, E_AGAIN, "%s: another process is writing this file; try again",
		       t->c->path);
}

static int make_dirs(struct attempt *t, struct err *err)
{
	AUTO(free) char *dir = path_parent(t->c->path);
	AUTO(free) char *there = nearest_existing(dir);
	int missing = 0;

	for (const char *p = dir + strlen(there); *p; p++)
		missing += *p == '/' && p[1];
	if (missing == 0)
		return 0;
	if (receipt_is_empty(&t->c->receipt) || t->is_new)
		t->c->receipt.made_dirs = missing;
	return fs_mkdirs(dir, 0755, err);
}

static int attempt_write(struct attempt *t, struct err *err)
{
	struct settings_change *c = t->c;
	AUTO(free) char *dir = path_parent(t->real);
	int r = check_place(c, err);

	r = r < 0 ? r : check_unchanged(t, err);
	if (r < 0)
		return r;
	if (t->gone) {
		if (unlink(t->real) < 0)
			return err_errno(err, errno, "removing %s", c->path);
		dirs_leave(c->home, dir, c->receipt.made_dirs);
		return 0;
	}
	r = make_dirs(t, err);
	r = r < 0 ? r : check_place(c, err);
	fs_sweep(dir);
	return r < 0 ? r : fs_replace(c->path, t->text, c->project ? 0644 : 0600, err);
}

/* Of a dry run.  Without context: other lines may hold secrets of the user. */
static void add_diff(struct settings_change *c, const char *from, struct str old, const char *to,
		     struct str text)
{
	struct diff d;

	diff_lines(&c->arena, old, text, &d);
	buf_addf(&c->diff, "--- %s\n+++ %s\n", from, to);
	(void)diff_add_hunks(&c->diff, &d, 0);
}

int settings_replace_text(struct settings_change *c, struct str old, struct str text,
			  struct err *err)
{
	AUTO(free) char *dir = path_parent(c->path);
	int r = check_place(c, err);

	if (r < 0)
		return r;
	if (c->dry_run) {
		add_diff(c, old.n ? c->path : "/dev/null", old, c->path, text);
		return 0;
	}
	r = fs_mkdirs(dir, c->project ? 0755 : 0700, err);
	r = r < 0 ? r : check_place(c, err);
	return r < 0 ? r : fs_replace(c->path, text, c->project ? 0644 : 0600, err);
}

static int try_once(struct settings_change *c, settings_edit_fn *edit, void *data, struct err *err)
{
	AUTO(attempt_done) struct attempt t = { .c = c };
	const struct json *hooks, *servers;
	int r = attempt_open(&t, err);

	if (r < 0)
		return r;
	hooks = c->receipt.hooks;
	servers = c->receipt.servers;
	r = edit(c, data, err);
	if (r < 0)
		return r == -E_CONFIG ? err_wrap(err, "%s", c->path) : r;
	attempt_restore(&t);
	c->changed = c->e.changed;
	if (!c->changed &&
	    (c->dry_run || (hooks == c->receipt.hooks && servers == c->receipt.servers)))
		return 0;
	if (c->dry_run) {
		add_diff(c, t.is_new ? "/dev/null" : c->path, buf_str(&t.old),
			 t.gone ? "/dev/null" : c->path, t.gone ? STR("") : t.text);
		return check_place(c, err) < 0 ? -err->code : 1;
	}
	r = c->changed ? attempt_write(&t, err) : 0;
	if (r >= 0 && c->home) {
		receipt_note_text(&c->receipt, &c->arena, t.text,
				  t.knows_before ? &t.before : NULL);
		r = receipt_store(&c->arena, c->home, t.real, &c->receipt, err);
	}
	return r < 0 ? r : c->changed;
}

int settings_apply(struct settings_change *c, settings_edit_fn *edit, void *data, struct err *err)
{
	int r;

	for (int i = 0; i < TRIES; i++) {
		r = try_once(c, edit, data, err);
		if (r != -E_AGAIN)
			break;
	}
	return r;
}

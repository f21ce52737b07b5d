/* What all commands over extensions do with ~/.gemini/extensions. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/extensions/extension_tree.h"
#include "cli/extensions/extensions.h"
#include "cli/interrupt.h"
#include "os/fs.h"

#define STAGE_PREFIX ".trotline-"

/* ---- looking ---- */

void ext_read(struct ext *x)
{
	x->all = extensions_read(&x->arena, &x->options);
}

int ext_open(struct ext *x, struct wb *wb, const char *dir)
{
	struct err err;

	*x = (struct ext){ .wb = wb };
	if (settings_roots_find(dir, &x->roots, &err) < 0)
		return wb_fail_err(wb, EXIT_USAGE, &err);
	if (!*x->roots.home)
		return wb_fail_home(wb);
	x->options =
		(struct extension_options){ .home = x->roots.home, .project = x->roots.project };
	x->root = arena_printf(&x->arena, "%s/.gemini/extensions", x->roots.home).p;
	ext_read(x);
	if (x->all->problem)
		wb_complain(x->wb, "%s", x->all->problem);
	return EXIT_OK;
}

void ext_done(struct ext *x)
{
	settings_roots_done(&x->roots);
	arena_done(&x->arena);
}

const struct extension *ext_find(struct ext *x, const char *name)
{
	const struct extension *e = extension_find(x->all, str_from(name));
	AUTO(free) char *real = e ? NULL : fs_real(name);

	for (size_t i = 0; !e && i < x->all->n; i++) {
		struct str from = json_get_str(x->all->p[i].install, "source");

		if (from.n && (str_eqz(from, name) || (real && str_eqz(from, real))))
			e = &x->all->p[i];
	}
	return e;
}

int ext_unknown(struct ext *x, const char *name)
{
	struct arena *a = &x->wb->arena;
	AUTO(buf_done) struct buf text = { 0 };
	const char **names = ARENA_ARRAY(a, const char *, x->all->n + 1);
	const char *meant;

	for (size_t i = 0; i < x->all->n; i++) {
		names[i] = x->all->p[i].name;
		buf_addf(&text, "%s%s", i ? ", " : "; installed are: ", names[i]);
	}
	meant = did_you_mean(a, name, names, x->all->n);
	return wb_fail_at(x->wb, EXIT_USAGE, &(struct wb_place){ .code = "unknown-extension" },
			  "no extension is called \"%s\"%s", name,
			  *meant      ? meant
			  : x->all->n ? buf_z(&text)
				      : "; none is installed");
}

int ext_failed(struct ext *x, const struct err *err)
{
	if (err->code == E_CANCEL && interrupt_signal())
		return wb_fail(x->wb, interrupt_status(), "interrupted; nothing was changed");
	return wb_fail_err(x->wb, EXIT_USAGE, err);
}

/* ---- the stage ---- */

int stage_open(struct stage *s, struct ext *x, struct err *err)
{
	int r;
	AUTO(fs_names_done) struct fs_names names = { 0 };

	(void)interrupt_cancel(); /* from here on a signal lets us tidy up */
	s->wb = x->wb;
	s->root = xstrdup(x->root);
	s->gemini = fs_join(x->roots.home, ".gemini");
	s->made_gemini = !fs_exists(s->gemini);
	s->made_root = !fs_exists(s->root);
	r = fs_mkdirs(s->root, 0700, err);
	if (r < 0)
		return r;
	/* What a process has left behind that was killed while it worked. */
	if (fs_list(s->root, &names, NULL) >= 0) {
		for (size_t i = 0; i < names.n; i++) {
			AUTO(free) char *path = fs_join(s->root, names.p[i]);
			int pid = 0;

			if (sscanf(names.p[i], STAGE_PREFIX "%d-", &pid) == 1 && pid > 0 &&
			    kill(pid, 0) < 0 && errno == ESRCH)
				(void)tree_remove(path, NULL);
		}
	}
	s->dir = xasprintf("%s/" STAGE_PREFIX "%d-XXXXXX", s->root, (int)getpid());
	if (!mkdtemp(s->dir)) {
		r = err_errno(err, errno, "making a directory in %s", s->root);
		free(MOVE(s->dir));
		return r;
	}
	s->fresh = fs_join(s->dir, "new");
	return 0;
}

void stage_done(struct stage *s)
{
	struct err err;

	if (s->dir && tree_remove(s->dir, &err) < 0)
		wb_complain(s->wb, "%s", err.text);
	if (s->root && s->made_root)
		(void)rmdir(s->root);
	if (s->gemini && s->made_gemini)
		(void)rmdir(s->gemini);
	free(s->dir);
	free(s->fresh);
	free(s->root);
	free(s->gemini);
	*s = (struct stage){ 0 };
}

int stage_place(struct stage *s, const char *name, struct err *err)
{
	AUTO(free) char *to = fs_join(s->root, name);

	if (interrupt_signal())
		return err_set(err, E_CANCEL, "interrupted");
	/* An empty directory, which a failed installation of others leaves, is replaced. */
	if (rename(s->fresh, to) == 0)
		return 0;
	if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR)
		return err_set(err, E_INVAL,
			       "%s already exists and is not an extension; move it "
			       "away",
			       to);
	return err_errno(err, errno, "making %s", to);
}

int stage_exchange(struct stage *s, const char *root, struct err *err)
{
	AUTO(free) char *old = fs_join(s->dir, "old");

	if (interrupt_signal())
		return err_set(err, E_CANCEL, "interrupted");
	if (renameat2(AT_FDCWD, s->fresh, AT_FDCWD, root, RENAME_EXCHANGE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return err_errno(err, errno, "replacing %s", root);
	if (rename(root, old) < 0)
		return err_errno(err, errno, "moving %s away", root);
	if (rename(s->fresh, root) == 0)
		return 0;
	(void)err_errno(err, errno, "replacing %s", root);
	if (rename(old, root) < 0)
		(void)err_wrap(err, "the old one is in %s", old);
	return -err->code;
}

/* ---- enablement ---- */

typedef int change_fn(struct str old, const char *name, const char *path, bool on, struct buf *out,
		      struct err *err);

static int set(struct str old, const char *name, const char *path, bool on, struct buf *out,
	       struct err *err)
{
	return enablement_set(old, str_from(name), path, on, out, err);
}

static int forget(struct str old, const char *name, const char *path, bool on, struct buf *out,
		  struct err *err)
{
	(void)path, (void)on;
	return enablement_forget(old, str_from(name), out, err);
}

static int change(struct ext *x, const char *name, const char *path, bool on, change_fn *fn,
		  struct err *err)
{
	AUTO(free) char *file = fs_join(x->root, EXTENSION_ENABLEMENT);
	AUTO(buf_done) struct buf old = { 0 }, now = { 0 };
	int r = fs_read(file, EXTENSION_FILE_MAX, &old, err);

	if (r < 0 && (r != -E_NOTFOUND || fn == forget))
		return r == -E_NOTFOUND ? 0 : r;
	r = fn(buf_str(&old), name, path, on, &now, err);
	if (r < 0)
		return err_wrap(err, "%s", file);
	if (str_eq(buf_str(&old), buf_str(&now)))
		return 0;
	/* Without rules it need not be there. */
	if (fn == forget && str_eqz(str_trim(buf_str(&now)), "{}"))
		return unlink(file) < 0 ? err_errno(err, errno, "removing %s", file) : 0;
	return fs_replace(file, buf_str(&now), 0600, err);
}

int enablement_change(struct ext *x, const char *name, const char *path, bool on, struct err *err)
{
	return change(x, name, path, on, set, err);
}

int enablement_drop(struct ext *x, const char *name, struct err *err)
{
	return change(x, name, NULL, false, forget, err);
}

bool enablement_says(struct ext *x, const char *name, const char *path)
{
	AUTO(free) char *file = fs_join(x->root, EXTENSION_ENABLEMENT);
	AUTO(buf_done) struct buf text = { 0 };
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *v = NULL;

	if (fs_read(file, EXTENSION_FILE_MAX, &text, NULL) == 0)
		(void)json_parse(&a, buf_str(&text), JSON_C, &v, NULL);
	return enablement_is_on(v, str_from(name), str_from(path));
}

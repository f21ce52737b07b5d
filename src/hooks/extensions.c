/* Extensions: directories whose hooks/hooks.json adds hooks. */
#include "extensions/extension.h"

#include <sys/stat.h>

#include "hooks/config.h"
#include "os/fs.h"
#include "settings/read.h"

#define HOOKS_FILE "hooks/hooks.json"

/* May there be a guard in this file?  Only one that can be read says no (C3.6). */
static bool may_guard(struct tl_hooks *h, const struct str *text)
{
	const struct json *doc;

	return !text || str_trim(*text).n == 0 ||
	       settings_parse(&h->arena, "", *text, &doc, NULL) < 0 || hooks_hold_guard(doc) ||
	       json_is(json_getz(doc, "hooks"), J_STR);
}

static bool is_left_out(const struct tl_hooks *h, const struct extension *e)
{
	return e->in_project && h->load_flags & TL_LOAD_NO_PROJECT;
}

/*
 * A broken extension does not stop the program, because its author is somebody else: it is left out
 * and named.  But nothing runs without a guard that was, or may have been, meant to be there; text
 * is NULL when nobody can see what it says.
 */
static int leave_out(struct tl_hooks *h, const struct extension *e, const char *file,
		     const struct str *text, const char *why, struct err *err)
{
	struct place at = { .file = file };

	diag_add(&h->diags, TL_SEVERITY_ERROR, "broken-extension", &at,
		 "%s; the hooks of the extension \"%s\" are left out", why, e->name);
	if (!may_guard(h, text) || is_left_out(h, e))
		return 0;
	return err_set(err, E_CONFIG,
		       "%s; a guard may stand in it. To go on without the extension \"%s\": "
		       "trotline extensions disable %s",
		       why, e->name, e->name);
}

static int add_hooks(struct tl_hooks *h, const struct extension *e, const char *path,
		     struct str text, struct err *err)
{
	struct source s = { .tier = TL_TIER_EXTENSION,
			    .dialect = &dialects[DIALECT_GEMINI],
			    .path = path,
			    .text = text,
			    .extension = e };
	struct arena *a = &h->arena;
	struct err why;

	if (str_trim(text).n == 0)
		return leave_out(h, e, path, &text, arena_printf(a, "%s is empty", path).p, err);
	if (source_add(h, s, &why) < 0)
		return leave_out(
			h, e, path, &text,
			arena_printf(a, "Failed to load extension hooks from %s", why.text).p, err);
	if (json_is(json_getz(h->sources.p[h->sources.n - 1].doc, "hooks"), J_OBJ))
		return 0;
	/* The source stays: hooks_read() looks for guards that stand in the wrong place. */
	diag_add(&h->diags, TL_SEVERITY_ERROR, "broken-extension", &(struct place){ .file = path },
		 "Invalid hooks configuration in %s: \"hooks\" property must be an object", path);
	return 0;
}

static int add_extension(struct tl_hooks *h, const struct extension *e, struct err *err)
{
	const char *path = arena_printf(&h->arena, "%s/" HOOKS_FILE, e->dir).p;
	AUTO(buf_done) struct buf bytes = { 0 };
	struct stat st;
	struct err why;

	if (lstat(path, &st) < 0) {
		if (e->lost)
			return leave_out(h, e, path, NULL, e->problem, err);
		if (e->problem)
			diag_add(&h->diags, TL_SEVERITY_ERROR, "broken-extension", NULL,
				 "the extension \"%s\" is left out: %s", e->name, e->problem);
		return 0;
	}
	int r = fs_read(path, EXTENSION_FILE_MAX, &bytes, &why);
	struct str text = arena_str(&h->arena, buf_str(&bytes));
	const struct str *seen = r < 0 ? NULL : &text;
	if (e->problem)
		return leave_out(h, e, path, seen, e->problem, err);
	if (r == 0 && !extension_path(&h->arena, e, HOOKS_FILE))
		r = err_set(&why, E_CONFIG, "%s: it leads out of the extension", path);
	if (r < 0)
		return leave_out(
			h, e, path, seen,
			arena_printf(&h->arena, "Failed to load extension hooks: %s", why.text).p,
			err);
	return add_hooks(h, e, path, text, err);
}

int hooks_add_extensions(struct tl_hooks *h, const char *const *only, struct err *err)
{
	const struct extensions *all = extensions_read(
		&h->arena, &(struct extension_options){ .home = h->dirs.home,
							.project = h->dirs.project,
							.only = only,
							.project_env = h->folder_trusted });
	const char *unknown = extensions_unknown(&h->arena, all, only);

	if (unknown)
		return err_set(err, E_NOTFOUND, "%s", unknown);
	if (all->problem)
		diag_add(&h->diags, TL_SEVERITY_WARNING, "broken-extension", NULL, "%s",
			 all->problem);
	for (size_t i = 0; i < all->n; i++) {
		int r = all->p[i].chosen ? add_extension(h, &all->p[i], err) : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

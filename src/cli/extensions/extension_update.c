/*
 * Bringing an extension up to date.  The new state is fetched next to the old one and takes its
 * place at once; what would run by itself and was not agreed to is shown and asked for first.
 */
#include <stdio.h>
#include <sys/stat.h>

#include "cli/ask_line.h"
#include "cli/extensions/extension_files.h"
#include "cli/extensions/extension_tree.h"
#include "cli/extensions/extensions.h"
#include "os/fs.h"

static const char *text_of(struct arena *a, const struct json *v, const char *key)
{
	const struct json *m = json_getz(v, key);

	return json_is(m, J_STR) ? arena_z(a, json_str(m, STR(""))) : NULL;
}

/* Where it is fetched from; 1 = there is nothing to fetch, which has been said. */
static int find_source(struct ext *x, const struct extension *e, struct extension_source *ret_s,
		       struct err *err)
{
	const char *type = text_of(&x->arena, e->install, "type");
	const char *from = text_of(&x->arena, e->install, "source");
	struct stat st;

	if (lstat(e->root, &st) == 0 && S_ISLNK(st.st_mode))
		return err_set(err, E_INVAL, "%s is a symbolic link; update what it leads to",
			       e->root);
	if (!type || !from)
		return err_set(err, E_INVAL,
			       "\"%s\" was put into %s by hand; it is unknown where a "
			       "new version is",
			       e->name, e->root);
	if (strcmp(type, "link") == 0) {
		sheet_f(&x->wb->sheet, PLAIN,
			"\"%s\" %s is linked: what is in its directory is already in use.\n",
			e->name, e->version);
		return 1;
	}
	if (strcmp(type, "github-release") == 0)
		wb_complain(x->wb,
			    "\"%s\" was installed from a release; the repository is cloned instead",
			    e->name);
	return source_parse(&x->arena, from, text_of(&x->arena, e->install, "ref"), ret_s, err);
}

/* ---- agreeing ---- */

/* What is there now and what would be. */
struct difference {
	struct brings before, after;
	struct file_changes files;
};

static void difference_done(struct difference *d)
{
	brings_done(&d->before);
	brings_done(&d->after);
	file_changes_done(&d->files);
}
DEFINE_AUTO(struct difference, difference_done)

static void find_difference(struct ext *x, const struct extension *old, const struct extension *e,
			    struct difference *d)
{
	brings_read(&x->arena, old, old->root, x->roots.project, &d->before);
	brings_read(&x->arena, e, old->root, x->roots.project, &d->after);
	file_changes_find(old->dir, e->dir, &d->before, &d->after, &d->files);
}

static bool matters(const struct difference *d)
{
	return d->files.n || consent_differs(&d->before, &d->after);
}

static int agree(struct ext *x, const struct extension *old, const struct extension *e,
		 const struct difference *d, bool consent, struct err *err)
{
	AUTO(free) char *head = xasprintf("\"%s\" %s -> %s changes what it brings:", e->name,
					  old->version, e->version);
	AUTO(free) char *question = xasprintf("Update \"%s\"? [y/N] ", e->name);

	if (!matters(d))
		return 0;
	sheet_text(&x->wb->sheet, BOLD, head, 0);
	consent_show_changes(&x->wb->sheet, &d->before, &d->after);
	file_changes_show(&x->wb->sheet, &d->files);
	wb_flush(x->wb);
	if (consent || ask_yes(question))
		return 0;
	return err_set(err, E_CANCEL,
		       "\"%s\" stays at %s: the changes were not agreed to "
		       "(--consent agrees without asking)",
		       e->name, old->version);
}

/* ---- replacing ---- */

/* What belongs to the installation, not to the version: values of settings, where it is from. */
static int take_along(struct ext *x, const struct extension *old, const struct stage *s,
		      const struct extension_source *source, const struct found *found,
		      const struct json **ret_record, struct err *err)
{
	AUTO(free) char *from = fs_join(old->root, ".env");
	AUTO(free) char *to = fs_join(s->fresh, ".env");
	AUTO(buf_done) struct buf env = { 0 };
	const struct json *install = install_found(&x->arena, old->install, found);
	int r = fs_read(from, EXTENSION_FILE_MAX, &env, err);

	if (r < 0 && r != -E_NOTFOUND)
		return r;
	r = r < 0 ? 0 : fs_replace(to, buf_str(&env), 0600, err);
	if (source->git) {
		install = json_without(&x->arena, install, STR("releaseTag"));
		install = json_set(&x->arena, install, STR("type"),
				   json_new_str(&x->arena, STR("git")));
	}
	*ret_record = install;
	return r < 0 ? r : install_write(&x->arena, s->fresh, install, err);
}

static int update(struct ext *x, const struct extension *old, bool consent, struct err *err)
{
	AUTO(stage_done) struct stage s = { 0 };
	AUTO(difference_done) struct difference d = { 0 };
	struct extension_source source = { 0 };
	struct extension e = { 0 };
	struct found found = { 0 };
	/* Of a marketplace the one that was chosen. */
	const char *plugin = text_of(&x->arena, old->install, "marketplace")
				     ? text_of(&x->arena, json_getz(old->install, "plugin"), "name")
				     : NULL;
	const struct json *record;
	int r = find_source(x, old, &source, err);

	if (r != 0)
		return r;
	r = stage_open(&s, x, err);
	r = r < 0 ? r : found_fetch(x->wb, &x->arena, &source, plugin, s.dir, s.fresh, &found, err);
	r = r < 0 ? r : take_along(x, old, &s, &source, &found, &record, err);
	r = r < 0 ? r : ext_examine(x, s.fresh, found.dir, old, &e, err);
	if (r < 0)
		return r;
	find_difference(x, old, &e, &d);
	if (d.after.full)
		return err_set(err, E_LIMIT, "\"%s\" brings more than anybody could look at",
			       e.name);
	if (strcmp(e.version, old->version) == 0 && !matters(&d) && tree_has(old->root, s.fresh)) {
		sheet_f(&x->wb->sheet, PLAIN, "\"%s\" %s is up to date.\n", old->name,
			old->version);
		return 0;
	}
	r = agree(x, old, &e, &d, consent, err);
	if (r >= 0) {
		AUTO(settings_unlock) int lock = settings_lock(x->roots.home, err);

		record = install_guards(&x->arena, record, d.after.guards);
		r = lock < 0 ? lock : install_write(&x->arena, s.fresh, record, err);
		r = r < 0 ? r : stage_exchange(&s, old->root, err);
	}
	if (r == 0)
		sheet_f(&x->wb->sheet, GREEN, "Extension \"%s\" is updated: %s -> %s.\n", e.name,
			*old->version ? old->version : "?", e.version);
	return r;
}

int ext_update(struct ext *x, const struct extension *e, bool consent)
{
	struct err err;

	return update(x, e, consent, &err) < 0 ? ext_failed(x, &err) : EXIT_OK;
}

/*
 * Installing and removing extensions.  A new one is made ready in a directory next to the others,
 * shown, agreed to, and put in its place by one rename: whatever goes wrong before leaves nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "cli/ask_line.h"
#include "cli/extensions/extension_brings.h"
#include "cli/extensions/extension_tree.h"
#include "cli/extensions/extensions.h"
#include "os/fs.h"
#include "secrets/secrets.h"

/* ---- .gemini-extension-install.json ---- */

int install_write(struct arena *a, const char *dir, const struct json *install, struct err *err)
{
	AUTO(free) char *path = fs_join(dir, EXTENSION_INSTALL_FILE);

	return fs_replace(path, json_text(a, install, JSON_PRETTY), 0600, err);
}

static const struct json *with_text(struct arena *a, const struct json *v, const char *key,
				    const char *text)
{
	return json_set(a, v, str_from(key), json_new_str(a, str_from(text)));
}

/* What of a plugin is not in its directory. */
const struct json *install_found(struct arena *a, const struct json *v, const struct found *f)
{
	v = f->plugin ? json_set(a, v, STR("plugin"), f->plugin)
		      : json_without(a, v, STR("plugin"));
	return f->marketplace ? with_text(a, v, "marketplace", f->marketplace) : v;
}

const struct json *install_guards(struct arena *a, const struct json *v, bool guards)
{
	return json_set(a, v, STR("guards"), json_new_bool(a, guards));
}

static const struct json *describe(struct arena *a, const struct extension_source *s,
				   const char *type, const struct install_args *args)
{
	const struct json *v = with_text(a, NULL, "source", s->where);

	v = with_text(a, v, "type", type);
	if (s->ref)
		v = with_text(a, v, "ref", s->ref);
	if (args && args->auto_update)
		v = json_set(a, v, STR("autoUpdate"), json_new_bool(a, true));
	if (args && args->pre_release)
		v = json_set(a, v, STR("allowPreRelease"), json_new_bool(a, true));
	return v;
}

/* ---- looking at what would be installed ---- */

static int check_free(struct ext *x, const char *name, struct err *err)
{
	const struct extension *e;

	ext_read(x);
	e = extension_find(x->all, str_from(name));
	if (!e)
		return 0;
	return err_set(err, E_INVAL,
		       "the extension \"%s\" is already installed, in %s; trotline extensions "
		       "update %s brings it up to date, uninstall removes it",
		       e->name, e->root, e->name);
}

int ext_examine(struct ext *x, const char *dir, const char *shown, const struct extension *old,
		struct extension *ret_e, struct err *err)
{
	struct extension_options options = x->options;
	struct extension e;

	options.shown = shown;
	e = extension_read(&x->arena, &options, dir);
	if (e.problem)
		return err_set(err, E_CONFIG, "%s", e.problem);
	if (old && strcmp(e.name, old->name) != 0 && !old->problem)
		return err_set(err, E_CONFIG,
			       "%s is the extension \"%s\" now; uninstall \"%s\" "
			       "and install it",
			       shown, e.name, old->name);
	if (!*e.version)
		return err_set(err, E_CONFIG,
			       "%s/" EXTENSION_MANIFEST ": the manifest has no \"version\"", shown);
	*ret_e = e;
	return 0;
}

static int show(struct ext *x, const struct extension *e, const char *target, const char *source,
		bool *ret_guards, struct err *err)
{
	AUTO(brings_done) struct brings b = { 0 };
	AUTO(free) char *head =
		xasprintf("Extension \"%s\" %s, from %s", e->name, e->version, source);

	brings_read(&x->arena, e, target, x->roots.project, &b);
	*ret_guards = b.guards;
	if (b.full)
		return err_set(err, E_LIMIT, "\"%s\" brings more than anybody could look at",
			       e->name);
	sheet_text(&x->wb->sheet, BOLD, head, 0);
	if (*e->description)
		sheet_text(&x->wb->sheet, PLAIN, e->description, 2);
	consent_show(&x->wb->sheet, &b);
	return 0;
}

/* 1 = agreed. */
static int agree(struct ext *x, const struct extension *e, const char *verb, bool consent,
		 struct err *err)
{
	AUTO(free) char *question = xasprintf("%s \"%s\"? [y/N] ", verb, e->name);

	if (consent)
		return 1;
	sheet_f(&x->wb->sheet, PLAIN,
		"Extensions are the work of others; look at one before you trust it.\n");
	wb_flush(x->wb);
	return ask_yes(question) ? 1
				 : err_set(err, E_CANCEL,
					   "nothing was installed: \"%s\" was not "
					   "agreed to (--consent agrees without asking)",
					   e->name);
}

/* ---- installing ---- */

/* Everything that has been agreed to, in its place. */
static int place(struct ext *x, struct stage *s, const struct extension *e, struct err *err)
{
	AUTO(settings_unlock) int lock = settings_lock(x->roots.home, err);
	int r = lock < 0 ? lock : check_free(x, e->name, err);

	r = r < 0 ? r : stage_place(s, e->name, err);
	if (r < 0)
		return r;
	s->made_root = s->made_gemini = false;
	/* A rule that an earlier one of this name has left behind. */
	if (!enablement_says(x, e->name, x->roots.home))
		r = enablement_change(x, e->name, x->roots.home, true, err);
	return r;
}

static void say_installed(struct ext *x, const char *name, const char *word)
{
	const struct extension *e;

	ext_read(x);
	e = extension_find(x->all, str_from(name));
	if (!e)
		return;
	sheet_f(&x->wb->sheet, GREEN, "Extension \"%s\" %s is %s%s.\n", e->name, e->version, word,
		e->enabled ? " and enabled" : "");
	if (settings_missing(e))
		sheet_f(&x->wb->sheet, PLAIN,
			"%zu of its settings %s no value: trotline extensions config %s\n",
			settings_missing(e), settings_missing(e) == 1 ? "has" : "have", e->name);
}

/* Where somebody says that an extension is: SOURCE, SOURCE and PLUGIN, or PLUGIN@SOURCE. */
struct asked {
	const char *text, *plugin;
};

static struct asked what_is_asked(struct ext *x, const char *text, const char *plugin)
{
	struct asked asked = { text, plugin };

	if (!plugin)
		(void)found_split(&x->arena, x->roots.home, text, &asked.plugin, &asked.text);
	return asked;
}

static int install(struct ext *x, struct asked asked, const struct install_args *args,
		   const char **ret_name, struct err *err)
{
	AUTO(stage_done) struct stage s = { 0 };
	struct extension_source source;
	struct extension e = { 0 };
	struct found found = { 0 };
	const struct json *record;
	int r = source_parse(&x->arena, asked.text, args->ref, &source, err);
	bool github, guards;

	if (r < 0)
		return r;
	if (!source.git && (args->ref || args->auto_update))
		return err_set(err, E_INVAL,
			       "--ref and --auto-update are for repositories; %s is "
			       "a directory",
			       asked.text);
	github = strncmp(source.where, "https://github.com/", 19) == 0;
	if (secret_in(str_from(source.where), SECRETS_DOUBT))
		wb_complain(
			x->wb,
			"the address contains a secret, which will be kept in " EXTENSION_INSTALL_FILE);
	if (source.git && (github || args->pre_release))
		wb_complain(x->wb, "the repository is cloned; releases%s are not looked at",
			    args->pre_release ? ", and so --pre-release," : "");
	r = stage_open(&s, x, err);
	AUTO(free) char *root = fs_real(x->root);
	if (r == 0 && !source.git && path_below(source.where, root))
		return err_set(err, E_INVAL, "%s holds the directory of all extensions",
			       asked.text);
	r = r < 0 ? r
		  : found_fetch(x->wb, &x->arena, &source, asked.plugin, s.dir, s.fresh, &found,
				err);
	if (r < 0)
		return r;
	record = install_found(&x->arena,
			       describe(&x->arena, &source, source.git ? "git" : "local", args),
			       &found);
	r = install_write(&x->arena, s.fresh, record, err);
	r = r < 0 ? r : ext_examine(x, s.fresh, found.dir, NULL, &e, err);
	r = r < 0 ? r : check_free(x, e.name, err);
	if (r < 0)
		return r;
	AUTO(free) char *target = fs_join(x->root, e.name);
	r = show(x, &e, target, found.dir, &guards, err);
	r = r < 0 ? r : agree(x, &e, "Install", args->consent, err);
	if (r >= 0 && !args->skip_settings && settings_missing(&e))
		r = settings_ask(x->wb, &e, &(struct settings_wanted){ .dir = s.fresh }, err);
	r = r < 0 ? r
		  : install_write(&x->arena, s.fresh, install_guards(&x->arena, record, guards),
				  err);
	r = r < 0 ? r : place(x, &s, &e, err);
	*ret_name = e.name;
	return r;
}

int ext_install(struct ext *x, const char *source, const char *plugin,
		const struct install_args *args)
{
	const char *name = "";
	struct err err;

	if (install(x, what_is_asked(x, source, plugin), args, &name, &err) < 0)
		return ext_failed(x, &err);
	say_installed(x, name, "installed");
	return EXIT_OK;
}

/* ---- linking ---- */

static int link_it(struct ext *x, struct asked asked, bool consent, const char **ret_name,
		   struct err *err)
{
	AUTO(stage_done) struct stage s = { 0 };
	struct extension_source source;
	struct extension e = { 0 };
	struct found found = { 0 };
	const struct json *record;
	bool guards;
	int r = source_parse(&x->arena, asked.text, NULL, &source, err);

	if (r == 0 && source.git)
		r = err_set(err, E_INVAL, "a link needs a directory; install %s instead",
			    asked.text);
	r = r < 0 ? r : found_in(&x->arena, source.where, asked.plugin, source.where, &found, err);
	if (r == 0 && found.elsewhere)
		r = err_set(err, E_INVAL,
			    "a link needs a directory, and \"%s\" is in %s: install it",
			    found.elsewhere->name, found.elsewhere->url);
	if (r < 0)
		return r;
	source.where = found.dir;
	record = install_found(&x->arena, describe(&x->arena, &source, "link", NULL), &found);
	r = stage_open(&s, x, err);
	r = r < 0 ? r : fs_mkdirs(s.fresh, 0700, err);
	r = r < 0 ? r : install_write(&x->arena, s.fresh, record, err);
	r = r < 0 ? r : ext_examine(x, s.fresh, found.dir, NULL, &e, err);
	r = r < 0 ? r : check_free(x, e.name, err);
	if (r < 0)
		return r;
	r = show(x, &e, found.dir, found.dir, &guards, err);
	if (r < 0)
		return r;
	sheet_f(&x->wb->sheet, PLAIN,
		"It is used where it is: what changes there counts at once.\n");
	r = agree(x, &e, "Link", consent, err);
	r = r < 0 ? r
		  : install_write(&x->arena, s.fresh, install_guards(&x->arena, record, guards),
				  err);
	r = r < 0 ? r : place(x, &s, &e, err);
	*ret_name = e.name;
	return r;
}

int ext_link(struct ext *x, const char *path, const char *plugin, bool consent)
{
	const char *name = "";
	struct err err;

	if (link_it(x, what_is_asked(x, path, plugin), consent, &name, &err) < 0)
		return ext_failed(x, &err);
	say_installed(x, name, "linked");
	return EXIT_OK;
}

/* ---- removing ---- */

int ext_uninstall(struct ext *x, const struct extension *e)
{
	AUTO(stage_done) struct stage s = { 0 };
	struct err err;
	AUTO(settings_unlock) int lock = settings_lock(x->roots.home, &err);
	int r = lock < 0 ? lock : stage_open(&s, x, &err);

	if (r >= 0 && rename(e->root, s.fresh) < 0) {
		r = err_errno(&err, errno, "removing %s", e->root);
	} else if (r >= 0) {
		s.made_root = true; /* an empty directory may go */
		r = enablement_drop(x, e->name, &err);
	}
	if (r < 0)
		return ext_failed(x, &err);
	sheet_f(&x->wb->sheet, PLAIN, "Extension \"%s\" is uninstalled%s.\n", e->name,
		strcmp(e->dir, e->root) == 0 ? "" : "; what it was linked to stays");
	return EXIT_OK;
}

/* Extensions: directories whose hooks/hooks.json adds hooks. */
#include "extensions/extension.h"

#include <sys/stat.h>

#include "base/path.h"
#include "hooks/config.h"
#include "hooks/hook_read.h"
#include "os/fs.h"
#include "settings/read.h"

/*
 * May there be, or have been, a guard in this file?  Only one that can be read says no (C3.6), and
 * the file of the installation, which says what was agreed to; but not of a link, whose content may
 * have changed since.  text: NULL = what it says is unknown.
 */
static bool may_guard(struct tl_hooks *h, const struct extension *e, const char *file,
		      const struct str *text)
{
	const struct json *said = json_getz(e->install, "guards"), *doc;
	bool linked = strcmp(e->root, e->dir) != 0;
	struct stat st;

	if (text && str_trim(*text).n && settings_parse(&h->arena, "", *text, &doc, NULL) == 0)
		return hooks_hold_guard(doc) || json_is(json_getz(doc, "hooks"), J_STR);
	if (!text && !e->lost && lstat(file, &st) < 0)
		return json_is_true(said);
	return !json_is_false(said) || linked || e->lost;
}

/*
 * A broken extension does not stop the program, because its author is somebody else: it is left out
 * and named.  But nothing runs without a guard that was, or may have been, meant to be there; text
 * is NULL when what it says is unknown.
 */
static int leave_out(struct tl_hooks *h, const struct extension *e, const char *file,
		     const struct str *text, const char *why, struct err *err)
{
	struct place at = { .file = file };

	diag_add(&h->diags, TL_SEVERITY_ERROR, "broken-extension", &at,
		 "%s; the hooks of the extension \"%s\" are left out", why, e->name);
	if (!may_guard(h, e, file, text) || (e->in_project && h->load_flags & TL_LOAD_NO_PROJECT))
		return 0;
	return err_set(err, E_CONFIG,
		       "%s; it may contain a guard. To go on without the extension \"%s\": "
		       "trotline extensions disable %s",
		       why, e->name, e->name);
}

static int add_hooks(struct tl_hooks *h, const struct extension *e,
		     const struct extension_hooks *at, struct str text, struct err *err)
{
	struct source s = { .tier = TL_TIER_EXTENSION,
			    .dialect = &dialects[e->is_plugin ? DIALECT_CLAUDE : DIALECT_GEMINI],
			    .path = at->file,
			    .text = text,
			    .extension = e };
	struct arena *a = &h->arena;
	const struct json *listed;
	struct err why;

	if (str_trim(text).n == 0)
		return leave_out(h, e, at->file, &text, arena_printf(a, "%s is empty", at->file).p,
				 err);
	if (settings_parse(a, s.path, text, &s.doc, &why) < 0)
		return leave_out(
			h, e, at->file, &text,
			arena_printf(a, "Failed to load extension hooks from %s", why.text).p, err);
	listed = json_pointer(s.doc, str_from(at->pointer));
	if (e->is_both && hooks_are_native(listed))
		s.dialect = &dialects[DIALECT_GEMINI];
	/* Events that are elsewhere keep their places in the text. */
	if (strcmp(at->pointer, "/hooks") != 0)
		s.doc = json_set(a, NULL, STR("hooks"), listed ? listed : json_new_null(a));
	/* hooks_read() looks for guards that are in the wrong place. */
	(void)source_add(h, s, NULL);
	/* Of what is there and is no object it says so. */
	if (!listed)
		diag_add(&h->diags, TL_SEVERITY_ERROR, "broken-extension",
			 &(struct place){ .file = at->file }, "%s", hooks_no_object(h, at->file));
	return 0;
}

/* False when there is none, which counts only where somebody said that there is one. */
static bool read_file(struct tl_hooks *h, const struct extension *e,
		      const struct extension_hooks *at, struct str *ret_text, struct err *ret_why)
{
	AUTO(buf_done) struct buf bytes = { 0 };
	const char *below = path_below(e->dir, at->file);

	if (fs_read(at->file, EXTENSION_FILE_MAX, &bytes, ret_why) < 0)
		return false;
	*ret_text = arena_str(&h->arena, buf_str(&bytes));
	/* The file of the installation is next to what is linked. */
	if (below && !extension_path(&h->arena, e, below))
		(void)err_set(ret_why, E_CONFIG, "%s: it leads out of the extension", at->file);
	return true;
}

static int add_extension(struct tl_hooks *h, const struct extension *e, struct err *err)
{
	const struct extension_hooks *files;
	size_t n = extension_hook_files(&h->arena, e, &files);
	const struct json *guards = json_getz(e->install, "guards");
	struct stat st;
	int r = 0;

	for (const char *const *file = extension_misplaced_hooks(&h->arena, e); *file; file++)
		diag_add(
			&h->diags, TL_SEVERITY_WARNING, "misplaced-hooks",
			&(struct place){ .file = *file },
			"the hooks of \"%s\" in this file do not run: a plugin's are in " EXTENSION_HOOKS
			", or where plugin.json says",
			e->name);
	for (size_t i = 0; i < n && r == 0; i++) {
		struct str text = { 0 };
		struct err why = { 0 };
		bool is_there = lstat(files[i].file, &st) == 0;

		if (!is_there && e->problem && !e->lost && !json_is_true(guards))
			diag_add(&h->diags, TL_SEVERITY_ERROR, "broken-extension", NULL,
				 "the extension \"%s\" is left out: %s", e->name, e->problem);
		else if (e->problem || is_there || e->is_plugin || json_is_true(guards)) {
			bool seen = read_file(h, e, &files[i], &text, &why);
			const char *problem = e->problem;

			if (!problem && why.code)
				problem =
					arena_printf(&h->arena,
						     "Failed to load extension hooks: %s", why.text)
						.p;
			r = problem ? leave_out(h, e, files[i].file, seen ? &text : NULL, problem,
						err)
				    : add_hooks(h, e, &files[i], text, err);
		}
	}
	return r;
}

/* Does the plugin hold a guard?  What cannot be read may. */
static bool holds_guard(struct tl_hooks *h, const struct extension *e)
{
	const struct extension_hooks *files;
	size_t n = extension_hook_files(&h->arena, e, &files);
	bool found = false;

	for (size_t i = 0; i < n && !found; i++) {
		struct err why = { 0 };
		struct str text = { 0 };
		bool seen = read_file(h, e, &files[i], &text, &why);

		found = fs_exists(files[i].file) &&
			may_guard(h, e, files[i].file, seen ? &text : NULL);
	}
	return found;
}

/* Where Claude's settings name a plugin. */
static struct place place_of_plugin(struct tl_hooks *h, const char *id)
{
	for (size_t i = h->sources.n; i > 0; i--) {
		const struct source *s = &h->sources.p[i - 1];
		const char *key = s->dialect->plugins_key;
		const struct json *list = key ? json_getz(s->doc, key) : NULL;
		const struct json_member *m = list ? json_member(list, str_from(id)) : NULL;

		if (m && json_is_true(&m->v))
			return source_place(s, &h->arena, m->pos, "%s", key);
	}
	return (struct place){ 0 };
}

int hooks_add_extensions(struct tl_hooks *h, const char *const *only, struct err *err)
{
	const struct extensions *all = extensions_read(
		&h->arena, &(struct extension_options){ .home = h->dirs.home,
							.project = h->dirs.project,
							.only = only,
							.plugins = h->set.plugins,
							.project_env = h->folder_trusted });
	const char *unknown = extensions_unknown(&h->arena, all, only);

	h->extensions = all;
	if (unknown)
		return err_set(err, E_NOTFOUND, "%s", unknown);
	if (all->problem)
		diag_add(&h->diags, TL_SEVERITY_WARNING, "broken-extension", NULL, "%s",
			 all->problem);
	for (const char *const *id = all->missing; id && *id; id++) {
		struct place at = place_of_plugin(h, *id);

		diag_add(&h->diags, TL_SEVERITY_WARNING, "missing-plugin", &at,
			 "the plugin \"%s\" is enabled, but not installed: none of it runs", *id);
	}
	for (size_t i = 0; i < all->n; i++) {
		bool held = all->p[i].project_off && !only && holds_guard(h, &all->p[i]);
		int r = 0;

		if (held)
			diag_add(&h->diags, TL_SEVERITY_WARNING, "not-disabled", NULL,
				 "the plugin \"%s\" is not disabled: it has a guard, which a "
				 "project does not switch off",
				 all->p[i].claudes);
		/* A given source may name its extension. */
		for (size_t k = 0; k < h->sources.n; k++)
			if (h->sources.p[k].extension_name &&
			    strcmp(h->sources.p[k].extension_name, all->p[i].name) == 0)
				h->sources.p[k].extension = &all->p[i];
		if (held || all->p[i].chosen)
			r = add_extension(h, &all->p[i], err);

		if (r < 0)
			return r;
	}
	return 0;
}

const char *plugin_server(const struct tl_hooks *h, struct arena *a, const char *server)
{
	for (size_t i = 0; h->extensions && i < h->extensions->n; i++) {
		const struct extension *e = &h->extensions->p[i];

		if (e->is_plugin && extension_is_active(e) &&
		    json_getz(json_getz(e->manifest, "mcpServers"), server))
			return arena_printf(a, "plugin_%s_%s", e->name, server).p;
	}
	return NULL;
}

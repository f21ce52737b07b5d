/* Which extensions there are, and which of them are active. */
#include "extensions/extension_impl.h"

#include <unistd.h>

#include "base/vec.h"
#include "os/fs.h"
#include "settings/places.h"

/* ---- one directory of the many ---- */

/* What is being looked at, and with what. */
struct reading {
	struct arena *a;
	const struct extension_options *o;
	const char *root;
	const struct json *enablement;
	const char *real_root, *real_project; /* NULL when there is none */
};

static bool is_chosen(const struct extension_options *o, const struct extension *e)
{
	if (!o->only)
		return e->enabled;
	for (const char *const *name = o->only; *name; name++)
		if (str_eqz_icase(str_from(*name), e->name))
			return true;
	return false;
}

/* Is it meant as an extension? */
static bool is_extension(const char *dir)
{
	if (!fs_is_dir(dir))
		return !fs_exists(dir); /* a link to nothing */
	/* Who put hooks there believes that they run. */
	return fs_has(dir, EXTENSION_MANIFEST) || fs_has(dir, EXTENSION_INSTALL_FILE) ||
	       fs_has(dir, EXTENSION_HOOKS) || fs_has(dir, PLUGIN_MANIFEST) ||
	       access(dir, R_OK | X_OK) < 0;
}

static void read_all(const struct reading *r, char *const *names, size_t n, struct extensions *all)
{
	struct str project = str_from(r->o->project ? r->o->project : "/");

	all->p = ARENA_ARRAY(r->a, struct extension, n + 1);
	for (size_t i = 0; i < n; i++) {
		AUTO(free) char *dir = fs_join(r->root, names[i]);

		if (names[i][0] == '.' || !is_extension(dir))
			continue;
		if (all->n == EXTENSIONS_MAX) {
			all->problem =
				arena_printf(r->a, "%s: only the first %d extensions are used",
					     r->root, EXTENSIONS_MAX)
					.p;
			return;
		}
		struct extension e = extension_read(r->a, r->o, dir);
		const struct extension *twin =
			e.problem ? NULL : extension_find(all, str_from(e.name));

		e.enabled = enablement_is_on(r->enablement, str_from(e.name), project);
		e.chosen = is_chosen(r->o, &e);
		/* Whoever can change the project could change what the link leads to. */
		e.in_project = fs_is_in(r->real_project, e.dir) && !fs_is_in(r->real_root, e.dir);
		e.untrusted = e.in_project && r->o->untrusted;
		/* Two of one name: which one is meant is unknown. */
		if (twin && !twin->problem)
			e.problem = arena_printf(r->a,
						 "%s/" EXTENSION_MANIFEST
						 ": the extension in %s also has the name \"%s\"",
						 e.dir, twin->root, e.name)
					    .p;
		all->p[all->n++] = e;
	}
}

/* What Claude Code has installed and enabled, but for what is an extension here as well. */
static void read_claudes(const struct reading *r, struct extensions *all)
{
	const struct json *ids = r->o->plugins;
	const char *home = r->o->home ? r->o->home : "";
	size_t n = json_is(ids, J_OBJ) && *home ? min_size(ids->n, EXTENSIONS_MAX) : 0, gone = 0;
	struct extension *more = ARENA_ARRAY(r->a, struct extension, all->n + n + 1);
	const char **missing = ARENA_ARRAY(r->a, const char *, n + 1);

	if (all->n)
		memcpy(more, all->p, all->n * sizeof *more);
	all->p = more;
	all->missing = missing;
	for (size_t i = 0; i < n; i++) {
		const struct json_member *m = &ids->members[i];
		struct extension_options o = *r->o;
		const char *dir = claude_plugin_dir(r->a, home, r->o->project, m->key, &o.plugin);
		struct extension e;

		if (!dir) {
			missing[gone++] = arena_z(r->a, m->key);
			continue;
		}
		o.data = claude_plugin_data(r->a, home, m->key);
		e = extension_read(r->a, &o, dir);
		if (extension_find(all, str_from(e.name)))
			continue;
		e.claudes = arena_z(r->a, m->key);
		e.project_off = !json_is_true(&m->v);
		e.enabled = !e.project_off;
		e.chosen = is_chosen(r->o, &e);
		e.in_project = fs_is_in(r->real_project, e.dir);
		e.untrusted = e.in_project && r->o->untrusted;
		all->p[all->n++] = e;
	}
}

static void read_own(struct reading *r, struct extensions *all);

struct extensions *extensions_read(struct arena *a, const struct extension_options *o)
{
	struct extensions *all = ARENA_NEW(a, struct extensions);
	struct reading r = {
		.a = a,
		.o = o,
		.root = place_path(place_find(TL_TIER_USER, "gemini", PLACE_EXTENSIONS),
				   &(struct dirs){ .home = o->home ? o->home : "" }, a),
	};
	AUTO(free) char *project = fs_real(o->project ? o->project : "");

	r.real_project = project;
	if (r.root && fs_is_dir(r.root))
		read_own(&r, all);
	read_claudes(&r, all);
	return all;
}

/* Those in ~/.gemini/extensions. */
static void read_own(struct reading *r, struct extensions *all)
{
	AUTO(free) char *root = fs_real(r->root);
	AUTO(free) char *enablement = fs_join(r->root, EXTENSION_ENABLEMENT);
	struct arena *a = r->a;
	struct err err;
	AUTO(fs_names_done) struct fs_names names = { 0 };
	int e = fs_list(r->root, &names, &err);

	if (e < 0) {
		all->problem = arena_z(a, str_from(err.text));
		return;
	}
	r->real_root = root;
	e = extension_json(a, enablement, &r->enablement, &err);
	if (e < 0 && e != -E_NOTFOUND)
		all->problem = arena_printf(a, "%s; all extensions are enabled", err.text).p;
	read_all(r, names.p, names.n, all);
	r->real_root = NULL;
}

/* ---- looking ---- */

const struct extension *extension_find(const struct extensions *all, struct str name)
{
	for (size_t i = 0; i < all->n; i++)
		if (str_eqz_icase(name, all->p[i].name))
			return &all->p[i];
	return NULL;
}

const char *extensions_unknown(struct arena *a, const struct extensions *all,
			       const char *const *only)
{
	AUTO(buf_done) struct buf text = { 0 };

	while (only && *only &&
	       (str_eqz_icase(str_from(*only), "none") || extension_find(all, str_from(*only))))
		only++;
	if (!only || !*only)
		return NULL;
	buf_addf(&text, "Extension not found: %s", *only);
	for (size_t i = 0; i < all->n; i++)
		buf_addf(&text, "%s%s", i ? ", " : "; there are: ", all->p[i].name);
	if (!all->n)
		buf_addz(&text, "; none is installed");
	return arena_z(a, buf_str(&text));
}

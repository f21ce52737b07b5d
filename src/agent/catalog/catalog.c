#include "agent/catalog/catalog.h"

#include <stdarg.h>

#include "base/path.h"
#include "base/vec.h"
#include "os/fs.h"

const char *catalog_origin_name(enum catalog_origin origin)
{
	static const char *const names[] = {
		[CATALOG_BUILT_IN] = "built-in", [CATALOG_EXTENSION] = "extension",
		[CATALOG_USER] = "user",         [CATALOG_PROJECT] = "project",
		[CATALOG_MCP] = "server",        [CATALOG_SKILL] = "skill",
	};

	return names[origin];
}

void catalog_refuse(const struct catalog *c, const char *fmt, ...)
{
	AUTO(buf_done) struct buf text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(&text, fmt, ap);
	va_end(ap);
	note_say(c->notes, NOTE_WARNING, "Ignoring %s %s", c->what, buf_z(&text));
}

struct catalog_refused {
	struct catalog_refused *next;
	const char *file, *why;
	const char *also; /* the first of the others */
	size_t nalso;
};

void catalog_refuse_file(struct catalog *c, const char *file, const char *why)
{
	enum { NAMED = 4 };
	struct catalog_refused **at = &c->refused, *r;

	while (*at && strcmp((*at)->why, why) != 0)
		at = &(*at)->next;
	r = *at;
	if (!r) {
		r = *at = ARENA_NEW(c->a, struct catalog_refused);
		*r = (struct catalog_refused){
			.file = arena_z(c->a, str_from(file)),
			.why = arena_z(c->a, str_from(why)),
			.also = "",
		};
	} else if (r->nalso++ < NAMED) {
		/* "commands/README.md": the name alone may be that of many. */
		AUTO(free) char *dir = path_parent(file);

		r->also = arena_printf(c->a, "%s%s%s/%s", r->also, *r->also ? ", " : "",
				       path_name(dir), path_name(file))
				  .p;
	} else if (r->nalso == NAMED + 1) {
		r->also = arena_printf(c->a, "%s, ...", r->also).p;
	}
}

void catalog_say_refused(struct catalog *c)
{
	for (const struct catalog_refused *r = c->refused; r; r = r->next)
		if (r->nalso)
			catalog_refuse(c, "%s:%s (and %zu more: %s)", r->file, r->why, r->nalso,
				       r->also);
		else
			catalog_refuse(c, "%s:%s", r->file, r->why);
	c->refused = NULL;
}

void catalog_overrides(const struct catalog *c, const char *name, const char *file, const char *old)
{
	note_say(c->notes, NOTE_WARNING,
		 "%c%s conflict detected: \"%s\" from \"%s\" is overriding the same %s from "
		 "\"%s\".",
		 c->what[0] - 'a' + 'A', c->what + 1, name, file, c->what, old);
}

const char *catalog_real(const struct catalog *c, const char *fence, const char *path)
{
	AUTO(free) char *real = fs_real(path);

	if (real && fence && !path_below(fence, real)) {
		catalog_refuse(c, "%s: it links to a place outside %s", path, fence);
		return NULL;
	}
	return real ? arena_z(c->a, str_from(real)) : NULL;
}

size_t catalog_dirs(const struct catalog *c, const struct catalog_options *o, unsigned kind,
		    const struct catalog_dir **ret_dirs)
{
	AUTO(free) char *home = o->home && *o->home ? fs_real(o->home) : NULL;
	AUTO(free) char *project = o->project ? fs_real(o->project) : NULL;
	AUTO(free) char *name = xasprintf("%ss", c->what);
	const struct dirs dirs = { .home = home ? home : "", .project = project ? project : "" };
	struct {
		struct catalog_dir *p;
		size_t n, cap;
	} all = { 0 };

	for (size_t i = 0; o->extensions && i < o->extensions->n; i++) {
		const struct extension *e = &o->extensions->p[i];
		AUTO(free) char *real = e->is_plugin ? fs_real(e->dir) : NULL;
		const char *const *dir =
			extension_is_active(e) ? extension_places(c->a, e, name) : NULL;

		for (; dir && *dir; dir++)
			if (e->is_plugin || fs_is_dir(*dir))
				*VEC_ADD(&all) = (struct catalog_dir){
					.dir = *dir,
					.fence = real ? arena_z(c->a, str_from(real)) : *dir,
					.extension = e->name,
					.origin = CATALOG_EXTENSION,
					.owner = e,
					.plugin = e->is_plugin ? e : NULL,
					.project = o->project,
					.claude = e->is_plugin,
					.is_file = !fs_is_dir(*dir),
				};
	}
	for (const struct settings_place *p = NULL; (p = place_next(p, NULL, kind));) {
		bool foreign = tiers[p->tier].foreign;
		const char *fence = foreign && project ? arena_z(c->a, str_from(project)) : NULL;
		const char *dir = o->trusted || !foreign ? place_path(p, &dirs, c->a) : NULL;

		dir = dir ? catalog_real(c, fence, dir) : NULL;
		if (!dir || !fs_is_dir(dir))
			continue;
		/* One may be a link to another: then it is read once. */
		for (size_t i = 0; i < all.n; i++)
			if (strcmp(all.p[i].dir, dir) == 0)
				memmove(&all.p[i], &all.p[i + 1],
					(all.n-- - i - 1) * sizeof *all.p);
		*VEC_ADD(&all) = (struct catalog_dir){
			.dir = dir,
			.fence = fence,
			.origin = foreign ? CATALOG_PROJECT : CATALOG_USER,
			.claude = p->claude,
		};
	}
	struct catalog_dir *dirs_found = ARENA_ARRAY(c->a, struct catalog_dir, all.n + 1);
	if (all.n)
		memcpy(dirs_found, all.p, all.n * sizeof *all.p);
	free(all.p);
	*ret_dirs = dirs_found;
	return all.n;
}

const char *catalog_plugins_name(struct arena *a, const struct extension *plugin, const char *name)
{
	return plugin ? arena_printf(a, "%s:%s", plugin->name, name).p : name;
}

struct str catalog_owners_text(struct arena *a, const struct catalog_dir *at, struct str text)
{
	/* Values of settings are not for the model. */
	struct extension e = at->owner ? *at->owner : (struct extension){ 0 };

	e.env = NULL;
	return at->owner ? extension_expand(a, &e, at->plugin ? NULL : at->project, text) : text;
}

struct str catalog_bare_name(const char *name)
{
	const char *colon = strchr(name, ':');

	return str_from(colon ? colon + 1 : name);
}

size_t catalog_list(const struct catalog *c, const char *dir, size_t max,
		    const char *const **ret_names)
{
	AUTO(fs_names_done) struct fs_names names = { 0 };
	size_t kept = 0;
	const char **out;
	struct err err;

	if (fs_list(dir, &names, &err) < 0)
		catalog_refuse(c, "directory %s", err.text);
	out = ARENA_ARRAY(c->a, const char *, names.n + 1);
	for (size_t i = 0; i < names.n; i++)
		if (names.p[i][0] != '.' && kept++ < max)
			out[kept - 1] = arena_z(c->a, str_from(names.p[i]));
	if (kept > max)
		catalog_refuse(c, "files in %s after the first %zu", dir, max);
	*ret_names = out;
	return min_size(kept, max);
}

bool catalog_text(const struct catalog *c, const char *file, size_t max, struct str *ret_text)
{
	AUTO(buf_done) struct buf text = { 0 };
	struct err err;

	if (fs_read(file, max, &text, &err) < 0) {
		catalog_refuse(c, "%s", err.text);
		return false;
	}
	*ret_text = arena_str(c->a, buf_str(&text));
	if (str_starts(*ret_text, STR("\xef\xbb\xbf")))
		*ret_text = str_sub(*ret_text, 3, ret_text->n);
	return true;
}

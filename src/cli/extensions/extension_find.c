#include "cli/extensions/extension_find.h"

#include <errno.h>
#include <stdio.h>

#include "base/json_pack.h"
#include "base/path.h"
#include "cli/cli.h"
#include "cli/extensions/extension_tree.h"
#include "extensions/extension.h"
#include "extensions/marketplace.h"
#include "os/fs.h"

enum { LIST_MAX = 50, UP_MAX = 4 /* directories between a plugin and its marketplace */ };

/* Its name when it was given none: the directory's, as far as that can be a name. */
static const char *name_of(struct arena *a, const char *dir)
{
	char *name = arena_z(a, str_from(path_name(dir)));

	for (char *c = name; *c; c++)
		if (!char_is_word(*c) && *c != '-' && *c != '.')
			*c = '-';
	return name + strspn(name, ".");
}

static int which(struct arena *a, const struct marketplace *m, const char *given,
		 const char *plugin, struct err *err)
{
	AUTO(buf_done) struct buf list = { 0 };
	const char **names = ARENA_ARRAY(a, const char *, m->n + 1);

	for (size_t i = 0; i < m->n; i++) {
		names[i] = m->p[i].name;
		if (i < LIST_MAX)
			buf_addf(&list, "%s%s", i ? ", " : "", names[i]);
	}
	if (m->n > LIST_MAX)
		buf_addf(&list, " and %zu more", m->n - LIST_MAX);
	if (plugin)
		return err_set(err, E_NOTFOUND, "the marketplace %s has no plugin \"%s\"%s: %s",
			       m->name, plugin, did_you_mean(a, plugin, names, m->n),
			       list.n ? buf_z(&list) : "it has none");
	if (!m->n)
		return err_set(err, E_NOTFOUND, "the marketplace %s has no plugins", m->name);
	return err_set(
		err, E_INVAL,
		"the marketplace %s has %zu plugins: %s; name one, as in trotline extensions "
		"install %s %s",
		m->name, m->n, buf_z(&list), given, names[0]);
}

/* What of the entry counts once it is installed: all but where it came from. */
static const struct json *kept(struct arena *a, const struct marketplace_plugin *p)
{
	return json_without(a, p->entry, STR("source"));
}

/* Of a plugin that is named by its own path: what the marketplace that has it says. */
static const struct json *said_above(struct arena *a, const char *dir)
{
	const struct marketplace_plugin *p = NULL;
	char *up = arena_z(a, str_from(dir)), *slash = up;
	struct marketplace m;

	for (int i = 0; i < UP_MAX && slash && *up && !p; i++) {
		if (marketplace_read(a, up, &m, NULL) == 0)
			p = marketplace_at(&m, dir);
		slash = strrchr(up, '/');
		if (slash)
			*slash = '\0';
	}
	return p ? kept(a, p) : NULL;
}

int found_in(struct arena *a, const char *dir, const char *plugin, const char *given,
	     struct found *ret_found, struct err *err)
{
	/* Of these a plugin may consist without a manifest. */
	static const char *const parts[] = { EXTENSION_HOOKS, ".mcp.json", "agents", "commands",
					     "skills" };
	bool own = fs_has(dir, EXTENSION_MANIFEST) || fs_has(dir, PLUGIN_MANIFEST);
	const struct marketplace_plugin *p;
	const struct json *said = NULL;
	AUTO(free) char *real = fs_real(dir);
	struct marketplace m;
	int r;

	dir = arena_z(a, str_from(real ? real : dir));
	if (plugin || (!own && fs_has(dir, PLUGIN_MARKETPLACE))) {
		r = marketplace_read(a, dir, &m, err);
		if (r < 0)
			return r == -E_NOTFOUND ? err_set(err, E_NOTFOUND,
							  "%s is not a marketplace: it has no %s",
							  given, PLUGIN_MARKETPLACE)
						: r;
		p = plugin ? marketplace_find(&m, plugin) : m.n == 1 ? m.p : NULL;
		if (!p)
			return which(a, &m, given, plugin, err);
		if (p->problem)
			return err_set(err, E_INVAL, "the plugin \"%s\" of the marketplace %s: %s",
				       p->name, m.name, p->problem);
		*ret_found = (struct found){ p->dir, kept(a, p), m.name, p->dir ? NULL : p };
		return 0;
	}
	if (!own || fs_has(dir, PLUGIN_MANIFEST))
		said = said_above(a, dir);
	for (size_t i = 0; !said && !own && i < ARRAY_LEN(parts); i++)
		if (fs_has(dir, parts[i]))
			said = json_pack(a, "name:z", name_of(a, dir));
	*ret_found = (struct found){ .dir = dir, .plugin = said };
	return 0;
}

/* ---- fetching ---- */

/* What has been made in `to` becomes a directory of it. */
static int narrow(struct wb *wb, const char *work, const char *to, const char *below,
		  struct err *err)
{
	AUTO(free) char *whole = fs_join(work, "whole");
	AUTO(free) char *dir = fs_join(whole, below);
	AUTO(free) char *real = NULL;
	AUTO(free) char *top = NULL;

	(void)tree_remove(whole, NULL);
	if (rename(to, whole) < 0)
		return err_errno(err, errno, "moving %s", to);
	real = fs_real(dir);
	top = fs_real(whole);
	if (!path_below(top, real) || !fs_is_dir(real))
		return err_set(err, E_NOTFOUND, "it has no directory %s", below);
	return source_copy(wb, real, top, to, err);
}

static int fetch_elsewhere(struct wb *wb, struct arena *a, const struct extension_source *from,
			   const struct marketplace_plugin *p, const char *work, const char *to,
			   struct err *err)
{
	struct extension_source s;
	int r = source_parse(a, p->url, p->ref, &s, err);

	if (r < 0)
		return r;
	if (!s.git || (from->git && strncmp(s.where, "file:", 5) == 0 &&
		       strncmp(from->where, "file:", 5) != 0))
		return err_set(err, E_INVAL,
			       "the plugin \"%s\": %s is not the address of a repository", p->name,
			       p->url);
	r = source_fetch(wb, &s, to, err);
	return r < 0 || !p->below ? r : narrow(wb, work, to, p->below, err);
}

int found_fetch(struct wb *wb, struct arena *a, const struct extension_source *s,
		const char *plugin, const char *work, const char *to, struct found *ret_found,
		struct err *err)
{
	struct found f;
	int r = s->git ? source_fetch(wb, s, to, err) : 0;
	const char *top = arena_z(a, str_from(s->git ? to : s->where)), *below;

	r = r < 0 ? r : found_in(a, top, plugin, s->where, &f, err);
	if (r < 0)
		return r;
	AUTO(free) char *real = fs_real(top);
	if (f.elsewhere) {
		r = s->git ? tree_remove(to, err) : 0;
		r = r < 0 ? r : fetch_elsewhere(wb, a, s, f.elsewhere, work, to, err);
		f.dir = f.elsewhere->url;
	} else if (!s->git) {
		r = source_copy(wb, f.dir, f.marketplace ? real : f.dir, to, err);
	} else {
		below = path_below(real, f.dir);
		r = below && *below ? narrow(wb, work, to, below, err) : 0;
		f.dir = below && *below ? arena_printf(a, "%s/%s", s->where, below).p : s->where;
	}
	*ret_found = f;
	return r;
}

/* ---- NAME@SOURCE ---- */

bool found_split(struct arena *a, const char *home, const char *text, const char **ret_plugin,
		 const char **ret_source)
{
	AUTO(free) char *path = fs_join(home, ".claude/plugins/known_marketplaces.json");
	AUTO(buf_done) struct buf bytes = { 0 };
	const char *at = strchr(text, '@');
	const struct json *known = NULL;
	struct str dir;

	if (!at || at == text || !at[1] || fs_exists(text) || strncmp(text, "git@", 4) == 0 ||
	    memchr(text, '/', (size_t)(at - text)) || memchr(text, ':', (size_t)(at - text)))
		return false;
	*ret_plugin = arena_z(a, (struct str){ text, (size_t)(at - text) });
	*ret_source = at + 1;
	/* A name may be that of a marketplace that Claude Code knows. */
	if (!fs_is_dir(at + 1) && fs_read(path, EXTENSION_FILE_MAX, &bytes, NULL) >= 0)
		(void)json_parse(a, arena_str(a, buf_str(&bytes)), JSON_C, &known, NULL);
	dir = json_get_str(json_getz(known, at + 1), "installLocation");
	if (dir.n && dir.p[0] == '/' && !memchr(dir.p, '\0', dir.n))
		*ret_source = arena_z(a, dir);
	return true;
}

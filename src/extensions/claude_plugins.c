/*
 * Plugins that Claude Code has installed for itself.  Its files are in ~/.claude/plugins:
 *
 *	installed_plugins.json	{plugins: {ID: [{installPath, projectPath?}]}}; or no list
 *	known_marketplaces.json	{MARKETPLACE: {installLocation}}
 *	cache/MARKETPLACE/NAME/VERSION/
 */
#include "base/path.h"
#include "base/vec.h"
#include "extensions/extension_impl.h"
#include "extensions/marketplace.h"
#include "os/fs.h"

static const struct json *plugins_file(struct arena *a, const char *home, const char *name)
{
	const char *path = arena_printf(a, "%s/.claude/plugins/%s", home, name).p;
	const struct json *v;

	return extension_json(a, path, &v, NULL) == 0 ? v : NULL;
}

static const char *dir_of(struct arena *a, const struct json *v, const char *key)
{
	struct str s = json_get_str(v, key);
	const char *path = s.n && s.p[0] == '/' && !memchr(s.p, '\0', s.n) ? arena_z(a, s) : NULL;

	return path && fs_is_dir(path) ? path : NULL;
}

/* That of this project, else one for all. */
static const char *installed(struct arena *a, const struct json *v, const char *project)
{
	const char *found = json_is(v, J_OBJ) ? dir_of(a, v, "installPath") : NULL;

	for (size_t i = 0; json_is(v, J_ARR) && i < v->n; i++) {
		const struct json *one = json_at(v, i);
		struct str owner = json_get_str(one, "projectPath");
		const char *dir = dir_of(a, one, "installPath");

		if (dir && owner.n && project && str_eqz(owner, project))
			return dir;
		if (dir && !owner.n && !found)
			found = dir;
	}
	return found;
}

/* The newest of the cache, as far as names of directories tell. */
static const char *cached(struct arena *a, const char *home, struct str name, struct str market)
{
	const char *dir = arena_printf(a, "%s/.claude/plugins/cache/%.*s/%.*s", home,
				       STR_ARG(market), STR_ARG(name))
				  .p;
	const char *found = NULL;
	AUTO(fs_names_done) struct fs_names names = { 0 };

	if (fs_list(dir, &names, NULL) < 0)
		return NULL;
	for (size_t i = 0; i < names.n; i++) {
		AUTO(free) char *path = fs_join(dir, names.p[i]);

		if (names.p[i][0] != '.' && fs_is_dir(path) &&
		    (!found || strverscmp(path_name(found), names.p[i]) < 0))
			found = arena_z(a, str_from(path));
	}
	return found;
}

static bool is_plain(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!char_is_word(s.p[i]) && s.p[i] != '-' && s.p[i] != '.')
			return false;
	return s.n && s.p[0] != '.';
}

const char *claude_plugin_dir(struct arena *a, const char *home, const char *project, struct str id,
			      const struct json **ret_said)
{
	ptrdiff_t at = str_chr(id, '@', 0);
	struct str name = str_sub(id, 0, at < 0 ? id.n : (size_t)at);
	struct str market = at < 0 ? STR("") : str_sub(id, (size_t)at + 1, id.n);
	const struct json *known =
		json_get(plugins_file(a, home, "known_marketplaces.json"), market);
	const char *place = dir_of(a, known, "installLocation"), *dir;
	const struct marketplace_plugin *p = NULL;
	struct marketplace m;

	*ret_said = NULL;
	if (!is_plain(name) || !is_plain(market))
		return NULL;
	if (place && marketplace_read(a, place, &m, NULL) == 0)
		p = marketplace_find(&m, arena_z(a, name));
	if (p)
		*ret_said = json_without(a, p->entry, STR("source"));
	dir = installed(
		a,
		json_get(json_getz(plugins_file(a, home, "installed_plugins.json"), "plugins"), id),
		project);
	if (!dir)
		dir = cached(a, home, name, market);
	if (!dir && p)
		dir = p->dir;
	if (!*ret_said)
		*ret_said = json_set(a, NULL, STR("name"), json_new_str(a, name));
	return dir;
}

const char *claude_plugin_data(struct arena *a, const char *home, struct str id)
{
	char *name = arena_z(a, id);

	for (char *c = name; *c; c++)
		if (!char_is_word(*c) && *c != '-')
			*c = '-';
	return arena_printf(a, "%s/.claude/plugins/data/%s", home, name).p;
}

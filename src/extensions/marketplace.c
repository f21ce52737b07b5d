#include "extensions/marketplace.h"

#include "base/path.h"
#include "extensions/extension_impl.h"
#include "os/fs.h"

static const char *text(struct arena *a, const struct json *v, const char *key)
{
	struct str s = str_trim(json_get_str(v, key));

	return s.n && !memchr(s.p, '\0', s.n) ? arena_z(a, s) : NULL;
}

/* A directory below the marketplace; NULL when it is not there, or outside. */
static const char *dir_below(struct arena *a, const char *root, const char *base, const char *path)
{
	AUTO(free) char *from = fs_join(root, base ? base : ".");
	AUTO(free) char *whole = fs_join(from, path);
	AUTO(free) char *real = fs_real(whole);

	return path[0] != '/' && fs_is_dir(whole) && path_below(root, real)
		       ? arena_z(a, str_from(real))
		       : NULL;
}

/* {"source": "github", "repo": "OWNER/NAME"} and its kin. */
static void find_repository(struct arena *a, const struct json *v, struct marketplace_plugin *p)
{
	static const struct {
		const char *source, *key;
		bool below; /* "path" is a directory in it */
	} kinds[] = {
		{ "github", "repo", false },
		{ "url", "url", false },
		{ "git", "url", false },
		{ "git-subdir", "url", true },
	};
	struct str source = json_get_str(v, "source");
	const char *where;
	size_t i = 0;

	while (i < ARRAY_LEN(kinds) && !str_eqz(source, kinds[i].source))
		i++;
	if (i == ARRAY_LEN(kinds)) {
		p->problem = arena_printf(a,
					  "its source \"%.*s\" is none that can be installed "
					  "from here (a directory, github, url, git-subdir)",
					  STR_ARG(str_sub(source, 0, 40)))
				     .p;
		return;
	}
	where = text(a, v, kinds[i].key);
	if (!where) {
		p->problem = arena_printf(a, "its source has no \"%s\"", kinds[i].key).p;
		return;
	}
	/* OWNER/NAME, as on GitHub. */
	p->url = strstr(where, "://") || strchr(where, '@')
			 ? where
			 : arena_printf(a, "https://github.com/%s.git", where).p;
	p->ref = text(a, v, "sha") ? text(a, v, "sha") : text(a, v, "ref");
	p->below = kinds[i].below ? text(a, v, "path") : NULL;
}

static void find_source(struct arena *a, const struct marketplace *m, const char *base,
			const struct json *v, struct marketplace_plugin *p)
{
	const char *path = json_is(v, J_STR) ? arena_z(a, json_str(v, STR(""))) : NULL;

	if (!path && !json_is(v, J_OBJ)) {
		p->problem = "it has no \"source\"";
		return;
	}
	if (!path) {
		find_repository(a, v, p);
		return;
	}
	p->dir = base ? dir_below(a, m->dir, base, path) : NULL;
	if (!p->dir)
		p->dir = dir_below(a, m->dir, NULL, path);
	if (!p->dir)
		p->problem = arena_printf(a, "the marketplace has no directory %s", path).p;
}

int marketplace_read(struct arena *a, const char *dir, struct marketplace *ret_m, struct err *err)
{
	AUTO(free) char *real = fs_real(dir);
	AUTO(free) char *path = fs_join(dir, PLUGIN_MARKETPLACE);
	AUTO(free) char *real_path = fs_real(path);
	const struct json *v, *list;
	struct marketplace m = { 0 };
	const char *base;
	int r;

	if (!real || !fs_exists(path))
		return err_set(err, E_NOTFOUND, "%s: no such file", path);
	if (!path_below(real, real_path))
		return err_set(err, E_CONFIG, "%s: it leads out of the marketplace", path);
	r = extension_json(a, path, &v, err);
	if (r < 0)
		return r;
	list = json_getz(v, "plugins");
	if (!json_is(list, J_ARR))
		return err_set(err, E_CONFIG, "%s: it has no array \"plugins\"", path);
	m.dir = arena_z(a, str_from(real));
	m.name = text(a, v, "name") ? text(a, v, "name") : path_name(m.dir);
	base = text(a, json_getz(v, "metadata"), "pluginRoot");
	m.p = ARENA_ARRAY(a, struct marketplace_plugin,
			  min_size(list->n, MARKETPLACE_PLUGINS_MAX) + 1);
	for (size_t i = 0; i < list->n && m.n < MARKETPLACE_PLUGINS_MAX; i++) {
		const struct json *entry = json_at(list, i);
		const char *name = text(a, entry, "name");
		struct marketplace_plugin *p = &m.p[m.n];

		if (!name)
			continue;
		*p = (struct marketplace_plugin){
			.name = name,
			.description = arena_z(a, json_get_str(entry, "description")),
			.entry = entry,
		};
		find_source(a, &m, base, json_getz(entry, "source"), p);
		m.n++;
	}
	*ret_m = m;
	return 0;
}

const struct marketplace_plugin *marketplace_find(const struct marketplace *m, const char *name)
{
	for (size_t i = 0; i < m->n; i++)
		if (strcmp(m->p[i].name, name) == 0)
			return &m->p[i];
	return NULL;
}

const struct marketplace_plugin *marketplace_at(const struct marketplace *m, const char *dir)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->p[i].dir && strcmp(m->p[i].dir, dir) == 0)
			return &m->p[i];
	return NULL;
}

/*
 * Plugins of Claude Code.  What .claude-plugin/plugin.json and the marketplace's entry say, and
 * what is where it always is, becomes one manifest in which everything is in one form:
 *
 *	name, version, description, mcpServers, settings	as in an extension's
 *	commands, skills, agents	paths in the plugin
 *	hooks	{file: "" = of the installation, pointer: to the events in that file}
 *
 * Nothing here trusts a plugin: a path that leads out of it is as good as none.
 */
#include <sys/stat.h>

#include "base/env.h"
#include "base/json_pack.h"
#include "base/vec.h"
#include "extensions/extension_impl.h"
#include "os/fs.h"

#define MCP_FILE ".mcp.json"

enum { PART_FILES_MAX = 200 };

/* One of the two that say what a plugin consists of. */
struct said {
	const struct json *v; /* an object, or NULL */
	const char *file; /* in the plugin; "" = the file of the installation */
	const char *before; /* of JSON Pointers into that file */
};

struct reading {
	struct extension *e;
	struct arena *a;
	struct said said[2];
	bool only_entry; /* strict: false.  What the entry lists is all there is of that kind */
};

bool plugin_is(const struct extension *e)
{
	AUTO(free) char *path = fs_join(e->dir, PLUGIN_MANIFEST);

	return json_is(json_getz(e->install, "plugin"), J_OBJ) || fs_exists(path);
}

/* ---- paths ---- */

/* "./x/" is "x", and the plugin itself ".". */
static struct str plain_path(struct str path)
{
	while (str_starts(path, STR("./")))
		path = str_trim(str_sub(path, 2, path.n));
	while (path.n > 1 && path.p[path.n - 1] == '/')
		path = str_sub(path, 0, path.n - 1);
	return path.n ? path : STR(".");
}

/* Is it read with the directory `dir`: a skill in it, or a file? */
static bool comes_with(struct str dir, struct str path, bool skills)
{
	struct str rest = str_starts(path, dir) ? str_sub(path, dir.n, path.n) : STR("");

	return rest.n > 1 && rest.p[0] == '/' && str_chr(rest, '/', 1) < 0 &&
	       (skills || str_ends(rest, STR(".md")));
}

static void add_path(struct reading *r, struct json_list *list, const char *kind, struct str path)
{
	bool skills = strcmp(kind, "skills") == 0;

	path = plain_path(path);
	for (size_t i = 0; i < list->n; i++) {
		struct str one = json_str(list->p[i], STR(""));

		if (str_eq(one, path) || comes_with(one, path, skills))
			return;
	}
	if (list->n < PART_FILES_MAX && !memchr(path.p, '\0', path.n))
		json_list_add(list, json_new_str(r->a, path));
}

/* A path, several, or an object whose members have a "source". */
static void add_paths(struct reading *r, struct json_list *list, const char *kind,
		      const struct json *v)
{
	if (json_is(v, J_STR))
		add_path(r, list, kind, json_str(v, STR("")));
	for (size_t i = 0; (json_is(v, J_ARR) || json_is(v, J_OBJ)) && i < v->n; i++) {
		const struct json *one = v->type == J_ARR ? json_at(v, i) : &v->members[i].v;
		const struct json *source = json_getz(one, "source");

		add_paths(r, list, kind,
			  json_is(one, J_STR)      ? one
			  : json_is(source, J_STR) ? source
						   : NULL);
	}
}

/* commands, skills, agents: the directory of that name, and what is said. */
static const struct json *paths_of(struct reading *r, const char *kind)
{
	struct json_list list = { 0 };

	if (!r->only_entry || !json_getz(r->said[1].v, kind))
		add_path(r, &list, kind, str_from(kind));
	for (size_t i = 0; i < ARRAY_LEN(r->said); i++)
		add_paths(r, &list, kind, json_getz(r->said[i].v, kind));
	return json_list_take(r->a, &list);
}

/* ---- hooks ---- */

static void add_hooks(struct reading *r, struct json_list *list, const char *file,
		      const char *pointer)
{
	const char *real = *file ? extension_path(r->a, r->e, file) : NULL;

	for (size_t i = 0; real && i < list->n; i++) {
		struct str other = json_get_str(list->p[i], "file");
		const char *path =
			other.n ? extension_path(r->a, r->e, arena_z(r->a, other)) : NULL;

		if (path && strcmp(path, real) == 0 &&
		    str_eqz(json_get_str(list->p[i], "pointer"), pointer))
			return;
	}
	if (list->n < PART_FILES_MAX)
		json_list_add(list, json_pack(r->a, "file:z pointer:z", file, pointer));
}

/* Events, or an object with a member of them; a file of these; or several. */
static void add_said_hooks(struct reading *r, struct json_list *list, const struct said *s,
			   const struct json *v, const char *pointer)
{
	struct str path = json_str(v, STR(""));

	if (path.n && !memchr(path.p, '\0', path.n))
		add_hooks(r, list, arena_z(r->a, plain_path(path)), "/hooks");
	if (json_is(v, J_OBJ))
		add_hooks(r, list, s->file,
			  arena_printf(r->a, "%s%s%s", s->before, pointer,
				       json_is(json_getz(v, "hooks"), J_OBJ) ? "/hooks" : "")
				  .p);
	for (size_t i = 0; json_is(v, J_ARR) && i < v->n; i++)
		add_said_hooks(r, list, s, json_at(v, i),
			       arena_printf(r->a, "%s/%zu", pointer, i).p);
}

static const struct json *hooks_of(struct reading *r)
{
	AUTO(free) char *own = fs_join(r->e->dir, EXTENSION_HOOKS);
	struct json_list list = { 0 };
	struct stat st;

	/* A link to nothing is there, and cannot be read. */
	if (lstat(own, &st) == 0)
		add_hooks(r, &list, EXTENSION_HOOKS, "/hooks");
	for (size_t i = 0; i < ARRAY_LEN(r->said); i++)
		add_said_hooks(r, &list, &r->said[i], json_getz(r->said[i].v, "hooks"), "/hooks");
	return json_list_take(r->a, &list);
}

/* ---- servers ---- */

/* {"mcpServers": {...}}, or the servers themselves; what cannot be read is said where it is looked
 * for mistakes. */
static const struct json *servers_of_file(struct reading *r, const char *file)
{
	const char *path = extension_path(r->a, r->e, file);
	const struct json *v, *inner;

	if (!path || extension_json(r->a, path, &v, NULL) < 0)
		return NULL;
	inner = json_getz(v, "mcpServers");
	return inner ? inner : v;
}

static const struct json *add_servers(struct reading *r, const struct json *all,
				      const struct json *v)
{
	struct str path = json_str(v, STR(""));

	if (path.n && !memchr(path.p, '\0', path.n))
		v = servers_of_file(r, arena_z(r->a, plain_path(path)));
	for (size_t i = 0; json_is(v, J_ARR) && i < v->n; i++)
		all = add_servers(r, all, json_at(v, i));
	for (size_t i = 0; json_is(v, J_OBJ) && i < v->n; i++)
		if (json_is(&v->members[i].v, J_OBJ))
			all = json_set(r->a, all, v->members[i].key, &v->members[i].v);
	return all;
}

/* ---- settings ---- */

/* userConfig: hooks and servers find the value of KEY in CLAUDE_PLUGIN_OPTION_KEY. */
static const struct json *settings_of(struct reading *r)
{
	const struct json *all = json_getz(r->said[0].v, "userConfig");
	struct json_list list = { 0 };

	for (size_t i = 0; json_is(all, J_OBJ) && i < all->n; i++) {
		const struct json_member *m = &all->members[i];
		struct str title = json_get_str(&m->v, "title");
		struct str variable = arena_printf(r->a, PLUGIN_OPTION "%.*s", STR_ARG(m->key));

		for (size_t k = 0; k < variable.n; k++)
			((char *)variable.p)[k] = char_upper(variable.p[k]);
		if (env_name_is_valid(variable) && json_is(&m->v, J_OBJ))
			json_list_add(&list,
				      json_pack(r->a, "name:s description:s envVar:s sensitive:b",
						title.n ? title : m->key,
						json_get_str(&m->v, "description"), variable,
						json_is_true(json_getz(&m->v, "sensitive"))));
	}
	return json_list_take(r->a, &list);
}

/* ---- all ---- */

/* The first of the two that says it. */
static struct str text_of(const struct reading *r, const char *key, struct str dflt)
{
	for (size_t i = 0; i < ARRAY_LEN(r->said); i++)
		if (json_get_str(r->said[i].v, key).n)
			return json_get_str(r->said[i].v, key);
	return dflt;
}

/* "@scope/name", as packages are called, is "scope-name" here. */
static struct str name_of(const struct reading *r)
{
	struct str said = text_of(r, "name", STR(""));
	char *out = arena_z(r->a, said);
	size_t from = said.n && !memchr(said.p, '\0', said.n) ? strspn(out, "@/. ") : 0;

	for (char *c = out + from; *c; c++)
		if ((unsigned char)*c < 0x80 && strchr("@/: ", *c))
			*c = '-';
	return from < said.n ? str_from(out + from) : said;
}

const struct json *plugin_manifest(struct arena *a, struct extension *e, const struct json *own)
{
	struct reading r = {
		.e = e,
		.a = a,
		.said = { { own, PLUGIN_MANIFEST, "" },
			  { json_getz(e->install, "plugin"), "", "/plugin" } },
	};
	const struct json *servers, *none = json_new_arr(a, NULL, 0);

	r.only_entry = json_is_false(json_getz(r.said[1].v, "strict"));
	servers = add_servers(&r, NULL, servers_of_file(&r, MCP_FILE));
	for (size_t i = 0; i < ARRAY_LEN(r.said); i++)
		servers = add_servers(&r, servers, json_getz(r.said[i].v, "mcpServers"));
	return json_pack(a,
			 "?name:s version:s description:s contextFileName:j ?mcpServers:j "
			 "settings:j commands:j skills:j agents:j hooks:j",
			 name_of(&r), text_of(&r, "version", STR("0.0.0")),
			 text_of(&r, "description", STR("")), none, servers, settings_of(&r),
			 paths_of(&r, "commands"), paths_of(&r, "skills"), paths_of(&r, "agents"),
			 hooks_of(&r));
}

const char *plugin_data(struct arena *a, const char *home, struct str name)
{
	return home && *home ? arena_printf(a, "%s/.trotline/plugins/%.*s", home, STR_ARG(name)).p
			     : NULL;
}

/* ---- where its parts are ---- */

size_t extension_hook_files(struct arena *a, const struct extension *e,
			    const struct extension_hooks **ret_files)
{
	const struct json *list = e->is_plugin ? json_getz(e->manifest, "hooks") : NULL;
	struct extension_hooks *files =
		ARENA_ARRAY(a, struct extension_hooks, (list ? list->n : 0) + 1);
	size_t n = 0;

	*ret_files = files;
	if (!e->is_plugin || e->problem) {
		AUTO(free) char *own = fs_join(e->dir, EXTENSION_HOOKS);

		/* Of a plugin without that file they may be in what cannot be read. */
		if (e->is_plugin && !fs_exists(own))
			own = (free(own), fs_join(e->dir, PLUGIN_MANIFEST));
		files[0] = (struct extension_hooks){ arena_z(a, str_from(own)), "/hooks" };
		return 1;
	}
	for (; n < list->n; n++) {
		struct str file = json_get_str(json_at(list, n), "file");

		files[n].file = arena_printf(a, "%s/%.*s", file.n ? e->dir : e->root,
					     STR_ARG(file.n ? file : STR(EXTENSION_INSTALL_FILE)))
					.p;
		files[n].pointer = arena_z(a, json_get_str(json_at(list, n), "pointer"));
	}
	return n;
}

const char *const *extension_places(struct arena *a, const struct extension *e, const char *kind)
{
	const struct json *list = e->is_plugin ? json_getz(e->manifest, kind) : NULL;
	size_t all = json_is(list, J_ARR) ? list->n : 1, n = 0;
	const char **out = ARENA_ARRAY(a, const char *, all + 1);

	for (size_t i = 0; i < all; i++) {
		const char *path = extension_path(
			a, e, list ? arena_z(a, json_str(json_at(list, i), STR(""))) : kind);

		if (path)
			out[n++] = path;
	}
	return out;
}

const char *const *extension_misplaced_hooks(struct arena *a, const struct extension *e)
{
	static const char *const places[] = { ".claude-plugin/hooks.json",
					      ".claude-plugin/hooks/hooks.json" };
	const char **list = ARENA_ARRAY(a, const char *, ARRAY_LEN(places) + 1);
	const struct extension_hooks *read;
	size_t nread = extension_hook_files(a, e, &read), n = 0;

	for (size_t i = 0; e->is_plugin && i < ARRAY_LEN(places); i++) {
		const char *file = extension_path(a, e, places[i]);
		bool known = !file;

		for (size_t k = 0; !known && k < nread; k++) {
			AUTO(free) char *real = fs_real(read[k].file);

			known = real && strcmp(real, file) == 0;
		}
		if (!known)
			list[n++] = file;
	}
	return list;
}

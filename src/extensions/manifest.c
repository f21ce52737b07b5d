/* One extension: its manifest, where it comes from, and the values of its settings. */
#include <unistd.h>

#include "base/env.h"
#include "base/env_line.h"
#include "base/path.h"
#include "base/vec.h"
#include "extensions/extension_impl.h"
#include "os/fs.h"
#include "settings/expand.h"
#include "settings/read.h"

enum { ENV_FILE_MAX = 64 << 10, SETTINGS_MAX = 1000 };

bool extension_name_is_valid(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (!char_is_word(name.p[i]) && name.p[i] != '-' && name.p[i] != '.')
			return false;
	return name.n && name.n <= EXTENSION_NAME_MAX && name.p[0] != '.' &&
	       !str_eqz_icase(name, "none");
}

/* ---- variables ---- */

struct source {
	const struct extension *e;
	const char *project;
};

/* Without braces only settings, as in a shell. */
static const char *value_of(const void *data, struct str name, bool braced)
{
	static const struct str option = STR("user_config.");
	const struct source *from = data;
	const struct extension *e = from->e;
	AUTO(free) char *variable = NULL;

	if (braced && str_eqz(name, "extensionPath"))
		return e->dir;
	if (braced && str_eqz(name, "workspacePath"))
		return from->project ? from->project : "";
	if (braced && (str_eqz(name, "/") || str_eqz(name, "pathSeparator")))
		return "/";
	/* Claude Code's names: of the plugin, of its settings, and of the environment. */
	if (e->is_plugin && str_eqz(name, "CLAUDE_PLUGIN_ROOT"))
		return e->dir;
	if (e->is_plugin && str_eqz(name, "CLAUDE_PLUGIN_DATA"))
		return e->data;
	if (e->is_plugin && str_eqz(name, "CLAUDE_PROJECT_DIR"))
		return from->project;
	if (!e->is_plugin || !str_starts(name, option))
		return env_find(e->env, name);
	name = str_sub(name, option.n, name.n);
	variable = xasprintf(PLUGIN_OPTION "%.*s", STR_ARG(name));
	for (char *c = variable; *c; c++)
		*c = char_upper(*c);
	return env_find(e->env, str_from(variable));
}

static struct expansion expansion_of(const struct source *from)
{
	return (struct expansion){
		.value = value_of, .data = from, .any_name = true, .room = EXTENSION_FILE_MAX
	};
}

struct str extension_expand(struct arena *a, const struct extension *e, const char *project,
			    struct str text)
{
	struct source from = { e, project };
	struct expansion x = expansion_of(&from);

	return expand(&x, a, text);
}

/* ---- settings ---- */

static bool is_declared(const struct json *settings, struct str name)
{
	for (size_t i = 0; i < settings->n && i < SETTINGS_MAX; i++)
		if (str_eq(json_get_str(json_at(settings, i), "envVar"), name))
			return env_name_is_valid(name);
	return false;
}

static void read_values(struct arena *a, const struct json *settings, const char *dir,
			const char **env)
{
	AUTO(free) char *path = fs_join(dir, ".env");
	AUTO(buf_done) struct buf text = { 0 };

	if (fs_read(path, ENV_FILE_MAX, &text, NULL) < 0)
		return;
	for (struct str rest = buf_str(&text), line; str_split(&rest, '\n', &line);) {
		AUTO(buf_done) struct buf value = { 0 };
		struct str name;

		if (env_line(line, &name, &value) && is_declared(settings, name) &&
		    !memchr(buf_z(&value), '\0', value.n)) {
			size_t i = 0;

			/* Of a name that occurs twice the last value counts. */
			while (env[i] &&
			       (strncmp(env[i], name.p, name.n) != 0 || env[i][name.n] != '='))
				i++;
			env[i] = arena_printf(a, "%.*s=%s", STR_ARG(name), buf_z(&value)).p;
		}
	}
}

/* What the .env of the installation says about declared settings; they are private to it.  The
 * project's own values come before those (release 0.61.0). */
static void read_settings(struct arena *a, struct extension *e, const struct extension_options *o,
			  const struct json *manifest)
{
	const struct json *settings = json_getz(manifest, "settings");
	const char **env;

	if (!json_is(settings, J_ARR) || !settings->n)
		return;
	env = ARENA_ARRAY(a, const char *, min_size(settings->n, SETTINGS_MAX) + 1);
	read_values(a, settings, e->root, env);
	if (o->project_env && o->project && strcmp(o->project, o->home) != 0)
		read_values(a, settings, o->project, env);
	if (env[0])
		e->env = env;
}

/* ---- the manifest ---- */

static int wrong(struct extension *e, struct arena *a, const char *fmt, ...) PRINTF_LIKE(3, 4);

static int wrong(struct extension *e, struct arena *a, const char *fmt, ...)
{
	AUTO(free) char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	e->problem = arena_z(a, str_from(text));
	return -E_CONFIG;
}

/* Members whose type is checked: everything else is looked at by who uses it. */
static const struct {
	const char *name;
	enum json_type type, other;
	const char *what;
} typed[] = {
	{ "contextFileName", J_STR, J_ARR, "a string or an array" },
	{ "description", J_STR, J_STR, "a string" },
	{ "excludeTools", J_ARR, J_ARR, "an array" },
	{ "mcpServers", J_OBJ, J_OBJ, "an object" },
	{ "settings", J_ARR, J_ARR, "an array" },
	{ "version", J_STR, J_STR, "a string" },
};

static int check_manifest(struct extension *e, struct arena *a, const char *path,
			  const struct json *v)
{
	struct str name = json_get_str(v, "name");

	if (!json_is(json_getz(v, "name"), J_STR))
		return wrong(e, a, "%s: the manifest has no \"name\"", path);
	if (!extension_name_is_valid(name))
		return wrong(e, a,
			     "%s: invalid extension name \"%.*s\": use letters, digits, - _ and "
			     "., at most %d",
			     path, STR_ARG(str_sub(name, 0, EXTENSION_NAME_MAX)),
			     EXTENSION_NAME_MAX);
	for (size_t i = 0; i < ARRAY_LEN(typed); i++) {
		const struct json *m = json_get(v, str_from(typed[i].name));

		if (m && m->type != J_NULL && m->type != typed[i].type && m->type != typed[i].other)
			return wrong(e, a, "%s: \"%s\" must be %s, this is %s", path, typed[i].name,
				     typed[i].what, json_what(m));
	}
	return 0;
}

/* A manifest's file, an object; -E_CONFIG after having said what is wrong. */
static int read_object(struct extension *e, struct arena *a, const struct extension_options *o,
		       const char *name, const struct json **ret_v)
{
	AUTO(free) char *path = fs_join(e->dir, name);
	AUTO(free) char *shown = fs_join(o->shown ? o->shown : e->dir, name);
	struct err err;

	if (!fs_exists(path))
		return wrong(e, a, "%s: no such file", shown);
	if (!extension_path(a, e, name))
		return wrong(e, a, "%s: points outside the extension directory", shown);
	if (extension_json(a, path, ret_v, &err) == 0)
		return 0;
	return err.line ? wrong(e, a, "%s:%u:%u: %s", shown, err.line, err.column,
				err_sentence(&err))
			: wrong(e, a, "%s: %s", shown, err_sentence(&err));
}

/* What both manifests say, where Gemini CLI's is the one for an agent like this. */
static const struct json *both(struct arena *a, const struct json *plugin, const struct json *own)
{
	static const char *const parts[] = { "commands", "skills", "agents", "hooks" };
	const struct json *servers = json_getz(plugin, "mcpServers"), *v = own;

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		v = json_set(a, v, str_from(parts[i]), json_getz(plugin, parts[i]));
	if (servers && json_is(json_getz(own, "mcpServers"), J_OBJ))
		servers = json_overlay(a, servers, json_getz(own, "mcpServers"));
	return servers ? json_set(a, v, STR("mcpServers"), servers) : v;
}

static int read_manifest(struct extension *e, struct arena *a, const struct extension_options *o)
{
	const char *name = EXTENSION_MANIFEST;
	struct source from = { e, o->project };
	struct expansion x = expansion_of(&from);
	const struct json *v = NULL, *own = NULL;

	e->is_plugin = plugin_is(e);
	e->is_both = e->is_plugin && fs_has(e->dir, EXTENSION_MANIFEST);
	if (e->is_plugin) {
		if (fs_has(e->dir, PLUGIN_MANIFEST) &&
		    read_object(e, a, o, PLUGIN_MANIFEST, &own) < 0)
			return -E_CONFIG;
		v = plugin_manifest(a, e, own);
		name = PLUGIN_MANIFEST;
	}
	if (!e->is_plugin && !fs_has(e->dir, EXTENSION_MANIFEST))
		return wrong(e, a,
			     "%s/" EXTENSION_MANIFEST ": no such file, and no " PLUGIN_MANIFEST,
			     o->shown ? o->shown : e->dir);
	if (!e->is_plugin || e->is_both) {
		if (read_object(e, a, o, EXTENSION_MANIFEST, &own) < 0)
			return -E_CONFIG;
		v = e->is_both ? both(a, v, own) : own;
		name = EXTENSION_MANIFEST;
	}
	AUTO(free) char *shown = fs_join(o->shown ? o->shown : e->dir, name);
	e->written = v;
	if (check_manifest(e, a, shown, v) < 0)
		return -E_CONFIG;
	if (e->is_plugin)
		e->data = o->data ? o->data : plugin_data(a, o->home, json_get_str(v, "name"));
	read_settings(a, e, o, v);
	v = expand_json(&x, a, v);
	if (x.full)
		return wrong(e, a, "%s: its variables make it larger than %d MiB", shown,
			     EXTENSION_FILE_MAX >> 20);
	if (check_manifest(e, a, shown, v) < 0)
		return -E_CONFIG;
	e->manifest = v;
	e->name = arena_z(a, json_get_str(v, "name"));
	e->version = arena_z(a, json_get_str(v, "version"));
	e->description = arena_z(a, json_get_str(v, "description"));
	return 0;
}

/* What is linked has its content elsewhere. */
static int find_content(struct extension *e, struct arena *a, const struct extension_options *o)
{
	AUTO(free) char *path = fs_join(e->root, EXTENSION_INSTALL_FILE);
	const char *source;
	struct err err;
	int r = extension_json(a, path, &e->install, &err);

	if (r == -E_NOTFOUND && o->plugin)
		e->install = json_set(a, NULL, STR("plugin"), o->plugin);
	if (r == -E_NOTFOUND)
		return 0;
	if (r < 0)
		return wrong(e, a, "%s", err.text);
	if (!str_eqz(json_get_str(e->install, "type"), "link"))
		return 0;
	source = arena_z(a, json_get_str(e->install, "source"));
	if (*source != '/')
		return wrong(e, a, "%s: a linked extension needs the path of its source", path);
	if (!fs_is_dir(source))
		return wrong(e, a, "%s: the directory that it links to, %s, is gone", path, source);
	e->dir = source;
	return 0;
}

struct extension extension_read(struct arena *a, const struct extension_options *o, const char *dir)
{
	const char *slash = strrchr(dir, '/');
	struct extension e = { .version = "", .description = "", .enabled = true, .chosen = true };

	e.root = e.dir = arena_z(a, str_from(dir));
	e.name = arena_z(a, str_from(slash ? slash + 1 : dir));
	if (!fs_is_dir(dir) || access(dir, R_OK | X_OK) < 0)
		e.lost = wrong(&e, a, "%s: this directory is gone or cannot be read", dir) < 0;
	else if (find_content(&e, a, o) == 0)
		(void)read_manifest(&e, a, o);
	else
		e.lost = true;
	return e;
}

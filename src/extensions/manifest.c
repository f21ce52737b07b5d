/* One extension: its manifest, where it comes from, and the values of its settings. */
#include <strings.h>

#include "base/env_line.h"
#include "base/path.h"
#include "base/vec.h"
#include "extensions/extension_impl.h"
#include "os/fs.h"

enum { ENV_FILE_MAX = 64 << 10, SETTINGS_MAX = 1000 };

bool extension_name_is_valid(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (!char_is_word(name.p[i]) && name.p[i] != '-' && name.p[i] != '.')
			return false;
	return name.n && name.n <= EXTENSION_NAME_MAX && name.p[0] != '.' &&
	       !(name.n == 4 && strncasecmp(name.p, "none", 4) == 0);
}

const char *extension_path(struct arena *a, const struct extension *e, const char *relative)
{
	AUTO(free) char *dir = fs_real(e->dir);
	AUTO(free) char *path = fs_join(e->dir, relative);
	AUTO(free) char *real = fs_real(path);

	if (!path_below(dir, real))
		return NULL;
	return arena_z(a, str_from(real));
}

int extension_json(struct arena *a, const char *path, const struct json **ret_v, struct err *err)
{
	AUTO(buf_done) struct buf text = { 0 };
	struct json_where at = { 0 };
	const struct json *v;
	struct err why;
	int r = fs_read(path, EXTENSION_FILE_MAX, &text, err);

	if (r < 0)
		return r;
	/* The arena's copy, because it outlives the buffer. */
	r = json_parse_at(a, arena_str(a, buf_str(&text)), JSON_C, NULL, &v, &at, &why);
	if (r < 0)
		return err_set(err, E_PARSE, "%s:%u:%u: %s", path, at.line, at.column, why.text);
	if (v->type != J_OBJ)
		return err_set(err, E_CONFIG, "%s:1:1: expected a JSON object, this is %s", path,
			       json_type_name(v));
	*ret_v = v;
	return 0;
}

/* ---- variables ---- */

struct expansion {
	struct arena *a;
	const struct extension *e;
	const char *project;
	size_t room; /* bytes that texts may still become */
	bool full;
};

static const char *setting_value(const struct extension *e, struct str name)
{
	for (const char *const *v = e->env; v && *v; v++)
		if (strncmp(*v, name.p, name.n) == 0 && (*v)[name.n] == '=')
			return *v + name.n + 1;
	return NULL;
}

static const char *value_of(const struct expansion *x, struct str name)
{
	if (str_eqz(name, "extensionPath"))
		return x->e->dir;
	if (str_eqz(name, "workspacePath"))
		return x->project ? x->project : "";
	if (str_eqz(name, "/") || str_eqz(name, "pathSeparator"))
		return "/";
	return name.n ? setting_value(x->e, name) : NULL;
}

/* The value of what begins at text.p[at] == '$', and where it ends; NULL when it is nothing known.
 */
static const char *variable(const struct expansion *x, struct str text, size_t at, size_t *ret_end)
{
	ptrdiff_t close;
	size_t end = at + 1;

	if (end < text.n && text.p[end] == '{') {
		close = str_chr(text, '}', end);
		*ret_end = (size_t)close + 1;
		return close < 0 ? NULL : value_of(x, str_sub(text, end + 1, (size_t)close));
	}
	while (end < text.n && char_is_word(text.p[end]))
		end++;
	*ret_end = end;
	/* Without braces only settings, as in a shell. */
	return end == at + 1 ? NULL : setting_value(x->e, str_sub(text, at + 1, end));
}

static struct str expand(struct expansion *x, struct str text)
{
	AUTO(buf_done) struct buf out = BUF_INIT(.max = x->room);

	if (str_chr(text, '$', 0) < 0)
		return text;
	for (size_t i = 0; i < text.n && !out.full;) {
		size_t end;
		const char *value = text.p[i] == '$' ? variable(x, text, i, &end) : NULL;

		if (value)
			buf_addz(&out, value);
		else
			buf_addc(&out, text.p[i]);
		i = value ? end : i + 1;
	}
	if (out.full || out.n >= x->room) {
		x->full = true;
		return text;
	}
	x->room -= out.n;
	return arena_str(x->a, buf_str(&out));
}

struct str extension_expand(struct arena *a, const struct extension *e, const char *project,
			    struct str text)
{
	struct expansion x = { a, e, project, EXTENSION_FILE_MAX, false };

	return expand(&x, text);
}

static const struct json *expand_all(struct expansion *x, const struct json *v)
{
	if (v->type == J_STR)
		return json_new_str(x->a, expand(x, json_str(v, STR(""))));
	if (v->type == J_ARR) {
		const struct json **items = ARENA_ARRAY(x->a, const struct json *, v->n + 1);

		for (size_t i = 0; i < v->n; i++)
			items[i] = expand_all(x, json_at(v, i));
		return json_new_arr(x->a, items, v->n);
	}
	if (v->type != J_OBJ)
		return v;
	struct json_member *members = ARENA_ARRAY(x->a, struct json_member, v->n + 1);
	for (size_t i = 0; i < v->n; i++) {
		members[i] = v->members[i];
		members[i].v = *expand_all(x, &v->members[i].v);
	}
	return json_new_members(x->a, members, v->n);
}

/* ---- settings ---- */

static bool is_env_name(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (!char_is_word(name.p[i]))
			return false;
	return name.n > 0 && !char_is_digit(name.p[0]);
}

static bool is_declared(const struct json *settings, struct str name)
{
	for (size_t i = 0; i < settings->n && i < SETTINGS_MAX; i++)
		if (str_eq(json_get_str(json_at(settings, i), "envVar"), name))
			return is_env_name(name);
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

			/* Of a name that stands there twice the last value counts. */
			while (env[i] &&
			       (strncmp(env[i], name.p, name.n) != 0 || env[i][name.n] != '='))
				i++;
			env[i] = arena_printf(a, "%.*s=%s", STR_ARG(name), buf_z(&value)).p;
		}
	}
}

/* What the .env of the installation says about declared settings; they are nobody else's.  The
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

static const char *member_z(struct arena *a, const struct json *v, const char *name)
{
	struct str s = json_get_str(v, name);

	return arena_z(a, s);
}

static int check_manifest(struct extension *e, struct arena *a, const char *path,
			  const struct json *v)
{
	struct str name = json_get_str(v, "name");

	if (!json_is(json_getz(v, "name"), J_STR))
		return wrong(e, a, "%s: the manifest has no \"name\"", path);
	if (!extension_name_is_valid(name))
		return wrong(e, a,
			     "%s: \"%.*s\" is no name for an extension: letters, digits, "
			     "- _ and ., at most %d",
			     path, STR_ARG(str_sub(name, 0, EXTENSION_NAME_MAX)),
			     EXTENSION_NAME_MAX);
	for (size_t i = 0; i < ARRAY_LEN(typed); i++) {
		const struct json *m = json_get(v, str_from(typed[i].name));

		if (m && m->type != J_NULL && m->type != typed[i].type && m->type != typed[i].other)
			return wrong(e, a, "%s: \"%s\" must be %s, this is %s", path, typed[i].name,
				     typed[i].what, json_type_name(m));
	}
	return 0;
}

static int read_manifest(struct extension *e, struct arena *a, const struct extension_options *o)
{
	AUTO(free) char *path = fs_join(e->dir, EXTENSION_MANIFEST);
	struct expansion x = { a, e, o->project, EXTENSION_FILE_MAX, false };
	const struct json *v;
	struct err err;

	if (!fs_exists(path))
		return wrong(e, a, "%s: there is no such file", path);
	if (!extension_path(a, e, EXTENSION_MANIFEST))
		return wrong(e, a, "%s: leads out of the extension", path);
	if (extension_json(a, path, &v, &err) < 0)
		return wrong(e, a, "%s", err.text);
	if (check_manifest(e, a, path, v) < 0)
		return -E_CONFIG;
	read_settings(a, e, o, v);
	v = expand_all(&x, v);
	if (x.full)
		return wrong(e, a, "%s: its variables make it larger than %d MiB", path,
			     EXTENSION_FILE_MAX >> 20);
	if (check_manifest(e, a, path, v) < 0)
		return -E_CONFIG;
	e->manifest = v;
	e->name = member_z(a, v, "name");
	e->version = member_z(a, v, "version");
	e->description = member_z(a, v, "description");
	return 0;
}

/* What is linked has its content elsewhere. */
static int find_content(struct extension *e, struct arena *a)
{
	AUTO(free) char *path = fs_join(e->root, EXTENSION_INSTALL_FILE);
	const char *source;
	struct err err;
	int r = extension_json(a, path, &e->install, &err);

	if (r == -E_NOTFOUND)
		return 0;
	if (r < 0)
		return wrong(e, a, "%s", err.text);
	if (!str_eqz(json_get_str(e->install, "type"), "link"))
		return 0;
	source = member_z(a, e->install, "source");
	if (*source != '/')
		return wrong(e, a, "%s: a linked extension needs the path of its source", path);
	if (!fs_is_dir(source))
		return wrong(e, a, "%s: %s is no directory: what it links to is gone", path,
			     source);
	e->dir = source;
	return 0;
}

struct extension extension_read(struct arena *a, const struct extension_options *o, const char *dir)
{
	const char *slash = strrchr(dir, '/');
	struct extension e = { .version = "", .description = "", .enabled = true, .chosen = true };

	e.root = e.dir = arena_z(a, str_from(dir));
	e.name = arena_z(a, str_from(slash ? slash + 1 : dir));
	if (find_content(&e, a) == 0)
		(void)read_manifest(&e, a, o);
	return e;
}

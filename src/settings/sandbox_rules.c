#include "settings/sandbox_rules.h"

#include "base/path.h"
#include "os/fs.h"
#include "settings/expand.h"

enum { S_READ, S_WRITE, S_NETWORK, S_ENV, SANDBOX_KEYS };

static bool is_variable_name(struct str text)
{
	size_t n = text.n && text.p[text.n - 1] == '*' ? text.n - 1 : text.n;

	for (size_t i = 0; i < n; i++)
		if (!char_is_word(text.p[i]))
			return false;
	return text.n > 0;
}

static const struct object_key keys[SANDBOX_KEYS] = {
	[S_READ] = { .name = "read", .type = J_ARR, .items = J_STR },
	[S_WRITE] = { .name = "write", .type = J_ARR, .items = J_STR },
	[S_NETWORK] = { .name = "network", .type = J_BOOL },
	[S_ENV] = { .name = "env",
		    .type = J_ARR,
		    .items = J_STR,
		    .fits = is_variable_name,
		    .what = "the name of a variable, or its beginning and *" },
};

/* What programs hardly start without; none is a secret. */
static const char *const kept[] = { "PATH", "HOME", "USER", "LOGNAME", "SHELL",  "TERM",
				    "PWD",  "LANG", "LC_*", "TZ",      "TMPDIR", "NO_COLOR" };

/* ---- reading ---- */

struct reading {
	const struct sandbox_source *from;
	bool wrong;
};

static void say(void *data, const struct object_odd *odd)
{
	struct reading *r = data;
	AUTO(free) char *path = xasprintf("sandbox.%s", odd->path);
	AUTO(free) char *text = xasprintf("sandbox: %s", odd->text);
	struct object_odd said = *odd;

	/* What was meant by an unknown member may be less than what holds without it. */
	said.path = path;
	said.text = text;
	said.error = true;
	r->wrong = true;
	r->from->odd(r->from->data, &said);
}

static const char *value_of(const void *data, struct str name, bool braced)
{
	const struct sandbox_source *from = data;

	(void)braced;
	if (str_eqz(name, "PROJECT"))
		return from->project;
	return from->variable(from->data, name);
}

static void bad_path(struct reading *r, const char *list, size_t i, const struct json *item,
		     const char *why)
{
	AUTO(free) char *path = xasprintf("%s[%zu]", list, i);
	AUTO(free) char *text = xasprintf("\"%s\" %s", path, why);

	say(r, &(struct object_odd){ .code = "bad-value",
				     .error = true,
				     .path = path,
				     .text = text,
				     .value = item,
				     .pos = item->pos });
}

static const char *read_path(struct reading *r, const char *list, size_t i, const struct json *item)
{
	const struct sandbox_source *from = r->from;
	struct expansion x = { .value = value_of, .data = from };
	struct str said = json_str(item, STR("")), text = expand(&x, from->arena, said);
	AUTO(free) char *whole = NULL;

	if (!said.n)
		bad_path(r, list, i, item, "is empty; \".\" is the project");
	else if (str_chr(text, '$', 0) >= 0)
		bad_path(r, list, i, item, "names a variable that has no value");
	else if (text.p[0] == '~' && text.n > 1 && text.p[1] != '/')
		bad_path(r, list, i, item, "names another user's home; only ~/ is known");
	else if (text.p[0] == '~' && from->home[0] != '/')
		bad_path(r, list, i, item, "begins with ~, but the home directory is unknown");
	else if (text.p[0] == '~')
		whole = xasprintf("%s/%.*s", from->home, STR_ARG(str_sub(text, 1, text.n)));
	else
		whole = xstrndup(text.p, text.n);
	if (!whole)
		return NULL;
	AUTO(free) char *path = fs_absolute(from->project, whole);
	return arena_z(from->arena, str_from(path));
}

static const char *const *read_paths(struct reading *r, const char *list, const struct json *v)
{
	const char **out = ARENA_ARRAY(r->from->arena, const char *, (v ? v->n : 0) + 1);
	size_t n = 0;

	for (size_t i = 0; v && i < v->n; i++) {
		const struct json *item = json_at(v, i);
		const char *path = json_is(item, J_STR) ? read_path(r, list, i, item) : NULL;

		if (path)
			out[n++] = path;
	}
	return out;
}

void sandbox_rules_default(const struct sandbox_source *from, struct sandbox_rules *ret_rules)
{
	const char **read = ARENA_ARRAY(from->arena, const char *, 2);

	/* A home directory is no project, whatever is started in it. */
	if (!path_below(from->project, from->home))
		read[0] = from->project;
	*ret_rules = (struct sandbox_rules){ .may = { .read = read, .inside = from->project },
					     .text = "{}" };
}

bool sandbox_rules_read(const struct sandbox_source *from, const struct json *v,
			struct sandbox_rules *ret_rules)
{
	struct reading r = { .from = from };
	struct object_value got[SANDBOX_KEYS];
	struct object_reader reader = { .keys = keys, .n = SANDBOX_KEYS, .odd = say, .data = &r };
	struct sandbox_rules *rules = ret_rules;

	sandbox_rules_default(from, rules);
	object_read(&reader, v, got);
	rules->text = json_text(from->arena, v, JSON_COMPACT).p;
	if (got[S_READ].v)
		rules->may.read = read_paths(&r, "read", got[S_READ].v);
	if (got[S_WRITE].v)
		rules->may.write = read_paths(&r, "write", got[S_WRITE].v);
	rules->may.network = json_is_true(got[S_NETWORK].v);
	if (got[S_ENV].v && !r.wrong) {
		const struct json *list = got[S_ENV].v;
		const char **names = ARENA_ARRAY(from->arena, const char *, list->n + 1);

		for (size_t i = 0; i < list->n; i++)
			names[i] = arena_z(from->arena, json_str(json_at(list, i), STR("")));
		rules->env = names;
	}
	return !r.wrong;
}

int sandbox_rules_of(const struct sandbox_source *from, const struct json *object,
		     struct sandbox_rules *ret_rules)
{
	static const struct object_key key = {
		.name = "sandbox", .type = J_OBJ, .lax = "false", .aliases = "sandboxed"
	};
	struct object_value got;
	struct object_reader reader = {
		.keys = &key, .n = 1, .open = true, .odd = from->odd, .data = from->data
	};

	object_read(&reader, object, &got);
	if (!got.v && !got.wrong)
		return 0;
	return !got.wrong && sandbox_rules_read(from, got.v, ret_rules) ? 1 : -1;
}

static bool holds(const char *const *paths, const char *path)
{
	for (; paths && *paths; paths++)
		if (path_below(*paths, path))
			return true;
	return false;
}

void sandbox_add_read(struct arena *a, struct sandbox *may, const char *const *paths, size_t n)
{
	size_t old = 0;
	const char **all;

	while (may->read && may->read[old])
		old++;
	all = ARENA_ARRAY(a, const char *, old + n + 1);
	for (size_t i = 0; i < old; i++)
		all[i] = may->read[i];
	may->read = all;
	for (size_t i = 0; i < n; i++)
		if (!holds(all, paths[i]) && !holds(may->write, paths[i]))
			all[old++] = paths[i];
}

/* ---- the environment ---- */

static bool names(const char *pattern, struct str name)
{
	struct str p = str_from(pattern);

	return p.n && p.p[p.n - 1] == '*' ? str_starts(name, str_sub(p, 0, p.n - 1))
					  : str_eq(name, p);
}

bool sandbox_keeps(const struct sandbox_rules *rules, const char *entry)
{
	struct str name = { entry, strcspn(entry, "=") };

	if (!rules || !rules->env)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		if (names(kept[i], name))
			return true;
	for (const char *const *p = rules->env; *p; p++)
		if (names(*p, name))
			return true;
	return false;
}

const char *const *sandbox_env(struct arena *a, const struct sandbox_rules *rules,
			       const char *const *env)
{
	const char **out;
	size_t n = 0, kept_n = 0;

	while (env[n])
		n++;
	out = ARENA_ARRAY(a, const char *, n + 1);
	for (size_t i = 0; i < n; i++)
		if (sandbox_keeps(rules, env[i]))
			out[kept_n++] = env[i];
	return out;
}

/* ---- for people ---- */

static void add_paths(struct buf *out, const char *const *paths, const char *home)
{
	for (size_t i = 0; paths && paths[i]; i++) {
		const char *below = *home ? path_below(home, paths[i]) : NULL;

		buf_addf(out, "%s%s%s%s", i ? ", " : "", below ? "~" : "",
			 below && *below ? "/" : "", below ? below : paths[i]);
	}
	if (!paths || !paths[0])
		buf_addz(out, "nothing");
}

const char *sandbox_words(struct arena *a, const struct sandbox *may, const char *home)
{
	AUTO(buf_done) struct buf out = { 0 };

	buf_addz(&out, "reads ");
	add_paths(&out, may->read, home);
	buf_addz(&out, " (and the system), writes ");
	add_paths(&out, may->write, home);
	buf_addz(&out, may->network ? ", has the network" : ", no network");
	return arena_z(a, buf_str(&out));
}

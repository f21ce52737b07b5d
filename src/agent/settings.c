#include "agent/settings_project.h"
#include "os/fs.h"

enum { SETTINGS_MAX_BYTES = 8 << 20 };

static const char *env_value(const char *const *env, const char *name)
{
	size_t n = strlen(name);

	for (; env && *env; env++)
		if (strncmp(*env, name, n) == 0 && (*env)[n] == '=')
			return *env + n + 1;
	return NULL;
}

/* $NAME, ${NAME}, ${NAME:-default}; what is not set stays as it is (A1.12). */
static struct str expand(struct arena *a, struct str s, const char *const *env)
{
	AUTO(buf_done) struct buf out = { 0 };

	if (str_chr(s, '$', 0) < 0)
		return s;
	for (size_t i = 0; i < s.n; i++) {
		bool brace = i + 1 < s.n && s.p[i + 1] == '{';
		size_t from = i + 1 + brace, to = from;

		while (to < s.n && char_is_word(s.p[to]) && (to > from || !char_is_digit(s.p[to])))
			to++;
		ptrdiff_t close = brace ? str_chr(s, '}', to) : (ptrdiff_t)to - 1;
		if (s.p[i] != '$' || to == from || close < 0) {
			buf_addc(&out, s.p[i]);
			continue;
		}
		AUTO(free) char *name = xstrndup(s.p + from, to - from);
		const char *value = env_value(env, name);
		struct str dflt = brace ? str_sub(s, to, (size_t)close) : STR("");
		if (value)
			buf_addz(&out, value);
		else if (str_starts(dflt, STR(":-")))
			buf_adds(&out, str_sub(dflt, 2, dflt.n));
		else
			buf_adds(&out, str_sub(s, i, (size_t)close + 1));
		i = (size_t)close;
	}
	return arena_str(a, buf_str(&out));
}

static const struct json *expand_all(struct arena *a, const struct json *v, const char *const *env)
{
	const struct json *out;

	if (v->type == J_STR)
		return json_new_str(a, expand(a, json_str(v, STR("")), env));
	if (v->type == J_ARR) {
		const struct json **items = ARENA_ARRAY(a, const struct json *, v->n + 1);

		for (size_t i = 0; i < v->n; i++)
			items[i] = expand_all(a, json_at(v, i), env);
		return json_new_arr(a, items, v->n);
	}
	if (v->type != J_OBJ)
		return v;
	out = v;
	for (size_t i = 0; i < v->n; i++)
		/* Commands of hooks are the shell's to expand. */
		if (!str_eqz(v->members[i].key, "hooks"))
			out = json_set(a, out, v->members[i].key,
				       expand_all(a, &v->members[i].v, env));
	return out;
}

/* ---- what forbids something, and what a project may not undo ---- */

/* Lists that forbid or ask: those of all tiers count together. */
static const char *const strict_lists[][2] = {
	{ "tools", "exclude" },
	{ "tools", "confirmationRequired" },
	{ "mcp", "excluded" },
	{ "skills", "disabled" },
};

static const struct json *member(const struct json *v, const char *const path[2])
{
	return json_getz(json_get(v, str_from(path[0])), path[1]);
}

static const struct json *with_member(struct arena *a, const struct json *v,
				      const char *const path[2], const struct json *new)
{
	const struct json *inner = json_getz(v, path[0]);

	inner = json_set(a, json_is(inner, J_OBJ) ? inner : NULL, str_from(path[1]), new);
	return json_set(a, v, str_from(path[0]), inner);
}

/* The strict lists of before, with what is new in those of after; something that is no list is left
 * to whoever reads it. */
static const struct json *unite_lists(struct arena *a, const struct json *before,
				      const struct json *file, const struct json *after)
{
	for (size_t k = 0; k < ARRAY_LEN(strict_lists); k++) {
		const struct json *old = member(before, strict_lists[k]);
		const struct json *new = member(file, strict_lists[k]);
		bool both = json_is(old, J_ARR) && json_is(new, J_ARR);
		const struct json **items;
		size_t n = 0;

		if (!json_is(old, J_ARR) || (new && !both && !json_is(new, J_NULL)))
			continue;
		items = ARENA_ARRAY(a, const struct json *, old->n + (both ? new->n : 0) + 1);
		while (n < old->n) {
			items[n] = json_at(old, n);
			n++;
		}
		for (size_t i = 0; both && i < new->n; i++)
			items[n++] = json_at(new, i);
		after = with_member(a, after, strict_lists[k], json_new_arr(a, items, n));
	}
	return after;
}

/*
 * A project may ask for more security where the user says nothing.  What the user says, it does not
 * change, and no variable is let through to commands because a project says so.
 */
static const struct json *keep_security(struct arena *a, const struct json *before,
					const struct json *file, const struct json *after)
{
	static const char *const redaction[2] = { "security", "environmentVariableRedaction" };
	static const struct str key = { "security", 8 };
	const struct json *users = json_get(before, key), *projects = json_get(file, key);

	if (json_is(member(file, redaction), J_OBJ))
		projects = json_get(
			with_member(a, file, redaction,
				    json_without(a, member(file, redaction), STR("allowed"))),
			key);
	if (!json_is(users, J_OBJ))
		return json_is(projects, J_OBJ) ? json_set(a, after, key, projects) : after;
	return json_set(a, after, key,
			json_is(projects, J_OBJ) ? json_merge_patch(a, projects, users) : users);
}

/*
 * A server that the project defines and somebody else, too, is the later one's alone: no trust, no
 * header and no variable of the one goes with an address of the other.  *granted forgets those that
 * are the project's no longer.
 */
static const struct json *whole_servers(struct arena *a, const struct json *file,
					const struct json *before, const struct json *after,
					bool projects, const struct json **granted)
{
	static const char *const projects_own[2] = { SETTINGS_OF_PROJECT, SETTINGS_SERVERS };
	const struct str key = STR(SETTINGS_SERVERS);
	const struct json *servers = json_get(file, key), *own = member(before, projects_own);
	const struct json *merged = json_get(after, key), *names = json_get(*granted, key);

	for (size_t i = 0; json_is(servers, J_OBJ) && i < servers->n; i++) {
		const struct json_member *m = &servers->members[i];

		if (projects == (json_get(own, m->key) != NULL))
			continue;
		if (m->v.type != J_NULL)
			merged = json_set(a, merged, m->key, json_merge_patch(a, NULL, &m->v));
		if (!projects && names)
			names = json_without(a, names, m->key);
	}
	if (names)
		*granted = json_set(a, *granted, key, names);
	return json_is(servers, J_OBJ) ? json_set(a, after, key, merged) : after;
}

/* The user's lists are one, a project's another one; what an administrator says replaces it. */
static const struct json *keep_granted(struct arena *a, const struct json *before,
				       const struct json *granted, const struct json *file,
				       bool projects)
{
	static const char *const allowed[2] = { "tools", "allowed" };
	const struct json *old = json_getz(before, SETTINGS_OF_PROJECT);

	if (projects && old && granted)
		return json_merge_patch(a, old, granted);
	if (projects || !member(file, allowed) || !member(old, allowed))
		return granted ? granted : old;
	return json_set(a, old, STR("tools"),
			json_without(a, json_getz(old, "tools"), STR("allowed")));
}

/* A list of servers, say: it must not take those of other files away, unseen. */
static const struct json *without_misshapen(struct arena *a, const struct settings_dirs *d,
					    const char *path, const struct json *file)
{
	const struct json *servers = json_getz(file, SETTINGS_SERVERS);
	AUTO(free) char *text = NULL;

	if (!servers || json_is(servers, J_OBJ) || json_is(servers, J_NULL))
		return file;
	text = xasprintf("%s: " SETTINGS_SERVERS_SHAPE, path, json_type_name(servers));
	if (d->complain)
		d->complain(d->data, text);
	return json_without(a, file, STR(SETTINGS_SERVERS));
}

static int add_file(struct arena *a, const struct settings_dirs *d, const char *path, bool projects,
		    const struct json **merged, struct err *err)
{
	const struct json *before = *merged, *granted = NULL;
	AUTO(buf_done) struct buf text = { 0 };
	const struct json *v;
	int r = fs_read(path, SETTINGS_MAX_BYTES, &text, err);

	if (r == -E_NOTFOUND)
		return 0;
	if (r < 0)
		return r;
	if (str_trim(buf_str(&text)).n == 0)
		return 0;
	if (json_parse(a, buf_str(&text), JSON_C, &v, err) < 0)
		return err_wrap(err, "%s", path);
	if (v->type != J_OBJ)
		return err_set(err, E_CONFIG, "%s: a settings file is a JSON object, this is %s",
			       path, json_type_name(v));
	v = json_without(a, expand_all(a, v, d->env), STR(SETTINGS_OF_PROJECT));
	v = without_misshapen(a, d, path, v);
	if (projects)
		v = settings_of_project(a, d, path, before, v, &granted);
	*merged = unite_lists(a, before, v, json_merge_patch(a, before, v));
	if (projects)
		*merged = keep_security(a, before, v, *merged);
	granted = keep_granted(a, before, granted, v, projects);
	*merged = whole_servers(a, v, before, *merged, projects, &granted);
	if (granted)
		*merged = json_set(a, *merged, STR(SETTINGS_OF_PROJECT), granted);
	return 0;
}

/* Behind those of the settings: where names of tools meet, the first has it. */
static const struct json *servers_with(struct arena *a, const struct json *own,
				       const struct json *servers)
{
	for (size_t i = 0; own && i < own->n; i++)
		servers = json_without(a, servers, own->members[i].key);
	return own ? json_overlay(a, own, servers) : servers;
}

/* What only servers of extensions have: nobody else hides from hooks what they run. */
static const struct json *without_secrets(struct arena *a, const struct json *merged)
{
	const struct str key = STR(SETTINGS_SERVERS);
	const struct json *own = json_get(merged, key), *kept = own;

	for (size_t i = 0; json_is(own, J_OBJ) && i < own->n; i++)
		if (json_getz(&own->members[i].v, EXTENSION_SECRETS))
			kept = json_set(
				a, kept, own->members[i].key,
				json_without(a, &own->members[i].v, STR(EXTENSION_SECRETS)));
	return kept == own ? merged : json_set(a, merged, key, kept);
}

/*
 * Servers of extensions, unless the settings have one of that name (H5.5), and tools that they
 * exclude.  Values of the environment are theirs as they are of settings (A1.12).
 */
static const struct json *with_extensions(struct arena *a, const struct settings_dirs *d,
					  const struct json *merged)
{
	static const struct str key = { "mcpServers", 10 };
	const struct json *servers = extensions_servers(a, d->extensions);
	const struct json *exclude = extensions_excluded_tools(a, d->extensions);
	const struct json *own;

	merged = without_secrets(a, merged);
	own = json_get(merged, key);
	servers = servers ? expand_all(a, servers, d->env) : NULL;
	if (servers && (!own || own->type == J_OBJ))
		merged = json_set(a, merged, key, servers_with(a, own, servers));
	if (!exclude)
		return merged;
	const struct json *said = json_set(a, NULL, str_from(strict_lists[0][1]), exclude);
	const struct json *tools = json_set(a, NULL, str_from(strict_lists[0][0]), said);
	return unite_lists(a, tools, merged, json_merge_patch(a, tools, merged));
}

int settings_load(struct arena *a, const struct settings_dirs *d, const struct json **ret_settings,
		  struct err *err)
{
	const char *system = env_value(d->env, "GEMINI_CLI_SYSTEM_SETTINGS_PATH");
	const char *defaults = env_value(d->env, "GEMINI_CLI_SYSTEM_DEFAULTS_PATH");
	bool has_project = d->trusted && strcmp(d->home, d->project) != 0;
	const struct {
		const char *dir, *file;
		bool use, projects;
	} files[] = {
		{ "", defaults ? defaults : "/etc/gemini-cli/system-defaults.json", true, false },
		{ d->home, "/.gemini/settings.json", *d->home, false },
		{ d->home, "/.trotline/settings.json", *d->home, false },
		{ d->project, "/.gemini/settings.json", has_project, true },
		{ d->project, "/.trotline/settings.json", has_project, true },
		{ "", system ? system : "/etc/gemini-cli/settings.json", true, false },
		{ "", "/etc/trotline/settings.json", true, false },
	};
	const struct json *merged = json_new_obj(a);

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		AUTO(free) char *path = xasprintf("%s%s", files[i].dir, files[i].file);
		int r = files[i].use ? add_file(a, d, path, files[i].projects, &merged, err) : 0;

		if (r < 0)
			return r;
	}
	*ret_settings = d->extensions ? with_extensions(a, d, merged) : merged;
	return 0;
}

const char *settings_str(struct arena *a, const struct json *s, const char *pointer,
			 const char *dflt)
{
	const struct json *v = json_pointer(s, str_from(pointer));

	return json_is(v, J_STR) ? arena_z(a, json_str(v, STR(""))) : dflt;
}

double settings_num(const struct json *s, const char *pointer, double dflt)
{
	return json_num(json_pointer(s, str_from(pointer)), dflt);
}

bool settings_bool(const struct json *s, const char *pointer, bool dflt)
{
	const struct json *v = json_pointer(s, str_from(pointer));

	return json_is(v, J_BOOL) ? v->yes : dflt;
}

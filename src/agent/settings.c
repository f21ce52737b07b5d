#include "agent/settings.h"

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
	AUTO(buf_done) struct buf out = {0};

	if (str_chr(s, '$', 0) < 0)
		return s;
	for (size_t i = 0; i < s.n; i++) {
		bool brace = i + 1 < s.n && s.p[i + 1] == '{';
		size_t from = i + 1 + brace, to = from;

		while (to < s.n && char_is_word(s.p[to]) && (to > from || !char_is_digit(s.p[to])))
			to++;
		ptrdiff_t close = brace ? str_chr(s, '}', to) : (ptrdiff_t)to - 1;
		if (s.p[i] != '$' || to == from || close < 0) {
			(void)buf_addc(&out, s.p[i]);
			continue;
		}
		AUTO(free) char *name = xstrndup(s.p + from, to - from);
		const char *value = env_value(env, name);
		struct str dflt = brace ? str_sub(s, to, (size_t)close) : STR("");
		if (value)
			(void)buf_addz(&out, value);
		else if (str_starts(dflt, STR(":-")))
			(void)buf_adds(&out, str_sub(dflt, 2, dflt.n));
		else
			(void)buf_adds(&out, str_sub(s, i, (size_t)close + 1));
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

static int add_file(struct arena *a, const struct settings_dirs *d, const char *path,
		    const struct json **merged, struct err *err)
{
	AUTO(buf_done) struct buf text = {0};
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
	*merged = json_merge_patch(a, *merged, expand_all(a, v, d->env));
	return 0;
}

int settings_load(struct arena *a, const struct settings_dirs *d, const struct json **ret_settings,
		  struct err *err)
{
	const char *system = env_value(d->env, "GEMINI_CLI_SYSTEM_SETTINGS_PATH");
	const char *defaults = env_value(d->env, "GEMINI_CLI_SYSTEM_DEFAULTS_PATH");
	bool has_project = d->trusted && strcmp(d->home, d->project) != 0;
	const struct {
		const char *dir, *file;
		bool use;
	} files[] = {
		{ "", defaults ? defaults : "/etc/gemini-cli/system-defaults.json", true },
		{ d->home, "/.gemini/settings.json", *d->home },
		{ d->home, "/.trotline/settings.json", *d->home },
		{ d->project, "/.gemini/settings.json", has_project },
		{ d->project, "/.trotline/settings.json", has_project },
		{ "", system ? system : "/etc/gemini-cli/settings.json", true },
		{ "", "/etc/trotline/settings.json", true },
	};
	const struct json *merged = json_new_obj(a);

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		AUTO(free) char *path = xasprintf("%s%s", files[i].dir, files[i].file);
		int r = files[i].use ? add_file(a, d, path, &merged, err) : 0;

		if (r < 0)
			return r;
	}
	*ret_settings = merged;
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

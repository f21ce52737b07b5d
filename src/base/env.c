#include "base/env.h"

const char *env_find(const char *const *env, struct str name)
{
	for (; env && *env; env++)
		/* The first character tells for most. */
		if ((!name.n || **env == *name.p) && strncmp(*env, name.p, name.n) == 0 &&
		    (*env)[name.n] == '=')
			return *env + name.n + 1;
	return NULL;
}

const char *env_get(const char *const *env, const char *name)
{
	return env_find(env, str_from(name));
}

bool env_name_is_valid(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (!char_is_word(name.p[i]))
			return false;
	return name.n > 0 && !char_is_digit(name.p[0]);
}

const char *const *env_with(struct arena *a, const char *const *env, const char *const *more)
{
	const char **out;
	size_t n = 0, nmore = 0;

	while (env[n])
		n++;
	while (more && more[nmore])
		nmore++;
	if (!nmore)
		return env;
	out = ARENA_ARRAY(a, const char *, n + nmore + 1);
	for (n = 0; *env; env++) {
		ptrdiff_t eq = str_chr(str_from(*env), '=', 0);

		if (eq < 0 || !env_find(more, str_sub(str_from(*env), 0, (size_t)eq)))
			out[n++] = *env;
	}
	for (size_t i = 0; i < nmore; i++)
		out[n++] = arena_z(a, str_from(more[i]));
	return out;
}

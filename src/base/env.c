#include "base/env.h"

const char *env_find(const char *const *env, struct str name)
{
	for (; env && *env; env++)
		if (strncmp(*env, name.p, name.n) == 0 && (*env)[name.n] == '=')
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

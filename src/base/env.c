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

#include "policy/packs.h"

const char *const packs_default[] = { "agents", "destructive", "git", "secrets", "supply", NULL };

const struct pack *pack_find(struct str name)
{
	for (size_t i = 0; i < packs_n; i++)
		if (str_eqz(name, packs[i].name))
			return &packs[i];
	return NULL;
}

const char *pack_nearest(struct str word)
{
	enum { NAMES_MAX = 64 };
	const char *names[NAMES_MAX];
	size_t n = 0;

	for (; n < packs_n && n < NAMES_MAX; n++)
		names[n] = packs[n].name;
	return str_nearest(word, names, n);
}

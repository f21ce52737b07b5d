#include "policy/packs.h"

const char *const packs_default[] = { "agents", "destructive", "git", "secrets", "supply", NULL };

const struct pack *pack_find(struct str name)
{
	for (size_t i = 0; i < packs_n; i++)
		if (str_eqz(name, packs[i].name))
			return &packs[i];
	return NULL;
}

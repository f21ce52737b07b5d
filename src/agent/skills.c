#include "agent/skills.h"

struct skills *skills_read(struct arena *a, const struct skills_options *o)
{
	(void)o;
	return ARENA_NEW(a, struct skills);
}

const struct skill *skill_find(const struct skills *all, struct str name)
{
	for (size_t i = 0; i < all->n; i++)
		if (str_eqz(name, all->p[i].name) && !all->p[i].disabled)
			return &all->p[i];
	return NULL;
}

struct str skills_instruction(struct arena *a, const struct skills *all)
{
	(void)a, (void)all;
	return STR("");
}

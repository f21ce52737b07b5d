#include "base/meant.h"

#include <stdio.h>

struct meant meant_as(const char *mark, const char *near)
{
	struct meant m = { "" };

	if (near)
		(void)snprintf(m.text, sizeof m.text, "; did you mean \"%s%.150s\"?", mark, near);
	return m;
}

struct meant meant_of(struct str word, const char *const *names, size_t n)
{
	return meant_as("", str_nearest(word, names, n));
}

const char *did_you_mean(struct arena *a, const char *word, const char *const *names, size_t n)
{
	return arena_z(a, str_from(meant_of(str_from(word), names, n).text));
}

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

struct meant meant_among(struct str word, const char *names)
{
	enum { NAMES_MAX = 64 };
	AUTO(arena_done) struct arena a = { 0 };
	const char *list[NAMES_MAX];
	size_t n = 0, end;

	for (const char *p = names; *p && n < NAMES_MAX; p += end + (p[end] != 0)) {
		end = strcspn(p, " ,\"");
		if (end && strncmp(p, "or ", 3) != 0)
			list[n++] = arena_z(&a, (struct str){ p, end });
	}
	return meant_of(word, list, n);
}

const char *did_you_mean(struct arena *a, const char *word, const char *const *names, size_t n)
{
	return arena_z(a, str_from(meant_of(str_from(word), names, n).text));
}

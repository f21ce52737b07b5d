/* The one "did you mean": what a message about an unknown word ends with. */
#pragma once

#include "base/arena.h"
#include "base/str.h"

enum { MEANT_MAX = 200 };

struct meant {
	char text[MEANT_MAX]; /* `; did you mean "NAME"?`, or "" */
};

/* With the name that is near enough to the word. */
struct meant meant_of(struct str word, const char *const *names, size_t n);
/* With a name of a text such as "warn, ask or deny". */
struct meant meant_among(struct str word, const char *names);
/* With this name, a mark ("--", "/") in front of it; near may be NULL. */
struct meant meant_as(const char *mark, const char *near);
/* The same, in the arena. */
const char *did_you_mean(struct arena *a, const char *word, const char *const *names, size_t n);

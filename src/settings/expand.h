/* Variables in the texts of settings: $NAME, ${NAME} and ${NAME:-default}. */
#pragma once

#include "base/json.h"

struct expansion {
	/* The value of a variable; NULL = it has none. */
	const char *(*value)(const void *data, struct str name, bool braced);
	const void *data;
	bool any_name; /* in braces everything up to "}" is the name, without defaults */
	bool unset_is_empty; /* else what has no value stays as it is */
	const char *skip; /* members of this name stay as they are; NULL = none */
	size_t room; /* bytes that texts may still become; 0 = no limit */
	bool full; /* a text would have become longer, and stayed as it was */
};

struct str expand(struct expansion *x, struct arena *a, struct str text);
/* All strings in a value. */
const struct json *expand_json(struct expansion *x, struct arena *a, const struct json *v);
/* With the variables of an environment. */
struct expansion expand_from(const char *const *env);

/*
 * Objects from a line of keys and types:
 *
 *	json_pack(a, "name:z line:u ?reason:s files:j", name, line, reason, files)
 *
 * z const char *, s struct str, i int, u unsigned, l int64_t, n size_t, f double, b bool,
 * j const struct json *.  A NULL is written as null.  A key with a question mark is left out when
 * its value is empty, false, zero or NULL.  Texts are copied, values are borrowed.
 */
#pragma once

#include <stdarg.h>

#include "base/json.h"

const struct json *json_pack(struct arena *a, const char *format, ...);
/* A copy of obj with more members behind its own. */
const struct json *json_pack_more(struct arena *a, const struct json *obj, const char *format, ...);

/* A text of its own. */
const struct json *json_pack_str(struct arena *a, const char *z);

/* Values that become an array, which is in the arena of the values. */
struct json_list {
	const struct json **p;
	size_t n, cap;
};
void json_list_add(struct json_list *list, const struct json *v);
/* The list is empty afterwards. */
const struct json *json_list_take(struct arena *a, struct json_list *list);

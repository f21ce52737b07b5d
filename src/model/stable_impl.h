/* Private to stable*.c: what text a part has, and whether a hook has changed it. */
#pragma once

#include "base/vec.h"
#include "model/stable.h"

struct stable_list {
	const struct json **p;
	size_t n, cap;
};

/* An array of the values, whose list is freed. */
const struct json *stable_array(struct arena *a, struct stable_list *list);
/* The part's text; false when it is no text part. */
bool stable_part_text(const struct json *part, struct str *ret_text);
/* {"text": text} */
const struct json *stable_text_part(struct arena *a, struct str text);
/* obj with the member, unless it has an equal one. */
const struct json *stable_set(struct arena *a, const struct json *obj, struct str key,
			      const struct json *v);

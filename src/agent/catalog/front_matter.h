/* The front matter of a Markdown file: YAML between two lines "---" that has a name and a description. */
#pragma once

#include "base/json.h"

enum { FRONT_MAX = 64 << 10, FRONT_NAME_MAX = 100 /* characters */, FRONT_LIST_MAX = 200 };

struct front_matter {
	struct str name, description, body; /* on one line; name and description are not empty */
};
/* A further member: a text, a list of texts, null, or (NULL) not there. */
struct front_field {
	const char *name;
	const struct json *value;
};
/*
 * -E_PARSE with "LINE:COLUMN: why".  Without fields, unknown members are passed over, and what is not
 * YAML is read line by line; with some, anything else than these is a mistake.
 */
int front_read(struct arena *a, struct str text, struct front_matter *ret_front,
	       struct front_field *fields, size_t nfields, struct err *err);

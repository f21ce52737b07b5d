/* The front matter of a Markdown file: YAML between two lines "---" that has a name and a description. */
#pragma once

#include "base/json.h"

enum {
	FRONT_MAX = 64 << 10,
	FRONT_NAME_MAX = 100 /* characters */,
	FRONT_LIST_MAX = 200,
	FRONT_FIELDS_MAX = 16
};

struct front_matter {
	struct str name, description, body; /* on one line; name and description are not empty */
};
/* A further member: a text, a list of texts, null, or (NULL) not there. */
struct front_field {
	const char *name;
	const struct json *value;
	bool passed_over; /* whatever it holds; then its value is null */
};
/*
 * -E_PARSE with "LINE:COLUMN: why".  Without fields, unknown members are passed over, and what is not
 * YAML is read line by line; with some, anything else than these is a mistake.
 */
int front_read(struct arena *a, struct str text, struct front_matter *ret_front,
	       struct front_field *fields, size_t nfields, struct err *err);
/*
 * As Claude Code reads it: without a front matter all of it is the body, name and description may
 * be missing ("" then), unknown members and what they hold are passed over, and what is no YAML is
 * read line by line, the fields, too.
 */
int front_read_claude(struct arena *a, struct str text, struct front_matter *ret_front,
		      struct front_field *fields, size_t nfields, struct err *err);
/* The text between the lines; false without front matter. */
bool front_find(struct str text, struct str *ret_front);
/* Does it hold more open brackets than the YAML parser reads in reasonable time? */
bool front_is_deep(struct str front);

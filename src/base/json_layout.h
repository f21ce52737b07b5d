/*
 * Private to json_edit: where the parts of a JSONC text stand, and the three changes to its bytes.
 * The rules are those of docs/editing.md.
 */
#pragma once

#include "base/json.h"

#define NO_COMMA SIZE_MAX

/* A value with its places, [start, end); of an object or array also its entries. */
struct span {
	size_t entry; /* where the entry starts: the key's quote, or the value in an array */
	size_t start, end;
	size_t comma; /* the comma that follows, or NO_COMMA */
	struct str key;
	char kind; /* '{', '[', or '"' for all the others */
	struct span *kids;
	size_t n;
};

struct layout {
	struct str text;
	size_t base; /* after a byte order mark */
	const struct span *root;
	struct str eol, unit;
};

/* The text must have been accepted by json_parse(JSON_C). What is made is the arena's. */
void layout_open(struct arena *a, struct str text, struct layout *l);
/* The whole new text: the container has one more entry at its end; key only for objects. */
void layout_append(const struct layout *l, const struct span *container, struct str key,
		   const struct json *v, struct buf *out);
/* The same at the beginning of a list; false where a comment is there, or it is empty. */
bool layout_prepend(const struct layout *l, const struct span *list, const struct json *v,
		    struct buf *out);
void layout_replace(const struct layout *l, const struct span *old, const struct json *v,
		    struct buf *out);
void layout_remove(const struct layout *l, const struct span *container, size_t i, struct buf *out);

/*
 * Editing a JSONC text in place: comments, order, indentation, line ends and everything else that
 * is not the edited entry keep their bytes.  Used on files that belong to the user.
 *
 *	AUTO(json_edit_done) struct json_edit e = {0};
 *	r = json_edit_open(&e, text, err);
 *	r = r < 0 ? r : json_edit_append(&e, "/hooksConfig/disabled", value, err);
 *	... json_edit_text(&e) is the new text; e.changed says whether anything was edited.
 *
 * Paths are JSON Pointers.  The rules of layout are those of docs/editing.md.  After each change
 * the new text is parsed again and compared with what it should mean; on any failure the text stays
 * as it was.  The functions that change return 1 when they did, 0 when nothing was to be done.
 */
#pragma once

#include "base/json.h"

struct json_edit {
	struct buf text; /* the current text */
	struct arena arena;
	const struct json *doc; /* the current value, in the arena: until the next change */
	bool changed;
};

/*
 * Takes a copy of the text.  White space only counts as "{}".  Fails as json_parse_at does
 * (JSON_C), and for a text that is not valid UTF-8.
 */
int json_edit_open(struct json_edit *e, struct str text, struct err *err);
void json_edit_done(struct json_edit *e);
/*
 * Sets the member or item at path; missing objects on the way are made.  An item may be added with
 * the index after the last one, or "-".  An equal value changes nothing.  -E_CONFIG when something
 * on the way has another type: the user's value is never replaced.
 */
int json_edit_set(struct json_edit *e, struct str path, const struct json *v, struct err *err);
/* Adds an item to the end of the array at path, which is made (with its parents) when missing. */
int json_edit_append(struct json_edit *e, struct str path, const struct json *v, struct err *err);
/* The same at its beginning; where a comment precedes the first item, at its end. */
int json_edit_prepend(struct json_edit *e, struct str path, const struct json *v, struct err *err);
/*
 * Removes the member (all of them when the key is repeated) or item.  Comments are never removed,
 * unless they are inside it.
 */
int json_edit_remove(struct json_edit *e, struct str path, struct err *err);

static inline struct str json_edit_text(const struct json_edit *e)
{
	return buf_str(&e->text);
}

DEFINE_AUTO(struct json_edit, json_edit_done)

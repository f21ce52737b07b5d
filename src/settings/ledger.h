/*
 * ~/.trotline/installed.json: what was put into other programs' settings files, one receipt a file.
 * Losing it does no harm: hooks are also known by their names, servers by theirs; only the last
 * byte of the layout may then differ from what was before.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

struct receipt {
	bool made_file; /* there was none before */
	int made_dirs; /* how many directories above it were made for it */
	struct str sha256; /* of the bytes that we wrote last, hex; "" = unknown */
	/*
	 * From those bytes to the ones before the first entry of ours: keep `prefix` bytes and
	 * `suffix` bytes, put `middle` between them.  Usually an empty text: nothing of the user's
	 * is copied.
	 */
	bool has_undo;
	size_t prefix, suffix;
	struct str middle;
	const struct json *containers; /* paths of the objects and lists that we made */
	const struct json *hooks; /* {"name", "event", "command", "mcp"?} */
	const struct json *servers; /* {"name", "replaced"?} */
};

/* The receipt of the file at this real path, or an empty one. */
void receipt_load(struct arena *a, const char *home, const char *path, struct receipt *ret_r);
/* Writes it, or forgets it when it has no entry. */
int receipt_store(struct arena *a, const char *home, const char *path, const struct receipt *r,
		  struct err *err);
bool receipt_is_empty(const struct receipt *r);

/* The bytes before our first entry, when `now` is what we wrote last; false when unknown. */
bool receipt_undo(const struct receipt *r, struct str now, struct arena *a, struct str *ret_before);
/* Takes down how to get from `now` back to `before` (NULL = unknown). */
void receipt_note_text(struct receipt *r, struct arena *a, struct str now,
		       const struct str *before);

/*
 * Removes the directory and those above it, n in all, that were made for a file of ours which is
 * gone.  What still holds something is taken down, and goes with the last file of ours in it.
 */
void dirs_leave(const char *home, const char *dir, int n);

/* Lists of the receipt. */
const struct json *list_add(struct arena *a, const struct json *list, const struct json *item);
const struct json *list_drop(struct arena *a, const struct json *list, size_t i);

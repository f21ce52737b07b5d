/*
 * Changing one settings file that belongs to somebody else: read, edited in place, checked, and
 * replaced as a whole.  What was put in is noted in ~/.trotline/installed.json (ledger.h), so that
 * taking it out again leaves the file as it was, byte for byte.
 */
#pragma once

#include "base/json_edit.h"
#include "settings/ledger.h"
#include "settings/read.h"

struct settings_change {
	/* What is to be changed. */
	const char *path;
	const char *project; /* not to be left by a symbolic link; NULL for a file of the user */
	const char *home; /* of the ledger; NULL = nothing is noted */
	bool dry_run;
	/* While it is changed. */
	struct json_edit e;
	struct arena arena;
	struct receipt receipt; /* what we put into this file before, and do now */
	/* What came of it. */
	bool changed;
	struct buf diff; /* of a dry run: the lines that go and come */
};

/* Edits c->e and c->receipt.  On -E_... nothing is written. */
typedef int settings_edit_fn(struct settings_change *c, void *data, struct err *err);

/* (waits) One lock for all settings files, in the home directory: it must not show up in a
   project.  The descriptor, for settings_unlock(). */
int settings_lock(const char *home, struct err *err);
/* Nothing stays behind: fs_lock() knows that the file may go. */
void settings_unlock(int *lock);
DEFINE_AUTO(int, settings_unlock)
/*
 * Reads the file (a missing one is empty), calls edit, and writes what became of it; 1 when that
 * changed the file, else 0.  The caller holds the lock.  -E_PARSE for a file that is no JSON, with
 * file:line:column.  Starts over when somebody else has written the file meanwhile, so edit may be
 * called several times.
 */
int settings_apply(struct settings_change *c, settings_edit_fn *edit, void *data, struct err *err);
/* (waits) A file that is no JSON gets this text instead of the old one ("": it is new), or a dry run
 * its diff.  The caller holds the lock. */
int settings_replace_text(struct settings_change *c, struct str old, struct str text,
			  struct err *err);
void settings_change_done(struct settings_change *c);
DEFINE_AUTO(struct settings_change, settings_change_done)

/* ---- the value at a path ---- */

/* "/mcpServers/a~1b": the path of `key` in what `base` points to. */
struct str pointer_join(struct arena *a, struct str base, struct str key);
struct str pointer_item(struct arena *a, struct str base, size_t i);
/*
 * Notes the containers on the way to path, and there, that do not exist yet: settings_prune() takes
 * them away again.
 */
void settings_note_containers(struct settings_change *c, struct str path);
/* Removes the containers that we made, when they are empty and hold no comment. */
int settings_prune(struct settings_change *c, struct err *err);

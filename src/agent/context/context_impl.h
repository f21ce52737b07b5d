/* What the files of the context share; no other file includes it. */
#pragma once

#include "agent/context/context.h"
#include "base/buf.h"

/* ---- frame.c: texts of files between lines and tags of ours ---- */

enum frame {
	FRAME_CONTEXT = 1 << 0,
	FRAME_PROMPT = 1 << 1,
	FRAME_SKILL = 1 << 2, /* the body of a skill; with FRAME_CONTEXT */
};

/* Appends as valid UTF-8 in which nothing looks like the framing of that place. */
void frame_add(struct buf *out, struct str text, enum frame where);
/* The same on one line, control characters visible, for names of files. */
void frame_add_name(struct buf *out, struct str name);
/* The text of a name for an error message, in the arena. */
const char *frame_name(struct arena *a, const char *name);

/* ---- context_read.c ---- */

/* The project and the other roots as real paths in the arena; NULL-terminated. */
const char *const *context_roots(struct arena *a, const struct context_options *o);
/*
 * The text of a regular file, at most about max bytes of it; *ret_cut: there was more.  0 or an
 * errno: EILSEQ for what is no text.
 */
int context_read(struct arena *a, const char *real_path, size_t max, struct str *ret_text,
		 bool *ret_cut);

/* ---- context_tree.c ---- */

/* Appends the tree of a directory, at most 200 entries, breadth first. */
void tree_add(struct buf *out, const struct context_options *o, const char *root);

/* ---- memory_files.c ---- */

/* Each appends framed files, or nothing. */
void memory_add_global(struct buf *out, const struct context_options *o);
void memory_add_extensions(struct buf *out, const struct context_options *o);
void memory_add_project(struct buf *out, const struct context_options *o);
/* Those of the directories between a root and real_path that were not seen yet. */
void memory_add_below(struct buf *out, const struct context_options *o, struct context_seen *seen,
		      const char *real_path);
/* Is it a name that context files have? */
bool memory_is_name(const struct context_options *o, const char *name);

/* ---- memory_imports.c ---- */

#define MEMORY_FILE_MAX ((size_t)256 << 10)
#define MEMORY_TOTAL_MAX ((size_t)1 << 20)

struct memory_file {
	const char *path; /* as it is shown */
	const char *real;
	const char *fence; /* imports stay in this directory; real */
};

/* Appends the text of the file with its imports, without white space around it. */
void memory_expand(struct buf *out, const struct context_options *o, const struct memory_file *f,
		   struct str text);

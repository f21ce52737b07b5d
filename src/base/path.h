/*
 * Absolute paths as text: the one answer to "does this path lie in that directory?".
 *
 * Doubled and trailing slashes and "." mean nothing, "/" holds every path, letters of different
 * case differ.  A ".." makes the answer no, as does a path that is empty or relative: where it
 * leads is known to the file system only, which fs_is_in() (os/fs.h) asks.
 */
#pragma once

#include "base/str.h"

/* The part of path below dir: "" for dir itself, .p == NULL for what lies elsewhere. */
struct str path_below_str(struct str dir, struct str path);
/* The same as the end of `path` itself, NULL for what lies elsewhere (and for NULL arguments). */
const char *path_below(const char *dir, const char *path);
/* How path is shown to someone in dir: without it when it is below, else whole. */
const char *path_shown(const char *dir, const char *path);
/* The last part of path, behind its last slash. */
const char *path_name(const char *path);
/*
 * The next of the file names in a list such as ".env|.envrc"; what is no name (a path, "*") is left
 * out.  False at its end.
 */
bool path_next_name(struct str *rest, struct str *ret_name);
/* What precedes the last slash: "." for "a", "/" for "/a" (free()). */
char *path_parent(const char *path) MUST_CHECK;
/* Puts the parent of a path that is on the heap in its place. */
void path_climb(char **path);

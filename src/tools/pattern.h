/*
 * Glob patterns over paths: * and ? (never over a slash), ** as a whole segment (any number of
 * segments, at the end at least one), [a-z] [!a] [[:alpha:]], {a,b} nested, \ escapes.  A wildcard
 * matches a leading dot too.  Characters are code points; PATTERN_ICASE folds ASCII.
 *
 * Compiling and matching are bounded: braces that multiply are refused, and a match that takes
 * PATTERN_STEPS_MAX steps is none.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

enum pattern_flags {
	PATTERN_ICASE = 1 << 0,
	PATTERN_GIT = 1 << 1, /* as in .gitignore: no braces, an unclosed [ matches nothing */
};

enum {
	PATTERN_MAX = 8 << 10, /* bytes */
	PATTERN_ALTERNATIVES_MAX = 1024, /* after the braces are written out */
	PATTERN_STEPS_MAX = 1 << 20,
};

struct pattern;

/* The pattern lives in the arena and borrows nothing.  -E_LIMIT when it is too much. */
int pattern_compile(struct arena *a, struct str text, unsigned flags, const struct pattern **ret_p,
		    struct err *err);
/* The whole path ("a/b.c", without a leading slash). */
bool pattern_match(const struct pattern *p, struct str path);
/* Has it a slash outside of its ends, or only one segment? */
bool pattern_has_slash(struct str text);

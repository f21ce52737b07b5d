/*
 * Glob patterns over paths: * and ? (never over a slash), ** as a whole segment (any number of
 * segments, at the end at least one), [a-z] [!a] [[:alpha:]], {a,b} nested, \ escapes.  A wildcard
 * matches a leading dot too.  Characters are code points; WILD_ICASE folds ASCII.
 *
 * Compiling and matching are bounded: braces that multiply are refused, and a match that takes
 * WILD_STEPS_MAX steps is none.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

enum wild_flags {
	WILD_ICASE = 1 << 0,
	WILD_GIT = 1 << 1, /* as in .gitignore: no braces, an unclosed [ matches nothing */
};

enum {
	WILD_MAX = 8 << 10, /* bytes */
	WILD_ALTERNATIVES_MAX = 1024, /* after the braces are written out */
	WILD_STEPS_MAX = 1 << 20,
};

struct wild;

/* The pattern lives in the arena and borrows nothing.  -E_LIMIT when it is too much. */
int wild_compile(struct arena *a, struct str text, unsigned flags, const struct wild **ret_p,
		 struct err *err);
/* The whole path ("a/b.c", without a leading slash). */
bool wild_match(const struct wild *p, struct str path);
/* Has it a slash outside of its ends, or only one segment? */
bool wild_has_slash(struct str text);

/* "*" matches any number of any characters, slashes too; nothing else is special. */
bool wild_fits(struct str pattern, struct str text);
/* Does the text fit one of a list of such patterns? */
bool wild_in(struct str text, const char *const *list, size_t n);
#define WILD_IN(text, list) wild_in(text, list, ARRAY_LEN(list))

/* The same for a notation of its own: what each character of a pattern means, 0 = itself. */
enum wild_sign { WILD_ONE = 1, WILD_ANY_NUMBER };
struct wild_notation {
	unsigned char sign[1 << 8]; /* enum wild_sign */
	bool icase;
};
bool wild_fits_as(struct str pattern, struct str text, const struct wild_notation *as);

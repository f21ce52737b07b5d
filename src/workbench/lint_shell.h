/*
 * A look at a shell command without running it: which programs it starts, with which words.  It
 * follows quotes, pipes, lists and redirections; what it cannot follow (here-documents, for, case,
 * functions) ends the look, so nothing is claimed about it.
 */
#pragma once

#include "base/arena.h"

struct shell_word {
	const char *text;
	bool opaque; /* an unknown variable, a substitution or a glob stands in it */
};

/* One program with its words. */
struct shell_command {
	struct shell_word *words;
	size_t n;
	bool optional; /* stands beside ||: it may well fail */
	bool piped; /* its output goes to the next one */
	bool redirected; /* its output goes elsewhere */
};

struct shell_look {
	struct arena *arena;
	struct shell_command *p;
	size_t n, cap;
	bool lost; /* the look ended before the text */
};

/* The value of a variable when it is known, else NULL. */
typedef const char *shell_value_fn(struct str name, const void *data);

/* All-zero but for .arena before; free(p) after. */
void shell_look(struct shell_look *l, struct str text, shell_value_fn *value, const void *data);

/*
 * Every program that a shell text would start, also inside of substitutions, compound commands
 * and the arguments of programs that start others (sudo, xargs, bash -c, find -exec, ...).
 *
 * Policies, "if" rules, fingerprints and lint all look at this list.  What is not understood is a
 * call with .unknown.
 */
#pragma once

#include "shell/programs.h"
#include "shell/shell.h"

struct sh_arg {
	struct str text; /* without quotes */
	bool opaque; /* a variable, a substitution, a glob: the text is not what the program gets */
};

struct sh_call {
	const struct sh_arg *words; /* the program and its arguments; assignments are left out */
	size_t n;
	struct str source; /* as it was written; "" for what another call starts */
	struct str plain; /* the same without assignments and leading redirections */
	const struct sh_node *node; /* NULL for what another call starts */
	const struct sh_call *by; /* what starts it, or NULL; a copy */
	bool assigned; /* variables are set, for this program or by themselves */
	bool redirects; /* to or from a file other than /dev/null */
	bool more; /* further arguments are added when it runs */
	bool unknown; /* nothing is known about what is run here */
	bool optional; /* is next to ||: it may well fail */
	bool piped; /* its output goes to the next one */
	bool fed; /* its input is the output of the one before */
	unsigned depth;
};

enum { SH_CALLS_MAX = 256 };

struct sh_calls {
	/* Set before; the arena holds the words. */
	struct arena *arena;
	const struct sh_values *values; /* NULL: every expansion is opaque */
	bool strict; /* for guards: what shells might read differently is unknown, too */
	bool elsewhere; /* strict, but programs that run on another machine count, too */
	bool track; /* variables that the text itself sets have values, where that is certain */
	/* Further rules: NULL, or sh_calls_unwrap_runner(). */
	void (*unwrap)(struct sh_calls *s, size_t i);
	struct sh_call *p;
	size_t n, cap;
	bool compound; /* more than one simple command is there */
	struct sh_script script;
	struct sh_variables {
		struct sh_variable {
			struct str name, value;
			bool known;
		} * p;
		size_t n, cap;
		bool lost; /* eval, source: any variable may be anything */
	} variables;
	/* Arithmetic evaluates what a variable holds, commands in its subscripts included. */
	struct sh_names {
		struct str *p;
		size_t n, cap;
	} evaluated, loose; /* by arithmetic; those that may hold any text */
};

void sh_calls_read(struct sh_calls *s, struct str text);
/* One program without a shell. */
void sh_calls_program(struct sh_calls *s, const struct sh_arg *words, size_t n);
void sh_calls_done(struct sh_calls *s);

/* What git, sed, awk, tar and others start as their arguments say. */
void sh_calls_unwrap_runner(struct sh_calls *s, size_t i);

/* For unwrap functions. */
void sh_calls_add(struct sh_calls *s, const struct sh_call *c);
void sh_calls_unknown(struct sh_calls *s, unsigned depth);
/* The calls of a text that another call runs. */
void sh_calls_text(struct sh_calls *s, struct str text, unsigned depth);

bool sh_call_is(const struct sh_call *c, size_t i, const char *text);
/* Is one of the words from there on opaque? */
bool sh_call_opaque(const struct sh_call *c, size_t from);
/* The words joined by blanks. */
struct str sh_call_text(struct arena *a, const struct sh_call *c);
/* In a NULL-terminated list. */
bool sh_is_among(struct str s, const char *const *list);
/* The last part of a path. */
struct str sh_file_name(struct str path);
/* "-x" alone, in a bundle or with a value; "--long" shortened or with one. */
bool sh_option_fits(struct str word, const char *option);
/* Does setting this variable make programs run something else: PATH, LD_PRELOAD, PS4? */
bool sh_is_code_variable(struct str name);
/*
 * The script that an interpreter is started with: its word's index, 0 when there is none, SIZE_MAX
 * when it cannot be told.  *ret_code: its text is an argument, or comes from standard input.
 */
size_t sh_call_script(const struct sh_call *c, const struct sh_program *p, bool *ret_code);

DEFINE_AUTO(struct sh_calls, sh_calls_done)

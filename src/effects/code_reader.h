/* Inside of the reader of code: statements (code_read.c), what they define and import
 * (code_definition.c, code_import.c), expressions (code_expression.c), and what they consist of. */
#pragma once

#include "effects/code.h"

/* What a walk through a folder comes by: Perl's name for it. */
#define CODE_WALKED "$File::Find::name"

static inline bool is_language(const struct code *c, enum code_language l)
{
	return c->g->language == l;
}

static inline bool has(const struct code *c, unsigned syntax)
{
	return c->g->syntax & syntax;
}

static inline bool skip(struct code *c, const char *text)
{
	if (!token_is(code_at(c, 0), text))
		return false;
	c->i++;
	return true;
}

/* The index of what closes the bracket at the cursor, or the end. */
static inline unsigned closing_at(const struct code *c)
{
	unsigned m = c->i < c->end ? c->t[c->i].match : 0;

	return m > c->i && m < c->end ? m : c->end;
}

/* *x, **x, ...x: all items of a list. */
static inline bool code_is_spread(const struct code *c, const struct code_token *t)
{
	return token_is(t, "...") ||
	       ((token_is(t, "*") || token_is(t, "**")) && has(c, SYNTAX_INDENT | SYNTAX_PERCENT));
}

/* ---- code_literal.c ---- */

/* A function whose body begins at a token. */
struct code_value code_function_at(struct code *c, unsigned params, unsigned params_end,
				   unsigned body);
/* { |x| ... }, do |x| ... end */
struct code_value code_block_literal(struct code *c);
bool code_function_literal(struct code *c, struct code_value *ret);
/* x => ..., (x, y) => ... */
bool code_arrow(struct code *c, struct code_value *ret);
/* The "for x in y" of the bracket at the cursor; true when there is one. */
bool code_comprehension(struct code *c, unsigned close);
struct code_value code_items(struct code *c, bool keys);
struct code_value code_group(struct code *c);

/* ---- code_operand.c ---- */

/* With all that follows it: members, indices, calls. */
struct code_value code_operand(struct code *c);
/* A member of an object or a module. */
struct code_value code_member(struct code *c, const struct code_value *of, struct str name);
/* May an argument of a call without parentheses begin here? */
bool code_begins_argument(const struct code *c);

/* ---- code_subscript.c ---- */

/* x[...]: the cursor is at the bracket. */
struct code_value code_subscript(struct code *c, struct code_value v);

/* ---- code_read.c ---- */

void code_run_range(struct code *c, unsigned to);

/* ---- code_definition.c ---- */

/* def, function, sub, or a method in a class: the cursor is at its name. */
void code_definition(struct code *c, const struct code_token *opener);
/* Does a method without such a word begin here?  The cursor goes to its name. */
bool code_method(struct code *c);
/* f(x) = y of Julia: defines it; false: it is none. */
bool code_short_definition(struct code *c);
/* A class of Python whose body says `name: type`; the cursor is behind its head. */
void code_class_fields(struct code *c, const struct code_token *opener);
/* class X(Y), class X extends Y, class X < Y: at the token is its name, at the cursor its body. */
void code_class(struct code *c, unsigned name);
/* type x struct { ... }: the cursor is at "type". */
void code_struct(struct code *c);
/* record X(T a), data class X(val a: T), struct X { let a: T }: the cursor is at the word. */
void code_record(struct code *c);
/* What makes an object of a class that has no constructor of its own, or of the one above it. */
const struct code_value *code_constructor(struct code *c, struct str class, bool above);
/* In some languages a function may be called above the place where it is written. */
void code_hoist(struct code *c);

/* ---- code_import.c: the cursor is behind the word ---- */

void code_import(struct code *c);
/* Of Go, Java, C#, Rust and their kin: the cursor stays. */
void code_import_compiled(struct code *c, const struct code_token *word);
/* from x import y */
void code_import_from(struct code *c);

/* ---- code_loop.c: the cursor is behind the word ---- */

void code_loop_while(struct code *c, const struct code_token *opener);
void code_loop_for(struct code *c, const struct code_token *opener);
/* Does what is repeated there wait, or end?  Or read, which what is sent elsewhere does not. */
struct code_pauses {
	bool waits; /* sleeps, waits for something, or has an end */
	bool reads; /* may wait, but not for what is sent to another machine */
	bool ends; /* not only for a while */
};
struct code_pauses code_waits(const struct code_token *from, const struct code_token *to);
/*
 * range(200), $i < 500, 1..1000: how often the body runs in all loops around, when each round does
 * the same: it uses none of the names, and does not wait.
 */
unsigned code_times(struct code *c, unsigned names_from, unsigned names_to, unsigned from,
		    unsigned to, unsigned body, unsigned end);
/* `statement if condition`, `statement for list`: reads it; false: it is none. */
bool code_modified(struct code *c);

/* ---- code_block.c ---- */

/* What a process calls itself. */
#define TYPE_OWN_PROCESS "own-process"
/* Names that are kept where all else goes; with .git, what is lost is in commits. */
bool code_are_few_names(const struct code_value *v);
/*
 * Does a condition choose among what is walked through?  What asks for existence does not.
 * `refused`: what fits is left out.  *ret_suffix: what it asks names to end with.
 */
bool code_chooses(struct code *c, const struct code_token *from, const struct code_token *to,
		  bool refused, struct str *ret_suffix);
/* A condition up to that token. */
void code_condition(struct code *c, unsigned to);
/* Where the head of a statement ends, and its block. */
unsigned code_head_end(const struct code *c, unsigned i);
unsigned code_block_end(struct code *c, const struct code_token *opener);

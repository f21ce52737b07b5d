/* Inside of code_*.c: what a row of a table does, and what it gives. */
#pragma once

#include "effects/code.h"

/* What is being done: a row of the table with its arguments. */
struct act {
	struct code *c;
	const struct code_function *f;
	struct code_value *self;
	struct code_args *args;
};

/* An argument without a name; NULL = there are not so many. */
const struct code_value *act_positional(const struct code_args *args, unsigned want);
/* One with a name, or a member of an object of options. */
const struct code_value *act_keyed(const struct code_args *args, const char *key);
/* The i-th, ARG_SELF, or what replaces the one that the row is about. */
const struct code_value *act_argument(const struct act *x, int i);
unsigned act_taints(const struct act *x);
struct str act_cwd(const struct code *c);
/* With the type that the row names. */
struct code_value act_typed(const struct act *x, struct code_value v);
/* The environment as a whole: a name of it, or what is made of that. */
#define TYPE_ENVIRONMENT "environment"
bool act_is_environment(struct code *c, const struct code_value *v);
/* Rows from GIVES_SELF on. */
struct code_value act_gives(const struct act *x);

/* Reading a policy file: what file.c and conditions.c share. */
#pragma once

#include "policy/impl.h"

struct reader {
	struct policy *policy;
	const char *path;
	struct str text;
	struct err *err;
	struct rule rule;
	const struct json *prefixes; /* one rule each */
	bool saved; /* POLICY_SAVED of the user */
	size_t left_out, checkers, mistakes;
	struct json_where last; /* where the rule before is; its line is 0 where there was none */
	unsigned first_line; /* lines of the file before the text */
	const char *file; /* the path, as long as the policy */
};

typedef int field_fn(struct reader *r, const struct json *v);

/* "FILE:LINE:COLUMN: what"; -E_CONFIG. */
int reader_fail(const struct reader *r, size_t pos, const char *what);
/* A string, or an array of strings that is not empty. */
int reader_strings(struct reader *r, const struct json *v, const char *what,
		   const char *const **ret);
int reader_bool(struct reader *r, const struct json *v, bool *ret);

/* A regular expression, "anchored" where it is to fit from the beginning on; the policy's. */
int reader_regex(struct reader *r, const struct json *v, bool anchored, const struct regex **ret);

struct reader_field {
	const char *name;
	field_fn *read;
};
/* The keys of conditions that look at the payload and at effects (conditions.c). */
extern const struct reader_field condition_fields[];
extern const size_t condition_fields_n;

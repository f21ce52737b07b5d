/* Diagnostics: what the author of a configuration or of a hook should know, with its place. */
#pragma once

#include "base/arena.h"
#include "trotline.h"

struct diag {
	enum tl_severity severity;
	const char *file; /* "" = no place */
	unsigned line, column; /* 0 = none */
	const char *path; /* "hooks.BeforeTool[0].matcher", or "" */
	const char *code; /* a literal: "unknown-key" */
	const char *text;
};

struct diags {
	struct arena *arena; /* where the strings live */
	struct diag *p;
	size_t n, cap;
};

/* A place in a file; strings are borrowed. */
struct place {
	const char *file;
	unsigned line, column;
	const char *path;
};

/* `at` may be NULL.  The text is copied. */
void diag_add(struct diags *d, enum tl_severity severity, const char *code, const struct place *at,
	      const char *fmt, ...) PRINTF_LIKE(5, 6);
void diags_done(struct diags *d);
/* Fills the public form; d->size has been set by the caller. */
int diag_get(const struct diags *list, size_t i, struct tl_diagnostic *d);

/* What `trotline hooks lint` found, and the checks that find it. */
#pragma once

#include "cli/cli.h"

struct finding {
	struct tl_diagnostic d; /* strings in the arena */
	const char *shown; /* the file as people write it */
	size_t file; /* index into the files; SIZE_MAX = none of them */
	size_t order; /* in which it was found */
};

struct lint {
	struct arena arena;
	struct {
		struct finding *p;
		size_t n, cap;
	} found;
	struct {
		const char **p;
		size_t n, cap;
	} files; /* as messages name them */
	size_t nhooks;
	const char *cwd; /* where relative names are looked for, besides the project */
	const char *shell; /* tells builtins from programs */
};

/* Where something stands; strings are borrowed for the call. */
struct lint_place {
	const char *file, *path;
	unsigned line, column;
};

void lint_add(struct lint *l, enum tl_severity severity, const char *code,
	      const struct lint_place *at, const char *fmt, ...) PRINTF_LIKE(5, 6);
/* lint_command.c: the command of a hook, and the script that it starts. */
void lint_command(struct lint *l, const struct tl_hooks *hooks, const struct tl_hook *h);

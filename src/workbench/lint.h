/* What `trotline hooks lint` found, and the checks that find it. */
#pragma once

#include "hooks/config.h"
#include "workbench/show.h"
#include "workbench/wb.h"

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
	/* mcpServers as a session would have them, and those of the files; NULL = not known. */
	const struct json *servers;
	size_t nhooks;
	const char *cwd; /* where relative names are looked for, besides the project */
	const char *root; /* the project's directory */
	const char *dialect; /* --dialect, or NULL */
	const struct extension *plugin; /* whose hooks these are, when nothing else tells */
	bool as_project; /* the files are given, each as if it were a project's */
	bool no_project; /* the project's own files are left out */
};

void lint_done(struct lint *l);
DEFINE_AUTO(struct lint, lint_done)

/* ---- findings.c ---- */

/* Findings are sorted by files in the order in which these were added. */
void lint_add_file(struct lint *l, const char *file);
void lint_add(struct lint *l, enum tl_severity severity, const char *code, const struct place *at,
	      const char *fmt, ...) PRINTF_LIKE(5, 6);
void lint_sort(struct lint *l);

/* ---- checks ---- */

/* lint.c: as `hooks lint FILE` does, without a word; l->cwd is set, and stays. */
int lint_file_alone(struct wb *wb, struct lint *l, const char *file);
/* lint.c: are files and hooks of this tier not looked at (--no-project-hooks)? */
bool lint_leaves_out(const struct lint *l, enum tl_tier tier);
/* lint_command.c: what hook i runs; its command may have been expanded. */
void lint_command(struct lint *l, const struct tl_hooks *hooks, size_t i, const char *command);
/* lint_servers.c: mcpServers and mcp of a settings file. */
void lint_servers(struct lint *l, const struct source *file);
/* (reads settings and extensions) What lint.servers is. */
const struct json *lint_known_servers(struct lint *l, const struct tl_hooks *hooks);
/* '; did you mean "NAME"?' with a configured server, or "". */
const char *lint_near_server(struct lint *l, struct str name);
/* lint_policies.c: policies of extensions, in these directories; of all active extensions. */
void lint_policies(struct lint *l, const char *const *dirs);
void lint_extension_policies(struct lint *l, const struct tl_hooks *hooks);
/* lint_matchers.c: matchers for servers and tools that do not exist. */
void lint_matchers(struct lint *l, const struct tl_hooks *hooks);

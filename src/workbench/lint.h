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
	const struct extensions *extensions; /* that are installed; NULL = nobody has looked */
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

/* Are files and hooks of this tier left out (--no-project-hooks)? */
static inline bool lint_leaves_out(const struct lint *l, enum tl_tier tier)
{
	return l->no_project && tiers[tier].foreign;
}

/* ---- findings.c ---- */

/* Findings are sorted by files in the order in which these were added. */
void lint_add_file(struct lint *l, const char *file);
void lint_add(struct lint *l, enum tl_severity severity, const char *code, const struct place *at,
	      const char *fmt, ...) PRINTF_LIKE(5, 6);
void lint_sort(struct lint *l);

/* ---- lint_index.c ---- */

/* The first hook of each kind; hooks are the snapshot's. */
struct hook_index {
	const struct hook **p;
	size_t cap;
	uint64_t (*hash)(const struct hook *h);
	bool (*same)(const struct hook *a, const struct hook *b);
};

void hook_index_init(struct hook_index *x, size_t nhooks, uint64_t (*hash)(const struct hook *h),
		     bool (*same)(const struct hook *a, const struct hook *b));
/* The first one of its kind; NULL when that is this one. */
const struct hook *hook_index_first(struct hook_index *x, const struct hook *h);
void hook_index_done(struct hook_index *x);
DEFINE_AUTO(struct hook_index, hook_index_done)

/* ---- checks ---- */

/* lint.c: as `hooks lint FILE` does, without a word; l->cwd is set, and stays. */
int lint_file_alone(struct wb *wb, struct lint *l, const char *file);
/* lint_command.c: what hook i runs; its command may have been expanded. */
void lint_command(struct lint *l, const struct tl_hooks *hooks, size_t i, const char *command);
/* lint_script.c: what the text of its command (path NULL), or of a script, answers and reads. */
void lint_script(struct lint *l, const struct hook *hook, const struct place *at, const char *path,
		 struct str text);
/* lint_sandbox.c: what a sandbox opens by mistake, of a hook or a server at this place. */
void lint_sandbox(struct lint *l, const struct sandbox *may, const char *home,
		  const struct place *at, bool guard);
void lint_hook_sandbox(struct lint *l, const struct tl_hooks *hooks, const struct hook *hook);
/* lint_servers.c: mcpServers and mcp of a settings file. */
void lint_servers(struct lint *l, const struct source *file);
/* The servers of l->extensions. */
void lint_extensions(struct lint *l);
/* lint_settings.c: what a session takes from a settings file for itself. */
void lint_settings(struct lint *l, const struct source *file);
/* (reads settings and extensions) What lint.servers is. */
const struct json *lint_known_servers(struct lint *l, const struct tl_hooks *hooks);
/* '; did you mean "NAME"?' with a configured server, or "". */
const char *lint_near_server(struct lint *l, struct str name);
/* lint_policies.c: policies of an extension, in these directories; one file; those of a session. */
void lint_policies(struct lint *l, const char *const *dirs);
void lint_policy_file(struct lint *l, const char *file);
void lint_all_policies(struct lint *l, const struct tl_hooks *hooks);
/* lint_matchers.c: matchers for servers and tools that do not exist. */
void lint_matchers(struct lint *l, const struct tl_hooks *hooks);

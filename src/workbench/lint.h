/* What `trotline hooks lint` found, and the checks that find it. */
#pragma once

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
	struct {
		struct lint_file *p;
		size_t n, cap;
	} texts; /* those that hold a JSON object */
	/* mcpServers as a session would have them, and those of the files; NULL = not known. */
	const struct json *servers;
	size_t nhooks;
	const char *cwd; /* where relative names are looked for, besides the project */
	const char *root; /* the project's directory */
	const char *shell; /* tells builtins from programs */
	const char *dialect; /* --dialect, or NULL */
	bool as_project; /* the files are given, each as if it were a project's */
};

/* A settings file as it is written. */
struct lint_file {
	const char *name; /* as messages name it */
	struct str text;
	const struct json *doc; /* an object */
	bool claude; /* in Claude's dialect: servers do not stand there */
	bool shared; /* a project's: others get it, and it decides less */
};

/* Where something stands; strings are borrowed for the call. */
struct lint_place {
	const char *file, *path;
	unsigned line, column;
};

void lint_add(struct lint *l, enum tl_severity severity, const char *code,
	      const struct lint_place *at, const char *fmt, ...) PRINTF_LIKE(5, 6);
/* lint.c: as `hooks lint FILE` does, without a word; l->cwd and l->shell are set, and stay. */
int lint_file_alone(struct wb *wb, struct lint *l, const char *file);
/*
 * What stands at a path like "hooks.BeforeTool[0].matcher", and in which file; NULL when that is
 * none of the texts.
 */
const struct json *lint_value(const struct lint *l, const char *file, struct str path,
			      const struct lint_file **ret_file);
/* lint_command.c: the command of a hook, and the script that it starts. */
void lint_command(struct lint *l, const struct tl_hooks *hooks, const struct tl_hook *h);
/* Does the program run a script that its arguments name? */
bool lint_is_interpreter(const char *program);
/* lint_servers.c: mcpServers and mcp of a settings file. */
void lint_servers(struct lint *l, const struct lint_file *file);
/* (reads settings and extensions) What lint.servers is. */
const struct json *lint_known_servers(struct lint *l, const struct tl_hooks *hooks);
/* Of these the one that is meant by a slip of the pen, or NULL. */
const char *lint_near_server(struct lint *l, struct str name);
/* lint_matchers.c: matchers for servers and tools that there are not. */
void lint_matchers(struct lint *l, const struct tl_hooks *hooks);

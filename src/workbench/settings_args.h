/* The options that every command which edits settings has, and the files that they mean. */
#pragma once

#include "settings/edit.h"
#include "workbench/products.h"
#include "workbench/roots.h"
#include "workbench/wb.h"

struct settings_args {
	const char *into, *scope, *dir;
	bool dry_run, json;
};

#define SETTINGS_OPTS(type, more)                                                                  \
	{ "into",                                                                                  \
	  0,                                                                                       \
	  "AGENT",                                                                                 \
	  OPT_STR,                                                                                 \
	  offsetof(type, in.into),                                                                 \
	  "whose settings (default: gemini): " AGENT_TARGETS more },                               \
		SETTINGS_SCOPE_OPTS(type)
#define SETTINGS_SCOPE_OPTS(type)                                                                  \
	{                                                                                          \
		"scope",                                                                           \
		's',                                                                               \
		"SCOPE",                                                                           \
		OPT_STR,                                                                           \
		offsetof(type, in.scope),                                                          \
		"project (the default) or user"                                                    \
	},                                                                                         \
		{ "dry-run",                                                                       \
		  'n',                                                                             \
		  NULL,                                                                            \
		  OPT_FLAG,                                                                        \
		  offsetof(type, in.dry_run),                                                      \
		  "write nothing, show what would change" },                                       \
		{ "dir",                                                                           \
		  'C',                                                                             \
		  "DIR",                                                                           \
		  OPT_STR,                                                                         \
		  offsetof(type, in.dir),                                                          \
		  "work in this directory instead of the current one" },                           \
	{                                                                                          \
		"json", 0, NULL, OPT_FLAG, offsetof(type, in.json), "print JSON"                   \
	}

struct settings_target {
	const struct agent *agent;
	struct settings_roots roots;
	bool user, dry_run;
	char *hooks_path, *mcp_path;
	char *hooks_other, *mcp_other; /* where a hook, a server may be, too, or NULL */
};

/* Which agent --into means (NULL: the default); an exit status, after having said what is wrong. */
int agent_target_find(struct wb *wb, const char *name, const struct agent **ret_agent);
/* Finds the files; an exit status, after having said what is wrong with the options. */
int settings_target_find(struct wb *wb, const struct settings_args *args,
			 struct settings_target *ret_t);
void settings_target_done(struct settings_target *t);
DEFINE_AUTO(struct settings_target, settings_target_done)
/*
 * Where files of other agents are: --scope is user (the default) or project.  An exit status, after
 * having said what is wrong with the options.
 */
int settings_roots_of_agents(struct wb *wb, const struct settings_args *args,
			     struct settings_roots *ret_roots, bool *ret_user);
/* A file of the user or of the project, as a place names it. */
char *settings_target_file(const struct settings_target *t, const char *name);
/* A change of one of the target's files, for settings_apply(). */
struct settings_change settings_target_change(const struct settings_target *t, const char *path);
/* Says what went wrong; the exit status. */
int settings_failed(struct wb *wb, const struct err *err);

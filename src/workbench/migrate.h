/* Translating hooks of another agent into Gemini's: the plan, which migrate_run.c carries out. */
#pragma once

#include "base/arena.h"
#include "base/json.h"
#include "hooks/claude.h"
#include "workbench/products.h"

/* Something to tell, with its place; the text is a sentence without a full stop. */
struct remark {
	const char *file;
	unsigned line, column;
	const char *text;
};

struct remarks {
	struct remark *p;
	size_t n, cap;
};

enum migrated_status { MIGRATED, MIGRATED_WITH_LOSS, MIGRATED_BEFORE, NOT_MIGRATED };

/* One hook of the source. */
struct migrated {
	const char *file;
	struct json_where at;
	const char *event, *command; /* as in the source */
	struct str matcher;
	const char *to; /* Gemini's event; NULL = it has none */
	enum migrated_status status;
	struct remarks remarks; /* what is lost, or why it was left out */
};

/* A definition for Gemini; hooks[i] is made from items[i]. */
struct group {
	const char *event;
	const char *matcher; /* NULL = all */
	bool sequential;
	const struct json **hooks;
	size_t *items;
	size_t n;
};

/* A definition of the source that was translated as a whole. */
struct moved {
	struct str event;
	size_t definition;
};

/* One rule of `permissions`, as one of a policy file. */
struct migrated_rule {
	struct migrated it; /* its event is "permissions.deny", the rule its matcher */
	const struct claude_list *list;
	struct str name, toml; /* of the [[rule]] */
	const char *loss, *left_out; /* what the translation changes, why there is none; or NULL */
};

struct migration {
	const struct agent *from;
	const char *project; /* where scripts are looked for */
	struct arena arena;
	struct {
		struct migrated *p;
		size_t n, cap;
	} items;
	struct {
		struct group *p;
		size_t n, cap;
	} groups;
	struct {
		struct moved *p;
		size_t n, cap;
	} moved;
	struct {
		struct migrated_rule *p;
		size_t n, cap;
	} rules;
	const struct json *before; /* the file that the hooks are added to */
	struct {
		const struct json **p;
		size_t n, cap;
	} settings; /* what it gets of modes and directories */
	bool user; /* the file is the user's */
	const char *home;
	struct remarks remarks; /* about whole files */
	struct {
		struct str *p;
		size_t n, cap;
	} disabled; /* names that the source switches off */
	size_t events; /* of the source that have hooks */
};

void migration_done(struct migration *m);
DEFINE_AUTO(struct migration, migration_done)
/* Adds the hooks of one settings file of m->from. */
void migration_add(struct migration *m, const char *file, struct str text, const struct json *doc);

/* ---- rules (migrate_rules.c) ---- */

/* Fills in the rest of a rule whose .it and .list are set. */
void rule_translate(struct migration *m, struct migrated_rule *rule);
/* The policy file of the scope for rules that deny and ask (strict), for those that allow. */
const char *rule_file(bool strict);

/* ---- words (migrate_words.c) ---- */

struct matchers {
	const char *p[16]; /* NULL = all */
	size_t n; /* 0 = nothing is left that could match */
};

/*
 * What Gemini must match for `matcher`, which is one of `from` for its event.  What is lost goes
 * to `losses` (texts in the arena).
 */
struct texts {
	const char *p[16];
	size_t n;
};
void migrated_add(struct texts *t, const char *text);
struct matchers matcher_translate(struct arena *a, const struct agent *from,
				  const struct event *event, struct str matcher,
				  struct texts *losses);
/* The command with Gemini's variables in place of the agent's. */
struct str command_translate(struct arena *a, const struct agent *from, struct str command,
			     struct texts *losses);
/* A command and its arguments, which no shell reads, as one that a shell reads. */
struct str command_quote(struct arena *a, struct str command, const struct json *args);

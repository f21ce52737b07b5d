/*
 * Configuration: from settings files to an immutable list of hooks (contract sections 5 and 7).
 *
 *	place_next()    ─► struct source (bytes, parsed) ─► struct settings (scalars, merged)
 *	                                                 └► struct hook[] in run order, each with
 *its state
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "extensions/extension.h"
#include "hooks/match.h"
#include "policy/judge.h"
#include "settings/places.h"
#include "settings/sandbox_rules.h"

/* A settings file that was read. */
struct source {
	enum tl_tier tier;
	const struct dialect *dialect;
	int weight; /* its scalars override those of smaller ones */
	const char *path; /* for messages; a file's path */
	struct str text;
	const struct json *doc; /* an object */
	struct json_where *marks; /* places in the text, a few KiB apart: see source_place() */
	const struct extension *extension; /* that the file is from, or NULL */
	const char *agent, *skill; /* whose front matter it is; NULL = of none */
	const char *extension_name; /* of a given one, until extensions are read; NULL = none */
	bool own; /* a file of trotline alone, or of the host: what it says of packs counts */
	bool trotlines; /* a settings file of trotline: no other agent reads it */
};

struct sources {
	struct source *p;
	size_t n, cap;
};

/* hooksConfig and its kin, merged over the tiers (C7.2, C7.3). */
struct settings {
	bool enabled; /* as any scalar: the highest of user, project, system that says something */
	/* By tier, what it and higher ones say: guards and the system ignore the tiers below them.
	 */
	bool guards_enabled[TIERS];
	bool notifications;
	/* By tier, as above: the default of hooks that say nothing. */
	enum on_failure on_failure[TIERS];
	bool resident; /* C6.14 */
	int max_retries; /* C4.11 */
	bool mcp_single; /* mcp.toolNaming: "single" */
	/* Variables that settings set, by whom, as "NAME=value" (settings_env.c). */
	struct set_vars {
		const char **p; /* NULL-terminated; NULL = none */
		size_t n, cap;
	} own_env, project_env;
	const struct json *plugins; /* see struct extension_options; NULL = none */
	const char *plugins_text; /* the same as JSON */
	bool folder_trust; /* security.folderTrust.enabled of the user or the system */
	const struct dialect *claude_keys; /* hooksConfig.dialect: what Claude-named keys mean */
	const char *claude_off; /* the file of Claude's that says disableAllHooks, or NULL */
	enum tl_tier claude_off_tier;
	struct disabled_name {
		struct str name;
		const char *file;
		enum tl_tier tier;
	} * disabled;
	size_t ndisabled, disabled_cap;
	enum sandbox_project { SANDBOX_UNSAID, SANDBOX_OFF, SANDBOX_ON } sandbox_project;
	bool sandbox_asked; /* no settings say it: it is what the user answered, if anything */
	bool redact; /* security.environmentVariableRedaction */
	const struct json *redact_allowed, *redact_blocked;
};

struct env_pair {
	const char *name, *value;
};

/* One configured handler. */
struct hook {
	/* What planning looks at comes first, in one cache line. */
	const struct dialect_event *as; /* how its dialect calls the event */
	const char *why; /* about its state */
	enum tl_state state; /* WOULD_RUN, DISABLED or UNTRUSTED */
	bool bound; /* it runs only with its agent or skill */
	struct matcher matcher;

	const struct event *event; /* the host's moment */
	const struct dialect *dialect;
	enum tl_tier tier;
	const char *name; /* as configured, "" when it has none */
	const char *id; /* name, else command */
	const char *command; /* "" for runtime hooks */
	const char *const
		*args; /* claude: direct arguments, NULL-terminated; NULL = a shell command */
	const char *description;
	struct env_pair *env;
	size_t nenv;
	const struct extension *extension; /* NULL = of none */
	int64_t timeout_ms;
	bool sequential, guard, observe, persistent, detached; /* detached: claude's async */
	bool once; /* claude: it runs once a session */
	int warm; /* processes of it that are started ahead of time (C6.9) */
	int64_t warm_seconds; /* how long each may wait */
	bool stamps_only; /* a change of its scripts needs another process, and no approval */
	bool rewake; /* claude: runs in the background, and its exit 2 wakes the model */
	const char *rewake_message; /* in front of what it says then, or NULL */
	const char *status; /* claude: shown while it runs, or NULL */
	enum on_failure on_failure; /* never FAIL_DEFAULT */
	struct place at, matcher_at;
	const char *listed_under; /* its event, as the file calls it */
	const char *broken; /* a guard whose entry is wrong: what is wrong, else NULL */
	const char *if_rule; /* claude: a second filter, or NULL */
	const char *fingerprint; /* hex, "" when not of the project */
	const char *definition; /* what it covers, as text; NULL when not of the project */
	const char *script; /* file of the project that the command starts, "" = none */
	struct script **scripts; /* all of them (trust.c) */
	size_t nscripts;
	bool scripts_later; /* they are looked for when it is about to run */
	const struct sandbox_rules *sandbox; /* NULL = it may do what we may */
	bool sandbox_own; /* it says so itself; else by hooksConfig.sandboxProjectHooks */
	const char *const *watch; /* more of them, as configured; NULL-terminated, NULL = none */
	const char *unwatched; /* why not all of them can be told; "" = they can */
	enum tl_trust_state trust;
	const char *agent, *skill; /* that it is bound to; NULL = none */
	bool is_rule; /* of Claude's permissions, or a policy: nothing of it is approved */
	const struct policy *policy; /* of a hook that is one (policies.c); NULL = it is none */
	bool secrets; /* of a policy: it looks for secrets, or redacts them */
	bool redacts; /* of a policy: this redacts, which nothing goes around, as around a guard */
	bool surely; /* its rule must surely fit: it allows */
	const struct tl_runtime_hook *runtime; /* NULL for commands */
	const struct handler *handler; /* of a hook that is no process; NULL = it is one */
	const struct tl_handler *host; /* who runs it; NULL = a broken one */
	const struct json *own; /* what makes it what it is, as configured */
	const char *own_text; /* the same as text; NULL = it has none */
	const char *const *vars; /* http: that its headers may hold; NULL-terminated */
	bool private_ok; /* http: settings let it lead to what is not public */
	const char *granted; /* the pattern with which its own project does so, or NULL */
	size_t index; /* in the snapshot */
};

struct hook_list {
	struct hook **p;
	size_t n;
};

struct plan_cache;
struct peers;

/* The snapshot. */
struct tl_hooks {
	atomic_int refs;
	void (*destroy)(struct tl_hooks *h); /* when the last reference goes */
	struct arena arena;
	struct dirs dirs;
	struct sources sources;
	struct settings set;
	struct diags diags;
	struct err
		fatal; /* .code is 0, or why the configuration cannot be used although it parses */
	struct hook **hooks; /* grouped by event, in run order */
	struct tl_hook *infos; /* of each hook, as the public API shows it */
	size_t nhooks, hooks_cap;
	struct hook_list by_event[EV_COUNT];
	const char *const *env; /* what hooks inherit, redacted (env.h) */
	const char *shell; /* bash, else sh */
	bool folder_trusted;
	unsigned load_flags;
	const char *agent_reads; /* struct tl_options */
	const char *wanted_names; /* of these, with blanks between; NULL = none */
	unsigned wanted; /* the dialects that trusted settings name in "sources", as bits */
	const struct extensions *extensions; /* NULL = none were read */
	unsigned wanted_once_trusted; /* the same if the folder is, too */
	struct tl_runtime_hook *runtime;
	struct tl_handler *handlers; /* ends with one without a type */
	bool for_agents, for_skills; /* some hooks belong to one */
	struct plan_cache *plans;
	struct aways *aways; /* processes that went on after their firings */
	struct once *once; /* which of those that run once have run */
	struct peers *peers; /* the processes of persistent hooks */
	const char *const *keeper; /* struct tl_options; NULL = there is none */
	atomic_bool keeper_started; /* by us */
	struct warms *warms; /* processes that wait for their first question; NULL = none do */
	struct {
		struct policy **p;
		size_t n, cap;
	} policies; /* that hooks are made of */
	struct {
		struct policy_exception *p;
		size_t n, cap;
	} exceptions; /* ends with one without a pack */
	struct watch *watch; /* keeps deadlines when the host was killed; NULL = not kept */
	struct script *scripts; /* of the project, each read once */
	size_t script_bytes; /* of all of them */
	pthread_mutex_t scripts_lock; /* for those that are looked for later */
};

/* Its firing does not wait for it. */
static inline bool hook_goes_on(const struct hook *hook)
{
	return hook->detached || hook->rewake;
}

static inline struct tl_hooks *hooks_ref(struct tl_hooks *h)
{
	atomic_fetch_add_explicit(&h->refs, 1, memory_order_relaxed);
	return h;
}

static inline void hooks_unref(struct tl_hooks *h)
{
	if (h && atomic_fetch_sub_explicit(&h->refs, 1, memory_order_acq_rel) == 1)
		h->destroy(h);
}

/*
 * Reads everything into h, whose dirs and load_flags are set.  -E_PARSE, -E_CONFIG or -E_IO with
 * file:line:column; entries that are wrong end in h->diags.
 */
int config_load(struct tl_hooks *h, const struct tl_options *o, struct err *err);
void config_done(struct tl_hooks *h);

/* settings.c */

/* Adds the given sources and the files that are always read. */
int sources_read(struct tl_hooks *h, const struct tl_options *o, struct err *err);
/* Adds the files of the dialects that hooksConfig.sources names; a note for those left unread. */
int sources_read_wanted(struct tl_hooks *h, struct err *err);
/* Whether folders are asked about at all: what the project's own settings have no say in. */
void settings_find_trust(struct tl_hooks *h);
/* Merges the scalars of all sources. */
void settings_merge(struct tl_hooks *h);
/* Adds a parsed file to the sources; -E_PARSE / -E_CONFIG as above. */
int source_add(struct tl_hooks *h, struct source s, struct err *err);

/* Line and column of a position in a source, with a path made by printf. */
struct place source_place(const struct source *s, struct arena *a, size_t pos, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

/*
 * extensions.c: the hook files of active extensions are sources, too.  What is broken
 * is left out and reported, but a guard is never: then -E_CONFIG.  -E_NOTFOUND when `only` names an
 * extension that there is not.
 */
int hooks_add_extensions(struct tl_hooks *h, const char *const *only, struct err *err);
/* How Claude Code calls an MCP server of a plugin: "plugin_PLUGIN_SERVER"; NULL = of none. */
const char *plugin_server(const struct tl_hooks *h, struct arena *a, const char *server);
/* Is it the project's to change: its own settings, or an extension that is in it? */
static inline bool is_of_project(enum tl_tier tier, const struct extension *e)
{
	return tiers[tier].foreign || (e && e->in_project);
}

/*
 * settings_env.c: the variables of one source, in the order in which sources override each other.
 */
void settings_env_merge(struct tl_hooks *h, const struct source *s);

/* shapes.c: is there a guard in it, however deep? */
bool hooks_hold_guard(const struct json *v);
/* hook_file.c: does this "hooks" object name an event that Gemini CLI has and Claude Code has not? */
bool hooks_are_native(const struct json *listed);

/* hook_read.c */

/* The hooks of one source, appended to h->hooks. */
void hooks_read(struct tl_hooks *h, const struct source *s);
void hooks_read_runtime(struct tl_hooks *h);

/* Is it the same command, with the same arguments if they are a list? */
bool hook_same_command(const struct hook *a, const struct hook *b);
/* What it is called in sentences: a long command that is its name without the middle. */
const char *hook_label(struct arena *a, const struct hook *hook);

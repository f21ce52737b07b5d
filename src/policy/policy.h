/*
 * May a tool run, must the user be asked, or is it denied?  Settings, policy files and
 * a table of built-in rules make one list of rules; the first that fits, by priority, decides.
 */
#pragma once

#include "base/err.h"
#include "base/json.h"
#include "policy/subject.h"
#include "settings/mode.h"

enum policy_decision { POLICY_ALLOW, POLICY_ASK, POLICY_DENY };

struct policy;

/* All of it is borrowed during policy_new() only; lists are NULL-terminated, NULL = none. */
struct policy_options {
	/* Merged: tools.core, .exclude, .allowed, .confirmationRequired, mcp, mcpServers. */
	const struct json *settings;
	const char *const *allowed; /* --allowed-tools */
	const char *const *servers; /* --allowed-mcp-server-names: as mcp.allowed */
	const char *const *policies; /* --policy: files or directories, of the user's tier */
	const char *const *admin_policies; /* --admin-policy: of the administrator's */
	/* policies/ of extensions: they may forbid and ask, but allow nothing. */
	const char *const *extension_policies;
	/* Told of rules that are left out; may be NULL. */
	void (*complain)(void *data, const char *text);
	/* Told of each mistake of a file; NULL = the first one ends the reading. */
	void (*mistake)(void *data, const struct err *err);
	void *data;
	const char *home; /* its .gemini/policies are the user's; NULL = none */
	const char
		*project; /* its .gemini/policies are the workspace's, when trusted; NULL = none */
	const char *cwd; /* where relative paths of arguments start; NULL = "/" */
	const char *plans_dir; /* where plan mode may write *.md; NULL = nowhere */
	enum approval_mode mode;
	bool interactive, trusted;
};

/*
 * NULL when a policy file cannot be used ("FILE:LINE:COLUMN: ...") or a setting makes no sense
 * (E_CONFIG): what it says might be a guard.  Without a person to ask (interactive), every "ask"
 * is a denial.
 */
struct policy *policy_new(const struct policy_options *o, struct err *err) MUST_CHECK;
void policy_free(struct policy *p);
/* *ret_why: a sentence for a denial, in the arena; "" when there is nothing to say.  May be NULL.
 */
enum policy_decision policy_check(const struct policy *p, struct policy_subject t,
				  const struct json *args, struct arena *a, struct str *ret_why);
/* The same for what the user typed: plan mode is about the model's commands. */
enum policy_decision policy_check_typed(const struct policy *p, struct policy_subject t,
					const struct json *args, struct arena *a,
					struct str *ret_why);
/* Would it be a question, if there were somebody to ask? */
bool policy_would_ask(const struct policy *p, struct policy_subject t, const struct json *args,
		      struct arena *a);
/* Is the tool denied whatever its arguments are?  Then it is not even declared. */
bool policy_hides(const struct policy *p, struct policy_subject t);
/* The same, if there were somebody to ask. */
bool policy_forbids(const struct policy *p, struct policy_subject t);
/* Does a rule deny everything of this MCP server? */
bool policy_denies_server(const struct policy *p, const char *server);
/* Calls of this sub-agent are asked about from now on; NULL = the session's own.  Borrowed. */
void policy_set_agent(struct policy *p, const char *name);
/* Does a rule deny the sub-agent by its name? */
bool policy_denies_agent(const struct policy *p, const char *name);
/* "read_file", "mcp_SERVER_*": does the pattern mean the tool, without a doubt? */
bool policy_name_fits(const char *pattern, struct policy_subject t);

/* ---- what a person allows in a dialog (policy_said.c) ---- */

/*
 * A tool, a tool of an MCP server, or all tools of one.  Such a rule loses to every rule that
 * denies, whatever their priorities, and does not count in plan mode, but where it was said there.
 */
struct policy_said {
	const char *tool; /* of a server's tool its name there; NULL = all tools of the server */
	const char *server; /* as the settings name it; NULL = no server's */
	const char *prefix; /* the beginning of a shell command; NULL = any arguments */
};

/*
 * "Always allow" for the rest of the session.  False when the prefix is not the beginning of one
 * simple command: then nothing is allowed.
 */
bool policy_say(struct policy *p, const struct policy_said *said);
/* What was said so, the first one as 0; false = no more.  Borrowed. */
bool policy_said_get(const struct policy *p, size_t i, struct policy_said *ret);
void policy_unsay(struct policy *p, size_t i);
/* All of it, for the policy of another mode. */
void policy_take_said(struct policy *p, const struct policy *from);
/*
 * What would have to be said so that this very call, which the policy asks about, is allowed in
 * every session; 0 when nothing exact enough would do.
 */
size_t policy_sayable(const struct policy *p, struct policy_subject t, const struct json *args,
		      struct arena *a, const struct policy_said **ret);
/* "shell commands that begin with \"git push\"", for people. */
struct str policy_said_text(struct arena *a, const struct policy_said *said);

/* Would a policy of the user take this text, which is to be written to path? */
int policy_check_text(const char *path, struct str text, struct err *err);
/* ~/.gemini/policies/auto-saved.toml: what was said for every session. */
#define POLICY_SAVED "auto-saved.toml"
/*
 * (waits) Adds what is not in it yet.  A file that cannot be read is left as it is: the error says
 * where it is broken.
 */
int policy_save(const char *home, const struct policy_said *said, size_t n, struct err *err);
struct policy_saved {
	struct str *texts; /* each rule, for people */
	size_t n;
};
int policy_saved_read(const char *home, struct arena *a, struct policy_saved *ret, struct err *err);
/* (waits) Takes out the rule that has this text. */
int policy_saved_remove(const char *home, struct str text, struct err *err);

/* "allow", "ask", "deny" */
const char *policy_decision_name(enum policy_decision d);

/* ---- looking at the rules (policy_review.c) ---- */

struct policy_rule {
	const char *file; /* NULL = it is not of a file */
	unsigned line, column;
	const char *source; /* "user", "tools.exclude", "built-in" */
	int priority; /* thousandths */
	enum policy_decision decision;
	const char *const *tools; /* NULL = every tool */
	const char *server; /* NULL = it is not about servers */
	const char *why; /* why it does not decide; NULL = it does */
};

struct policy_answer {
	enum policy_decision decision;
	struct str why; /* "" = nothing to say */
	struct str part; /* of a shell command: the part that decided it */
	struct policy_rule *rules; /* all of them, by priority */
	size_t n;
	size_t decided; /* the index; n = none of them, what holds without a rule */
};

/* The same as policy_check(), and what each rule had to do with it; in the arena. */
void policy_explain(const struct policy *p, struct policy_subject t, const struct json *args,
		    struct arena *a, struct policy_answer *ret);

enum policy_use {
	RULE_USED,
	RULE_NEVER_FITS, /* none of these tools */
	RULE_SHADOWED, /* another one always decides before it */
};

size_t policy_rule_count(const struct policy *p);
struct policy_rule policy_rule_get(const struct policy *p, size_t i);
/* Can the rule decide anything about these tools, in some mode?  *ret_by: what shadows it. */
enum policy_use policy_rule_use(struct policy *p, size_t i, const struct policy_subject *tools,
				size_t n, size_t *ret_by);

DEFINE_AUTO_PTR(struct policy, policy_free)

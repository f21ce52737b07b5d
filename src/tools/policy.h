/*
 * May a tool run, must the user be asked, or is it denied?  Settings, policy files and
 * a table of built-in rules make one list of rules; the first that fits, by priority, decides.
 */
#pragma once

#include "base/err.h"
#include "tools/tool.h"

enum approval_mode { MODE_DEFAULT, MODE_AUTO_EDIT, MODE_YOLO, MODE_PLAN };
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
enum policy_decision policy_check(const struct policy *p, const struct tool *t,
				  const struct json *args, struct arena *a, struct str *ret_why);
/* Would it be a question, if there were somebody to ask? */
bool policy_would_ask(const struct policy *p, const struct tool *t, const struct json *args,
		      struct arena *a);
/* Is the tool denied whatever its arguments are?  Then it is not even declared. */
bool policy_hides(const struct policy *p, const struct tool *t);
/* The same, if there were somebody to ask. */
bool policy_forbids(const struct policy *p, const struct tool *t);
/* Does a rule deny everything of this MCP server? */
bool policy_denies_server(const struct policy *p, const char *server);
/* Calls of this sub-agent are asked about from now on; NULL = the session's own.  Borrowed. */
void policy_set_agent(struct policy *p, const char *name);
/* Does a rule deny the sub-agent by its name? */
bool policy_denies_agent(const struct policy *p, const char *name);
/* "read_file", "mcp_SERVER_*": does the pattern mean the tool, without a doubt? */
bool policy_name_fits(const char *pattern, const struct tool *t);
/*
 * "Always allow" for the rest of the session; prefix of a shell command, or "" for the tool.  False
 * when the prefix is not the beginning of one simple command: then nothing is allowed.
 */
bool policy_always(struct policy *p, struct str tool, struct str prefix);
/* The same for one tool of an MCP server, as both are called: another one may have its name. */
void policy_always_server_tool(struct policy *p, struct str server, struct str tool);
/* The same for all tools of an MCP server, by the name that the settings have. */
void policy_always_server(struct policy *p, struct str server);

DEFINE_AUTO_PTR(struct policy, policy_free)

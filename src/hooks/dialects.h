/*
 * The dialect table: one row for each way in which hooks are written.  A dialect is a property of a
 * hook, taken from the file it came from; what differs between dialects is a member here, never an
 * if elsewhere.
 */
#pragma once

#include "hooks/events.h"

struct answer;
struct hook;

enum dialect_id {
	DIALECT_GEMINI,
	DIALECT_TABNINE,
	DIALECT_TERMINAI,
	DIALECT_JPFORK,
	DIALECT_CLAUDE,
	DIALECT_CODEX,
	DIALECT_COUNT
};

/* Which of the host's firings a dialect's event means. */
enum event_case {
	CASE_ALWAYS,
	CASE_SUCCESS, /* the tool succeeded; the prompt is the user's */
	CASE_FAILURE, /* the tool failed */
	CASE_BEGIN, /* a session begins; its history was not merely compressed */
	CASE_NEVER, /* known, but no moment of the host corresponds to it */
};

/* What blocking (exit 2, a denial) does. */
enum blocks {
	BLOCK_DENY,
	BLOCK_COMMENT, /* it happened already: the agent is told */
	BLOCK_NOTICE, /* too late: the user is told */
	BLOCK_IGNORED,
};

struct dialect_event {
	const char *name; /* as configured and as sent in hook_event_name */
	enum event_id moment;
	enum event_case when;
	int timeout_ms; /* 0 = the dialect's */
	unsigned honours; /* enum answer_part of its answers; 0 = those of the moment */
	enum blocks blocks; /* where its answers are the dialect's own */
};

enum tool_match {
	TOOL_REGEX,
	TOOL_REGEX_ICASE,
	TOOL_LIST /* a list of exact names, or a regex */
};

/* Whose members a payload has. */
enum payload_form { PAYLOAD_OURS, PAYLOAD_CLAUDE, PAYLOAD_CODEX };

/* Whose names its tools have, in payloads and in matchers. */
enum tools { TOOLS_OURS, TOOLS_CLAUDE, TOOLS_CODEX, TOOLS_COUNT };

/* What text on stdout that is not JSON means when the hook exits with 0. */
enum plain_text {
	PLAIN_MESSAGE,
	PLAIN_DROP,
	PLAIN_CONTEXT /* on events that take context, else dropped */
};

/* In whose words hooks answer (answers.c): several dialects may have the same. */
enum words { WORDS_GEMINI = 1 << 0, WORDS_CLAUDE = 1 << 1, WORDS_CODEX = 1 << 2 };

enum on_failure { FAIL_DEFAULT, FAIL_WARN, FAIL_ASK, FAIL_DENY };

/* "warn", "ask", "deny"; FAIL_DEFAULT for any other word. */
enum on_failure on_failure_find(struct str word);
const char *on_failure_name(enum on_failure f);

struct dialect {
	enum dialect_id id;
	const char *name;
	const struct dialect_event *events;
	size_t nevents;
	int timeout_unit_ms; /* one unit of `timeout` */
	int timeout_ms; /* when there is none */
	enum tool_match tool_match;
	const char
		*list_marks; /* of TOOL_LIST: what a list may have beside letters, digits and _ */
	enum plain_text plain;
	enum words words; /* also which judge reads them */
	const char *denial; /* how its words deny, to be shown, where an event has no other */
	enum on_failure
		before_tool_failure; /* what a failure of a hook before a tool means (C3.5) */
	bool rewrite_replaces; /* tool_input replaces the arguments instead of merging (C4.4) */
	bool unwraps_string; /* a JSON string that holds an object is unwrapped once */
	bool json_on_failure; /* JSON decides on every exit status but 2 (C3.7) */
	bool exit_is_failure; /* a command that ends with another status than 0 is a failed tool */
	bool keeps_duplicates; /* the same hook twice runs twice */
	enum tools tools;
	enum payload_form payload;
	bool claude_keys; /* async, args, if and their kind mean something in a hook's entry */
	bool borrows; /* its files may hold events of other dialects, which are read as theirs */
	bool handlers; /* it has hooks that are no processes (handlers.c) */
	bool new_events; /* an event that we do not know may be from a later release */
	bool tool_response_text; /* tool_response is sent as text */
	bool bare_payload; /* exports notification_type and message to the environment */
	bool literal_context; /* no character of its context is escaped */
	bool sends_mode; /* permission_mode */
	bool reads_transcript; /* its transcript is one in Claude Code's form */
	bool allow_approves; /* allow also skips the host's confirmation */
	/* Names; NULL = the dialect has no such thing. */
	const char *env_prefix; /* PREFIX_PROJECT_DIR, _CWD, _SESSION_ID besides the common ones */
	const char *env_file; /* the variable with a file for variables of the session */
	const char *off_key; /* true in a settings file switches off the hooks of such files */
	const char *env_key; /* of a settings file: variables of the session (settings_env.c) */
	const char *permissions_key; /* of a settings file: rules about tools (permissions.c) */
	const char *plugins_key; /* of a settings file: which plugins are enabled */
	const char *no_events; /* among the events of a settings file and no event: words */
};

extern const struct dialect dialects[DIALECT_COUNT];

#define DIALECT_NAMES "gemini, tabnine, terminai, jpfork, claude or codex"

const struct dialect *dialect_find(struct str name);
bool dialect_is_name(struct str name);
/* The event that this dialect calls `name`, or NULL. */
const struct dialect_event *dialect_event_find(const struct dialect *d, struct str name);

/* What this dialect calls a moment of the host, or NULL: the first of its events there. */
const struct dialect_event *dialect_event_of(const struct dialect *d, enum event_id moment);

/* The event of any dialect that comes nearest to a misspelt name, of those that fire; or NULL. */
const char *dialect_event_nearest(struct str name);

/* In which a function of the host listens to the event: gemini, or claude where only that has it;
 * NULL when it has no such event. */
const struct dialect *dialect_of_runtime(struct str event);

/* How a tool of ours is called elsewhere; NULL when it has no other name there. */
const char *tool_name_in(enum tools whose, struct str name);
/* A further name of the tool that matchers know there; NULL behind the last one. */
const char *tool_also_in(enum tools whose, struct str theirs, size_t i);
/* The nth of our tools that is called so there, or matched by that name; NULL behind the last. */
const char *tool_called_at(enum tools whose, struct str theirs, size_t nth);
/* Is it a tool that Claude Code has, or had, and that nothing here corresponds to? */
bool tool_is_claudes(struct str word);
/*
 * Other names under which people know a tool (C5.3): the canonical name for an alias, else NULL.
 */
const char *tool_alias(struct str name);
/*
 * All pairs of an alias (or Claude name) and the tool that it means; a name may mean several tools.
 */
struct tool_alias {
	const char *canonical, *alias;
};
bool tool_alias_at(size_t i, struct tool_alias *ret);
size_t tool_alias_count(void);

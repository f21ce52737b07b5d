/*
 * The claude dialect where it is more than a row of the table: its names for
 * tools and arguments, its payload, its reading of exit codes and answers.
 */
#pragma once

#include "hooks/result.h"

/* claude_payload.c */

/* The payload, one line with its newline, in the firing's arena. */
struct str claude_payload(struct firing *f, const struct hook *hook);
/* How Claude Code calls a reason or a type of notification; other words stay. */
struct str claude_word(const struct event *ev, struct str subject);
/* Changes of permissions, whose rules call a tool as name_of() does, where that is not NULL. */
const struct json *claude_rules(struct arena *a, const struct json *updates,
				const char *(*name_of)(struct str tool, const void *data),
				const void *data);

/* claude.c */

/* Judges a hook that exited by itself (3.6, 3.7).  onFailure is the caller's business. */
void claude_judge(struct judging *j);

enum { TERMINAL_MAX = 4096 };
/* Titles, notices, the bell: OSC 0, 1, 2, 9, 99, 777, each ended, and BEL; nothing else. */
bool terminal_is_harmless(struct str s);

/* claude_rule.c */

/* A rule like "Bash(git push *)", of "if" and of permissions; its strings are the text's. */
struct claude_rule {
	struct str name, pattern; /* pattern.p NULL = the tool as a whole */
	struct str rest; /* what follows the name and belongs to no rule: ":*" of "Edit:*" */
	bool odd; /* it cannot be told which tool it is about */
};
struct claude_rule claude_rule_read(struct str text);
/* Can it allow anything?  Only what surely fits does (C7.8). */
bool claude_rule_may_allow(const struct claude_rule *r);
/* Is this surely a command that the rule's pattern is about?  Only a plain one can be. */
bool claude_rule_allows(const struct claude_rule *r, struct str command);

/* What the parentheses of a rule are about, of each tool that can have them. */
enum claude_kind { CLAUDE_COMMAND, CLAUDE_FILE, CLAUDE_DIR, CLAUDE_WORD, CLAUDE_DOMAIN };
struct claude_tool {
	const char *tool, *argument;
	enum claude_kind kind;
};
/* NULL = rules are about the tool as a whole. */
const struct claude_tool *claude_tool_find(struct str tool);

/* The lists of permissions; the first one that has a rule for a call decides. */
struct claude_list {
	const char *key;
	bool strict; /* a guard; a list that cannot be read is one that is lost */
	const char *decision; /* of a rule in a policy file */
	unsigned priority;
};
enum { CLAUDE_LISTS = 3 };
extern const struct claude_list claude_lists[CLAUDE_LISTS];

/* claude_if.c */

/* The second filter of a tool hook, "Bash(git *)" (3.4): fails towards running, or, of a rule that
 * allows, towards not fitting. */
bool claude_if_matches(const struct hook *hook, struct firing *f);

/* claude_args.c: arguments of tools, both ways (3.5) */

/* A call of a tool that is translated. */
struct claude_call {
	struct arena *arena;
	struct str tool; /* as the host calls it; an alias will do */
	const char *cwd, *home; /* what file names become absolute with */
	bool mcp; /* a tool of an MCP server: its arguments are its own */
	const struct json *path, *url; /* that this hook is asked about (C2.11); NULL = not known */
	/* Filled by claude_args_to_host(): names of arguments that the host has no use for, "a, b".
	 */
	struct str dropped;
	bool refused; /* the host's tool is too different to be rewritten */
};

void claude_call_init(struct claude_call *c, const struct firing *f);
/* The first http(s) URL of a text, without the punctuation behind it; "" = none. */
struct str claude_url_in(struct str text);
/* "Bash" for run_shell_command, "mcp__s__t" for a tool of a server; other names stay. */
struct str claude_tool_of(const struct firing *f);
const struct json *claude_args_from_host(const struct claude_call *c, const struct json *args);
/*
 * The host's arguments, complete.  `original` are those that the hook saw, in the host's form: what
 * a Claude hook cannot know is taken over from there, and a file name that was only made absolute
 * comes back as it was.
 */
const struct json *claude_args_to_host(struct claude_call *c, const struct json *args,
				       const struct json *original);

/* claude_results.c: results of tools, both ways */

/* A call that was made, in the host's words. */
struct claude_result {
	const struct json *args, *response;
	const char *call_id; /* NULL = it has none */
	double ms;
	struct str exit_code; /* of a command that failed, "" = not known */
};

/* What PostToolUse calls tool_response. */
const struct json *claude_response(const struct claude_call *c, const struct claude_result *r);
/* What PostToolUseFailure calls error. */
struct str claude_failure(const struct claude_call *c, const struct claude_result *r);
/* Without the marks around texts of others, with which only our model is told of them. */
struct str claude_told(struct str text);
/* Why this cannot be the result of the tool (as the host calls it); NULL = it can. */
const char *claude_result_misfit(struct str tool, bool mcp, const struct json *v);
/* The text of a result, as the model sees it: of the host's tool_response, or of a hook's
 * replacement. */
struct str claude_result_text(struct arena *a, const struct json *result);

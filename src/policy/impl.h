/* Private to the files of the policy. */
#pragma once

#include "base/regex.h"
#include "policy/policy.h"
#include "policy/shell.h"
#include "settings/places.h"

/* Thousandths, so that 4.35 is 4350: of built-in rules; tiers have theirs (settings/tiers.c). */
enum { BUILT_IN = 1000 };

/* Does it fit?  A rule that allows needs YES; to one that asks or denies MAYBE is enough. */
enum fit { FIT_NO, FIT_MAYBE, FIT_YES };

/* One call, or one part of a shell command, that rules are asked about. */
struct question {
	const struct policy *policy;
	const struct policy_subject *tool;
	const struct json *args;
	struct arena *arena;
	const struct sh_calls *split; /* NULL when the tool is not the shell */
	const struct sh_call *part;
	struct str json; /* the arguments with sorted keys, once asked for */
	bool typed; /* a command that the user typed */
};

struct rule {
	int priority;
	enum policy_decision decision;
	const char *const *tools; /* names with *, NULL-terminated; NULL = every tool */
	unsigned kinds; /* bits 1 << enum tool_kind; 0 = all */
	bool harmless, commands; /* only tools whose rows say so */
	const char *server; /* of MCP; "*" = every server; NULL = rule is not about servers */
	const char *server_tool; /* exactly this one of the server; NULL = any */
	unsigned modes; /* bits 1 << enum approval_mode; 0 = all */
	enum { WHEN_ALWAYS, WHEN_INTERACTIVE, WHEN_HEADLESS } when;
	const char *const *agents; /* of these sub-agents only; NULL = of everybody */
	bool never; /* with annotations that built-in tools do not have */
	bool redirection; /* what it allows may redirect */
	/* Conditions on the arguments; all that are set must fit. */
	const struct sh_arg *prefix;
	size_t nprefix;
	const struct regex *command; /* at the beginning of a shell command's part */
	const struct regex *args; /* on the arguments as JSON with sorted keys */
	enum fit (*fits)(struct question *q);
	const char *message; /* for a denial */
	bool models; /* not about commands that the user types */
	bool said; /* a person allowed it in a dialog: any denial counts more */
	bool saved; /* ... in an earlier session */
	/* Where it is said: a place in a file, or `from` a list of the settings or an option; both
	 * NULL = built in. */
	const char *file, *from;
	unsigned line, column;
	enum tl_tier tier; /* of a file */
};

struct policy {
	struct arena arena;
	/* Only what is copied: mode, interactive, home, cwd, plans_dir; and complain at first. */
	struct policy_options o;
	const char *agent; /* whose calls are asked about; NULL = the session's own */
	struct rules {
		struct rule *p;
		size_t n, cap;
	} rules; /* by priority; among equals the first counts */
	struct {
		struct regex **p;
		size_t n, cap;
	} regexes;
	struct {
		struct said {
			struct policy_said what;
			unsigned modes;
		} * p;
		size_t n, cap;
	} said; /* in this session */
	const char *const *project_servers; /* names of servers that the project defines */
};

/* The modes in which something that is said in this one counts. */
unsigned policy_said_modes(enum approval_mode mode);
/* Does a rule that allows surely let this call run?  What a file of the user would say. */
bool policy_allows_with(const struct policy *p, const struct rule *more, size_t n,
			const struct policy_subject *t, const struct json *args, struct arena *a);
/* Do these words of a command's part surely tell what runs? */
bool policy_part_is_clear(const struct sh_call *part);

/* Is this name, or an older one, the shell's? */
bool policy_is_shell(struct str name);
/* NULL when the rule is about this tool, in this mode; else why it is not. */
const char *policy_unconcerned(const struct policy *p, const struct rule *r,
			       const struct policy_subject *t);
bool policy_has_conditions(const struct rule *r);
/* The copy is the policy's. */
void policy_add(struct policy *p, const struct rule *rule);
/* Compiles a pattern, which becomes the policy's. */
int policy_regex(struct policy *p, struct str pattern, const struct regex **ret_re,
		 struct err *err);
/* One name as a list of names. */
const char *const *policy_names(struct policy *p, struct str name);
/* The text of a policy file; path is for messages. */
int policy_read_text(struct policy *p, const char *path, struct str text, enum tl_tier tier,
		     struct err *err);
/* A file, or the *.toml of a directory; *optional* directories may be missing. */
int policy_read(struct policy *p, const char *path, enum tl_tier tier, bool optional,
		struct err *err);
/* The rules that settings and options make. */
int policy_read_settings(struct policy *p, const struct policy_options *o, struct err *err);

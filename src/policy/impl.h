/* Private to the files of the policy. */
#pragma once

#include "base/regex.h"
#include "policy/call.h"
#include "policy/policy.h"
#include "policy/shell.h"
#include "settings/places.h"

/* Thousandths, so that 4.35 is 4350: of built-in rules; tiers have theirs (settings/tiers.c). */
enum { BUILT_IN = 1000 };

/* Does it fit?  A rule that allows needs YES; to one that asks or denies MAYBE is enough. */
enum fit { FIT_NO, FIT_MAYBE, FIT_YES };

/* What a member of the payload must be (conditions.c). */
struct member_test {
	enum { TEST_MEMBER, TEST_ANY, TEST_ALL, TEST_NOT } kind;
	struct str pointer;
	const struct json *equals, *in; /* NULL = not asked for */
	const struct regex *regex;
	const char *const *globs; /* wild_fits(); NULL = not asked for */
	const struct member_test *of; /* of a group */
	size_t n;
};

/* What an effect of the call must be; each part that is set must fit. */
struct effect_test {
	unsigned kinds, with; /* bits 1 << enum effect_kind; 0 = any; with: the call has one, too */
	unsigned places, except; /* enum effect_place; 0 = any; none */
	enum { FLAG_ANY, FLAG_NO, FLAG_YES } recursive, forced, remote, maybe, presumed;
	const char *const *target, *const *words; /* wild_fits(); NULL = any */
};

/* One call, or one part of a shell command, that rules are asked about. */
struct question {
	const struct policy *policy;
	const struct policy_subject *tool;
	const struct json *args;
	struct arena *arena;
	const struct sh_calls *split; /* NULL when the tool is not the shell */
	const struct sh_call *part;
	struct policy_call *call; /* NULL until a rule looks at what the call does */
	const struct effect *effect; /* the one that is judged; NULL = all that there are */
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
	const struct member_test *members; /* TEST_ALL of [[rule.when]]; NULL = none */
	const struct effect_test *effect; /* NULL = it is not about effects */
	bool opaque; /* only calls of which something could not be told */
	/* bits 1 << enum secret_class: only payloads with one of these; 0 = it is not asked */
	unsigned secrets;
	bool redact; /* the tool's result goes on without its secrets */
	unsigned events; /* bits of policy_events; 0 = BeforeTool */
	const char *name; /* "" = it has none */
	const char *message; /* for a denial: the reason */
	const char *instead; /* what to do instead, or NULL */
	const char *context; /* for the model, or NULL */
	const struct json *rewrite; /* arguments to be replaced, or NULL */
	bool comments; /* it decides nothing, and only adds its context or rewrites */
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
	bool strict; /* what cannot be read denies all that it could be about, in every tier */
	unsigned event; /* of policy_events: which one is judged */
	struct policy_subject judged; /* of judge.c: whose call it is */
	bool comments; /* rules that decide nothing are asked, and no others */
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
	struct str pack, version, about; /* what a file says of itself; "" = nothing */
	const char *const *project_servers; /* names of servers that the project defines */
};

/* Has it conditions on the payload or on what the call does, which conditions.c tests? */
bool rule_looks_at_call(const struct rule *r);
/* Do these fit? */
enum fit condition_fits(const struct rule *r, struct question *q);
/* The eleven events, as rules name them. */
extern const char *const policy_events[];
enum { POLICY_BEFORE_TOOL, POLICY_AFTER_TOOL, POLICY_AFTER_MODEL = 5, POLICY_EVENTS = 11 };
/* Does the rule fit, a rule that allows surely? */
enum fit policy_rule_fits(const struct rule *r, struct question *q);

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
/* The copy is the policy's. */
void policy_add(struct policy *p, const struct rule *rule);
/* One name as a list of names. */
const char *const *policy_names(struct policy *p, struct str name);
/* The text of a policy file, which outlives the policy; path is for messages. */
int policy_read_text(struct policy *p, const char *path, struct str text, enum tl_tier tier,
		     struct err *err);
/* A file, or the *.toml of a directory; *optional* directories may be missing. */
int policy_read(struct policy *p, const char *path, enum tl_tier tier, bool optional,
		struct err *err);
/* The rules that settings and options make. */
int policy_read_settings(struct policy *p, const struct policy_options *o, struct err *err);

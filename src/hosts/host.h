/*
 * Other agents, one row each (C8.3): what they call their events, tools and arguments, where in
 * their payloads is what we need, and the words in which they take an answer.
 *
 *	payload  --call.c-->  struct tl_event  --engine-->  outcome  --answer.c-->  text and status
 *
 * An agent is data.  What it cannot say has no row among its words: then call.c and answer.c do
 * what C8.1 asks for, the same for all.
 */
#pragma once

#include "base/arena.h"
#include "base/json.h"
#include "trotline.h"

/* What an event of an agent is about. */
enum host_kind {
	KIND_OTHER, /* nothing that hooks here know */
	KIND_TOOL,
	KIND_RESULT,
	KIND_FAILURE, /* an error, where the agent has an event of its own for it */
	KIND_PROMPT,
	KIND_STOP,
	KIND_START,
	KIND_END,
	KIND_NOTICE,
	KIND_COMPRESS,
	KIND_MODEL,
	KIND_SELECTION,
	KIND_CHUNK,
	KIND_AGENT_START, /* of a sub-agent */
	KIND_AGENT_STOP,
	KIND_BATCH, /* all calls of an answer have ended */
	KIND_REQUEST, /* for permission */
	KIND_REFUSED,
	KIND_EXPANSION, /* of a command that the user typed */
	KIND_COMPRESSED,
	KIND_BROKEN, /* a turn that ends because the model's API failed */
	KIND_INSTRUCTIONS,
	KIND_SETUP,
	KIND_SWITCH, /* of the model, by the user */
	KIND_SWITCHED,
	KIND_CONFIG, /* settings that were changed */
	KIND_ELICITATION, /* a server's question to the user */
	KIND_ELICITED, /* ... and the answer, before it goes there */
	KIND_TASK_CREATED,
	KIND_TASK_DONE,
	KIND_SHOWN, /* a piece of the answer, before the user sees it */
	KIND_FILE, /* one that was changed, by whomever */
	KIND_DIRECTORY, /* one that was added to the workspace */
	KIND_COUNT,
};

/* Kinds of events: the one place that knows how many there can be. */
typedef uint64_t host_kinds;
_Static_assert(KIND_COUNT <= 64, "a wider host_kinds is needed");

static inline host_kinds host_on(enum host_kind kind)
{
	return (host_kinds)1 << kind;
}

/* The same, for the rows of tables. */
#define ON(kind) ((host_kinds)1 << KIND_##kind)
#define ON_TOOLS (ON(TOOL) | ON(RESULT) | ON(FAILURE))
#define ON_RESULTS (ON(RESULT) | ON(FAILURE))
#define ON_CALLS (ON_TOOLS | ON(REQUEST) | ON(REFUSED)) /* what is about one call */
#define ON_MODEL (ON(MODEL) | ON(SELECTION) | ON(CHUNK))
#define ON_ALL (~(host_kinds)0)

/* What is looked for in a payload. */
enum host_get {
	GET_EVENT,
	GET_SESSION,
	GET_CWD,
	GET_TRANSCRIPT,
	GET_TURN,
	GET_CALL,
	GET_MODE,
	GET_MODEL,
	GET_AGENT_ID,
	GET_AGENT_TYPE,
	GET_PARENT, /* where an agent has rows of it, only one with a parent is a sub-agent */
	GET_TOOL,
	GET_ARGS,
	GET_SERVER,
	GET_SERVER_TOOL,
	GET_RESULT,
	GET_ERROR,
	GET_PROMPT,
	GET_RESPONSE,
	GET_ACTIVE, /* this stop follows one that a hook refused */
	GET_SUBJECT, /* source, reason, trigger, notification_type */
	GET_MESSAGE,
	GET_PARTIAL, /* the arguments or the result are not whole: the agent has cut them off */
	GET_COUNT,
};

/* Where a part is: a JSON pointer.  Of several rows of a part the first that is there counts. */
struct host_place {
	enum host_get get;
	const char *at;
	host_kinds on; /* ON(...); 0 = all */
};

struct host_event {
	const char *name;
	enum host_kind kind;
	/*
	 * An event of one tool: what the agent would call it.  Its arguments are the members of the
	 * payload that the tool has rows for.
	 */
	const char *tool;
	bool mcp; /* an MCP tool, whether or not the payload names its server */
	/* Fired more than once: hooks are asked when this member has this value, or is missing. */
	const char *once_at, *once;
};

enum arg_way {
	ARG_SAME, /* another name for it */
	ARG_COUNT, /* a number of lines; ours is the last line */
	ARG_EACH, /* a list; one call for each of its items */
	ARG_NESTED, /* a list of objects ("edits/old_string"); one call for each */
	ARG_PATCH, /* a patch of files; one call for each file */
};

struct host_arg {
	const char *theirs, *ours;
	enum arg_way way;
};

/* The member that a row is about: of "edits/old_string" the list. */
struct str host_arg_member(const struct host_arg *r);

struct host_tool {
	const char *theirs, *ours;
	const struct host_arg *args; /* until one without names; what is in no row is the same */
};

/* How the name of a server's tool is made: "mcp__" server "__" tool. */
struct host_mcp {
	const char *prefix, *between;
	bool unclear; /* `between` may be in either name: hooks are asked about every reading */
	bool tool_first; /* before the server's name */
	bool flat; /* each "-" became "_": matchers may know the names with either */
};

/* What is to be said ... */
enum say_when {
	SAY_DENY,
	SAY_ASK,
	SAY_ALLOW, /* without a question of the agent's */
	SAY_REWRITE,
	SAY_RESULT, /* another result of a tool */
	SAY_CONTEXT,
	SAY_MESSAGE,
	SAY_STOP,
	SAY_NOTHING, /* where no answer is no good answer */
	SAY_CHANGE, /* what else hooks changed: each row says it where there is one */
	SAY_WATCH, /* of which files it is to tell changes */
	SAY_COUNT,
};

/* ... and with what. */
enum say_what {
	WHAT_WORD, /* the row's word */
	WHAT_YES,
	WHAT_NO,
	WHAT_REASON,
	WHAT_ARGS,
	WHAT_RESULT,
	WHAT_REASON_AS_RESULT,
	WHAT_CONTEXT,
	WHAT_MESSAGE,
	WHAT_STOP_REASON,
	WHAT_REQUEST,
	WHAT_RESPONSE,
	WHAT_TOOL_CONFIG,
	WHAT_ACTION, /* the answer to a server, and what it says */
	WHAT_CONTENT,
	WHAT_WATCHED,
	WHAT_RETRY, /* of a call that was refused */
	WHAT_PERMISSIONS, /* rules for later calls, with an allowance */
	WHAT_TAIL_CALL, /* a tool to call next */
	WHAT_CLEAR, /* the conversation is to be forgotten */
	WHAT_TERMINAL, /* what the user's terminal is to be sent */
};

struct host_word {
	host_kinds on;
	enum say_when when;
	const char *at; /* a JSON pointer into the answer */
	enum say_what what;
	const char *word;
	bool pascal; /* only in answer to an event that is spelled so */
};

/* How an agent's file holds hooks. */
enum file_shape {
	FILE_NONE, /* it has none that we can edit: docs/hosts.md */
	FILE_GROUPS, /* EVENT: [{matcher, hooks: [hook]}] */
	FILE_FLAT, /* EVENT: [hook] */
	FILE_LIST, /* [{name, trigger, action}]: of Kiro */
	FILE_OWN, /* files of ours: plugins.h */
};

/* Where our hook is installed in an agent, and how it looks there. */
struct host_file {
	enum file_shape shape;
	const char *user,
		*project; /* below the home directory, the project; NULL = there is none */
	const char *marker; /* below the home directory: the agent is used here */
	bool own; /* the file is ours alone */
	const struct host_plugin *plugins; /* of FILE_OWN: until one without `user` */
	const char *root; /* a JSON pointer: the object of events */
	const char *events; /* to be hooked, separated by blanks */
	const char *matcher; /* what means all tools; NULL = it is left out */
	const char *command_key; /* NULL = "command" */
	const char *timeout_key; /* NULL = "timeout" */
	unsigned timeout_unit_ms; /* 0 = it has none */
	const char *brief_events; /* to which it gives less time */
	unsigned brief_ms;
	const char
		*extra; /* further members of the hook, a JSON object: what makes it fail closed */
	const char *head; /* members of the file, a JSON object; NULL = none */
	const char *flat_events; /* in a file of groups: events whose hooks have no groups */
	bool says_event; /* the payload does not name its event: the command does */
	const char *then; /* what the user still has to do; NULL = nothing */
};

/* Where a user or an administrator says that no hook of the user's runs there. */
struct host_switch {
	const char *file; /* below the home directory and the project; of the system absolute */
	const char *at; /* a JSON pointer */
	bool off; /* the value with which they do not run */
};

enum host_order {
	ORDER_NONE, /* one denial is enough */
	ORDER_FIRST, /* the first that decides */
	ORDER_LAST,
};

struct host {
	const char *name, *title;
	struct host_file file;
	const struct host_event *events; /* until one without a name */
	const struct host_tool *tools; /* until one without names */
	const struct host_place *places; /* until one without `at` */
	const struct host_word *words; /* until one without `at` */
	const struct host_arg *told; /* members of other events in our words; NULL = none */
	const char *event_at; /* where the answer repeats the event's name, if it has that object */
	const char *reads; /* dialects whose files the agent reads itself, separated by blanks */
	const char
		*project_env; /* where the agent's environment names its project; NULL = nowhere */
	const struct host_mcp *mcp; /* until one without `between`; NULL = it says so elsewhere */
	/* Of a tool that calls others: the members of its arguments with the other's name and
	 * arguments. */
	const char *inner_name, *inner_args;
	const char *is_mcp_at; /* a JSON pointer: false where the tool is no server's */
	unsigned timeout_ms; /* what it gives a hook unless told otherwise; 0 = any time */
	bool same_fields; /* the payload has our members */
	bool only_json; /* the exit status means nothing to it */
	bool only_status; /* stdout means nothing to it */
	bool prompts_again; /* with "", for what goes to the model after a tool: no user typed that */
	bool names_calls; /* with the same id before a tool and after it */
	enum host_order order; /* whose decision counts, of several hooks of the agent's */
	const char *program; /* as it is started; NULL = none is known */
	const char *proven; /* the version that was driven with our hook (make agents) */
	const char *proven_on; /* the day */
	const char *unseen; /* for people: what fires no event there */
	const struct host_switch *switches; /* until one without `file`; NULL = none is known */
	const char *approvals; /* below the home directory: where it notes which hooks may run */
	host_kinds deaf; /* ON(...): a denial there changes nothing */
	host_kinds by_json; /* ON(...): a denial there is JSON alone, with exit status 0 */
};

extern const struct host *const hosts[];
extern const size_t hosts_n;

const struct host *host_find(struct str name);
/* The agent that a typo was meant to be, or NULL. */
const char *host_nearest(struct str name);
/* How long the agent waits for a hook of the event; 0 = any time. */
unsigned host_timeout_ms(const struct host *h, struct str event);
/* Exact, else in another spelling (pre_tool_use); NULL = one that we do not know. */
const struct host_event *host_event_find(const struct host *h, struct str name);
/* Our name of the moment, or NULL. */
const char *host_moment(enum host_kind kind);
/* Was the agent seen to name each call the same before a tool and after it? */
bool host_names_calls(const struct host *h);
/* Can anything be refused there? */
bool host_can_deny(const struct host *h, enum host_kind kind);

/* One occurrence, as the agent told it. */
struct host_call {
	const struct host *host;
	const struct host_event *event; /* NULL: one that we do not know */
	const struct host_tool *tool; /* NULL: not translated */
	bool guessed; /* ... by its name and arguments, not by a row of the agent's */
	const struct json *payload, *args, *result;
	struct tl_event
		*events; /* what hooks are asked about: one, more for a call of several files */
	size_t n, snapshots; /* each is fired on so many: one for each folder of the workspace */
	struct str notice; /* for the user, besides what hooks say */
	const struct json *watched; /* files that matchers name, as a list of paths; NULL = none */
	const char *id; /* of its records (history.h) */
	bool is_kept; /* there is one */
	bool wrapped; /* the arguments were no object: what hooks saw is ours */
	const struct json *outer; /* the arguments in which `args` are (inner_args); NULL = none */
	bool partial; /* the agent has cut off what hooks are asked about */
	struct str called; /* the event, as the agent calls it */
	const char *cwd; /* a directory that can be entered; NULL = the payload names none */
	const char *const *env; /* whose home directory ~ is */
	struct arena arena;
};

/*
 * Reads a payload into *c, whose arena, id and env are the caller's.  `event` (NULL = it says so
 * itself) is what the command line names.  On failure the call is as far as it was understood.
 */
int host_call_read(struct host_call *c, const struct host *h, const char *event, struct str payload,
		   struct err *err);
/* Is the member of a payload one that a row is about? */
bool host_reads(const struct host *h, struct str key);
enum host_kind host_kind_of(const struct host_call *c);
struct str host_session(const struct host_call *c); /* "" = not said */

/* A call of a tool that an event is about. */
struct host_named {
	struct str id; /* the agent's; "" = it has none */
	const char *tool; /* in our words */
};
/* The nth call that the event says has ended; false when there are no more. */
bool host_ended(struct host_call *c, size_t nth, struct host_named *ret);
/* Of the payload; false when it does not say. */
bool host_is_stopping_again(const struct host_call *c);
/* The directories that the payload names, as they are: the nth, or NULL. */
const char *host_dir(struct host_call *c, size_t nth);
/*
 * Arguments of a tool in our words: a list of one object or more.  NULL when hooks could not be
 * asked about all of it: too many items, a patch without a file.
 */
const struct json **host_args_ours(struct arena *a, const struct host_tool *t,
				   const struct json *args, bool only_rows, size_t *ret_n);
/* Where a result that is an object has its text, and what belongs to that text; NULL = nowhere. */
struct host_text {
	const char *text, *more;
};
const struct host_text *host_text_of(const struct json *result);
/* The other way, for one object; NULL when the agent's arguments cannot say it. */
const struct json *host_args_theirs(struct arena *a, const struct host_tool *t,
				    const struct json *args, const struct json *was,
				    const struct json *now);

/*
 * Tools: what the model can call.  One row a tool (tools/registry.c), one file a tool or family.
 * Names, parameters, results and error types are those of Gemini CLI.
 */
#pragma once

#include "base/cancel.h"
#include "base/json.h"
#include "base/json_pack.h"
#include "policy/subject.h"

/* What a tool needs; without it the tool is not declared to the model. */
enum tool_need {
	NEED_NOTHING,
	NEED_PERSON, /* a user who can be asked */
	NEED_AGENT, /* a sub-agent that calls it */
	NEED_AGENTS, /* some that could be started */
	NEED_SKILLS,
	NEED_RESOURCES, /* of MCP servers */
	NEED_PLAN, /* plan mode */
	NEED_NO_PLAN,
};

struct background;
struct agents;
struct skills;
struct mcp_servers;

struct tool_call;
struct tool_result;

/* What tools may use; made once a session, unchanged while tools run (they may run in parallel). */
struct elicit;

struct tool_env {
	const char *cwd; /* where relative paths start */
	const char *const *roots; /* workspace directories, absolute and real; NULL-terminated */
	const char *const *readable; /* the same: others, only for tools that read; or NULL */
	const char
		*temp_dir; /* the project's temporary directory; files in it count as workspace */
	const char *home;
	const char *const *env; /* for the shell tool */
	const struct json *settings; /* merged, or NULL */
	const struct sandbox_rules *sandbox; /* of the model's commands; NULL = none */
	struct background *background; /* processes that the shell tool left running */
	int shell_setup; /* tools/shell_setup.h: code that runs before each command; 0 = none */
	const struct skills *skills; /* agent/catalog/skills.h; NULL = none */
	struct mcp_servers *mcp; /* mcp/mcp.h, for resources; NULL = none */
	const struct agents *agents; /* agent/catalog/agent_defs.h; NULL = none */
	/* (waits) invoke_agent, on the session's thread.  NULL = no agents. */
	void (*run_agent)(void *data, struct tool_call *call, struct tool_result *r);
	void *agent_data;
	const char *plans_dir; /* where plan mode may write; NULL = nowhere */
	/* The mode in which the model went over to plan mode by itself; NULL = it did not. */
	const char *plan_from;
	bool interactive;
	/*
	 * (waits) One answer of the model to a request in Gemini's form; for the web tools.
	 * -E_UNTRUSTED when it was denied: err says the reason.  NULL = none.
	 */
	int (*ask_model)(void *data, const struct json *request, struct arena *a,
			 const struct json **ret_response, struct cancel *cancel, struct err *err);
	void *ask_data;
	/*
	 * (waits) Puts the questions of ask_user to the person: *ret_answers is an object of
	 * strings by the questions' numbers ("0").  Negative when there was no answer.  NULL =
	 * there is no person.
	 */
	int (*ask_user)(void *data, const struct json *questions, struct arena *a,
			const struct json **ret_answers, struct cancel *cancel);
	void *ask_user_data;
	/*
	 * (waits) A server asks the user something in the middle of a call (mcp/elicit.h); on the
	 * call's thread.  An enum elicit_action.  NULL = there is no user.
	 */
	int (*elicit)(void *data, const struct tool_call *call, const char *server,
		      const struct elicit *e, struct arena *a, const struct json **ret_content);
	void *elicit_data;
	bool guarded; /* nothing that a call brings is shown before AfterTool was asked */
	/* Progress of a call, one clean line for people; on the call's thread.  May be NULL. */
	void (*progress)(void *data, const char *line);
	/* What a call writes while it runs, for people; the same.  NULL = not wanted, or may. */
	void (*output)(void *data, const char *id, struct str piece);
	void *progress_data; /* of both */
};

struct tool_call {
	const struct tool *tool; /* the row that is called */
	const struct tool_env *env;
	struct arena *arena; /* of this call */
	const struct json *args; /* checked against the schema */
	const char *server; /* whose resource it is, as hooks and policy were told; NULL = none */
	const char *id; /* of the call, as hooks know it; NULL = it has none */
	bool always; /* the user allowed it "for this session" */
	bool typed; /* the user's own command, not the model's */
	/* The files that hooks were shown; a tool whose patterns mean more by now reads no others.
	 * NULL = they were shown none. */
	const struct json *paths;
	struct cancel *cancel;
};

struct tool_result {
	const struct json *llm_content; /* a string, or an array of parts */
	const struct json *display; /* a string or an object; NULL = "" */
	const char *error_type; /* "file_not_found"; NULL = success */
	struct str error; /* message to the model */
	int lines_added, lines_removed; /* of edits */
	const struct json
		*paths; /* the files in it, where `touches` cannot know them; NULL = none */
	const char *opens; /* a directory that may be read once this result is final; NULL = none */
	const char *activates; /* the skill whose hooks run from then on; NULL = none */
	const char *saved; /* the file that keeps what was too long for the model; NULL = none */
	size_t long_bytes, long_limit; /* how long it was, what may be; of telemetry */
	const char *mode; /* the approval mode once this result is final; NULL = unchanged */
	int left_pid; /* the process that goes on in the background; 0 = none */
	const char *strategy; /* of telemetry: how `replace` found its place; NULL = not at all */
	const struct json *ended; /* of a command: {"exit_code":1} or {"signal":9}; NULL = none */
	const struct json *metadata; /* of telemetry: {"exitCode":1,"isError":true}; NULL = none */
};

struct tool {
	const char *name, *display_name, *description;
	/* Of an MCP tool, as the server and its tool are really called; NULL = it is none. */
	const char *mcp_server, *mcp_tool;
	const char *parameters; /* JSON Schema (draft 7) as text */
	enum tool_kind kind;
	enum tool_need need;
	bool read_only; /* may run in parallel with others */
	bool harmless; /* changes nothing that lasts: the built-in policy never asks about it */
	const char *path_arg; /* the argument that names its file or directory; NULL = none */
	const char *command_arg; /* the argument that is a shell command; NULL = none */
	const char *example; /* arguments for rehearsals of hooks, as JSON; NULL = "{}" */
	/*
	 * Checks what the schema cannot: above all where paths lead.  Called before hooks and the
	 * user are asked.  False after tool_fail().  run() checks again, since links may have
	 * changed.  NULL = nothing to check.
	 */
	bool (*check)(struct tool_call *call, struct tool_result *r);
	/* (waits) Fills *r; failures of the tool are results, not errors. */
	void (*run)(struct tool_call *call, struct tool_result *r);
	/*
	 * The files (absolute) and addresses that the call would touch, in the order in which it
	 * does; NULL = the one that path_arg names.  Checked arguments.
	 */
	void (*touches)(struct tool_call *call, struct json_list *paths, struct json_list *urls);
	/*
	 * What a confirmation shows and Notification's details carry: an object with type,
	 * title...; NULL for tools that never ask.
	 */
	const struct json *(*confirm)(struct tool_call *call);
	/* One line about the call for people ("src/main.c", "ls -l"); NULL = the arguments as JSON.
	 */
	struct str (*describe)(struct tool_call *call);
};

/* What rules are about. */
struct policy_subject tool_subject(const struct tool *t);
/* What a person allows (policy_said.tool), where its server, if any, is .server. */
const char *tool_said_name(const struct tool *t);
/* Function declaration for the model: {name, description, parametersJsonSchema}. */
const struct json *tool_declaration(struct arena *a, const struct tool *t);
/* `Tool "x" not found. Did you mean one of: ...?` over these names. */
struct str tool_not_found(struct arena *a, struct str name, const char *const *names, size_t n);

/* For the tools themselves. */
void tool_fail(struct tool_call *call, struct tool_result *r, const char *type, const char *fmt,
	       ...) PRINTF_LIKE(4, 5);
/* After tool_fail(): what hooks see as content and as display, where the message is neither. */
void tool_fail_as(struct tool_call *call, struct tool_result *r, struct str content,
		  struct str display);
void tool_ok(struct tool_call *call, struct tool_result *r, struct str content, struct str display);
/* As text for JSON: malformed UTF-8 becomes U+FFFD.  Always a copy in the arena. */
struct str tool_clean(struct arena *a, struct str s);
/* A file's name in one line: control characters and the like as \n, \u202e. */
struct str tool_name(struct arena *a, const char *name);
/* In <untrusted_context> tags, which the text itself cannot close. */
struct str tool_untrusted(struct arena *a, struct str text);

/* workspace.c: the files (absolute and real) and addresses that a call with checked arguments
 * touches, two arrays (C2.11). */
void tool_touches(struct tool_call *call, const struct json **ret_paths,
		  const struct json **ret_urls);
/* workspace.c: a path argument as an absolute, real path inside of the workspace; NULL after
 * tool_fail(). */
const char *workspace_path(struct tool_call *call, struct tool_result *r, struct str path);
bool workspace_has(const struct tool_env *env, const char *real_path);

/* background.c: processes that outlive the call that started them. */
struct background *background_new(void) MUST_CHECK;
/* (waits) Ends the process and its children, and removes its output. */
void background_end(struct background *b, int pid);
/* (waits) Ends all of them. */
void background_free(struct background *b);

/* One tool call of the model, from its name to its result; only the session includes it. */
#pragma once

#include "agent/session_impl.h"

enum call_state {
	CALL_NEW,
	CALL_READY, /* everything agrees: run it */
	CALL_CHANGED, /* it became another one while the user was asked: judge it again */
	CALL_OVER, /* it has a result */
	CALL_STOPPED, /* over, and a hook stopped the agent */
	CALL_REFUSED, /* over: the user said no, and the turn ends */
	CALL_CANCELLED,
};

struct call {
	const struct json *asked; /* the functionCall */
	const struct json *part; /* that it is in */
	const char *name; /* as the model named it */
	const char *id; /* "read_file__abc": of payloads, output and telemetry */
	const struct json *args; /* as they are now */
	const struct json *args_asked; /* as the tool was called, before a hook changed them */
	const struct tool *tool; /* a row of this toolbox, which servers may have left behind */
	struct toolbox *toolbox;
	const char *original; /* of a tail call: the name that the model asked for */
	int tails;
	enum call_state state;
	const struct json *paths, *urls; /* that it touches, arrays (C2.11); NULL = not known yet */
	int looks; /* how often it was judged again because of them, or of what they hold */
	bool changed; /* a hook changed the arguments */
	bool by_user; /* the user did */
	bool typed; /* it is the user's own word: the policy need not ask them */
	bool asked_hooks; /* PermissionRequest has fired for it */
	const struct json *permitted; /* the arguments that its hooks allowed; NULL = none */
	bool shown; /* people were told of it */
	bool fatal; /* no space left: nothing more will work */
	struct buf context; /* of BeforeTool, wrapped: goes with the result (C4.14) */
	struct arena arena; /* of the run, which may be on a thread of its own */
	struct tool_call run;
	struct tool_result result;
	struct tool_result gave; /* the same, before the hooks; all-zero = it did not run */
	struct str shown_error; /* for people; the model's is result.error */
	struct str stopped_by; /* why a hook stopped the agent here; .p NULL = none did */
	const char *decision; /* of telemetry: "accept", "reject"; NULL = undecided */
	double ms;
};

/* part holds the functionCall, which has an id. */
void call_init(struct turn *t, struct call *c, const struct json *part);
void call_done(struct call *c);
/*
 * (waits) confirm.c: fires Notification and asks the user, who may change the arguments.
 * *ret_same: the call is still what the question showed.
 */
enum confirm_answer call_confirm(struct turn *t, struct call *c, const char *hook_message,
				 bool *ret_same);
/* The call is over with this error, the same for the model and for people. */
void call_fail(struct call *c, const char *type, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* A hook stopped the agent here. */
void call_stop(struct call *c, const char *reason);
/* Hooks denied it, stopped the agent here, or were cancelled; a question is a denial. */
void call_denied(struct call *c, const struct tl_outcome *o);
/* The user, or a firing, was cancelled. */
void call_cancelled(struct call *c);
/* An event of this call, without its fields. */
struct fire_args call_event(struct turn *t, struct call *c, const char *event);
enum { CALL_FIELDS = 5 };
/* tool_input and what belongs to it, in an array of CALL_FIELDS; returns how many. */
size_t call_fields(struct turn *t, struct call *c, struct tl_field *fields);
/* As the tool would see it: with the arguments that it has now. */
void call_look_anew(struct turn *t, struct call *c);
/* Against the schema and by the tool; false after having failed the call.  `by` changed them. */
bool call_check_args(struct turn *t, struct call *c, const char *by);
/* Fills in the files and addresses of the call, absolute and resolved (C2.11), once. */
void call_look_at_paths(struct call *c);
/* Its path, judged by then, has come to lead to another file: behind a link, say. */
bool call_leads_elsewhere(struct call *c);
/* The model is told the reason, people also what it is the reason of, and which hook gives it. */
void call_show_as(struct call *c, const char *what, const struct tl_outcome *o);
/* The texts of a result, with what hooks added. */
struct str call_content_text(struct arena *a, const struct json *content);

/* call_judge.c */

/* (waits) Finds the tool, checks the arguments, asks hooks and policy: READY, or over. */
void call_prepare(struct turn *t, struct call *c, const struct selection *sel);
/* May AfterTool keep back what the call brings, whether it fails or not? */
bool call_is_guarded(struct turn *t, struct call *c);
/* (waits) AfterTool; true when it wants another tool to run in the place of this one. */
bool call_after(struct turn *t, struct call *c);

/* permission.c */

/*
 * (waits) PermissionRequest, once a call: true when its hooks have answered, and the state says
 * what.  `o` is BeforeTool's outcome: what a guard asked, no other hook answers.
 */
bool call_ask_hooks(struct turn *t, struct call *c, const struct tl_outcome *o);
/* (waits) PermissionDenied, for a call that failed so; a hook may tell the model to try again. */
void call_tell_denied(struct turn *t, struct call *c);

/* todos.c: (waits) TaskCreated and TaskCompleted, for a call of write_todos that is ready. */
void todos_judge(struct turn *t, struct call *c);
/* The list becomes what the call has made of it. */
void todos_keep(struct session *s, const struct call *c);

/* (waits) On any thread. */
void call_run(struct call *c);
/* More for the model than the result, also when the tool failed. */
void call_add_text(struct call *c, struct str more);
/* A row of PostToolBatch's tool_calls. */
const struct json *call_in_batch(struct turn *t, struct call *c, struct arena *a);
/* People are told of the call, once. */
void call_show(struct turn *t, struct call *c);
/* It was not run, and never will be. */
void call_give_up(struct turn *t, struct call *c);
/* The same, because an answer may hold no more than max. */
void call_refuse(struct call *c, int max);
/* Tells everybody how it ended. */
void call_report(struct turn *t, struct call *c);
/* Parts for the model: a functionResponse, and what does not fit into one. */
void call_response(struct arena *a, const struct call *c, struct contents *parts);

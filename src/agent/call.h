/* One tool call of the model, from its name to its result; nobody but the session includes it. */
#pragma once

#include "agent/session_impl.h"

enum call_state {
	CALL_NEW,
	CALL_READY, /* everything agrees: run it */
	CALL_CHANGED, /* the user changed the arguments: judge it again */
	CALL_OVER, /* it has a result */
	CALL_STOPPED, /* over, and a hook stopped the agent */
	CALL_REFUSED, /* over: the user said no, and the turn ends */
	CALL_CANCELLED,
};

struct call {
	const struct json *asked; /* the functionCall */
	const struct json *part; /* that it stands in */
	const char *name; /* as the model named it */
	const char *id; /* "read_file__abc": of payloads, output and telemetry */
	const struct json *args; /* as they are now */
	const struct json *args_asked; /* as the tool was called, before a hook changed them */
	const struct tool *tool; /* a row of this toolbox, which servers may have left behind */
	struct toolbox *toolbox;
	const char *original; /* of a tail call: the name that the model asked for */
	int tails;
	enum call_state state;
	bool changed; /* a hook changed the arguments */
	bool by_user; /* the user did */
	bool typed; /* it is the user's own word: the policy need not ask them */
	bool fatal; /* no space left: nothing more will work */
	struct buf context; /* of BeforeTool, wrapped: goes with the result (C4.14) */
	struct arena arena; /* of the run, which may be on a thread of its own */
	struct tool_call run;
	struct tool_result result;
	struct tool_result gave; /* the same, before the hooks; all-zero = it did not run */
	struct str shown_error; /* for people; the model's is result.error */
	struct str stopped_by; /* why a hook stopped the agent here; .p NULL = none did */
	const char *decision; /* of telemetry: "accept", "reject"; NULL = nobody decided */
	double ms;
};

/* part holds the functionCall, which has an id. */
void call_init(struct turn *t, struct call *c, const struct json *part);
void call_done(struct call *c);
/* (waits) Finds the tool, checks the arguments, asks hooks and policy: READY, or over. */
void call_prepare(struct turn *t, struct call *c, const struct selection *sel);
/* (waits) confirm.c: fires Notification and asks the user, who may change the arguments. */
enum confirm_answer call_confirm(struct turn *t, struct call *c, const char *hook_message);
/* (waits) On any thread. */
void call_run(struct call *c);
/* (waits) AfterTool; true when it wants another tool to run in the place of this one. */
bool call_after(struct turn *t, struct call *c);
/* It was not run, and never will be. */
void call_give_up(struct turn *t, struct call *c);
/* The same, because an answer may hold no more than max. */
void call_refuse(struct call *c, int max);
/* Tells everybody how it ended. */
void call_report(struct turn *t, struct call *c);
/* Parts for the model: a functionResponse, and what does not fit into one. */
void call_response(struct arena *a, const struct call *c, struct contents *parts);

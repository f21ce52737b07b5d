/*
 * What a session tells whoever shows it: the headless output, the terminal, a test.  Called on the
 * session's thread; strings live until the call returns.
 */
#pragma once

#include "base/cancel.h"
#include "base/json.h"

enum note_kind {
	NOTE_INFO,
	NOTE_WARNING,
	NOTE_ERROR,
	NOTE_HOOK_MESSAGE, /* systemMessage of hooks */
	NOTE_BLOCKED, /* "Agent execution blocked: ..." */
	NOTE_STOPPED, /* "Agent execution stopped: ..." */
	NOTE_TOOL_STOPPED, /* the same from a tool's hook: for people, not in JSON warnings */
};

/* "[WARNING] ", the mark before a note on stderr; "" for kinds that need none. */
const char *note_prefix(enum note_kind kind);

/* Who is told what is wrong with files of the user.  All-zero: no report. */
struct note_sink {
	void (*say)(void *data, enum note_kind kind, const char *text); /* safe for a terminal */
	void *data;
};
/* One whose lines go to a struct buf. */
void note_add_line(void *out, enum note_kind kind, const char *text);
/* Control characters in the text become visible. */
void note_say(const struct note_sink *to, enum note_kind kind, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* One tool call that is over. */
struct tool_report {
	const char *name, *id;
	bool ok;
	struct str output; /* what the user sees; .p is NULL when that is no text */
	const struct json *display; /* the same when it is none: a diff, todos; NULL = nothing */
	const char *ran; /* of a tail call: the tool that ran in its place; NULL = itself */
	const char *error_type; /* NULL when ok */
	struct str error;
	const struct json *ended; /* as in struct tool_result */
	double ms;
	const struct json *args; /* as they were in the end */
};

/* A tool call that somebody must allow. */
struct confirmation {
	const char *tool, *display_name;
	const char *agent; /* the sub-agent that wants it; NULL = none does */
	const struct json *details; /* type, title... */
	const char *hook_message; /* of a hook that wants the user to be asked; "" = none did */
	bool can_always; /* "for this session" is an answer that means something */
	struct str always; /* what CONFIRM_ALWAYS would allow; "" = that is no answer here */
	char *changed; /* set with CONFIRM_CHANGED (malloc): what the file is to hold instead */
};

enum confirm_answer {
	CONFIRM_NO, /* and the turn is over */
	CONFIRM_ONCE,
	CONFIRM_SESSION, /* and all that are like it, for the rest of the session */
	CONFIRM_SERVER, /* and all tools of its MCP server, likewise */
	CONFIRM_ALWAYS, /* and what .always says, in every session */
	CONFIRM_CHANGED, /* the user edited what the file is to hold: hooks and user are asked again
			  */
};

/* Anything else that the user is asked: some options, of which the last may be typed. */
struct question {
	struct str title, body; /* foreign */
	const char *const *options; /* foreign, NULL-terminated */
	size_t at; /* the one that Enter takes at first */
	bool typed; /* the last option takes a text */
	char *text; /* what was typed (malloc); NULL = nothing */
};

/* What becomes of the text of an attempt at an answer. */
enum verdict_on_answer {
	ANSWER_AWAITS, /* from now on: hooks of AfterAgent have to accept it first */
	ANSWER_ACCEPTED,
	ANSWER_REFUSED, /* a hook did not */
	ANSWER_LOST, /* the attempt ended before any could be asked */
	ANSWER_BROKE_OFF, /* what was said since `turn` was not whole: the model is asked again */
	ANSWER_FOLLOWS, /* another answer follows: a hook in the background woke the session */
};

struct agent_sink {
	void *data;
	void (*text)(void *data, struct str piece); /* of the model's answer */
	void (*user)(void *data, struct str prompt); /* a prompt begins a turn */
	void (*turn)(void *data); /* another request goes to the model: what was said before is not
				     the answer */
	/* What background hooks say, on any thread at any time.  NULL = it is a note,
	 * when the session's thread looks. */
	void (*late)(void *data, enum note_kind kind, struct str text);
	/* NULL = whoever looks sees an answer while it comes in, whatever hooks say of it then. */
	void (*verdict)(void *data, enum verdict_on_answer verdict);
	/* A call that is about to run, as hooks have left it, or that will not run at all. */
	void (*tool_use)(void *data, const char *name, const char *id, const struct json *args);
	void (*tool_result)(void *data, const struct tool_report *r);
	void (*note)(void *data, enum note_kind kind, struct str text);
	/* (waits) NULL = no user to ask. */
	enum confirm_answer (*confirm)(void *data, struct confirmation *c);
	/* (waits) Which option was chosen, -1 = none; also on the thread of a tool, while the
	 * session waits for it.  NULL = no user to ask. */
	int (*ask)(void *data, struct question *q);
	/* A model, a tool, "Executing Hook: a"; NULL = nothing is waited for. */
	void (*waiting)(void *data, const char *what);
	/* What hooks want written to the terminal, harmless.  NULL = there is none. */
	void (*terminal)(void *data, struct str sequences);
	/* An enum approval_mode that holds from now on; NULL = not wanted. */
	void (*mode)(void *data, int mode);
	/* A tool call of a sub-agent is over, which is told of by nothing else; `about` is a line
	 * about it.  NULL = not wanted. */
	void (*agent_tool)(void *data, const char *agent, const struct tool_report *r,
			   struct str about);
	/* How far that is: other words for it, which are clean.  Also on the thread of a tool,
	 * while the session waits for it.  NULL = not wanted. */
	void (*progress)(void *data, const char *what);
	/* (waits) The questions of ask_user, as in struct tool_env; NULL = no user is there. */
	int (*questions)(void *data, const struct json *questions, struct arena *a,
			 const struct json **ret_answers, struct cancel *cancel);
	/* What a tool writes, while it runs; on its thread.  NULL = not wanted. */
	void (*output)(void *data, const char *id, struct str piece);
	/* The model did not answer and is asked again in wait_ms.  NULL = not wanted. */
	void (*retry)(void *data, int attempt, int wait_ms, const char *why);
};

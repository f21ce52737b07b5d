/*
 * The event table (contract section 2): one row an event.  Matching, payloads, judging, merging,
 * the schema and the command line read it; nothing else knows events by name.
 */
#pragma once

#include "base/json.h"
#include "trotline.h"

enum event_id {
	EV_BEFORE_TOOL,
	EV_AFTER_TOOL,
	EV_BEFORE_AGENT,
	EV_AFTER_AGENT,
	EV_BEFORE_MODEL,
	EV_BEFORE_TOOL_SELECTION,
	EV_AFTER_MODEL,
	EV_SESSION_START,
	EV_SESSION_END,
	EV_NOTIFICATION,
	EV_PRE_COMPRESS,
	EV_STOP, /* the agent has been idle for a second: only the jpfork dialect has a name for it
		  */
	/* of the claude dialect alone, and called as it calls them */
	EV_SUBAGENT_START,
	EV_SUBAGENT_STOP,
	EV_POST_TOOL_BATCH,
	EV_PERMISSION_REQUEST,
	EV_PERMISSION_DENIED,
	EV_USER_PROMPT_EXPANSION,
	EV_POST_COMPACT,
	EV_STOP_FAILURE,
	EV_INSTRUCTIONS_LOADED,
	EV_SETUP,
	EV_ELICITATION,
	EV_ELICITATION_RESULT,
	EV_PRE_MODEL_SWITCH,
	EV_POST_MODEL_SWITCH,
	EV_TASK_CREATED,
	EV_TASK_COMPLETED,
	EV_MESSAGE_DISPLAY,
	EV_CONFIG_CHANGE,
	EV_FILE_CHANGED,
	EV_DIRECTORY_ADDED,
	EV_COUNT,
};

enum { CHANGE_BY_CONTEXT = -1 };

/* What the text of a matcher is compared with (C5.1). */
enum event_subject { SUBJECT_NONE, SUBJECT_TOOL, SUBJECT_WORD };

/* The parts of a hook's answer, as bits: which of them an event honours. */
enum answer_part {
	PART_DECISION = 1 << 0,
	PART_STOP = 1 << 1, /* continue, stopReason */
	PART_MESSAGE = 1 << 2,
	PART_CONTEXT = 1 << 3,
	PART_TOOL_INPUT = 1 << 4,
	PART_TAIL_CALL = 1 << 5,
	PART_CLEAR_CONTEXT = 1 << 6,
	PART_LLM_REQUEST = 1 << 7,
	PART_LLM_RESPONSE = 1 << 8,
	PART_TOOL_CONFIG = 1 << 9,
	PART_ALWAYS = 1 << 14, /* which every event honours */
	/* of the claude dialect alone */
	PART_PERMISSION = 1 << 10, /* permissionDecision, and decision "approve" */
	PART_RESULT = 1 << 11, /* updatedToolOutput */
	PART_TEXT = 1 << 12, /* plain text is context, too */
	PART_FEEDBACK = 1 << 13, /* additionalContext makes the agent go on */
	PART_REQUEST = 1 << 15, /* decision, an object: the answer to a question for permission */
	PART_RETRY = 1 << 16,
	PART_ELICIT = 1 << 17, /* action, content: what a server is answered */
	PART_DISPLAY = 1 << 18, /* displayContent */
	PART_WATCH = 1 << 19, /* watchPaths */
};

struct event {
	const char *name;
	enum event_id id;
	enum event_subject subject_kind;
	const char *subject; /* the payload's field for it */
	const char *subjects; /* the words it can be, separated by blanks; "" = open */
	unsigned honours; /* enum answer_part */
	bool literal; /* matchers are lists of exact names, whatever they look like */
	bool advisory; /* C2.1: decision and continue are ignored */
	bool env_file; /* its hooks may put shell code into the host's file */
	const char *chained; /* field that a sequential hook changes for the next one (C4.12), or
				NULL */
	int change; /* what changes it: an enum tl_change of an answer, or CHANGE_BY_CONTEXT */
	const char *input; /* field names for people and the schema, "?" = optional */
	/* What an answer may hold in hookSpecificOutput, for tl_event_get(), whose strings live for
	 * ever; the schema has it from answers.c, and a test compares the two.  NULL = nothing. */
	const char *output;
	const char *summary;
	/* As a real session would send it: the subject, the other fields as JSON; NULL = none. */
	const char *sample_subject, *sample;
};

extern const struct event events[EV_COUNT];

/* By exact name; NULL when unknown. */
const struct event *event_find(struct str name);

static inline bool event_can_block(const struct event *ev)
{
	return ev->honours & PART_DECISION;
}

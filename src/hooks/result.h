/*
 * From a finished process to a verdict (contract section 3): the strictest reading wins, and a
 * denial is never lost.
 */
#pragma once

#include "hooks/answers.h"
#include "hooks/firing.h"
#include "os/proc.h"

/* What a hook left behind: of a process, or of a function of the host. */
struct ending {
	enum proc_end end;
	int code; /* exit status, signal or errno */
	bool exited; /* code is an exit status, also of a process that was asked to end */
	bool warm; /* the process had been started ahead of time */
	struct str out, err, result;
	int64_t elapsed_us;
	const char *not_started; /* why, when end is PROC_NOT_STARTED */
	const char *misfit; /* why what it said is no answer; NULL when it is one */
	bool redact; /* a policy: the tool's result goes on without its secrets */
	const char *failure; /* why a handler of the host has none, when end is PROC_UNKNOWN */
};

enum { CHANGES = TL_CHANGE_WATCH_PATHS + 1 };

/* What a hook said, judged.  Strings live in the firing's arena. */
struct reply {
	enum tl_class how;
	enum tl_verdict verdict; /* with onFailure applied */
	bool stop;
	struct str reason; /* of the denial or the question, for the agent */
	struct str stop_reason; /* for the user */
	struct str message; /* systemMessage */
	struct str said; /* for people: every reason that it gave; "" when it denies nothing */
	struct str context; /* additionalContext, cut at its limit */
	struct str warning; /* one sentence about a failure, "" when there was none */
	const struct json
		*change[CHANGES]; /* by enum tl_change, TL_CHANGE_TOOL_RESULT as a string */
	struct str terminal; /* for the terminal, if there is one; harmless */
	bool clear_context, suppress, approved, redact;
	int exit_code; /* -1 = none */
	int signal;
	int64_t elapsed_us;
	bool warm; /* it had been started ahead of time */
	struct str out, err;
};

enum { CONTEXT_MAX_CHARS = 10000 };

/* Judges one run; what is odd about it goes to diags. */
void reply_judge(struct reply *r, const struct hook *hook, struct firing *f,
		 const struct ending *end, struct diags *diags);

/* ---- for the dialects ---- */

/* ANSWER_UNREADABLE: JSON that is nested deeper than we read. */
enum answer_kind {
	ANSWER_EMPTY,
	ANSWER_OBJECT,
	ANSWER_OTHER_JSON,
	ANSWER_TEXT,
	ANSWER_UNREADABLE,
};

/* What an output is, read once. */
struct answer {
	enum answer_kind kind;
	struct str text; /* trimmed, valid UTF-8 without NUL */
	const struct json *obj; /* ANSWER_OBJECT */
};

/* What the parts of judging share. */
struct judging {
	struct reply *r;
	const struct hook *hook;
	struct firing *f;
	const struct ending *end;
	struct diags *diags;
	struct answer answer;
	struct strictest strictest; /* what it says in anybody's words */
	bool bad; /* a guard's output cannot be relied on */
	struct str wrong; /* the first warning about it; empty = none */
	const char *misfit; /* as in the ending */
};

struct answer answer_read(struct arena *a, struct str bytes, bool unwrap);
/*
 * A member of one.  Null is as good as absent: a script that computes its members must not lose a
 * denial by it.
 */
const struct json *answer_get(const struct json *obj, const char *key);
/* Text for the outside: trimmed, U+FFFD for what is not UTF-8 and for NUL. */
struct str clean_text(struct arena *a, struct str s);
/* An additionalContext, cut at CONTEXT_MAX_CHARS with a visible mark. */
struct str cut_context(struct arena *a, struct str s);
void judge_note(struct judging *j, enum tl_severity severity, const char *code, const char *fmt,
		...) PRINTF_LIKE(4, 5);
/* Fills verdict, reasons, message and the parts that the event honours from a gemini answer. */
void judge_object(struct judging *j, const struct json *obj);
/* Exit 2: the first text that says why; `own` is the reason of an answer that itself denies. */
struct str judge_blocked_reason(struct judging *j, struct str own);
/* Why a denial in foreign words, or in a text, denies; or "". */
struct str judge_reason(struct judging *j);
/* " (line 1, column 9: ...)" when the output begins as an object and is none; else "". */
const char *judge_why_no_object(const struct judging *j);
/* The reason of the object itself: "reason", else "stopReason"; or "". */
struct str judge_own_reason(struct judging *j, const struct json *obj);
/* C3.10, C3.11: says what counts although it is not where the dialect looks. */
void judge_note_strictest(struct judging *j);
/* Does this member deny or ask in words that are not the dialect's own? */
bool judge_is_foreign(const struct judging *j, const char *member);
/* The strictest reading, over what the dialect's own words said. */
void judge_strictest(struct judging *j);
/* C2.2, C4.9: a failure on BeforeToolSelection, which cannot be denied, leaves no tools. */
bool judge_closes_tools(const struct judging *j);
void judge_leave_no_tools(struct judging *j);
/* A member that has no effect on this event. */
void judge_ignored(struct judging *j, const char *what);
/* Reports the members that have no effect, and those that no table knows (C3.9). */
void judge_members(struct judging *j, const struct json *obj);
/*
 * v without the members that no table knows, which are reported; NULL when the rest cannot count.
 * `had` as for field_known().
 */
const struct json *judge_known(struct judging *j, const struct answer_member *m,
			       const struct json *v, const struct json *had);

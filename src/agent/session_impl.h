/* What the files of a session share; nobody else includes it. */
#pragma once

#include "agent/session.h"

struct contents {
	const struct json **p;
	size_t n, cap;
};

struct session {
	struct session_options o;
	struct arena arena; /* the conversation and what lives as long */
	char id[40];
	char *temp_dir;
	struct contents history; /* contents, without the session context */
	const struct json *context_part; /* the <session_context> text part */
	struct context_options context;
	struct context_seen *seen;
	struct str start_context; /* of SessionStart, wrapped, until the first prompt takes it */
	struct transcript *transcript;
	struct tool_env tools;
	struct policy *policy;
	struct stats stats;
	struct cancel *cancel;
	struct tl_cancel *hook_cancel;
	uint64_t seq; /* of firings */
	unsigned prompts, turns; /* user prompts; requests to the model */
	int64_t prompt_tokens; /* last reported size of the conversation */
	bool ended;
	bool compress_failed;
};

/* What goes on between a prompt and its answer. */
struct turn {
	struct session *s;
	struct arena arena; /* until the prompt is over */
	char id[80]; /* prompt_id */
	struct str prompt; /* as hooks see it */
	size_t user_at; /* index of the prompt in the history */
	struct str context; /* of BeforeAgent, wrapped: belongs to this turn (C4.14) */
	struct buf answer; /* everything the model said, turns joined by line breaks */
	bool retry; /* stop_hook_active */
};

/* fire.c: events with the session's base fields. */

struct fire_args {
	const char *event, *subject;
	const struct tl_field *fields;
	size_t nfields;
	const char *turn_id, *call_id;
	bool failed;
};

/* (waits) NULL when cancelled.  Messages and failures of hooks were shown and recorded. */
struct tl_outcome *session_fire(struct session *s, const struct fire_args *args);
bool session_wants(struct session *s, const char *event, const char *subject);
struct tl_field field_json(struct arena *a, const char *name, const struct json *v);
struct tl_field field_str(struct arena *a, const char *name, struct str v);
struct tl_field field_raw(const char *name, struct str json_text);
/* "Agent execution stopped: ..." with the systemMessage when there is one (B12). */
void session_note_end(struct session *s, enum note_kind kind, const struct tl_outcome *o);
void session_note(struct session *s, enum note_kind kind, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* history.c */

void history_add(struct session *s, const struct json *content);
/* {role, parts} in the session's arena. */
const struct json *content_new(struct arena *a, const char *role, const struct json *parts);
const struct json *text_part(struct arena *a, struct str text);
/* The texts of all parts, joined. */
struct str parts_text(struct arena *a, const struct json *parts);
/* The conversation as it goes out: session context first, this turn's context, equal roles joined.
 */
const struct json *history_contents(struct turn *t);

/* ask.c: one request and its answer. */

enum ask_end { ASK_DONE, ASK_BLOCKED, ASK_STOPPED, ASK_CANCELLED, ASK_FAILED };

struct answer {
	const struct json *parts; /* what the model said, for the history (turn's arena) */
	struct str text; /* visible text */
	const struct json *calls; /* array of functionCall objects */
	const struct json *allowed; /* names that the model may call, an array; NULL = all */
	bool none_allowed;
};

/* (waits) BeforeModel, BeforeToolSelection, the model, AfterModel for each chunk. */
enum ask_end turn_ask(struct turn *t, struct answer *ret, struct err *err);

/* calls.c: the tool calls of one answer. */

enum calls_end { CALLS_DONE, CALLS_STOPPED, CALLS_CANCELLED, CALLS_FATAL };

/* (waits) Runs them and adds their results to the history. */
enum calls_end turn_calls(struct turn *t, const struct answer *answer);

/* compress.c */

/* (waits) When the history is over its threshold: PreCompress and a summary (C2.7). */
void session_compress(struct session *s, const char *trigger);

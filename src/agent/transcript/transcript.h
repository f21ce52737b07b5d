/*
 * The transcript of a session: JSON lines in the form of Gemini CLI's recordings.
 * Every line is written before the next step begins; a torn last line is tolerated when it is read
 * again.  A file that cannot be written is reported once and does not stop the session.  What is
 * written is what was given: nothing is redacted here.
 */
#pragma once

#include "base/json.h"

struct claude_log_options;
struct transcript;

/* Where recordings of a project are: ~/.gemini/tmp/<slug>/chats; the slug is looked up or made.
 * transcript_new() makes the directory. */
char *transcript_dir(const char *home, const char *project, struct err *err) MUST_CHECK;
/* ~/.gemini/tmp/<slug>: the project's temporary directory, which exists then. */
char *project_temp_dir(const char *home, const char *project, struct err *err) MUST_CHECK;

/* A random UUID, for sessions and messages. */
enum { TRANSCRIPT_ID_SIZE = 37 };
void transcript_id_new(char out[TRANSCRIPT_ID_SIZE]);
/* At most max bytes of an id, with only what may be in a file's name (free()). */
char *transcript_safe_id(const char *id, size_t max) MUST_CHECK;

/* A new recording; its first line is written at once. NULL with *err; use NULL as "records nothing"
 * then. */
struct transcript *transcript_new(const char *dir, const char *project, const char *session_id,
				  struct err *err);
/*
 * An existing one, to be continued; *ret_history is the conversation as an array of contents in the
 * arena, without the session context, and such that a model accepts it: every functionCall is
 * followed by its response, if only by one that says "cancelled".  An old single-document .json is
 * continued as .jsonl next to it.  A file that may only be read is resumed and not continued:
 * transcript_error() says so.
 */
struct transcript *transcript_resume(const char *path, struct arena *a,
				     const struct json **ret_history, struct err *err);
/* A recording of a sub-agent, below that of its session; NULL parent = NULL. */
struct transcript *transcript_new_agent(const struct transcript *parent, const char *project,
					struct err *err);
void transcript_free(struct transcript *t); /* NULL allowed, as in all of these */
/* The file's absolute path; "" for NULL. */
const char *transcript_path(const struct transcript *t);
const char *transcript_session_id(const struct transcript *t);
/* Of the prompt that the last answer of a resumed recording was given to; 0 = not known. */
int64_t transcript_tokens(const struct transcript *t);
/* When it was given, by clock_wall_ms(); 0 = not known. */
int64_t transcript_answered_ms(const struct transcript *t);
/* Why nothing is recorded any more: a sentence once, NULL after that and while all is well. */
const char *transcript_error(struct transcript *t);

/*
 * From now on the recording is also written as Claude Code writes transcripts (claude_log.h); what
 * it has already is written at once.  Nothing happens to a recording that has stopped.
 */
int transcript_mirror(struct transcript *t, const struct claude_log_options *o, struct err *err);
/* The path of that file; "" = there is none. */
const char *transcript_claude_path(const struct transcript *t);

/*
 * The user's message; display_text when what was typed differs from parts (NULL = it does not).  A
 * part that is the session context is left out.  by_hook: a hook wrote it, to be answered.
 */
void transcript_user(struct transcript *t, const struct json *parts, const char *display_text,
		     bool by_hook);
/*
 * A message of the model, the parts of an answer: its calls are written with their results, by
 * transcript_tool_calls().  thoughts [{subject, description}] or NULL, tokens {input, output,
 * cached, thoughts, tool, total} or NULL.
 */
void transcript_model(struct transcript *t, const struct json *parts, const struct json *thoughts,
		      const struct json *tokens, const char *model);
/*
 * The tool calls that belong to the last message of the model, as an array of objects: what
 * transcript_call() made, {result, status, resultDisplay, description, displayName,
 * renderOutputAsMarkdown}.  A missing timestamp, description or displayName is filled in.  Calls of
 * an id that was given before are updated.
 */
void transcript_tool_calls(struct transcript *t, const struct json *calls);
/* The same of those that have ended while others of the answer go on: for the mirror alone. */
void transcript_some_results(struct transcript *t, const struct json *calls);
/* {id, name, args, thoughtSignature} of a part with a functionCall, in the order that they have
 * there: it is the one in which they are read back. */
const struct json *transcript_call(struct arena *a, const struct json *part);
/*
 * Results that were recorded and are now others: parts with a functionResponse, as they were and as
 * they are.  The file is written anew without the old ones.
 */
void transcript_results(struct transcript *t, const struct json *old, const struct json *now);
/* A line of type info, warning or error. */
void transcript_note(struct transcript *t, const char *type, struct str text);
/* Replaces all messages by this conversation (clearContext): a checkpoint line. */
void transcript_replace(struct transcript *t, const struct json *contents);
/* The same of a conversation that begins with a summary of what it replaces. */
void transcript_compressed(struct transcript *t, const struct json *contents);

/* One recorded session of a directory. */
struct transcript_info {
	char *path, *id, *title; /* title: the first message of the user, one line, cut */
	size_t messages; /* of the user and of the model */
	int64_t started_ms, updated_ms;
};

/*
 * What people see of a recording, for a screen: {"earlier": the number of messages before these,
 * "items": [{"type": "user", "gemini" or "tool", "text", and of a tool "about" and "ok"}]}, at most
 * the last `max` items, texts cut; nothing is clean.  NULL with *err.
 */
const struct json *transcript_recent(const char *path, size_t max, struct arena *a,
				     struct err *err);

/* Sessions with a user message, oldest first; none without such a directory. */
int transcript_list(const char *dir, struct transcript_info **ret_list, size_t *ret_n,
		    struct err *err);
void transcript_list_free(struct transcript_info *list, size_t n);
/* "latest", an index from 1, or an id; -E_NOTFOUND. */
int transcript_find(const char *dir, const char *which, struct transcript_info *ret,
		    struct err *err);
void transcript_info_done(struct transcript_info *i);
/* Is there a recording of this id, listed or not? */
bool transcript_id_exists(const char *dir, const char *id);
/* Removes the session: its recordings, those of its sub-agents, its saved tool outputs. */
int transcript_delete(const char *dir, const struct transcript_info *i, struct err *err);
/* Removes recordings by general.sessionRetention; never the session `keep_id`, never one
 * that a process has open. */
void transcript_retention(const char *dir, const struct json *settings, const char *keep_id);

/*
 * What the headless agent prints, in three forms: text, one JSON object at the end, one JSON object
 * a line.  It is the sink of the session.
 *
 *	output_init(&o, &options);
 *	... session with output_sink(&o) ...
 *	output_begin(&o, id, model);
 *	... session_prompt() ...
 *	output_end(&o, &end, stats);
 *	output_done(&o);
 *
 * stdout carries the answer and nothing else; everything for people goes to stderr.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "agent/halt.h"
#include "agent/sink.h"
#include "agent/stats.h"
#include "base/vec.h"
#include "cli/agent/agent_options.h"
#include "cli/agent/plain.h"
#include "cli/agent/progress.h"

struct output_form;

/* All borrowed until output_done(). */
struct output_options {
	const struct output_form *form;
	bool raw; /* control sequences of the model's text are left in */
	FILE *out, *err;
	struct progress *progress; /* NULL = none */
	const struct halt *halt; /* fired when stdout cannot be written; NULL allowed */
};

/* How a run ended; type NULL = well. */
struct run_end {
	const char *type; /* "FatalInputError" */
	const char *message;
	const char *hint; /* a further line for people, NULL = none */
	int code; /* in the JSON: the exit code or the API's status */
	/* The answer was unusable, which was reported as an error, yet the run did not fail. */
	const char *broken;
	bool keeps_refused; /* the last text is the answer even when a hook refused it */
};

struct output;

/* One of the forms; every member may be NULL. */
struct output_form {
	void (*begin)(struct output *o, const char *model);
	void (*text)(struct output *o, struct str piece); /* cleaned */
	void (*user)(struct output *o, struct str prompt);
	void (*turn)(struct output *o);
	void (*verdict)(struct output *o, enum verdict_on_answer verdict);
	void (*tool_use)(struct output *o, const char *name, const char *id,
			 const struct json *args);
	void (*tool_result)(struct output *o, const struct tool_report *r);
	/* False: the note goes to stderr. */
	bool (*note)(struct output *o, enum note_kind kind, struct str text);
	void (*end)(struct output *o, const struct run_end *end, const struct stats *stats);
	/* Programs look for an object on stderr when the run fails: all else waits for the end. */
	bool holds_stderr;
};

extern const struct output_form output_text, output_json, output_stream;

struct output {
	const struct output_form *form;
	struct output_options options;
	const char *session_id;
	struct plain plain;
	struct buf clean; /* the piece of text in hand */
	struct buf line; /* the JSON or the text in hand */
	struct buf answer; /* json: text of the last turn */
	bool refused; /* json: a hook refused it */
	struct {
		char **p;
		size_t n, cap;
	} warnings; /* json */
	/* json: notes for stderr, kept until the end; without braces when the run failed. */
	struct buf held;
	pthread_mutex_t lock; /* for held and stderr: hooks are heard on other threads */
	bool hold, failed;
	struct buf waiting; /* text: of an answer that a hook has still to accept */
	bool awaits;
	size_t waited; /* of them: what was said before this request to the model */
	/* text: what was shown of the answer to this request, and of an answer that broke off how
	 * much of it the next one has repeated. */
	struct buf shown;
	size_t repeated;
	bool repeats;
	atomic_bool mid_line; /* text: the answer does not end with a line break */
	bool together; /* stdout and stderr go to one place */
	bool closed; /* the reader of stdout is gone */
	int write_error; /* errno of another failure */
};

void output_init(struct output *o, const struct output_options *options);
void output_done(struct output *o);
struct agent_sink output_sink(struct output *o);
/* The session's id, borrowed, for all that follows. */
void output_session(struct output *o, const char *session_id);
/* A prompt is about to be asked. */
void output_begin(struct output *o, const char *model);
/* stats NULL = there was no session. */
void output_end(struct output *o, const struct run_end *end, const struct stats *stats);
/* A line for people on stderr, made visible. */
void output_say(struct output *o, const char *fmt, ...) PRINTF_LIKE(2, 3);
void output_warn(struct output *o, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* A warning of who has a `complain`; data is the output. */
void output_complain(void *data, const char *text);
void output_say_str(struct output *o, const char *prefix, struct str text);
/* "[WARNING] ..."; data is the output (struct note_sink). */
void output_note(void *data, enum note_kind kind, const char *text);

/* For the forms: bytes to stdout. */
void output_write(struct output *o, struct str bytes);
/* The JSON in o->line, with nothing in it that a terminal obeys. */
void output_write_json(struct output *o);
/* The note belongs to the answer: "warnings" of json. */
void output_warning(struct output *o, struct str text);

DEFINE_AUTO(struct output, output_done)

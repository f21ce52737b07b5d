/* An answer of the model while it comes in, chunk by chunk; only the session includes it. */
#pragma once

#include "agent/repeat.h"
#include "agent/session_impl.h"
#include "agent/whole.h"

struct stream {
	struct turn *t;
	struct arena *a; /* of this request */
	bool wants; /* an AfterModel hook would run */
	struct whole *whole; /* a policy looks for secrets in it; NULL = none does */
	struct str request; /* llm_request, serialised once for all chunks */
	struct contents parts, calls;
	struct contents thoughts; /* parts, for the transcript alone */
	struct buf run; /* text that is not yet a part */
	struct buf text; /* all that is visible */
	struct repeat repeat;
	const struct json *usage;
	size_t weight; /* of all that the model sent */
	struct contents chunks; /* as hooks left them, for telemetry (C4.8) */
	const char *finish; /* finishReason, NULL = none yet */
	const char *refused; /* blockReason: the prompt was not answered; NULL = it was */
	bool had_text, had_call; /* in what the model sent */
	struct {
		bool wanted; /* a MessageDisplay hook would run */
		unsigned n; /* pieces that hooks have seen */
		struct buf held; /* without a terminal: until the answer has ended */
	} display;
	enum end end; /* END_DONE as long as nothing ended it */
};

/* display.c: (waits) a piece of the answer, and its end, for people. */
void display_begin(struct stream *st);
void display_text(struct stream *st, struct str text);
void display_end(struct stream *st);

/* The parts of a response's first candidate; NULL when there are none. */
const struct json *chunk_parts(const struct json *chunk);
bool part_is_thought(const struct json *part);
/* Remembers what kinds of parts the model sent, whatever hooks make of them; -E_LIMIT when it will
 * not end. */
int stream_note(struct stream *st, const struct json *chunk, struct err *err);
/* What the chunk, as hooks left it, says of the end: finishReason, blockReason, usageMetadata. */
void stream_note_end(struct stream *st, const struct json *chunk);
/* Shows the chunk and takes it into the answer. */
void stream_take(struct stream *st, const struct json *chunk);
/* Forgets what was said: it is shown, but not remembered. */
void stream_forget(struct stream *st);
/* Why an answer is none, judged by what the model sent, and whether asking again may help. */
struct fault {
	const char *text; /* NULL = it is one */
	const char *type; /* of telemetry */
	bool is_final;
	bool is_failure; /* of the request, which struct err says */
};
struct fault stream_fault(const struct stream *st);
/* People are told of an answer that is not all that the model had to say. */
void stream_tell_cut(const struct stream *st);
/* The answer as it is remembered: with its calls only when nothing blocked it or cut it off. */
void stream_finish(struct stream *st, enum end end, struct answer *ans);
/* What it thought, as transcripts have it: an array of {subject, description}. */
const struct json *stream_thoughts(const struct stream *st, struct arena *a);
void stream_done(struct stream *st);

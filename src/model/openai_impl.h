/* Private to openai*.c: the translation between Gemini's form and that of chat completions. */
#pragma once

#include "model/provider.h"

void openai_write_request(struct jw *w, const struct model_request *rq, bool stream);

struct openai_call {
	double index; /* as the server counts them */
	struct buf id, name, args;
};

/* What came of an answer and is only passed on at its end.  All-zero is a new one. */
struct openai_answer {
	struct {
		struct openai_call *p;
		size_t n, cap;
	} calls;
	const char *finish; /* Gemini's word, NULL = not finished */
	bool has_text; /* that is no thought */
	bool has_usage;
	double prompt, completion, total, reasoning, cached; /* tokens */
};

/*
 * Takes one event of a stream, or a whole answer.  Returns the parts that can be passed on now,
 * NULL when there are none.
 */
const struct json *openai_take(struct openai_answer *s, struct arena *a, const struct json *event);
/* A response with these parts (NULL = none). */
const struct json *openai_chunk(struct arena *a, const struct json *parts);
/* The last response: after these parts (NULL = none) the calls; the reason for the end; usage. */
const struct json *openai_last(const struct openai_answer *s, struct arena *a,
			       const struct json *parts);
/*
 * Can this be all, where the server says that the stream has ended and not why?  Not without a text
 * or a call, nor with half a call: servers whose own source breaks off end their stream so.
 */
bool openai_is_whole(const struct openai_answer *s);
void openai_answer_done(struct openai_answer *s);

DEFINE_AUTO(struct openai_answer, openai_answer_done)

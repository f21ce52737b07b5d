/*
 * Chunks of an answer in which no secret is cut, for policies that look for secrets in AfterModel
 * (C9.10): they judge each chunk by itself.  What could be the beginning of a secret waits for the
 * next chunk, at most SECRET_WAITS_MAX bytes; nothing is taken out here.
 *
 *	w = whole_new(arena)				policies look for secrets
 *	chunk = whole_take(w, arena, chunk)		each chunk of the model
 *	chunk = whole_rest(w, arena)			the answer has ended, in whatever way
 *	whole_done(w)
 */
#pragma once

#include "base/json.h"

struct whole;

/* In the arena, which must live as long. */
struct whole *whole_new(struct arena *a) MUST_CHECK;
/* NULL when all of it waits. */
const struct json *whole_take(struct whole *w, struct arena *a, const struct json *chunk);
/* NULL when nothing waits. */
const struct json *whole_rest(struct whole *w, struct arena *a);
/* The texts of the chunk that was returned last and what is around them, for the engine: "llm_around"
 * of AfterModel. */
const struct json *whole_around(struct whole *w, struct arena *a);
void whole_done(struct whole *w);

/*
 * A model that says the same thing over and over, or calls the same tool with the same arguments,
 * does not come to an end by itself.
 */
#pragma once

#include "base/json.h"

enum { REPEAT_CALLS_MAX = 5 };

struct repeat {
	struct buf tail; /* the end of what was said */
	size_t since; /* bytes since the last look */
};

/* More of an answer; true when it has begun to go round in circles. */
bool repeat_text(struct repeat *r, struct str more);
void repeat_done(struct repeat *r);

struct repeat_calls {
	uint64_t hash;
	int times;
};

/* True when this call is the REPEAT_CALLS_MAX-th in a row with this name and these arguments. */
bool repeat_call(struct repeat_calls *r, struct str name, const struct json *args);

/*
 * A model that says the same thing over and over, or calls the same tool with the same arguments,
 * does not come to an end by itself.
 */
#pragma once

#include "base/json.h"

enum { REPEAT_CALLS_MAX = 5, REPEAT_CYCLE_MAX = 4 };

struct repeat {
	struct buf tail; /* the end of what was said */
	size_t since; /* bytes since the last look */
};

/* More of an answer; true when it has begun to go round in circles. */
bool repeat_text(struct repeat *r, struct str more);
void repeat_done(struct repeat *r);

/* The last calls, by a hash of name and arguments. */
struct repeat_calls {
	uint64_t last[REPEAT_CALLS_MAX * REPEAT_CYCLE_MAX];
	size_t n; /* all there were */
};

/*
 * True when the last calls are REPEAT_CALLS_MAX rounds of the same one, or of the same two to
 * REPEAT_CYCLE_MAX in the same order.
 */
bool repeat_call(struct repeat_calls *r, struct str name, const struct json *args);

/*
 * What a message of JSON-RPC could mean to whoever reads it.  Parsers differ: some take the first
 * of two equal keys, some the last; some do not tell "Method" from "method", or drop characters
 * that are invisible.  A guard has to judge what any of them could run.
 */
#pragma once

#include "base/json.h"

/* What hooks are asked about. */
enum guard_kind {
	GUARD_NONE,
	GUARD_TOOL, /* tools/call */
	GUARD_RESOURCE, /* resources/read */
	GUARD_PROMPT, /* prompts/get */
	GUARD_TASK, /* tasks/result: what a call that went on by itself has come to */
};

struct guard_reading {
	bool calls; /* it has a method, in any spelling */
	bool answers; /* it has a result or an error, in any spelling */
	bool clear; /* every reader sees method, id, result and error as here: */
	struct str method;
	const struct json *id; /* NULL = it has none, or not a clear one */
	const struct json *params, *result, *error;
	enum guard_kind kind; /* by any reading of its method */
	/* Of a kind: everybody reads which one is called.  Then: */
	bool named;
	struct str name; /* of the tool or prompt; a URI; the id of a task */
	const struct json *args; /* "arguments"; NULL = none */
	bool detached; /* it asks for a task: the result comes later */
};

void guard_read(const struct json *v, struct guard_reading *ret);
/* Are there keys in it, however deep, that some readers do not tell apart? */
bool guard_has_alike_keys(struct arena *a, const struct json *v);
/* Does a key occur in one object of it twice?  Of a text that was read with JSON_REPEATS. */
bool guard_has_repeats(const struct json *v);
/* Could a reader take one id for the other ("1" for 1)? */
bool guard_ids_alike(const struct json *a, const struct json *b);
/* Calls fn for each value that a reader could take for the message's id. */
void guard_each_id(const struct json *v, void (*fn)(void *data, const struct json *id), void *data);
/* Where the value that begins at pos of a text, which is JSON, ends. */
size_t guard_value_end(struct str text, size_t pos);
/*
 * The id in a text that is no JSON, or of which only a piece was kept: a guess, good enough to tell
 * somebody who waits that nothing will come.  NULL = none.
 */
const struct json *guard_guess_id(struct arena *a, struct str text);

/* Answers of a server, as hooks see them and as they want them. */
#pragma once

#include "mcp/guard.h"

/* {"content": [text], "isError": true} */
const struct json *guard_tool_error(struct arena *a, struct str text);
/*
 * The tool_response of an answered call: the members of the result, and as llmContent and
 * returnDisplay all that a model could read of it.
 */
const struct json *guard_response(struct arena *a, const struct guard_call *c);
/* The text of the failure, "" when the call did not fail. */
struct str guard_failure(struct arena *a, const struct guard_call *c);
/* The result with another text (NULL = its own) and more context ("" = none). */
const struct json *guard_result_with(struct arena *a, const struct guard_call *c,
				     const struct json *text, struct str context);
const struct json *guard_error_with(struct arena *a, const struct json *error,
				    const struct json *text, struct str context);

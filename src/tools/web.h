/* What the tools share that ask the model's own service about the web. */
#pragma once

#include "base/err.h"
#include "tools/tool.h"

/*
 * (waits) Asks with the service's tool ("googleSearch", "urlContext").  0; -E_NOTFOUND when there
 * is no user to ask; -E_PARSE when no answer came; or what ask_model returned.
 */
int web_ask(struct tool_call *call, struct str prompt, const char *tool,
	    const struct json **ret_response, struct err *err);
/* The answer's text with a [n] after what source n supports, and the list of sources.  "" = none.
 */
struct str web_answer(struct arena *a, const struct json *response);

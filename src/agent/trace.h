/*
 * What the model is sent, for whoever looks for what became of a conversation: with
 * GEMINI_CONTEXT_TRACE_DIR each request's contents are written there, as hooks have left them.
 * trace.log has a line an event, "[time] [part] what | Details: {...}"; what is long is in a
 * file of its own below assets/, which the line names.  Off without the variable.
 */
#pragma once

#include "base/json.h"

struct trace;

/* NULL = it is off, or cannot be written; a NULL trace writes nothing. */
struct trace *trace_new(const char *dir, const char *session_id);
void trace_free(struct trace *t);
/* details: an object. */
void trace_event(struct trace *t, const char *part, const char *what, const struct json *details);

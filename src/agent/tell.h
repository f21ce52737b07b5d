/* What telemetry is told of a session (host.md J4), one function an event. */
#pragma once

#include "agent/stream.h"

/* The request as it goes out, after the hooks. */
void tell_request(struct stream *st, const struct model_request *rq);
void tell_response(struct stream *st, const struct model_request *rq, double ms);
void tell_error(struct stream *st, const struct model_request *rq, double ms, const char *text);
void tell_prompt(struct turn *t);
void tell_compression(struct session *s, int64_t before, int64_t after);
void tell_finished(struct session *s);

/* A tool call that is over, run or not. */
struct tool_told {
	struct str name;
	const struct json *args; /* as they were after the hooks */
	const char *decision; /* "accept", "reject", "modify", "auto_accept"; NULL = none */
	const char *error_type; /* NULL = success */
	struct str error;
	double ms;
	size_t content_length;
	int lines_added, lines_removed;
};
void tell_tool(struct turn *t, const struct tool_told *call);

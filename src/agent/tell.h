/* What telemetry is told of a session, one function an event. */
#pragma once

#include "agent/stream.h"

/* A request to the model, and what came of it. */
struct api_told {
	const struct model_request *rq; /* as it goes out, after the hooks */
	const char *role, *prompt_id;
	double ms;
	const struct json *usage; /* NULL = not told */
	const char *finish; /* NULL = none */
	const struct json *chunks; /* of the answer, an array */
};

void tell_request(struct session *s, const struct api_told *api);
void tell_response(struct session *s, const struct api_told *api);
void tell_error(struct session *s, const struct api_told *api, const char *text);
/* An answer that was none: the model is asked again, or not. */
struct retry_told {
	int attempt; /* from 0 */
	int64_t delay_ms; /* negative: it was the last */
	const char *error_type; /* "NO_FINISH_REASON"... */
};
void tell_retry(struct session *s, const struct retry_told *retry);
void tell_prompt(struct turn *t, struct str text);
void tell_compression(struct session *s, int64_t before, int64_t after);
void tell_finished(struct session *s);
/* Another approval mode, after so long in the one before. */
void tell_mode(struct session *s, const char *before, double ms);

/* A sub-agent: `id` is that of the call which started it. */
struct agent_told {
	const char *id, *name;
	double ms;
	int turns;
	const char *reason; /* why it ended, "GOAL" when it did what it was to do */
};
void tell_agent_start(struct session *s, const struct agent_told *agent);
void tell_agent_finish(struct session *s, const struct agent_told *agent);

/* A tool call that is over, run or not. */
struct tool_told {
	struct str name;
	const struct json *args; /* as they were after the hooks */
	const char *decision; /* "accept", "reject", "modify", "auto_accept"; NULL = none */
	const char *error_type; /* NULL = success */
	struct str error;
	double ms;
	size_t content_length;
	size_t long_bytes, long_limit; /* of output that was cut; 0 = it was not */
	const struct json *content,
		*display; /* as the tool gave them; NULL = it did not run well */
	const struct json *metadata; /* of the tool; NULL = none */
	const char *strategy; /* of an edit; NULL = it is none */
	const char *mcp_server; /* NULL = it is our own tool */
	int lines_added, lines_removed;
};
void tell_tool(struct turn *t, const struct tool_told *call);

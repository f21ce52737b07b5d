/*
 * Telemetry: events and metrics in the form of Gemini CLI's outfile (host.md J).  Off unless the
 * settings or the environment switch it on; without an outfile nothing is kept.  Secrets are
 * redacted in every string.  Thread-safe.
 */
#pragma once

#include "base/json.h"

struct telemetry;

struct telemetry_options {
	const struct json
		*settings; /* merged settings; "telemetry" counts, the environment overrides (J1) */
	const char *const *env;
	const char *home; /* for installation_id */
	const char *session_id;
	bool interactive;
	const char *auth_type;
};

/* Never NULL; one that is switched off ignores everything. */
struct telemetry *telemetry_new(const struct telemetry_options *o) MUST_CHECK;
/* Writes the metrics and closes the file. */
void telemetry_free(struct telemetry *t);
bool telemetry_on(const struct telemetry *t);
/* May prompts, arguments and outputs be written (telemetry.logPrompts)? */
bool telemetry_prompts(const struct telemetry *t);

/*
 * One log record: `name` without the prefix ("hook_call"), a sentence, and an object of attributes
 * (NULL = none), to which the common ones of J3 are added.
 */
void telemetry_event(struct telemetry *t, const char *name, const char *body,
		     const struct json *attributes);
/* Metrics (J6): a counter's increment, a histogram's value; attributes as above. Written at the
 * end. */
void telemetry_count(struct telemetry *t, const char *metric, double by,
		     const struct json *attributes);
void telemetry_measure(struct telemetry *t, const char *metric, double value, const char *unit,
		       const struct json *attributes);
/* After /clear the following records carry another session's id; what is pending is flushed. */
void telemetry_session(struct telemetry *t, const char *session_id);

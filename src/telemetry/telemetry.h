/*
 * Telemetry: events and metrics in the form of Gemini CLI's outfile.  Off unless the
 * settings or the environment switch it on; without an outfile nothing is kept.  Secrets are
 * redacted in every string.  Thread-safe.  Every record is in the file when the call returns.
 */
#pragma once

#include "base/json.h"

struct telemetry;

struct telemetry_options {
	const struct json
		*settings; /* merged settings; "telemetry" counts, the environment overrides */
	const char *const *env;
	const char *home; /* for installation_id; NULL = none is kept */
	const char *session_id;
	bool interactive;
	const char *auth_type; /* NULL = not told */
	/*
	 * Called at most once, from any thread and perhaps from telemetry_new() itself: the outfile
	 * cannot be written, and from now on telemetry is off.  NULL allowed.
	 */
	void (*complain)(void *data, const char *text);
	void *data;
};

/*
 * Never NULL; one that is switched off ignores everything.  Nothing of the options is kept but
 * `data`.  Counts gemini_cli.session.count.
 */
struct telemetry *telemetry_new(const struct telemetry_options *o) MUST_CHECK;
/* Writes the metrics and closes the file.  NULL allowed, as below. */
void telemetry_free(struct telemetry *t);
/* Is anything kept? What is costly to make for a record need not be made when not. */
bool telemetry_on(const struct telemetry *t);
/* May prompts, arguments and outputs be written (telemetry.logPrompts)? */
bool telemetry_prompts(const struct telemetry *t);

/*
 * One log record: `name` without the prefix ("hook_call"; "gen_ai..." gets none), a sentence, and
 * an object of attributes (NULL = none), to which the common ones of J3 are added.
 */
void telemetry_event(struct telemetry *t, const char *name, const char *body,
		     const struct json *attributes);
/*
 * Metrics: a counter's increment, a histogram's value; names and attributes as above.  Values
 * of equal attributes are put together.  Written at the end.
 */
void telemetry_count(struct telemetry *t, const char *metric, double by,
		     const struct json *attributes);
void telemetry_measure(struct telemetry *t, const char *metric, double value, const char *unit,
		       const struct json *attributes);
/* After /clear the following records carry another session's id. */
void telemetry_session(struct telemetry *t, const char *session_id);

/*
 * A hook's command as metrics, and without prompts records, name it: /a/b/check.sh --x is
 * check.sh.  A part of the given text, or "unknown-command".
 */
struct str telemetry_hook_name(struct str command);

/*
 * A recording in the form of Claude Code's transcripts, for hooks of the claude dialect, which read
 * it through transcript_path: JSON lines, each with the uuid of the one before.  It is written
 * next to the recording, from its messages, and says nothing that the recording does not say.  Made
 * anew from the recording when it is not known to go on where that ends.
 */
#pragma once

#include "agent/transcript/transcript_impl.h"
#include "trotline.h"

struct claude_log;

/* What the lines say; copied. */
struct claude_log_options {
	struct tl_hooks *hooks; /* knows how Claude Code calls tools and arguments */
	const char *path;
	const char *session_id, *cwd;
	const char *agent_id; /* of a sub-agent's; NULL = the session's own */
	/* The server that a tool is of; *ret_server stays NULL for one of ours. */
	void (*server_of)(void *data, const char *tool, const char **ret_server,
			  const char **ret_name);
	void *data;
};

/* The message that calls are still added to, and all parts of that answer. */
struct claude_log_open {
	const struct json *message, *parts; /* NULL = there is none */
};

struct claude_log *claude_log_new(const struct claude_log_options *o, const struct recording *r,
				  const struct claude_log_open *at, struct err *err);
void claude_log_free(struct claude_log *l); /* NULL allowed */
/* "" once it could not be written. */
const char *claude_log_path(const struct claude_log *l);
/* Why nothing is written any more, once; NULL while all is well. */
const char *claude_log_error(struct claude_log *l);

/* A message of the recording; of one of the model all parts, its calls among them. */
void claude_log_message(struct claude_log *l, const struct json *message, const struct json *parts);
/*
 * Rows of toolCalls with results.  False when one of them was there already and has another result
 * now: then the log is to be made anew.
 */
bool claude_log_results(struct claude_log *l, const struct json *rows);
/* What was before is summarised: `messages` stand for it now. */
void claude_log_compacted(struct claude_log *l, const struct json *messages);
/* All of it anew. */
void claude_log_rewrite(struct claude_log *l, const struct recording *r);

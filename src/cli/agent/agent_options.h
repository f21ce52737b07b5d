/*
 * The command line of the agent: one row a flag.  --flag value, --flag=value, -f
 * value, -fvalue, -f=value, letters together (-yd), --no-flag, -- ends the flags; other words are
 * the prompt.
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

enum output_format { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_STREAM };

/* A list that a flag fills, repeated or with commas; p is NULL-terminated, or NULL when empty. */
struct words {
	const char **p;
	size_t n, cap;
};

void words_add(struct words *w, const char *word); /* borrowed */
void words_done(struct words *w);
DEFINE_AUTO(struct words, words_done)

struct agent_options {
	bool help, version, yolo, skip_trust, no_project_hooks, debug, raw_output,
		accept_raw_output, screen_reader, list_sessions, list_extensions, init, init_only,
		maintenance, acp, experimental_acp;
	/* NULL = not given.  The optional ones are "" when given without a value. */
	const char *prompt, *prompt_interactive, *model, *approval_mode, *output_format;
	const char *resume, *session_id, *session_file, *delete_session, *worktree, *sandbox;
	const char *fake_responses, *fake_responses_non_strict, *record_responses;
	struct words include_directories, allowed_tools, allowed_mcp_servers, extensions, policy,
		admin_policy;
	const char *words; /* those that are no flags, joined with blanks; NULL = none */
	struct arena arena; /* of what had to be copied */
};

/* Fills *o, or -E_INVAL. */
int agent_options_parse(struct agent_options *o, int argc, char **argv, struct err *err);
/* Also after a failure. */
void agent_options_done(struct agent_options *o);
enum output_format agent_options_format(const struct agent_options *o);
/* What follows an option, as it is on a command line. */
enum option_next {
	OPTION_UNKNOWN, /* it is none of the agent's */
	OPTION_ALONE,
	OPTION_VALUE, /* the next word is its value */
	OPTION_MAYBE, /* so it is, unless that is an option or a command */
	OPTION_PROMPT, /* a prompt, so that no command follows */
};
enum option_next agent_option_next(const char *word);
/* Those that were given and that a command has as well, as its words; the others are named. */
void agent_options_words(struct agent_options *o, bool (*has)(const void *data, const char *name),
			 const void *data, struct words *out, struct buf *ret_ignored);
/* The text of --help. */
void agent_options_help(struct buf *out, size_t columns);

DEFINE_AUTO(struct agent_options, agent_options_done)

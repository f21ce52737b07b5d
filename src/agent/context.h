/*
 * What the model is told besides the conversation: the system instruction, context files
 * (GEMINI.md), the session's surroundings, and files that a prompt refers to with @ (host.md H1,
 * H2).
 */
#pragma once

#include "base/json.h"

struct context_options {
	const char *home, *cwd, *project;
	const char *temp_dir;
	const char *const *roots;
	const struct json *settings; /* merged: context.fileName ... */
	bool trusted;
	bool interactive;
	/* What went wrong, for the user ("[ERROR] [ImportProcessor] Failed to import ..."). NULL
	 * allowed. */
	void (*complain)(void *data, const char *text);
	void *data;
};

/* The system instruction as one text (core instruction, GEMINI.md of the home directory;
 * GEMINI_SYSTEM_MD replaces it). */
struct str context_system(struct arena *a, const struct context_options *o);
/* The <session_context> block that begins the conversation, with the project's context files. */
struct str context_session(struct arena *a, const struct context_options *o);
/*
 * The parts of a prompt: its text, followed by the files that it refers to with @path (H2.2).  An
 * array of {text} (and inlineData) parts.
 */
const struct json *context_prompt_parts(struct arena *a, const struct context_options *o,
					struct str prompt);
/* Context files that are found when a tool touches a directory below (H1.5): text to append, or "".
 * `seen` remembers. */
struct context_seen;
struct context_seen *context_seen_new(void) MUST_CHECK;
void context_seen_free(struct context_seen *s);
struct str context_discover(struct arena *a, const struct context_options *o,
			    struct context_seen *seen, const char *touched_path);

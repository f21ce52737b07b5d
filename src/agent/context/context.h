/*
 * What the model is told besides the conversation: the system instruction, context files
 * (GEMINI.md), the session's surroundings, and files that a prompt refers to with @.
 *
 * All results are valid UTF-8.  What comes out of files cannot close the lines and tags that frame
 * it (frame.c).  Nothing here fails: what cannot be read is left out and complained about.
 */
#pragma once

#include "agent/sink.h"
#include "mcp/mcp.h"

struct context_seen;
struct skills;

/* What goes to the model without a call of its, as the call that would bring the same. */
struct brought {
	const char *tool;
	const struct json *args;
	const char *server; /* of a resource; NULL = of none */
	/* Text or parts, what guards leave of them afterwards; NULL = it was not read yet. */
	const struct json *content;
	struct str said; /* what guards add to it */
};

struct context_options {
	const char *home, *cwd, *project;
	const char *temp_dir;
	const char *const *roots; /* with or without the project, which is always one; or NULL */
	/* Context files of active extensions (absolute), NULL-terminated; NULL = none. */
	const char *const *extension_files;
	const struct skills *skills; /* the system instruction lists them; NULL = none */
	const char *const *env; /* for GEMINI_SYSTEM_MD; NULL = that of the process */
	const struct json *settings; /* merged: context.fileName ... */
	/* Directories whose context files the model knows; NULL = prompts bring no new ones. */
	struct context_seen *seen;
	bool trusted;
	bool interactive;
	struct note_sink notes; /* what went wrong */
	/* Told of each context file that was read; parent: what includes it, or NULL.  Gets
	 * notes.data.  NULL = not wanted. */
	void (*loaded)(void *data, const char *path, const char *parent);
	/* For @server:uri; NULL = no servers. */
	struct mcp_servers *mcp;
	struct cancel *cancel; /* ends waiting for them; NULL allowed */
	/* False when the user forbade it; gets notes.data.  NULL = all may be read. */
	bool (*may_read)(void *data, const char *server);
	/*
	 * (waits) Why guards keep from the model what this call would show it, in the arena, or
	 * NULL.  Gets notes.data.  NULL = there are no guards.
	 */
	const char *(*withheld)(void *data, struct arena *a, struct brought *b);
};

/* (waits) What `withheld` says, NULL where there is none. */
const char *context_withheld(const struct context_options *o, struct arena *a, struct brought *b);
/* (waits) The same for a file that was read, NULL = of none: guards may leave less of its text. */
const char *context_left(const struct context_options *o, struct arena *a, const char *path,
			 struct str *text);
/*
 * The system instruction as one text (core instruction, context files of the home directory;
 * GEMINI_SYSTEM_MD replaces the core).  With GEMINI_WRITE_SYSTEM_MD writes the core to a file.
 */
struct str context_system(struct arena *a, const struct context_options *o);
/* The same for a sub-agent that is to do what `body` says. */
struct str context_agent(struct arena *a, struct str body);
/* What follows it in plan mode, with the directory of the plans. */
struct str context_plan_mode(struct arena *a, const char *plans_dir, bool interactive);
/* The <session_context> block that begins the conversation, with the project's context files. */
struct str context_session(struct arena *a, const struct context_options *o);
/*
 * What the MCP servers that are ready say about their use, as a block of its own; "" for nothing,
 * and in a folder that is not trusted.
 */
struct str context_instructions(struct arena *a, const struct context_options *o);
/*
 * The parts of a prompt: its text unchanged, followed by the files that it refers to with @path,
 * the context files of their directories, and resources of MCP servers (@server:uri; waits
 * for the server).  An array of {text} and inlineData parts.
 * `before` goes before the prompt and refers to nothing.  What was added is appended to
 * *added (NULL = not wanted) as objects of type, source and text.
 */
const struct json *context_prompt_parts(struct arena *a, const struct context_options *o,
					struct str before, struct str prompt,
					const struct json **added);
/*
 * Context files that are found when a tool touches a file or directory below a root: text to
 * append to the tool's result, or "".  `seen` remembers the directories; one thread at a time.
 */
struct context_seen *context_seen_new(void) MUST_CHECK;
void context_seen_free(struct context_seen *s);
struct str context_discover(struct arena *a, const struct context_options *o,
			    struct context_seen *seen, const char *touched_path);
/* The same for several files or directories: paths are arrays of strings, NULL = none. */
struct str context_discover_all(struct arena *a, const struct context_options *o,
				struct context_seen *seen, const struct json *const *paths,
				size_t npaths);

/*
 * Custom commands: TOML files whose prompt takes the place of "/name args".  The same
 * table takes the prompts of MCP servers, so that a name is looked for in one place only.
 *
 * Command files may come with a project or an extension: what they hold is read as text, within
 * limits, and nothing in it runs before a user has called the command and hooks, policy and, if
 * need be, the user have agreed to it.
 */
#pragma once

#include "agent/catalog/catalog.h"
#include "agent/session.h"

enum {
	COMMAND_FILES_MAX = 1000, /* of one directory */
	COMMAND_DEPTH_MAX = 8, /* of directories in it */
	COMMAND_NAME_MAX = 100, /* bytes */
	COMMAND_PIECES_MAX = 1000, /* of a prompt, when it is taken apart */
};
#define COMMAND_PROMPT_MAX ((size_t)8 << 20) /* what comes out */

struct prompt_command {
	const char *name; /* "a:b", without the slash */
	const char *description; /* one line, clean; "" when there is none */
	enum catalog_origin origin;
	const char *owner; /* the extension or the server, clean; NULL = the user or the project */
	const char *file; /* NULL for MCP prompts */
	struct str prompt; /* of TOML, or the body of a plugin's Markdown */
	bool markdown; /* Claude Code's: $ARGUMENTS, $1, @path, !`command` */
	const char *server, *prompt_name; /* of MCP prompts, as they were sent */
	const struct json *arguments; /* of MCP prompts: an array, or NULL */
	const char *skill; /* of skills: the name */
};

struct prompt_commands {
	struct prompt_command *p; /* sorted by name; one command may have two names */
	size_t n;
};

struct prompt_commands_options {
	struct catalog_options files;
	const struct skills *skills; /* those that are enabled are commands, too; NULL = none */
	struct mcp_servers *mcp; /* NULL = none; else on the session's thread only */
	/* Is the name one of our own commands?  Those always keep it. */
	bool (*is_taken)(void *data, struct str name);
};

/*
 * Never NULL; in the arena.  A name that several commands have is the project's, else the user's,
 * else that of the only extension, server or skill that has it; each of them also has a name with
 * its origin: workspace.NAME, user.NAME, EXTENSION:NAME, SERVER.NAME, skill:NAME.  Skills of
 * extensions have only EXTENSION:NAME.
 */
struct prompt_commands *prompt_commands_read(struct arena *a,
					     const struct prompt_commands_options *o);
const struct prompt_command *prompt_command_find(const struct prompt_commands *all,
						 struct str name);
/* "/name args": false when the line is none, such as a path ("/etc/hosts"). */
bool prompt_command_split(struct str line, struct str *ret_name, struct str *ret_args);

/* ---- prompt_expand.c: what a command becomes ---- */

/* What the expansion of a command may do besides putting words together. */
struct prompt_expand {
	/*
	 * (waits) Runs !{command} after hooks and policy were asked: its output, in the
	 * arena.  A negative code ends the expansion.
	 */
	int (*shell)(void *data, struct str command, struct arena *a, struct str *ret_output,
		     struct err *err);
	/*
	 * (waits) @{path}: the text of a file or directory of the workspace.  -E_NOTFOUND when
	 * there is none to be had, which was said: then it stays as it is.
	 */
	int (*file)(void *data, struct str path, struct arena *a, struct str *ret_text,
		    struct err *err);
	/* (waits) Its own text between these, and what goes on of it.  NULL = all does. */
	int (*text)(void *data, struct str text, struct arena *a, struct str *ret_text,
		    struct err *err);
	void *data;
	struct mcp_servers *mcp;
	struct cancel *cancel;
};

/* (waits) The prompt that takes the place of "/name args"; invocation is the whole line. */
int prompt_command_expand(struct arena *a, const struct prompt_command *c, struct str args,
			  struct str invocation, const struct prompt_expand *e,
			  struct str *ret_prompt, struct err *err);

/* ---- prompt_mcp.c: prompts of MCP servers ---- */

/*
 * The arguments of `--who="a b" c` as an object of strings, for an array of {name, description,
 * required} (NULL = it takes none).  -E_INVAL names what is missing or unknown.
 */
int prompt_mcp_arguments(struct arena *a, const struct json *arguments, struct str args,
			 const struct json **ret_args, struct err *err);
/* The messages of a prompt as one text; what is no text is described. */
struct str prompt_mcp_text(struct arena *a, const struct json *messages);
/* The answer to "/name help": what arguments it takes; lines of any content, not clean. */
struct str prompt_mcp_help(struct arena *a, const struct prompt_command *c);

/* ---- prompt_session.c: in a session ---- */

/*
 * (waits) session_prompt() with a command's expansion, or with a skill, activated by the user's own
 * word, and what follows its name; `before` (what was piped in) goes in front
 * of it.  When it cannot be expanded, nothing is sent: END_FAILED, END_STOPPED by a hook,
 * END_CANCELLED when the user said no.
 */
enum end session_prompt_command(struct session *s, const struct prompt_command *c,
				struct str before, struct str invocation, struct err *err);

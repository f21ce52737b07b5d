/*
 * Custom commands: TOML files whose prompt takes the place of "/name args" (host.md H6).  The same
 * table takes the prompts of MCP servers, so that a name is looked for in one place only.
 */
#pragma once

#include "base/cancel.h"
#include "base/json.h"
#include "mcp/mcp.h"

enum prompt_command_origin { COMMAND_EXTENSION, COMMAND_USER, COMMAND_PROJECT, COMMAND_MCP };

struct prompt_command_dir {
	const char *dir; /* commands/, absolute */
	enum prompt_command_origin origin;
	const char *extension; /* its name, else NULL */
};

struct prompt_command {
	const char *name; /* "a:b", without the slash */
	const char *description; /* one line, clean */
	enum prompt_command_origin origin;
	const char *file; /* NULL for MCP prompts */
	struct str prompt; /* of TOML */
	const char *server, *prompt_name; /* of MCP prompts */
	const struct json *arguments; /* of MCP prompts: an array, or NULL */
};

struct prompt_commands {
	struct prompt_command *p; /* sorted by name */
	size_t n;
};

struct prompt_commands_options {
	const struct prompt_command_dir *dirs; /* weakest first */
	size_t ndirs;
	struct mcp_servers *mcp; /* NULL = none */
	/* Is the name one of our own commands?  Those always keep it (H6.3a). */
	bool (*is_taken)(void *data, struct str name);
	void (*complain)(void *data, const char *text); /* a broken file; NULL allowed */
	void *data;
};

/* Never NULL; in the arena. */
struct prompt_commands *prompt_commands_read(struct arena *a,
					     const struct prompt_commands_options *o);
const struct prompt_command *prompt_command_find(const struct prompt_commands *all,
						 struct str name);

/* What the expansion of a command may do besides putting words together. */
struct prompt_expand {
	const char *cwd;
	/*
	 * (waits) Runs !{command} after policy was asked (H6.5): its output.  -E_UNTRUSTED with the
	 * reason when it may not run.
	 */
	int (*shell)(void *data, struct str command, struct arena *a, struct str *ret_output,
		     struct err *err);
	/* (waits) @{path}: the text of a file or directory of the workspace. */
	int (*file)(void *data, struct str path, struct arena *a, struct str *ret_text,
		    struct err *err);
	void *data;
	struct mcp_servers *mcp;
	struct cancel *cancel;
};

/* (waits) The prompt that takes the place of "/name args"; invocation is the whole line (H6.4). */
int prompt_command_expand(struct arena *a, const struct prompt_command *c, struct str args,
			  struct str invocation, const struct prompt_expand *e,
			  struct str *ret_prompt, struct err *err);

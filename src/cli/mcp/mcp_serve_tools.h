/*
 * What `trotline mcp serve` offers: the commands of `trotline hooks` as tools (mcp_serve_tools.c),
 * from a call to the command (mcp_serve_args.c) and from what came of it to the answer
 * (mcp_serve_text.c); the contract of hooks as resources, and a prompt (mcp_serve_docs.c).
 */
#pragma once

#include "cli/mcp/mcp_serve.h"
#include "workbench/wb.h"

enum { SERVE_ARGS_MAX = 64, SERVE_TIMEOUT_MS = 300000, SERVE_TIMEOUT_MAX_MS = 3600000 };

enum serve_arg { ARG_TEXT, ARG_EVENT, ARG_OBJECT, ARG_FLAG, ARG_MS, ARG_TEXTS };

struct serve_param {
	const char *name;
	enum serve_arg kind;
	bool required;
	const char *option; /* of the command; NULL = it is given in another way */
	const char *text;
};

struct serve_tool {
	const char *name, *title, *command, *text;
	const struct serve_param *params;
	size_t nparams;
	bool runs_hooks; /* anything may happen */
};
extern const struct serve_tool serve_tools[];
extern const size_t serve_tools_n;

/* A command of this program that answers a call; everything lives in the call's arena. */
struct serve_command {
	const struct command *row;
	const char *argv[SERVE_ARGS_MAX]; /* behind its name */
	int argc;
	struct str input; /* for its stdin */
	const char *dir; /* absolute; NULL = the server's */
	int64_t timeout_ms;
};

/* -E_INVAL with a sentence: there is no such tool, or it does not take such arguments. */
int serve_command_make(struct serve_call *c, struct serve_command *ret_command, struct err *err);

/*
 * The result of tools/call, on one line; failure: why there is no answer, NULL = there may be one.
 */
void serve_result(struct buf *out, struct wb *wb, int status, const char *failure);

/* tools/list, resources/..., prompts/... */
extern const struct serve_method serve_methods[];
extern const size_t serve_methods_n;
serve_method_fn serve_tools_list;

/*
 * What hooks of SessionStart want done before each shell command (CLAUDE_ENV_FILE): they append
 * shell code to a file, which is read once, when they are done, and removed.  From then on it is in
 * memory, where no command of the model can change it.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "trotline.h"

struct tool_env;

/* All-zero is empty. */
struct hook_env {
	struct buf code;
	char *path; /* of the file while hooks run; NULL */
};

void hook_env_done(struct hook_env *e);
/*
 * Before SessionStart, whether it fires or not: what was is forgotten, unless the session goes on
 * (a compression).  *ret_path is the file that the hooks are to get; NULL when none of them would
 * use it, when the shell could not, and when it cannot be made, which err says.
 */
int hook_env_begin(struct hook_env *e, const struct tl_hooks *hooks, bool goes_on,
		   struct tool_env *te, const char **ret_path, struct err *err);
/*
 * After it; what hooks wrote that were cancelled does not count.  Negative: nor does anything else,
 * err says why.
 */
int hook_env_end(struct hook_env *e, struct tool_env *te, bool fired, struct err *err);

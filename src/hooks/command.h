/*
 * From a hook's command to what is executed (C6.1, C6.6).
 *
 * A command is a shell command.  Variables such as $GEMINI_PROJECT_DIR work with any value and in
 * any quoting, because references to them are rewritten to double-quoted references; a value is
 * never put into the text that a shell reads.  A command of plain words that start a program needs
 * no shell and is executed directly: same result, one process less.
 */
#pragma once

#include "hooks/env.h"

struct launch {
	const char *file; /* path of the program; NULL when there is none */
	const char *const *argv;
	bool direct; /* without a shell */
};

struct launch_request {
	const struct hook *hook;
	const struct vars *vars;
	const char *const *env; /* what the process gets; its PATH counts */
	const char *cwd;
	const char *shell; /* path of bash, or of sh */
};

/* Decides how to start the hook; strings live in the arena. */
void launch_prepare(struct launch *l, struct arena *a, const struct launch_request *rq);
/* The same, always with the shell (when direct execution fails with ENOEXEC). */
void launch_with_shell(struct launch *l, struct arena *a, const struct launch_request *rq);

/*
 * Does the command, as it is written, leave its program in the background and end?  Then what it
 * says is nothing, and its status 0.
 */
bool command_detaches(const struct hook *hook);

/* The two halves, for tests and the fuzz target. */

/* The command as the shell gets it: references to known variables made safe. */
struct str command_for_shell(struct arena *a, struct str command, const struct vars *vars,
			     const struct hook *hook);
/* The words of a command that needs no shell, values substituted; false when a shell must read it.
 */
bool command_words(struct arena *a, struct str command, const struct vars *vars,
		   const struct hook *hook, const char *const **ret_words, size_t *ret_n);
/* One of Claude's `args`: ${NAME} of our variables is replaced. */
struct str command_argument(struct arena *a, const struct vars *vars, const struct hook *hook,
			    const char *s);

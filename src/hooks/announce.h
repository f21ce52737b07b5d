/*
 * What makes a script of Python or Node announce its exit status (os/proc.h), C6.9.
 *
 * The end of an interpreter takes longer than most hooks do, and its exit status is decided before.
 * So a process that is started ahead of time gets code of ours with the script: Python runs the
 * script by announce.py (after -c), Node loads announce.cjs first, which is a file in the user's
 * home directory.  Where that is not certain to change nothing for the script it is started as it
 * is, and so is every other program: its end is waited for.
 */
#pragma once

#include "base/arena.h"
#include "os/proc.h"

/* announce.py, announce.cjs; made by tools/embed. */
extern const char announce_py[], announce_cjs[];

/* The file that the interpreter was given; NULL = none. */
struct announcer {
	char *file;
	uint64_t stamp;
};

/*
 * Changes what is to be started, if it is a script that can announce; strings live in the arena.
 * `home` is the user's home directory.
 */
void announce_prepare(struct arena *a, const char *home, struct proc_spec *spec,
		      struct announcer *ret);
/* Whether the file is what was written there, and has been since. */
bool announce_is_intact(const struct announcer *by);
void announce_done(struct announcer *by);

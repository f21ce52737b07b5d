/* Handing a task of the shell tool over to the session: it goes on, its output goes to a file. */
#pragma once

#include "os/task.h"
#include "tools/spool.h"
#include "tools/tool.h"

/*
 * Takes the task, and from the spool its file.  False when it cannot be kept: the task was ended
 * then (waits), and *err says why.
 */
bool background_add(struct background *b, struct task *take_task, struct spool *spool,
		    struct str command, struct err *err);

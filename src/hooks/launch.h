/* From a hook to the process that is started for it. */
#pragma once

#include "hooks/firing.h"
#include "os/proc.h"

/*
 * What is started for a hook in a firing, but for its input and its time.  NULL, or why it cannot
 * be; `with_shell`: as launch_with_shell() (hooks/command.h).
 */
const char *launch_process(struct firing *f, const struct hook *hook, bool with_shell,
			   struct proc_spec *ret);

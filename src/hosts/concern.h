/* Which hooks have a word in what an agent asks about; nothing is run to find out. */
#pragma once

#include "hosts/host.h"

/* Might a guard deny one of the call's events? */
bool host_has_guard(const struct host_call *c, struct tl_hooks *hooks);
/*
 * What the agent has cut off is refused: a call wherever a hook has a word in it, a result where a
 * guard has.  0, or a negative code and the sentence for the denial.
 */
int host_check_whole(const struct host_call *c, struct tl_hooks *hooks, struct err *err);

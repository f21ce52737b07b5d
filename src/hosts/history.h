/* The records of firings (C7.5): one line of JSON each, in the user's home directory, without
 * secrets. */
#pragma once

#include "hosts/host.h"

/* Adds the record. */
int history_keep(const struct tl_hooks *hooks, const struct tl_outcome *o, struct err *err);
/* The same of a firing for another agent: with its name, and what of its payload no row reads. */
int history_keep_call(struct host_call *c, const char *home, const struct tl_outcome *o,
		      struct err *err);
/* The same of an event that nothing here knows (C8.4). */
int history_keep_unknown(struct host_call *c, const char *home, struct err *err);

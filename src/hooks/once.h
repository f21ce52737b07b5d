/* Which hooks that run once a session have run in which. */
#pragma once

#include "hooks/config.h"

struct once *once_new(void);
void once_free(struct once *o); /* NULL allowed */
/* True the first time; from then on it has run.  Any thread. */
bool once_take(struct once *o, const struct hook *hook, const char *session);

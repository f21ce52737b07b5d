/* The records of firings (C7.5): one line of JSON each, in the user's home directory, without
 * secrets. */
#pragma once

#include "trotline.h"

#include "base/err.h"

/* Adds the record. */
int history_keep(const struct tl_hooks *hooks, const struct tl_outcome *o, struct err *err);

/* The records of firings (C7.5): one line of JSON each, in the user's home directory, without
 * secrets. */
#pragma once

#include "cli/cli.h"

/* Adds the record; a home that cannot be written to is reported once, and nothing else happens. */
void history_keep(const struct tl_hooks *hooks, const struct tl_outcome *o);

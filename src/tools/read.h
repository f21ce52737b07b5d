/* read_file's limits for those who read several files. */
#pragma once

#include "base/arena.h"

/* The whole text within the limits of read_file; *ret_cut: something was left out, and the text
 * begins with the header that says so. */
struct str read_text(struct arena *a, struct str text, bool *ret_cut);

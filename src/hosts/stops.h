/* C8.8: an end that is refused again and again, where the agent itself counts nothing. */
#pragma once

#include "base/str.h"

/*
 * One more refusal in a row of a session's end; how many that makes, or 0 when they cannot be
 * counted.  Kept in ~/.trotline/stops, 0600.  Never makes a home directory (C7.9).
 */
unsigned stops_add(const char *home, struct str session);
/* The end was not refused, or the user has said something. */
void stops_forget(const char *home, struct str session);

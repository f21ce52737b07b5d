/* Time.  Durations come from the monotonic clock, dates from the wall clock. */
#pragma once

#include "base/util.h"

/* Microseconds of the monotonic clock. */
int64_t clock_us(void);
/* ISO 8601 UTC with milliseconds, "2026-01-27T10:00:00.000Z", as JavaScript's toISOString. */
enum { CLOCK_ISO_SIZE = 40 };
void clock_iso(char out[CLOCK_ISO_SIZE]);
/* The same for a given wall-clock time in milliseconds since the epoch. */
void clock_iso_at(int64_t ms, char out[CLOCK_ISO_SIZE]);
/* Milliseconds since the epoch. */
int64_t clock_wall_ms(void);

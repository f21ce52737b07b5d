/* Time.  Durations come from the monotonic clock, dates from the wall clock. */
#pragma once

#include "base/util.h"

/* Microseconds of the monotonic clock. */
int64_t clock_us(void);
/*
 * The milliseconds until such a time, as poll() takes them: 0 when it is over, -1 when it is
 * INT64_MAX, and rounded up, so that it is over when a wait of so long returns.
 */
int clock_ms_until(int64_t us);
/* Those of the processor that this thread has had: what others do meanwhile does not count. */
int64_t clock_cpu_us(void);
/* ISO 8601 UTC with milliseconds, "2026-01-27T10:00:00.000Z", as JavaScript's toISOString. */
enum { CLOCK_ISO_SIZE = 40 };
void clock_iso(char out[CLOCK_ISO_SIZE]);
/* The same for a given wall-clock time in milliseconds since the epoch. */
void clock_iso_at(int64_t ms, char out[CLOCK_ISO_SIZE]);
/*
 * Scales waits that only spare a server: what a second of them lasts, in milliseconds (1000, or
 * less by the environment variable TROTLINE_RETRY_UNIT_MS, so that tests of retries do not take a
 * minute).
 */
int clock_patience(void);
/*
 * How long an exit waits for the hooks of the session's end (C2.3), in milliseconds: 1500, or more
 * by the environment variable TROTLINE_END_WAIT_MS, so that what a test expects of quick hooks does
 * not depend on how busy the machine is.
 */
int clock_end_wait(void);
/* Milliseconds since the epoch. */
int64_t clock_wall_ms(void);

/*
 * Processes of background hooks: those of the claude dialect whose first line is
 * {"async": true}, and those with async or asyncRewake.  They go on after their firing, until they
 * end or their time is over; what they say then is for later (tl_late_get()).
 */
#pragma once

#include "hooks/config.h"
#include "os/proc.h"

struct away;
struct aways;

struct aways *aways_new(void);
/* Whoever still runs is left alone. */
void aways_free(struct aways *as);

/* A process that may go on; its deadlines, input and name live as long as it does. */
struct away *away_new(const struct hook *hook, const char *session);
/* Never started, or ended by its firing: killed and reaped if it is there (waits). NULL allowed. */
void away_free(struct away *w);
struct proc *away_proc(struct away *w);
/*
 * What it has printed so far begins with a line that says so, and nothing else that counts.  Null
 * while there is no whole line and `ended` is false.
 */
const struct json *away_line(struct away *w, bool ended, bool *ret_known);
/* From now on it runs in the background; `line` is that of away_line(), or NULL. */
void aways_take(struct aways *as, struct away *take, const struct json *line);

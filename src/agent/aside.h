/*
 * Events that announce something and must not delay it (C2.3, C2.6): their hooks run in a small
 * process of their own, the reaper, which keeps their deadlines and writes their record, also when
 * this program has ended.  What they said is shown when they are done.
 */
#pragma once

#include "base/json.h"

struct aside;

/* All-zero is empty. */
struct asides {
	struct aside *first;
};

/*
 * Called with the reaper's report (the JSON of `trotline hooks reap --json`) when it is done; where
 * it could fire nothing, with {"error": {"message"}}.
 */
typedef void aside_done_fn(void *data, const char *event, const struct json *report,
			   const struct json *payload);

/*
 * Starts a reaper: argv is its command without the event; the payload is the event's fields and the
 * base fields that the reaper cannot know.
 */
int asides_start(struct asides *all, const char *const *argv, const char *event,
		 const char *subject, const char *cwd, const struct json *payload, struct err *err);
/* Reports those that are done. */
void asides_poll(struct asides *all, aside_done_fn *done, void *data);
/* (waits) The same, until all are done or wait_ms are over; returns how many go on by themselves.
 */
int asides_finish(struct asides *all, int wait_ms, aside_done_fn *done, void *data);

/*
 * Events that announce something and must not delay it (C2.3, C2.6): their hooks run in a small
 * process of their own, the reaper, which keeps their deadlines and writes their record, also when
 * this program has ended.  A thread listens to each reaper, so that what hooks tell the user is
 * heard the moment it arrives, whatever the session waits for.
 */
#pragma once

#include "base/json.h"

struct aside;

/* All-zero is empty. */
struct asides {
	struct aside *first;
};

/*
 * What a reaper says, the JSON of `trotline hooks reap --json`: an object {"heard"} for a hook that
 * has ended before the others, {"error": {"message"}} where nothing could be fired, else its report.
 */
struct aside_said {
	const char *event;
	const struct json *value, *payload;
	/* The hooks (indexes in the report) whose messages were heard by then; NULL = none. */
	const struct json *heard;
};

struct aside_listener {
	/* On the thread that listens: all that it says, the report as well. */
	void (*hear)(void *data, const struct aside_said *said);
	/* On the session's: the report. */
	void (*done)(void *data, const struct aside_said *said);
	void *data;
};

/*
 * Starts a reaper: argv is its command without the event; the payload is the event's fields and the
 * base fields that the reaper cannot know.  The listener must outlive the aside.
 */
int asides_start(struct asides *all, const char *const *argv, const char *event,
		 const char *subject, const char *cwd, const struct json *payload,
		 const struct aside_listener *to, struct err *err);
/* Reports those that are done. */
void asides_poll(struct asides *all);
/* (waits) The same, when those of this event are done or wait_ms are over. */
void asides_wait(struct asides *all, const char *event, int wait_ms);
/* (waits) The same, until all are done or wait_ms are over; returns how many go on by themselves.
 */
int asides_finish(struct asides *all, int wait_ms);

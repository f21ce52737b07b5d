/*
 * Fixtures: an event and what the hooks are expected to make of it.  A file is one JSON object
 * (with comments) or an array of them; docs/testing-hooks.md describes the members.
 */
#pragma once

#include "base/regex.h"
#include "workbench/event_args.h"

struct fixture {
	const char *name; /* for people; made from the place and the event when none is given */
	const char *file;
	unsigned line, column;
	struct event_made made;
	const char *verdict; /* NULL = any; also "pass" and "stop" */
	bool stop;
	/* For the reason, the messages and the context; NULL = not looked at. */
	struct regex *reason, *message, *context;
	const struct json *patterns; /* the object that they are in, for messages */
	const struct json *output; /* expected changes by name; NULL = not looked at */
	const struct json *hooks; /* the expected word of hooks by name; NULL = not looked at */
	double max_ms; /* 0 = as long as it takes */
};

/* All-zero is empty. */
struct fixtures {
	struct fixture *p;
	size_t n, cap;
	struct arena arena; /* what the fixtures point to */
	bool is_list; /* the last file that was read is an array */
};

/* Appends the file's fixtures.  A failure says file:line:column, and appends nothing. */
int fixtures_read(struct fixtures *set, const char *path, struct err *err);
void fixtures_done(struct fixtures *set);
DEFINE_AUTO(struct fixtures, fixtures_done)

/*
 * Saves a firing as a fixture that expects what came out.  An existing file is replaced only when
 * it is a single fixture; everything else is -E_INVAL.
 */
int fixture_write(const char *path, const struct event_made *m, const struct tl_outcome *o,
		  struct err *err);

/* One expectation that was not met. */
struct problem {
	const char *what, *expected, *got;
};

struct problems {
	struct problem *p;
	size_t n, cap;
};

/* Compares; the texts of the problems are the arena's, the caller free()s problems->p. */
void fixture_check(const struct fixture *f, const struct tl_outcome *o, double elapsed_ms,
		   struct arena *a, struct problems *problems);

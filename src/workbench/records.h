/* The records of firings (docs/records.md), read again. */
#pragma once

#include "base/json.h"
#include "workbench/wb.h"

struct records {
	struct buf text; /* lines; half a line at the end is one that somebody writes just now */
	const char *path; /* of the file that grows */
	int fd; /* -1 = it is not there yet */
};
#define RECORDS_INIT                                                                               \
	{                                                                                          \
		.fd = -1                                                                           \
	}

/* All that there are, the oldest first. */
int records_open(struct records *r, const char *home, struct err *err);
/* Drops the whole lines, and takes what has been written since. */
int records_more(struct records *r, struct err *err);
void records_done(struct records *r);
DEFINE_AUTO(struct records, records_done)

/* The next whole line that is a record; it borrows the text. */
bool records_next(struct str *rest, struct arena *a, const struct json **ret_record);
/* Did a hook run? */
bool record_ran(const struct json *record);
/* Of a call that ended though hooks had not been asked about it (C8.15)? */
bool record_is_unasked(const struct json *record);
/* Whose hook it was: "trotline" of our own sessions. */
struct str record_host(const struct json *record);
/* Is the name (NULL = any) one of an agent that trotline knows, or that a record has? */
int records_check_host(const struct records *r, const char *name, struct err *err);
/* Did what it came to deny or stop anything? */
bool record_denied(const struct json *record);
/* Foreign text in a line: what would end it is an escape. */
const char *record_in_line(struct arena *a, struct str text);
/* A timestamp as people read it: "2026-05-04 09:12:44Z". */
const char *record_time(struct arena *a, struct str timestamp);
/* "BeforeTool run_shell_command" */
const char *record_what(struct arena *a, const struct json *record);
/* What came of it: "denied". */
const char *record_word(const struct json *record, enum style *ret_style);
/* The last record in which an agent asked us; NULL = there is none. */
const struct json *records_last_of(struct arena *a, struct str text, struct str host);

/* Calls that hooks were not asked about. */
struct unasked {
	int calls;
	const struct json *last; /* its record */
};
/* Does the agent say of which call an event is? */
bool unasked_can_be_seen(struct str host);
void unasked_add(struct unasked *u, struct arena *a, const struct json *record);
/* Those of an agent. */
void unasked_find(struct unasked *u, struct arena *a, struct str text, struct str host);
const struct json *unasked_value(struct arena *a, const struct unasked *u);
/* One line, or none. */
void unasked_show(struct sheet *p, struct arena *a, const struct unasked *u);
/* All that is known of it, on lines of their own. */
void record_show(struct sheet *p, struct arena *a, const char *home, const struct json *record);

/* The records of firings (C7.5): one line of JSON each, in the user's home directory, without
 * secrets. */
#pragma once

#include "hosts/host.h"

/* Names the firings of one answer: what `trotline hooks why ID` explains. */
enum { HISTORY_ID_SIZE = 11 };
void history_id(char ret_id[HISTORY_ID_SIZE]);
bool history_is_id(struct str s);

/*
 * Each adds a record: 1, 0 where there is no home directory to keep it in, or a negative code.
 * id NULL = one of its own; host NULL = trotline itself.
 */
int history_keep(const struct tl_hooks *hooks, const char *id, const char *host,
		 const struct tl_outcome *o, struct err *err);
/* The same of a firing for another agent, under c->id: with its name, and what of its payload no
 * row reads.  Sets c->is_kept. */
int history_keep_call(struct host_call *c, const char *home, const struct tl_outcome *o,
		      struct err *err);
/*
 * Is the call that the agent names so in a record of its session?  Records that were moved away
 * twice are not looked at.
 */
bool history_knows_call(struct host_call *c, const char *home, struct str id);
/* The record of a call that has ended and that is in no other. */
int history_keep_unasked(struct host_call *c, const char *home, const struct host_named *call,
			 struct err *err);
/* The same where no hook was asked: of an event that nothing here knows (C8.4), and of a denial of
 * our own ("" = none). */
int history_keep_bare(struct host_call *c, const char *home, struct str denied, struct err *err);

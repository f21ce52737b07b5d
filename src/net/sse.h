/*
 * Server-sent events, as the WHATWG standard has them: bytes in, events out.  Any cut between the
 * pieces is fine, also inside of a character or between CR and LF.
 *
 *	AUTO(sse_done) struct sse s = { .on_event = take, .data = turn };
 *	while (there are bytes)
 *		r = sse_feed(&s, bytes, err);
 *
 * An event that the end of the stream leaves without its blank line is dropped.  Unknown fields
 * are ignored.  Malformed UTF-8 is passed on as it came.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"

enum { SSE_RETRY_MAX_MS = 60000 };

/* Lives until the callback returns. */
struct sse_event {
	struct str event; /* "message" when not given */
	struct str data; /* lines joined by \n */
	struct str id; /* the last one that was given, not only by this event */
};

/* All-zero but for the first three is the start of a stream; with the id and the retry of another
 * it goes on with that. */
struct sse {
	/* Called for each event; a negative return stops and is what sse_feed returns. */
	int (*on_event)(void *data, const struct sse_event *event, struct err *err);
	void *data;
	size_t max_bytes; /* of one event and its line, 0 = 64 MiB */
	size_t fields; /* bytes of whole lines so far that are no comments */
	struct buf id; /* the last one, also of what is no event for want of data */
	bool has_retry; /* the stream has said when to come again: */
	int retry_ms; /* at most SSE_RETRY_MAX_MS */
	/* private */
	struct buf line, event, text;
	bool after_cr, started;
};

/*
 * 0, -E_LIMIT for an event over max_bytes, or what on_event returned.  After an error the stream is
 * lost: only sse_done() may follow.
 */
int sse_feed(struct sse *s, struct str bytes, struct err *err);
/*
 * Bytes so far that say something: all but comments and blank lines.  It stays the same while a
 * server only keeps the connection alive.
 */
size_t sse_said(const struct sse *s);
/* Does what came so far end inside of a line? */
bool sse_is_open(const struct sse *s);
/* Gives the memory back; the struct is ready for another stream with the same callback. */
void sse_done(struct sse *s);

DEFINE_AUTO(struct sse, sse_done)

/*
 * The frames of a WebSocket (RFC 6455, part 5), the client's side: bytes in, texts out, and back.
 * It knows of no socket.  What breaks the protocol ends it, with a close frame that says why.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"

/* Called in ws_frames_feed() only. */
struct ws_events {
	void (*text)(void *data, struct str text); /* valid UTF-8, at most max_text bytes */
	void (*note)(void *data, struct str line);
	void *data;
};

struct ws_limits {
	size_t text; /* bytes of a message that comes */
	size_t out; /* bytes that wait to be sent */
};

struct ws_frames;

/* -E_NOTFOUND when wslay is not there. */
int ws_frames_new(const struct ws_events *on, const struct ws_limits *limits,
		  struct ws_frames **ret, struct err *err);
void ws_frames_free(struct ws_frames *f);
/* What has come; what comes behind the end is dropped. */
void ws_frames_feed(struct ws_frames *f, struct str bytes);
/* -E_LIMIT when too much waits to be sent. */
int ws_frames_send(struct ws_frames *f, struct str text, struct err *err);
/* Says good-bye; ws_frames_ended() once the other side has, too. */
void ws_frames_leave(struct ws_frames *f);
/* What is to be sent: the caller takes bytes from its front with buf_drop(). */
struct buf *ws_frames_out(struct ws_frames *f);
/* Nothing more comes, and why.  What is left to be sent should be. */
bool ws_frames_ended(struct ws_frames *f, struct err *err);

DEFINE_AUTO_PTR(struct ws_frames, ws_frames_free)

/*
 * The halves of a server's thread: server.c is its life (connect, serve, restart), pump.c what it
 * does while it waits (messages of the server and of those who ask).
 */
#pragma once

#include "mcp/message.h"
#include "mcp/server.h"

/* Exactly one of call and own is set. */
struct pending {
	int64_t id;
	int64_t until_us;
	int64_t timeout_ms;
	struct call *call; /* of another thread */
	struct answer **own; /* of the server's thread */
};

enum { LOG_MAX = 64 << 10, NOTE_BYTES_MAX = 2048 };

/*
 * (waits) One round: what comes in is handled, what is over time is ended; returns at until_us at
 * the latest.  Negative: the connection is gone (-E_IO...), -E_CANCEL when the server is to stop,
 * -E_AGAIN when it must be restarted.  s->is_down says the same.
 */
int server_pump(struct server *s, int64_t until_us, struct err *err);
/* (waits) A request of the thread itself; *ret_answer is freed by answer_free(). */
int server_own_request(struct server *s, const char *method, struct str params_json,
		       struct answer **ret_answer, struct err *err);
/* A request whose answer does not matter. */
void server_send_request(struct server *s, const char *method, struct str params_json);
int server_send_notification(struct server *s, const char *method, struct err *err);
/* Answers all requests with this error. */
void server_fail_all(struct server *s, const struct err *why);
/* Adds a line to the log. */
void server_note(struct server *s, const char *prefix, struct str line);
/* The events of the server's link. */
struct link_events server_events(struct server *s);

/*
 * A Gemini endpoint on the loopback, a thread of the benchmark: answers are prepared as bytes, a
 * request costs it a recv() and a send().  It notes when requests came and answers went, so that
 * what a client does between the two is measured without the client's help.
 */
#pragma once

#include "base/buf.h"

enum { MODEL_REQUESTS = 512 };

/* Of a request for a stream; others (countTokens...) are answered and not counted. */
struct model_request_seen {
	double came_us; /* its last byte */
	double answered_us; /* just before the answer's first byte */
	size_t bytes; /* of the body */
};

struct model_server;

/* Never NULL; ends the program when there is no port. */
struct model_server *model_server_new(void) MUST_CHECK;
void model_server_free(struct model_server *m);
int model_server_port(const struct model_server *m);
/*
 * The n-th stream from now on is answers[n], the last one again when there are no more; whole HTTP
 * answers, borrowed until the next call.  Forgets what was seen.
 */
void model_server_script(struct model_server *m, const struct str *answers, size_t n);
/* For a client that has ended: what it asked for, oldest first; the first request's body. */
size_t model_server_seen(struct model_server *m, const struct model_request_seen **ret_seen);
struct str model_server_first_body(struct model_server *m);

/*
 * Makes an answer: model_answer_begin(), a piece each, model_answer_end().  A piece is one event
 * and one chunk of HTTP, as the service sends it.
 */
void model_answer_begin(struct buf *out);
void model_answer_text(struct buf *out, const char *text);
/* One event with all the calls, an array's items: {"functionCall": ...}, ... */
void model_answer_parts(struct buf *out, const char *parts);
/* Finish reason, usage, end of the body. */
void model_answer_end(struct buf *out);

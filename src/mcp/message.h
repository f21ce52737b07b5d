/* What a server's thread and those who ask it send each other. */
#pragma once

#include "base/json.h"
#include "os/queue.h"

enum { CALL_PROGRESS_MAX = 64 }; /* messages that wait for a slow listener; more are left out */

/* Who waits for an answer; lives until it has come. */
struct call {
	struct queue *box; /* of struct answer */
	int nprogress; /* in the box; changed by __atomic functions only */
	bool asks; /* it can put questions of the server to somebody */
};

enum ask_kind { ASK_REQUEST, ASK_CANCEL, ASK_RESTART, ASK_REPLY };

struct ask {
	struct message m;
	enum ask_kind kind;
	int64_t id;
	struct buf text; /* the request, or what is answered to a question */
	struct call *call; /* gets exactly one answer that is no progress */
	int64_t timeout_ms;
};

struct answer {
	struct message m;
	bool is_progress;
	bool is_question; /* body is the server's request */
	struct err err; /* .code 0: body is the result; else the server's error, or NULL */
	struct arena arena;
	const struct json *body; /* or the params of the notification about progress */
};

struct answer *answer_new(void) MUST_CHECK;
void answer_free(struct message *m);
void ask_free(struct message *m);

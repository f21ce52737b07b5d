/*
 * Between a client of MCP and its server: what goes from one to the other, and what hooks are asked
 * about before it does.  No input or output of its own: its owner feeds it texts, sends what it
 * wants sent, and writes what is in `out` to the client.
 *
 *	guard_client(&g, line);		host.send(), or host.fire() and then guard_said()
 *	guard_server(&g, text);		g.out, or host.fire() and then guard_said()
 *
 * What no hook concerns keeps its bytes.  A message of which it cannot be told what a server would
 * run, or a client would believe, goes no further where hooks could have concerned it.
 */
#pragma once

#include "base/err.h"
#include "mcp/guard_read.h"

enum {
	GUARD_DEPTH = 512, /* of a message */
	GUARD_CALLS_MAX = 4096, /* requests of the client that wait for their answer */
	GUARD_BATCH_MAX = 1000,
	GUARD_TASKS_MAX = 1000,
};
/* Bytes of a message; more are not read. */
#define GUARD_LINE_MAX ((size_t)32 << 20)

/* Codes of our own errors. */
enum { GUARD_DENIED = -32000, GUARD_PARSE_ERROR = -32700, GUARD_INVALID_REQUEST = -32600 };

enum guard_phase { GUARD_BEFORE, GUARD_SENT, GUARD_AFTER };

/* A request of the client. */
struct guard_call {
	enum guard_kind kind;
	const char *name; /* of the tool or prompt; the URI */
	const struct json *input; /* its arguments, an object */
	enum guard_phase phase;
	const struct json *result, *error; /* GUARD_AFTER: the server's answer, one of them */
	struct arena arena; /* of all that */
	void *data; /* the host's */
	/* private */
	const struct json *id; /* NULL = a notification */
	const struct json *doc; /* the request */
	struct str text, answer;
	struct buf context;
	const char *task;
	int64_t number; /* of the text in which it was sent */
	bool wants_after, detached, begins, cancelled;
};

/* What hooks say. */
struct guard_word {
	bool deny;
	struct str reason;
	const struct json *input; /* other arguments; NULL = they stay.  In the call's arena */
	const struct json *result; /* a text that replaces the answer; NULL = it stays */
	struct str context; /* for the client's model; "" = none */
};

struct guard_host {
	/* Have the hooks changed since the last call?  The new ones are asked from now on. */
	bool (*changed)(void *data);
	/* Would a hook run before (after) it?  c NULL: before or after any call. */
	bool (*wants)(void *data, const struct guard_call *c, bool after);
	/* Asks the hooks of the call's phase; guard_said() follows, later. */
	void (*fire)(void *data, struct guard_call *c);
	/* What they say is not wanted any more; guard_said() follows all the same. */
	void (*cancel)(void *data, struct guard_call *c);
	/* number: guard_lost() gets it when nothing will come of that. */
	int (*send)(void *data, struct str text, int64_t number, struct err *err);
	/* The server has agreed to this version of the protocol. */
	void (*agreed)(void *data, struct str version);
	void (*note)(void *data, const char *text); /* one line for the log; clean it */
};

struct guard_task {
	char *id;
	struct guard_call *call; /* as it was asked for; owned */
};

struct guard {
	struct buf out; /* what the client is to get */
	/* private */
	const struct guard_host *host;
	void *data;
	struct {
		struct guard_call **p;
		size_t n, cap;
	} calls;
	struct {
		struct guard_task *p;
		size_t n, cap;
	} tasks; /* the oldest first */
	int64_t numbers;
	bool gone; /* the server is */
};

void guard_init(struct guard *g, const struct guard_host *host, void *data);
void guard_done(struct guard *g);
/* A line of the client, a text of the server; both without the line break. */
void guard_client(struct guard *g, struct str line);
void guard_server(struct guard *g, struct str text);
/* One that was too long: its beginning and its end. */
void guard_client_long(struct guard *g, struct str ends);
void guard_server_long(struct guard *g, struct str ends);
/* The call is taken: it may be gone afterwards. */
void guard_said(struct guard *g, struct guard_call *c, const struct guard_word *w);
/* There will be no answer to what was sent under this number. */
void guard_lost(struct guard *g, int64_t number, const char *why);
bool guard_waits(const struct guard *g, int64_t number);
/* The server has ended: who still waits is told. */
void guard_gone(struct guard *g, const char *why);
/* How many requests of the client are in this phase; of all phases: g->calls.n. */
size_t guard_count(const struct guard *g, enum guard_phase phase);

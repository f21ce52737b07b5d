/*
 * The server's side of MCP: lines of JSON-RPC in, lines out.  It answers by itself what concerns
 * the protocol, hands calls of tools to its host, and asks the host's table for everything else.
 * It does no input or output of its own: its owner feeds it bytes, and writes what is in `out`.
 *
 *	serve_init(&s, &host, data);
 *	serve_feed(&s, bytes);			host.call() is called
 *	serve_answer(&s, call, result);		now or at any time later
 *	write(1, s.out.p, s.out.n); buf_drop(&s.out, s.out.n);
 *	serve_done(&s);
 *
 * The client is not trusted to send anything sensible: what is no message is answered with an error
 * and changes nothing.
 */
#pragma once

#include "base/json.h"
#include "mcp/lines.h"

enum {
	SERVE_LINE_MAX = 16 << 20, /* bytes of a message */
	SERVE_BATCH_MAX = 100, /* messages in one array */
	SERVE_CALLS_MAX = 64, /* calls that wait for their answer */
};

/* The errors of the protocol; those that are not here are in mcp/rpc.h. */
enum {
	SERVE_PARSE_ERROR = -32700,
	SERVE_INVALID_REQUEST = -32600,
	SERVE_INVALID_PARAMS = -32602,
	SERVE_INTERNAL_ERROR = -32603,
	SERVE_BUSY = -32000,
	SERVE_NO_RESOURCE = -32002,
};

struct serve_batch;

/* A call of a tool that waits for its answer. */
struct serve_call {
	const char *tool;
	const struct json *args; /* an object */
	void *data; /* the host's */
	struct arena arena; /* of all that */
	/* private */
	const struct json *id;
	struct serve_batch *batch; /* NULL = its answer is a separate line */
};

/*
 * The result, an object in the arena.  NULL with an error that the client is told: E_INVAL as
 * invalid parameters, E_NOTFOUND as an unknown resource.
 */
typedef const struct json *serve_method_fn(struct arena *a, const struct json *params,
					   struct err *err);

struct serve_method {
	const char *name;
	serve_method_fn *run;
};

struct serve_host {
	const char *name, *title, *version, *instructions;
	const struct serve_method *methods;
	size_t nmethods;
	/*
	 * Takes the call, which is ended by serve_answer() or serve_drop(); or, with -E_NOTFOUND
	 * (no such tool), -E_INVAL (its arguments), -E_AGAIN and a sentence, does not.
	 */
	int (*call)(void *data, struct serve_call *call, struct err *err);
	/* The client has cancelled the call, which is still to be ended. */
	void (*cancelled)(void *data, struct serve_call *call);
};

struct serve {
	struct buf out; /* what the client is to get */
	/* private */
	const struct serve_host *host;
	void *data;
	struct lines lines;
	struct {
		struct serve_call **p;
		size_t n, cap;
	} calls;
};

void serve_init(struct serve *s, const struct serve_host *host, void *data);
void serve_feed(struct serve *s, struct str bytes);
/* The input has ended, perhaps without a newline. */
void serve_end(struct serve *s);
/* The call's result, a JSON object on one line.  The call is gone. */
void serve_answer(struct serve *s, struct serve_call *take_call, struct str result_json);
/* There will be no answer. */
void serve_drop(struct serve *s, struct serve_call *take_call);
/* All calls have been ended. */
void serve_done(struct serve *s);

/*
 * JSON-RPC 2.0 as MCP uses it: reading what a server sends, which may be anything, and writing what
 * it gets.  A text holds one message or, in the protocol of 2025-03-26, an array of them.
 */
#pragma once

#include "base/json.h"

/* A result nested deeper than this is none. */
enum { RPC_MAX_DEPTH = 128 };
#define RPC_MAX_BYTES ((size_t)32 << 20)

/* The newest version of MCP that is spoken. */
#define RPC_VERSION "2025-11-25"

/* The codes of the protocol that we send. */
enum { RPC_METHOD_NOT_FOUND = -32601, RPC_INVALID_PARAMS = -32602 };
/* And one that we get: there is something to be done at an address first. */
enum { RPC_URL_WANTED = -32042 };

enum rpc_kind { RPC_NONE, RPC_REQUEST, RPC_NOTIFICATION, RPC_RESULT, RPC_ERROR };

struct rpc_message {
	enum rpc_kind kind; /* RPC_NONE: not a message */
	const struct json *id; /* of a request, result or error; as it came */
	int64_t number; /* the id when it can be one of ours (1 to 2^53 - 1), else 0 */
	struct str method; /* of a request or notification */
	const struct json *body; /* params (or NULL), result, error */
};

/* -E_PARSE for what is no JSON, -E_LIMIT for what is too deep.  Messages are taken by rpc_at(). */
int rpc_parse(struct arena *a, struct str text, const struct json **ret_doc, struct err *err);
size_t rpc_count(const struct json *doc);
struct rpc_message rpc_at(const struct json *doc, size_t i);
/* The version of MCP of this name, NULL for one that is not spoken. */
const char *rpc_version(struct str name);
/* A number that can be an id of ours, else 0. */
int64_t rpc_number(const struct json *v);

/*
 * Begins a request (id > 0) or notification (0); the caller writes the value of params, if it said
 * so, and calls jw_end().
 */
void rpc_begin(struct jw *w, int64_t id, const char *method, bool with_params);
/* A whole answer to a request of the server. */
void rpc_add_result(struct buf *out, const struct json *id, const char *result_json);
void rpc_add_error(struct buf *out, const struct json *id, int code, const char *text);

/*
 * One server and the thread that owns its connection.  Others see what the lock guards, and
 * leave messages in the inbox.
 *
 *	server_start()
 *	server_request(), from any thread, as often as one likes
 *	server_stop() of all servers, then server_done()
 */
#pragma once

#include <pthread.h>

#include "mcp/auth.h"
#include "mcp/catalog.h"
#include "mcp/link.h"
#include "os/queue.h"

/* What all servers of a program have in common; outlives them. */
struct server_host {
	void (*changed)(void *data); /* in the server's thread */
	void (*settled)(void *data); /* its first attempt to connect is over; once */
	void *data;
	const char *home; /* NULL = unknown */
	const char *const *env;
};

struct pending; /* a request without an answer yet */

struct server {
	const struct mcp_config *config;
	const struct server_host *host;
	struct thread *thread; /* NULL: there is nothing to start */
	struct cancel *stop;
	struct mcp_auth *auth; /* NULL: OAuth is not for it */
	struct queue *inbox;
	int64_t last_id; /* changed by __atomic functions only */
	pthread_mutex_t lock; /* of what follows */
	enum mcp_state state;
	enum mcp_why why;
	char reason[MCP_REASON_MAX];
	const char *off; /* why it is not to be used for now, NULL = it is */
	struct mcp_catalog *catalog; /* NULL unless ready */
	struct buf log;
	/* what it says of itself, by the last handshake */
	char protocol[MCP_WORD_MAX], own_name[MCP_WORD_MAX], own_version[MCP_WORD_MAX];
	struct buf instructions;
	/* the thread's own */
	struct link *link;
	struct {
		struct pending *p;
		size_t n, cap;
	} pending;
	enum mcp_why failure; /* of the last connection */
	bool agreed; /* the handshake is over: requests of others are sent */
	bool is_down; /* the connection must be closed */
	bool is_stale; /* a list has changed */
	bool restart; /* it was asked for */
	bool has_settled;
	int restarts; /* in a row */
	int64_t refresh_us; /* the next refresh is not before */
	int64_t ready_us; /* when it became ready, 0 = it did not */
	struct answer *hello; /* to initialize */
};

/* In place; state is MCP_FAILED or MCP_CLOSED when there is nothing to start. */
void server_start(struct server *s, const struct mcp_config *config,
		  const struct server_host *host);
/* The thread begins to end. */
void server_stop(struct server *s);
/* (waits) */
void server_done(struct server *s);
/* Asks the thread (there is one) to connect anew; one that is switched off stays so. */
void server_restart(struct server *s);
/* Ends the server and keeps it so (why lives as long as the program), or with NULL starts it
 * again.  True when that changes something. */
bool server_switch(struct server *s, const char *off);
const char *server_is_off(struct server *s);

/*
 * (waits) A request and its result, in the arena; after a negative code the server's error, or
 * NULL.  With a sink, params (an object) tell the server
 * that progress is wanted.  Codes as in mcp.h.
 */
int server_request(struct server *s, const char *method, const struct json *params,
		   const struct mcp_sink *sink, struct cancel *cancel, struct arena *a,
		   const struct json **ret_result, struct err *err);

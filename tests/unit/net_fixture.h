/* tests/net/server.py as a child of the test program, and requests to it. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/types.h>

#include "base/json.h"
#include "loopback.h"
#include "net/http.h"

/* A second of waiting for another attempt lasts RETRY_UNIT_MS. */
enum { NET_DEADLINE_MS = 60000, RETRY_UNIT_MS = 10, CANCEL_MS = 10000 };

void server_stop(struct loopback *s);
/* "http://127.0.0.1:PORT" + path; static, a few live at a time. */
const char *server_url(const struct loopback *s, const char *path);
/* Has the server seen a request for ?id=ID?  Waits for it, or only looks. */
void server_wait_seen(const struct loopback *s, const char *id);
bool server_has_seen(const struct loopback *s, const char *id);
/* Waits until the server has seen that the client of ?id=ID closed its connection. */
void server_assert_left(const struct loopback *s, const char *id);

/*
 * A bound port: `full` one answers no connection (the queue of those it never accepts is full),
 * another refuses it.
 */
struct port {
	int fd, number;
	int waiting[4];
};
void port_open(struct port *p, bool full);
void port_close(struct port *p);

/* A client, its last reply and what was heard meanwhile. */
struct client {
	struct http *http;
	struct http_reply reply;
	struct err err;
	struct buf data; /* what on_data got */
	struct buf retries; /* "attempt: why; " */
	int pieces, last_wait_ms;
	int64_t elapsed_ms;
	struct cancel *cancel;
	bool fire_on_retry;
};

void client_done(struct client *c);
DEFINE_AUTO(struct client, client_done)

/* For the callbacks of requests whose data is a struct client. */
int hear_data(void *data, struct str bytes, struct err *err);
/* http_run() with the client as its callbacks' data. */
int ask(struct client *c, struct http_request rq);
#define ASK(c, path, ...)                                                                          \
	ask((c), (struct http_request){ .url = server_url(&server, (path)), __VA_ARGS__ })
/* The error has the part in its sentence. */
void assert_says(const struct client *c, const char *part);
/* A member of what /echo says. */
struct str echoed(struct arena *a, struct client *c, const char *pointer);
void assert_echoed(struct client *c, const char *pointer, const char *value);

/* One server for all tests of a program, which sees nothing of the host's proxies. */
extern struct loopback server;
int net_set_up(void **state);
int net_tear_down(void **state);

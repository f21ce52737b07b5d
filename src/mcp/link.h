/*
 * A connection to one server, whatever it is made of: texts out, texts in.  It belongs to the
 * server's thread and never blocks in it but in link_wait().
 */
#pragma once

#include <poll.h>

#include "base/cancel.h"
#include "mcp/auth.h"

/* What a link waits to send at most; more means that the server does not listen. */
#define LINK_OUT_MAX ((size_t)32 << 20)
enum { LINK_EXTRA_MAX = 4 };

/* Called in link_wait() and link_send() only. */
struct link_events {
	void (*message)(void *data, struct str text); /* a text of JSON-RPC, presumably */
	/* The answer to this request will not come; id 0 = it is unknown which one. */
	void (*lost)(void *data, int64_t id, const char *why);
	void (*note)(void *data, struct str line); /* for the server's log */
	bool (*waits)(void *data, int64_t id); /* is its answer still wanted? */
	/*
	 * Of a program: messages come with all their white space, blank lines too, and what it says
	 * on stderr goes to ours, not to note().
	 */
	bool exact;
	void (*skipped)(void *data, struct str bytes); /* as in struct lines; NULL allowed */
	void *data;
	struct mcp_auth *auth; /* NULL: none; what waits for it ends with stop */
	struct cancel *stop;
};

struct link;

struct link_ops {
	int (*send)(struct link *l, struct str text, int64_t id, struct err *err);
	int (*wait)(struct link *l, struct pollfd *extra, size_t n, int timeout_ms,
		    struct err *err);
	void (*forget)(struct link *l, int64_t id);
	void (*agreed)(struct link *l, const char *version);
	void (*hang_up)(struct link *l);
	bool (*is_sending)(const struct link *l);
	void (*close)(struct link *l);
};

struct link {
	const struct link_ops *ops;
	struct link_events on;
	enum mcp_why why; /* it fails, as far as the link knows */
	int status; /* MCP_WHY_ENDED: the exit status as a shell has it */
};

/* The server has answered with this status of HTTP. */
static inline void link_refused(struct link *l, long status)
{
	l->why = status == 401   ? MCP_WHY_UNAUTHORIZED
		 : status == 403 ? MCP_WHY_FORBIDDEN
		 : status == 404 ? MCP_WHY_NO_PATH
				 : MCP_WHY_OTHER;
}

/* The first reason why a link is dead counts. */
static inline void link_die(struct err *dead, int code, const char *why)
{
	if (!dead->code)
		(void)err_set(dead, code, "%s", why);
}

int link_stdio_open(const struct mcp_config *config, const struct link_events *on,
		    struct link **ret_link, struct err *err);
int link_http_open(const struct mcp_config *config, const struct link_events *on,
		   struct link **ret_link, struct err *err);
int link_ws_open(const struct mcp_config *config, const struct link_events *on,
		 struct link **ret_link, struct err *err);

/* Takes a text to be sent.  id is the request's, 0 for what has no answer. */
static inline int link_send(struct link *l, struct str text, int64_t id, struct err *err)
{
	return l->ops->send(l, text, id, err);
}
/*
 * (waits) Until bytes have moved, one of the extra descriptors is ready (their revents are set) or
 * the time is over.  A negative code: the connection is gone, and why.
 */
static inline int link_wait(struct link *l, struct pollfd *extra, size_t n, int timeout_ms,
			    struct err *err)
{
	return l->ops->wait(l, extra, n, timeout_ms, err);
}
/* The answer to this request is not wanted any more. */
static inline void link_forget(struct link *l, int64_t id)
{
	if (l->ops->forget)
		l->ops->forget(l, id);
}
/* The handshake is over, with this version of the protocol. */
static inline void link_agreed(struct link *l, const char *version)
{
	if (l->ops->agreed)
		l->ops->agreed(l, version);
}
/* Nothing more will be sent: a program hears that once it has read what was. */
static inline void link_hang_up(struct link *l)
{
	if (l->ops->hang_up)
		l->ops->hang_up(l);
}
/* Is something on its way that link_close() would take back? */
static inline bool link_is_sending(const struct link *l)
{
	return l->ops->is_sending && l->ops->is_sending(l);
}
/* (waits) Ends it, and the server if it is our child; at most some 3 s.  NULL allowed. */
static inline void link_close(struct link *l)
{
	if (l)
		l->ops->close(l);
}

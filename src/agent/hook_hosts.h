/*
 * Runs the hooks that are no processes (C6.11): one row a type, one thread a question.
 *
 *	hosts = hook_hosts_new(&options);
 *	o.handlers = hook_hosts_rows(hosts, &o.nhandlers);	tl_hooks_load(&o, ...)
 *	... firings ...
 *	hook_hosts_free(hosts);		behind the last firing
 *
 * The session of a run comes later than its hooks: hook_hosts_session().
 */
#pragma once

#include "base/err.h"
#include "mcp/mcp.h"
#include "trotline.h"

struct session;
struct hook_hosts;
struct hook_work;

/* A type of hooks that are no processes. */
struct hook_kind {
	const char *type;
	/* (waits) Fills work->answer, or returns a negative code and a sentence. */
	int (*run)(struct hook_work *work, struct err *err);
	bool needs_session; /* it asks the model */
};

enum { HOOK_KINDS = 4 };
extern const struct hook_kind hook_kinds[HOOK_KINDS];

struct hook_hosts_options {
	const struct hook_kind *kinds; /* hook_kinds */
	/*
	 * (waits) Servers where no session has any: only the one of this name is needed.  NULL with
	 * *err.  Called by one thread at a time; what it returns is freed with the hosts.
	 */
	struct mcp_servers *(*connect)(void *data, const char *server, struct err *err);
	/*
	 * (waits) A session where there is none, for hooks that ask the model: nothing of it is
	 * recorded or shown.  Called once, and close_model() when the hosts go.  NULL with *err.
	 */
	struct session *(*open_model)(void *data, struct err *err);
	void (*close_model)(void *data);
	void *data;
};

struct hook_hosts *hook_hosts_new(const struct hook_hosts_options *o) MUST_CHECK;
/* (waits) Until no answer can come any more.  NULL allowed. */
void hook_hosts_free(struct hook_hosts *h);
const struct tl_handler *hook_hosts_rows(struct hook_hosts *h, size_t *ret_n);
/* For loading hooks that will not run: a row a type, which refuses. */
const struct tl_handler *hook_kinds_known(size_t *ret_n);
/* The session whose model and servers are used from now on; NULL = none.  Both may be NULL. */
void hook_hosts_session(struct hook_hosts *h, struct session *s);
/*
 * (waits) Until the questions of ended firings have been answered, so that no thread uses
 * the session any longer.  NULL allowed.
 */
void hook_hosts_settle(struct hook_hosts *h);

DEFINE_AUTO_PTR(struct hook_hosts, hook_hosts_free)

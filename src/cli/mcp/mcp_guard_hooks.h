/*
 * Hooks for trotline mcp guard: each firing has a thread of its own, so that no call waits for the
 * hooks of another; what they said is taken in the guard's thread, and told of by a queue.
 */
#pragma once

#include "hosts/load.h"
#include "mcp/config.h"
#include "mcp/guard.h"
#include "os/queue.h"
#include "trotline.h"

struct guard_firing;

struct guard_hooks {
	/* Set by the owner. */
	struct tl_hooks *hooks[HOST_ROOTS_MAX]; /* each is asked, the strictest counts */
	size_t snapshots; /* what a firing asks is what it was when the call came */
	char problem[512]; /* why they cannot be asked: every call is denied; "" = they can */
	const struct mcp_config *config; /* of the server */
	const char *session;
	struct queue *done; /* its descriptor is readable when guard_hooks_take() has something */
	bool no_record;
	/* private */
	struct {
		struct guard_firing **p;
		size_t n, cap;
	} firings; /* the oldest first */
};

bool guard_hooks_wants(const struct guard_hooks *h, const struct guard_call *c, bool after);
void guard_hooks_fire(struct guard_hooks *h, struct guard_call *c);
void guard_hooks_cancel(struct guard_hooks *h, struct guard_call *c);
/* The next call whose hooks have been heard; NULL = none.  Starts what had to wait. */
struct guard_call *guard_hooks_take(struct guard_hooks *h, struct guard_word *ret);
/* All firings have been taken. */
void guard_hooks_done(struct guard_hooks *h);

/*
 * Planning (C4.1, C4.12, section 5): which hooks a firing concerns, in which order, and why not the
 * others. A plan depends on the event and its subject only, so it is made once and remembered.
 */
#pragma once

#include "hooks/config.h"

/* Small, since as many are remembered as there are tools: a byte for a hook. */
struct plan {
	struct arena arena;
	const struct event *event;
	struct hook *const *hooks; /* every hook of the event, in run order: the snapshot's */
	unsigned char *states; /* enum tl_state of each: WOULD_RUN or why not */
	size_t n;
	size_t nrun; /* how many would run */
	bool sequential;
	bool *copies; /* of a hook of a higher tier, which runs as well (C4.1); NULL = none */
	const char **whys; /* sentences that only this plan has, of each or NULL; NULL = none */
	struct diags diags; /* a match limit that was hit (C5.4) */
	struct tl_outcome *nothing; /* the outcome when nothing runs; see outcome.h */
	/* what it was made for */
	struct plan *next;
	uint64_t hash;
	struct str key;
	bool cached;
};

/* What a plan depends on, of a firing. */
struct plan_key {
	const struct event *event;
	const char *subject, *mcp_server, *mcp_tool; /* NULL = none */
	const char *also; /* other names of the tool, a line each; NULL = none */
	int failed; /* enum tl_failed */
	const char *agent; /* the sub-agent that runs; NULL = none, or nothing depends on it */
	const char *const *skills; /* that are active; the same */
	bool further; /* only for those that are asked about each file or address by itself */
	bool seen_whole; /* a part of a patch that was shown whole with its first part */
	bool guards_only;
};

struct plan_cache *plan_cache_new(void) MUST_CHECK;
void plan_cache_free(struct plan_cache *c);
/*
 * The plan for a firing.  One that is not remembered (the cache is full) belongs to the caller:
 * pass every plan to plan_release().
 */
const struct plan *plan_get(struct tl_hooks *h, const struct plan_key *key);
void plan_release(const struct plan *p);
/* A sentence about the state of the i-th hook; "" when it would run. */
static inline const char *plan_why(const struct plan *p, size_t i)
{
	if (p->whys && p->whys[i])
		return p->whys[i];
	if (p->states[i] == TL_STATE_NO_MATCH)
		return "the matcher does not match";
	if (p->states[i] == TL_STATE_NOT_HERE)
		return "its dialect's event is another case of this one";
	return p->hooks[i]->why;
}

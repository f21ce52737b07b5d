/* The outcome of a firing: what the host reads through tl_outcome_*(). */
#pragma once

#include "hooks/result.h"

/* What became of one hook. */
struct report {
	const struct hook *hook;
	enum tl_state state;
	const char *why;
	bool copy; /* of a hook of a higher tier: it can deny, and changes nothing (C4.1) */
	struct str saw; /* the chained field, when others had changed it; else .p NULL */
	struct reply reply; /* meaningful for TL_STATE_RAN */
};

struct tl_outcome {
	struct arena arena; /* everything below, and the firing's values */
	struct tl_hooks *hooks; /* a reference, unless shared */
	const struct plan *plan; /* what it is shared by, where nothing runs; else NULL */
	enum tl_verdict verdict;
	bool stop, clear_context, suppressed, approved;
	bool unreadable; /* a hook wanted to change what cannot be read */
	struct str reason, stop_reason, message, context, wrapped, terminal;
	struct str change[CHANGES]; /* .p NULL = none */
	int changed_by[CHANGES]; /* index of a report, or -1 */
	struct report *reports; /* NULL when shared, see outcome_report() */
	size_t nreports;
	struct diags diags;
	/* for the record */
	const char *event, *subject, *session_id, *turn_id, *agent, *cwd;
	uint64_t seq;
	char timestamp[CLOCK_ISO_SIZE];
	int64_t elapsed_us;
};

/* An outcome with a report for every entry of the plan; nothing is decided yet. */
struct tl_outcome *outcome_new(struct tl_hooks *h, const struct plan *p) MUST_CHECK;
/* The shared outcome of a plan in which nothing runs; NULL when something does. */
struct tl_outcome *outcome_of_plan(struct tl_hooks *h, const struct plan *p);
/* What the record says about the firing itself. */
void outcome_describe(struct tl_outcome *o, const struct firing *f);
/* Frees without touching the reference. NULL allowed. */
void outcome_destroy(struct tl_outcome *o);
/* The i-th report of any outcome. */
struct report outcome_report(const struct tl_outcome *o, size_t i);

/* merge.c: section 4 */

/*
 * What the hooks of one stage want of the chained field, merged into the firing: reports[i] for i
 * in which[0..n), in run order.  All of them saw the field as it is now (C4.4, C4.5, C4.6).
 */
void merge_chained(struct tl_outcome *o, struct firing *f, const size_t *which, size_t n);
/* A context of its own, in our tags; literal: a dialect's literal_context. */
struct str merge_wrapped(struct arena *a, struct str context, bool literal);
/* Everything else, once all hooks have answered. */
void merge_outcome(struct tl_outcome *o, struct firing *f);
/* True when what this report says is final: a denial or a stop that counts. */
bool report_settles(const struct report *r);

/*
 * The processes of persistent hooks (C6.8): they live on from firing to firing, in one pool for
 * each snapshot, and belong to one hook and session.  Firings that come one after another are
 * answered by one process; when several go on at once each has its own, so that none waits for
 * another.
 *
 * Any thread may take and give.
 */
#pragma once

#include "base/arena.h"
#include "hooks/config.h"
#include "os/proc.h"

/* A process that is there and idle, or (all zero) is to be started. */
struct peer {
	struct proc proc;
	/* private */
	const struct hook *hook;
	char *session;
	uint64_t first_seq, seq; /* of the first and the last question */
	bool end_noted; /* how it ended after its answer was told */
};

/* What a line of a persistent hook's stdout is to a question (C6.8). */
enum peer_line {
	LINE_ANSWER,
	LINE_UNSURE, /* an answer, but its "seq" is that of no question, or a guard's has none */
	LINE_TEXT, /* no JSON object */
	LINE_OTHER, /* the answer to an earlier question, or from before this one */
	LINE_BLANK,
};

enum peer_fate {
	PEER_DROPPED, /* the host had enough of it, or never asked it */
	PEER_ANSWERED, /* it waits for the next firing */
	PEER_SPENT, /* its end was its answer; the next one is started without a rest */
	PEER_FAILED, /* no answer, or one that is not to be relied on */
};

struct peers *peers_new(size_t nhooks);
/* (waits) As peers_hang_up() for all. */
void peers_free(struct peers *ps);
/*
 * NULL while a hook that fails again and again has to wait before it is started anew; *ret_why (in
 * the arena) says so.
 */
struct peer *peers_take(struct peers *ps, const struct hook *hook, const char *session,
			struct arena *a, const char **ret_why);
/* The number of the next question: the firing's, when it is higher than those before; each one of a
 * process is asked once. */
uint64_t peer_seq(struct peer *p, uint64_t firing);
enum peer_line peer_line(const struct peer *p, struct arena *a);
/* A process that does not wait for the next firing is killed, if it is still there. */
void peers_give(struct peers *ps, struct peer *take_peer, enum peer_fate fate);
/*
 * (waits) Lets the idle processes of a session (NULL = of all) end, all at once: by the end of
 * their input, which they have PEER_END_MS for; then as at a deadline (C6.3).
 */
void peers_hang_up(struct peers *ps, const char *session);

enum {
	PEER_END_MS = 1000,
	PEER_IDLE_MAX = 8, /* of one hook and session; what was needed at once, once */
	PEER_REST_MS = 1000, /* before the third start in a row, doubled for each further one */
	PEER_REST_MAX_MS = 30000,
};

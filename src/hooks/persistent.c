/*
 * What is idle is in a list, what is asked belongs to the job that asks: nothing here is ever
 * waited for under the lock.
 */
#include "hooks/persistent.h"

#include "base/vec.h"
#include "hooks/result.h"
#include "os/clock.h"

/* How a hook fares, whatever the session. */
struct health {
	unsigned failures; /* in a row */
	int64_t rest_until_us;
};

struct idle {
	struct peer **p;
	size_t n, cap;
};

struct peers {
	pthread_mutex_t lock;
	struct idle idle;
	struct health *health; /* by hook->index */
};

struct peers *peers_new(size_t nhooks)
{
	struct peers *ps = xcalloc(1, sizeof *ps);

	(void)pthread_mutex_init(&ps->lock, NULL);
	ps->health = xcalloc(nhooks + 1, sizeof *ps->health);
	return ps;
}

void peers_free(struct peers *ps)
{
	if (!ps)
		return;
	peers_hang_up(ps, NULL);
	(void)pthread_mutex_destroy(&ps->lock);
	free(ps->idle.p);
	free(ps->health);
	free(ps);
}

static void peer_free(struct peer *p)
{
	proc_done(&p->proc);
	free(p->session);
	free(p);
}

static bool belongs(const struct peer *p, const struct hook *hook, const char *session)
{
	return p->hook == hook && strcmp(p->session, session) == 0;
}

/* ---- the pool ---- */

static struct peer *idle_take(struct idle *idle, size_t i)
{
	struct peer *p = idle->p[i];

	memmove(&idle->p[i], &idle->p[i + 1], (idle->n - i - 1) * sizeof(struct peer *));
	idle->n--;
	return p;
}

struct peer *peers_take(struct peers *ps, const struct hook *hook, const char *session,
			struct arena *a, const char **ret_why)
{
	struct health health;
	struct peer *p = NULL;
	int64_t rest_us;

	(void)pthread_mutex_lock(&ps->lock);
	/* Two who ask one process take each other's answers. */
	for (size_t i = ps->idle.n; i-- > 0;)
		if (!proc_is_ours(&ps->idle.p[i]->proc))
			peer_free(idle_take(&ps->idle, i));
	/* The one that was idle for the shortest time: what is no longer needed stays idle. */
	for (size_t i = ps->idle.n; i-- > 0 && !p;)
		if (belongs(ps->idle.p[i], hook, session))
			p = idle_take(&ps->idle, i);
	health = ps->health[hook->index];
	(void)pthread_mutex_unlock(&ps->lock);
	rest_us = p ? 0 : health.rest_until_us - clock_us();
	if (rest_us > 0) {
		*ret_why = arena_printf(
				   a, "it failed %u times in a row, and is started again in %.1f s",
				   health.failures, (double)rest_us / 1e6)
				   .p;
		return NULL;
	}
	if (!p) {
		p = xcalloc(1, sizeof *p);
		p->hook = hook;
		p->session = xstrdup(session);
	}
	return p;
}

uint64_t peer_seq(struct peer *p, uint64_t firing)
{
	p->seq = firing > p->seq ? firing : p->seq + 1;
	if (!p->first_seq)
		p->first_seq = p->seq;
	return p->seq;
}

/*
 * Where a guard speaks out of turn does not depend on when we look: what is between two answers
 * belongs to the second one, whether it came before its question was asked or not.
 */
enum peer_line peer_line(const struct peer *p, struct arena *a)
{
	const struct proc_result *r = &p->proc.result;
	struct answer answer = answer_read(a, r->line, p->hook->dialect->unwraps_string);
	const struct json *seq = json_getz(answer.obj, "seq");
	double n = json_num(seq, -1);

	switch (answer.kind) {
	case ANSWER_EMPTY:
		return LINE_BLANK;
	case ANSWER_TEXT:
	case ANSWER_OTHER_JSON:
		return LINE_TEXT;
	case ANSWER_UNREADABLE:
	case ANSWER_OBJECT:
		break;
	}
	if (seq ? n < (double)p->first_seq || n > (double)p->seq : p->hook->guard)
		return LINE_UNSURE;
	return r->early || (seq && n < (double)p->seq) ? LINE_OTHER : LINE_ANSWER;
}

void peers_give(struct peers *ps, struct peer *take_peer, enum peer_fate fate)
{
	struct health *h = &ps->health[take_peer->hook->index];
	size_t idle = 0;
	bool keep;

	(void)pthread_mutex_lock(&ps->lock);
	for (size_t i = 0; i < ps->idle.n; i++)
		idle += belongs(ps->idle.p[i], take_peer->hook, take_peer->session);
	keep = fate == PEER_ANSWERED && idle < PEER_IDLE_MAX;
	if (fate == PEER_ANSWERED || fate == PEER_SPENT) {
		*h = (struct health){ 0 };
	} else if (fate == PEER_FAILED && ++h->failures > 1) { /* once is an accident */
		int64_t ms = PEER_REST_MS;

		for (unsigned i = 2; i < h->failures && ms < PEER_REST_MAX_MS; i++)
			ms *= 2;
		if (ms > PEER_REST_MAX_MS)
			ms = PEER_REST_MAX_MS;
		h->rest_until_us = clock_us() + ms * 1000;
	}
	if (keep)
		*VEC_ADD(&ps->idle) = take_peer;
	(void)pthread_mutex_unlock(&ps->lock);
	if (!keep)
		peer_free(take_peer);
}

/* ---- the end ---- */

/* Steps all; one that goes on, or NULL, and when the first of them wants to be looked at. */
static struct proc *step_all(const struct idle *taken, int64_t *ret_due_us)
{
	struct proc *left = NULL;

	*ret_due_us = INT64_MAX;
	for (size_t i = 0; i < taken->n; i++) {
		struct proc *p = &taken->p[i]->proc;

		if (proc_step(p, NULL, 0))
			continue;
		left = p;
		if (proc_deadline_us(p) < *ret_due_us)
			*ret_due_us = proc_deadline_us(p);
	}
	return left;
}

void peers_hang_up(struct peers *ps, const char *session)
{
	struct idle taken = { 0 };
	struct proc *left;
	int64_t due_us;
	size_t n = 0;

	(void)pthread_mutex_lock(&ps->lock);
	for (size_t i = 0; i < ps->idle.n; i++) {
		struct peer *p = ps->idle.p[i];

		if (!session || strcmp(p->session, session) == 0)
			*VEC_ADD(&taken) = p;
		else
			ps->idle.p[n++] = p;
	}
	ps->idle.n = n;
	(void)pthread_mutex_unlock(&ps->lock);
	for (size_t i = 0; i < taken.n; i++)
		proc_hang_up(&taken.p[i]->proc, PEER_END_MS);
	while ((left = step_all(&taken, &due_us)) != NULL)
		(void)proc_wait(left, NULL, due_us);
	for (size_t i = 0; i < taken.n; i++)
		peer_free(taken.p[i]);
	free(taken.p);
}

#include "hooks/warm.h"

#include <poll.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"
#include "hooks/announce.h"
#include "hooks/keeper.h"
#include "hooks/launch.h"
#include "hooks/trust.h"
#include "os/clock.h"
#include "os/fd.h"
#include "os/thread.h"

/*
 * The thread takes it from one state to the next.  Who needs it no longer makes it WARM_DROPPED
 * before it is there, and then it is the thread's.
 */
enum warm_state { WARM_COMING, WARM_STARTING, WARM_READY, WARM_FAILED, WARM_DROPPED };

enum { PATIENCE_MS = 100 }; /* with one that is being started: a new one would take longer */

struct warm {
	atomic_int state;
	struct proc proc; /* WARM_READY */
	struct announcer by;
	const struct hook *hook;
	char *session;
	uint64_t like; /* what it was started as */
	int64_t since_us;
};

struct warm_list {
	struct warm **p;
	size_t n, cap;
};

/* What the thread is to do: start one, or see to the end of a process. */
struct order {
	struct order *next;
	struct arena arena;
	struct warm *start;
	struct proc_spec spec;
	uint64_t stamp;
	struct proc ends;
};

struct warms {
	pthread_mutex_t lock; /* never taken by the thread: a fork may happen at any moment */
	struct warm_list all; /* the oldest first */
	const char *home;
	pid_t owner; /* of the thread; 0 = it was not started yet */
	struct thread *thread;
	int wake; /* an eventfd */
	atomic_bool stop;
	_Atomic(struct order *) orders; /* the last one first */
};

struct warms *warms_new(const char *home)
{
	struct warms *ws = xcalloc(1, sizeof *ws);

	ws->home = home;
	ws->wake = -1;
	(void)pthread_mutex_init(&ws->lock, NULL);
	return ws;
}

static void warm_free(struct warm *w)
{
	proc_done(&w->proc);
	announce_done(&w->by);
	free(w->session);
	free(w);
}

/* It is no longer in the list.  One that is being started is freed by who starts it. */
static void drop(struct warm *w, struct warm_list *stale)
{
	int now = atomic_load(&w->state);

	while (now < WARM_READY)
		if (atomic_compare_exchange_weak(&w->state, &now, WARM_DROPPED))
			return;
	*VEC_ADD(stale) = w;
}

static void free_all(struct warm_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		warm_free(list->p[i]);
	free(list->p);
}

/* ---- what is like what ---- */

static uint64_t mix(uint64_t h, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 0x100000001b3;
	return h;
}

static uint64_t mix_list(uint64_t h, const char *const *list)
{
	for (; *list; list++)
		h = mix(h, *list, strlen(*list) + 1);
	return mix(h, "", 1);
}

static uint64_t likeness(const struct proc_spec *spec, uint64_t stamp)
{
	uint64_t h = 0xcbf29ce484222325;
	struct stat dir;

	h = mix(h, spec->file, strlen(spec->file) + 1);
	h = mix(h, spec->cwd, strlen(spec->cwd) + 1);
	/* Another directory may have its name by now. */
	if (stat(spec->cwd, &dir) == 0) {
		h = mix(h, &dir.st_dev, sizeof dir.st_dev);
		h = mix(h, &dir.st_ino, sizeof dir.st_ino);
	}
	h = mix_list(h, spec->argv);
	h = mix_list(h, spec->envp);
	return mix(h, &stamp, sizeof stamp);
}

/* ---- the thread ---- */

static void order_free(struct order *o)
{
	proc_done(&o->ends);
	arena_done(&o->arena);
	free(o);
}

static void start_now(const struct warms *ws, struct order *o, bool announces)
{
	struct proc_spec spec = o->spec;
	struct warm *w = o->start;
	int coming = WARM_COMING, starting = WARM_STARTING;
	bool started;

	if (!atomic_compare_exchange_strong(&w->state, &coming, WARM_STARTING)) {
		warm_free(w);
		return;
	}
	if (announces)
		announce_prepare(&o->arena, ws->home, &spec, &w->by);
	started = proc_start(&w->proc, &spec, NULL) == 0;
	/* Looked at afterwards: then it was in that directory that it was started. */
	started = started && likeness(&o->spec, o->stamp) == w->like;
	if (!atomic_compare_exchange_strong(&w->state, &starting,
					    started ? WARM_READY : WARM_FAILED))
		warm_free(w);
}

/* Those that are ending. */
struct ending_list {
	struct order **p;
	size_t n, cap;
};

static void take_orders(struct warms *ws, struct ending_list *ending)
{
	struct order *o = atomic_exchange(&ws->orders, NULL), *first = NULL;

	while (o) { /* the first one first */
		struct order *next = o->next;

		o->next = first;
		first = o;
		o = next;
	}
	while (first) {
		o = first;
		first = o->next;
		if (o->start) {
			start_now(ws, o, true);
			order_free(o);
		} else {
			proc_go_on(&o->ends);
			*VEC_ADD(ending) = o;
		}
	}
}

/* Waits for an order, and meanwhile for the ends. */
static void wait_for_some(struct warms *ws, const struct ending_list *ending, int64_t until_us)
{
	AUTO(free) struct pollfd *fds =
		xcalloc(ending->n * PROC_FDS_MAX + 1, sizeof(struct pollfd));
	size_t n = 0;
	uint64_t count;

	fds[n++] = (struct pollfd){ .fd = ws->wake, .events = POLLIN };
	for (size_t i = 0; i < ending->n; i++) {
		const struct proc *p = &ending->p[i]->ends;

		n += proc_fds(p, fds + n);
		if (proc_deadline_us(p) < until_us)
			until_us = proc_deadline_us(p);
	}
	(void)fd_poll_until(fds, n, until_us);
	(void)!read(ws->wake, &count, sizeof count);
}

static void work(void *ws_)
{
	struct warms *ws = ws_;
	struct ending_list ending = { 0 };
	int64_t until_us = INT64_MAX;

	for (;;) {
		bool stop = atomic_load(&ws->stop);

		take_orders(ws, &ending);
		for (size_t i = ending.n; i-- > 0;) {
			if (!proc_step(&ending.p[i]->ends, NULL, 0))
				continue;
			order_free(ending.p[i]);
			ending.p[i] = ending.p[--ending.n];
		}
		if (stop && until_us == INT64_MAX)
			until_us = clock_us() + (int64_t)WARM_END_MS * 1000;
		if (stop && (ending.n == 0 || clock_us() >= until_us))
			break;
		wait_for_some(ws, &ending, until_us);
	}
	for (size_t i = 0; i < ending.n; i++)
		order_free(ending.p[i]);
	free(ending.p);
}

static void wake(const struct warms *ws)
{
	const uint64_t one = 1;

	(void)!write(ws->wake, &one, sizeof one);
}

/*
 * True when there is a thread, under the lock; the first call starts it.  A fork of who has one
 * does without, as it may not rely on what a thread needs: what its copy of the list was about to
 * get will not come, and orders are its parent's.
 */
static bool has_thread(struct warms *ws)
{
	bool first = ws->owner == 0;
	size_t n = 0;

	if (ws->owner == getpid())
		return ws->thread != NULL;
	ws->owner = getpid();
	ws->thread = NULL;
	atomic_store(&ws->orders, NULL);
	for (size_t i = 0; i < ws->all.n; i++) {
		struct warm *w = ws->all.p[i];

		/* Our copies would keep its parent's process from the end of its input. */
		if (atomic_load(&w->state) < WARM_READY)
			spawn_close(&w->proc.ends);
		else
			ws->all.p[n++] = w;
	}
	ws->all.n = n;
	fd_close(&ws->wake);
	if (first)
		ws->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (ws->wake >= 0 && fd_lift(&ws->wake, FD_LOWEST) == 0)
		ws->thread = thread_start(work, ws);
	return ws->thread != NULL;
}

static void give(struct warms *ws, struct order *o)
{
	o->next = atomic_load(&ws->orders);
	while (!atomic_compare_exchange_weak(&ws->orders, &o->next, o))
		continue;
	wake(ws);
}

void warms_free(struct warms *ws)
{
	if (!ws)
		return;
	warms_end(ws, NULL);
	if (ws->thread && ws->owner == getpid()) {
		atomic_store(&ws->stop, true);
		wake(ws);
		thread_join(ws->thread);
	}
	fd_close(&ws->wake);
	(void)pthread_mutex_destroy(&ws->lock);
	free(ws->all.p);
	free(ws);
}

void warm_leave(const struct tl_hooks *h, struct proc *take_proc)
{
	struct warms *ws = h->warms;
	struct order *o;

	if (take_proc->result.announced && take_proc->child.borrowed && proc_is_ours(take_proc)) {
		proc_bequeath(take_proc);
		return;
	}
	if (!take_proc->result.announced || !ws || !proc_is_ours(take_proc)) {
		proc_done(take_proc);
		return;
	}
	o = xcalloc(1, sizeof *o);
	o->ends = *take_proc;
	*take_proc = (struct proc){ 0 };
	give(ws, o);
}

/* ---- the pool ---- */

static bool is_fresh(struct warm *w, uint64_t like)
{
	enum child_end end;
	int code;

	if (w->like != like)
		return false;
	if (atomic_load(&w->state) < WARM_READY)
		return true;
	return atomic_load(&w->state) == WARM_READY && proc_is_ours(&w->proc) &&
	       clock_us() - w->since_us < w->hook->warm_seconds * (int64_t)1000000 &&
	       !child_peek(&w->proc.child, &end, &code) && announce_is_intact(&w->by);
}

static struct warm *take_at(struct warms *ws, size_t i)
{
	struct warm *w = ws->all.p[i];

	memmove(&ws->all.p[i], &ws->all.p[i + 1], (ws->all.n - i - 1) * sizeof(struct warm *));
	ws->all.n--;
	return w;
}

/*
 * The first one of the hook and session, where one is to be taken; *ret_n counts those that are
 * left, *ret_soon tells of one that is being started.  What is no longer of use goes on the way,
 * outside of the lock.
 */
static struct warm *sweep(const struct firing *f, const struct hook *hook, uint64_t like, bool take,
			  int *ret_n, bool *ret_soon)
{
	struct warms *ws = f->h->warms;
	struct warm_list stale = { 0 };
	struct warm *taken = NULL;

	*ret_n = 0;
	*ret_soon = false;
	(void)pthread_mutex_lock(&ws->lock);
	(void)has_thread(ws);
	for (size_t i = 0; i < ws->all.n;) {
		struct warm *w = ws->all.p[i];

		if (w->hook != hook || strcmp(w->session, f->session_id) != 0) {
			i++;
		} else if (!is_fresh(w, like)) {
			drop(take_at(ws, i), &stale);
		} else if (take && !taken && atomic_load(&w->state) == WARM_READY) {
			taken = take_at(ws, i);
		} else {
			*ret_soon |= atomic_load(&w->state) == WARM_STARTING;
			++*ret_n;
			i++;
		}
	}
	(void)pthread_mutex_unlock(&ws->lock);
	free_all(&stale);
	return taken;
}

bool warm_take(const struct firing *f, const struct hook *hook, const struct proc_spec *spec,
	       uint64_t stamp, struct proc *ret)
{
	int64_t until_us = clock_us() + (int64_t)PATIENCE_MS * 1000;
	struct warm *w;
	uint64_t like;
	bool soon;
	int n;

	if (!hook->warm)
		return false;
	if (!f->h->warms)
		return keeper_take(f, hook, spec, stamp, ret);
	like = likeness(spec, stamp);
	while (!(w = sweep(f, hook, like, true, &n, &soon)) && soon && clock_us() < until_us)
		(void)fd_sleep(NULL, 1);
	if (!w)
		return false;
	*ret = w->proc;
	w->proc = (struct proc){ 0 };
	warm_free(w);
	return true;
}

/* Everything for a start at a later moment; NULL = it cannot be started. */
static struct order *prepare(const struct firing *f, const struct hook *hook, uint64_t stamp)
{
	struct order *o = xcalloc(1, sizeof *o);
	struct firing as = *f;

	as.arena = &o->arena;
	as.cwd = arena_z(&o->arena, str_from(f->cwd));
	if (launch_process(&as, hook, false, &o->spec)) {
		order_free(o);
		return NULL;
	}
	o->spec.waits = true;
	o->stamp = stamp;
	return o;
}

static void start(const struct firing *f, struct order *take_o, const struct hook *hook,
		  uint64_t like)
{
	struct warms *ws = f->h->warms;
	struct warm *w = xcalloc(1, sizeof *w);
	bool later;

	w->hook = hook;
	w->session = xstrdup(f->session_id);
	w->like = like;
	w->since_us = clock_us();
	w->proc.ends = SPAWN_NO_ENDS;
	take_o->start = w;
	(void)pthread_mutex_lock(&ws->lock);
	*VEC_ADD(&ws->all) = w;
	later = has_thread(ws);
	(void)pthread_mutex_unlock(&ws->lock);
	watch_start(f->h->watch); /* with its lock, which the thread must not take */
	if (later) {
		give(ws, take_o);
		return;
	}
	/* Who would see to the end of one that announces it? */
	start_now(ws, take_o, false);
	order_free(take_o);
}

void warm_fill(struct firing *f, const struct hook *hook)
{
	enum event_id id = hook->event->id;
	struct warms *ws = f->h->warms;
	struct order *o;
	uint64_t stamp, like;
	bool soon;
	int n;

	/* A session begins and ends once. */
	if (!ws || !hook->warm || hook->state != TL_STATE_WOULD_RUN || hook->broken ||
	    id == EV_SESSION_START || id == EV_SESSION_END || trust_changed_script(hook, &stamp))
		return;
	o = prepare(f, hook, stamp);
	if (!o)
		return;
	like = likeness(&o->spec, stamp);
	(void)sweep(f, hook, like, false, &n, &soon);
	for (; n < hook->warm && o; n++) {
		start(f, MOVE(o), hook, like);
		o = n + 1 < hook->warm ? prepare(f, hook, stamp) : NULL;
	}
	if (o)
		order_free(o);
}

void warm_fill_all(struct firing *f)
{
	for (size_t i = 0; i < f->h->nhooks; i++)
		warm_fill(f, f->h->hooks[i]);
}

void warms_end(struct warms *ws, const char *session)
{
	struct warm_list ended = { 0 };

	(void)pthread_mutex_lock(&ws->lock);
	for (size_t i = ws->all.n; i-- > 0;)
		if (!session || strcmp(ws->all.p[i]->session, session) == 0)
			drop(take_at(ws, i), &ended);
	(void)pthread_mutex_unlock(&ws->lock);
	free_all(&ended);
}

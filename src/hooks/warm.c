#include "hooks/warm.h"

#include <sys/stat.h>

#include "base/vec.h"
#include "hooks/keeper.h"
#include "hooks/launch.h"
#include "hooks/trust.h"
#include "os/clock.h"

struct warm {
	struct proc proc;
	const struct hook *hook;
	char *session;
	uint64_t like; /* what it was started as */
	int64_t since_us;
};

struct warm_list {
	struct warm **p;
	size_t n, cap;
};

struct warms {
	pthread_mutex_t lock;
	struct warm_list all; /* the oldest first */
};

struct warms *warms_new(void)
{
	struct warms *ws = xcalloc(1, sizeof *ws);

	(void)pthread_mutex_init(&ws->lock, NULL);
	return ws;
}

static void warm_free(struct warm *w)
{
	proc_done(&w->proc);
	free(w->session);
	free(w);
}

static void free_all(struct warm_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		warm_free(list->p[i]);
	free(list->p);
}

void warms_free(struct warms *ws)
{
	if (!ws)
		return;
	warms_end(ws, NULL);
	(void)pthread_mutex_destroy(&ws->lock);
	free(ws->all.p);
	free(ws);
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

static bool is_fresh(const struct warm *w, uint64_t like)
{
	enum child_end end;
	int code;

	return w->like == like && proc_is_ours(&w->proc) &&
	       clock_us() - w->since_us < w->hook->warm_seconds * (int64_t)1000000 &&
	       !child_peek(&w->proc.child, &end, &code);
}

/* ---- the pool ---- */

static struct warm *take_at(struct warms *ws, size_t i)
{
	struct warm *w = ws->all.p[i];

	memmove(&ws->all.p[i], &ws->all.p[i + 1], (ws->all.n - i - 1) * sizeof(struct warm *));
	ws->all.n--;
	return w;
}

/*
 * The first one of the hook and session, where one is to be taken; *ret_n counts those that are
 * left.  What is no longer of use goes on the way, outside of the lock.
 */
static struct warm *sweep(const struct firing *f, const struct hook *hook, uint64_t like, bool take,
			  int *ret_n)
{
	struct warms *ws = f->h->warms;
	struct warm_list stale = { 0 };
	struct warm *taken = NULL;

	*ret_n = 0;
	(void)pthread_mutex_lock(&ws->lock);
	for (size_t i = 0; i < ws->all.n;) {
		struct warm *w = ws->all.p[i];

		if (w->hook != hook || strcmp(w->session, f->session_id) != 0) {
			i++;
		} else if (!is_fresh(w, like)) {
			*VEC_ADD(&stale) = take_at(ws, i);
		} else if (take && !taken) {
			taken = take_at(ws, i);
		} else {
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
	struct warm *w;
	int n;

	if (!hook->warm)
		return false;
	if (!f->h->warms)
		return keeper_take(f, hook, spec, stamp, ret);
	w = sweep(f, hook, likeness(spec, stamp), true, &n);
	if (!w)
		return false;
	*ret = w->proc;
	w->proc = (struct proc){ 0 };
	warm_free(w);
	return true;
}

void warm_fill(struct firing *f, const struct hook *hook)
{
	enum event_id id = hook->event->id;
	struct warms *ws = f->h->warms;
	struct proc_spec spec;
	uint64_t stamp, like;
	int n;

	/* A session begins and ends once. */
	if (!ws || !hook->warm || hook->state != TL_STATE_WOULD_RUN || hook->broken ||
	    id == EV_SESSION_START || id == EV_SESSION_END || trust_changed_script(hook, &stamp) ||
	    launch_process(f, hook, false, &spec))
		return;
	like = likeness(&spec, stamp);
	spec.waits = true;
	(void)sweep(f, hook, like, false, &n);
	for (; n < hook->warm; n++) {
		struct warm *w = xcalloc(1, sizeof *w);

		if (proc_start(&w->proc, &spec, NULL) < 0) {
			warm_free(w);
			return;
		}
		w->hook = hook;
		w->session = xstrdup(f->session_id);
		w->like = like;
		w->since_us = clock_us();
		(void)pthread_mutex_lock(&ws->lock);
		*VEC_ADD(&ws->all) = w;
		(void)pthread_mutex_unlock(&ws->lock);
	}
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
			*VEC_ADD(&ended) = take_at(ws, i);
	(void)pthread_mutex_unlock(&ws->lock);
	free_all(&ended);
}

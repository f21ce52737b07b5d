#include "agent/hook_hosts.h"

#include <pthread.h>
#include <stdatomic.h>

#include "agent/hook_work.h"
#include "agent/session_impl.h"
#include "os/clock.h"
#include "os/thread.h"

/* What the engine hands back to start(). */
struct of_kind {
	struct hook_hosts *all;
	const struct hook_kind *kind;
};

/* A question and the thread that answers it. */
struct answering {
	struct answering *next;
	const struct of_kind *of;
	const struct tl_question *question;
	struct tl_ask *ask;
	struct thread *thread;
	atomic_bool over;
};

struct hook_hosts {
	struct hook_hosts_options o;
	struct of_kind of[HOOK_KINDS];
	struct tl_handler handlers[HOOK_KINDS];
	_Atomic(struct session *) session;
	pthread_mutex_t asking; /* the session's model */
	pthread_mutex_t lock; /* of what follows */
	struct answering *first;
	struct mcp_servers *servers; /* that were connected for a hook */
	char *connected; /* the name of that server */
	struct err why; /* it could not be */
	struct session *opened; /* by open_model(); the lock is `asking` */
	struct err no_model; /* why not */
};

/* ---- answering ---- */

/* On this thread: what a hook does may fire hooks itself. */
static _Thread_local bool is_answering;

static void answer(void *answering)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct answering *w = answering;
	struct hook_work work = {
		.all = w->of->all,
		.question = w->question,
		.cancel = (struct cancel *)w->question->cancel,
		.until_us = clock_us() + w->question->timeout_ms * 1000,
		.a = &a,
		.answer = STR(""),
	};
	struct err err = { 0 };
	struct str request = { w->question->request, w->question->request_length };
	int r = json_parse(&a, request, 0, &work.request, &err);

	is_answering = true;
	r = r < 0 ? r : w->of->kind->run(&work, &err);
	tl_ask_answer(w->ask, work.answer.p, work.answer.n,
		      r ? *err.text ? err.text : "it failed" : NULL);
	atomic_store(&w->over, true);
}

/* Frees those that are over; all: waits for the others. */
static void reap(struct hook_hosts *h, bool all)
{
	struct answering *list, *next;

	(void)pthread_mutex_lock(&h->lock);
	list = MOVE(h->first);
	(void)pthread_mutex_unlock(&h->lock);
	for (struct answering *w = list; w; w = next) {
		next = w->next;
		if (all || atomic_load(&w->over)) {
			thread_join(w->thread);
			free(w);
			continue;
		}
		(void)pthread_mutex_lock(&h->lock);
		w->next = h->first;
		h->first = w;
		(void)pthread_mutex_unlock(&h->lock);
	}
}

static int refuse(struct tl_err *err, int code, const char *text)
{
	err->code = code;
	(void)snprintf(err->text, sizeof err->text, "%s", text);
	return -code;
}

static int start(void *of_kind, const struct tl_question *q, struct tl_ask *ask, struct tl_err *err)
{
	const struct of_kind *of = of_kind;
	struct hook_hosts *h = of->all;
	struct answering *w;

	if (of->kind->needs_session && !atomic_load(&h->session) && !h->o.open_model)
		return refuse(
			err, TL_E_NOTFOUND,
			"hooks of this type ask the session's model, and no session is running");
	if (of->kind->needs_session && is_answering)
		return refuse(err, TL_E_BUSY,
			      "a hook that asks the model does not judge what another one does");
	reap(h, false);
	w = xcalloc(1, sizeof *w);
	w->of = of;
	w->question = q;
	w->ask = ask;
	atomic_init(&w->over, false);
	(void)pthread_mutex_lock(&h->lock);
	w->thread = thread_start(answer, w);
	if (w->thread) {
		w->next = h->first;
		h->first = w;
	}
	(void)pthread_mutex_unlock(&h->lock);
	if (w->thread)
		return 0;
	free(w);
	return refuse(err, TL_E_LIMIT, "no thread can be started");
}

/* ---- what they are answered with ---- */

/* Who has the model meanwhile is ended by its own deadline. */
struct session *hook_hosts_model(struct hook_work *work, struct err *err)
{
	struct hook_hosts *h = work->all;
	struct session *s = atomic_load(&h->session);

	(void)pthread_mutex_lock(&h->asking);
	if (!s && h->o.open_model && !h->opened && !h->no_model.code)
		h->opened = h->o.open_model(h->o.data, &h->no_model);
	s = s ? s : h->opened;
	if (!s && h->no_model.code) {
		*err = h->no_model;
		(void)pthread_mutex_unlock(&h->asking);
		return NULL;
	}
	if (s && !s->streaming && !cancel_fired(work->cancel))
		return s;
	(void)pthread_mutex_unlock(&h->asking);
	(void)err_set(err, E_BUSY, "the model is busy, and was not free in time");
	return NULL;
}

void hook_hosts_model_done(struct hook_work *work)
{
	(void)pthread_mutex_unlock(&work->all->asking);
}

struct mcp_servers *hook_hosts_servers(struct hook_hosts *h, const char *server, struct err *err)
{
	struct session *s = atomic_load(&h->session);
	struct mcp_servers *found = s ? s->o.mcp : NULL;

	if (s && !found)
		(void)err_set(err, E_NOTFOUND, "this session has no MCP server %s", server);
	if (s)
		return found;
	if (!h->o.connect) {
		(void)err_set(err, E_NOTFOUND,
			      "no session is running whose server %s could be called", server);
		return NULL;
	}
	(void)pthread_mutex_lock(&h->lock);
	if (!h->connected || strcmp(h->connected, server) != 0) {
		mcp_servers_free(MOVE(h->servers));
		free(h->connected);
		h->connected = xstrdup(server);
		h->servers = h->o.connect(h->o.data, server, &h->why);
	}
	found = h->servers;
	if (!found)
		*err = h->why;
	(void)pthread_mutex_unlock(&h->lock);
	return found;
}

/* ---- the whole ---- */

struct hook_hosts *hook_hosts_new(const struct hook_hosts_options *o)
{
	struct hook_hosts *h = xcalloc(1, sizeof *h);

	h->o = *o;
	atomic_init(&h->session, NULL);
	if (pthread_mutex_init(&h->lock, NULL) || pthread_mutex_init(&h->asking, NULL))
		BUG();
	for (size_t i = 0; i < HOOK_KINDS; i++) {
		h->of[i] = (struct of_kind){ h, &o->kinds[i] };
		h->handlers[i] =
			(struct tl_handler)TL_HANDLER_INIT(.type = o->kinds[i].type, .start = start,
							   .data = &h->of[i]);
	}
	return h;
}

void hook_hosts_free(struct hook_hosts *h)
{
	if (!h)
		return;
	reap(h, true);
	if (h->opened)
		h->o.close_model(h->o.data);
	mcp_servers_free(h->servers);
	free(h->connected);
	(void)pthread_mutex_destroy(&h->lock);
	(void)pthread_mutex_destroy(&h->asking);
	free(h);
}

const struct tl_handler *hook_hosts_rows(struct hook_hosts *h, size_t *ret_n)
{
	*ret_n = HOOK_KINDS;
	return h->handlers;
}

void hook_hosts_session(struct hook_hosts *h, struct session *s)
{
	if (h)
		atomic_store(&h->session, s);
}

void hook_hosts_settle(struct hook_hosts *h)
{
	if (h && !is_answering)
		reap(h, true);
}

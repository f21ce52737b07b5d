#include "os/thread.h"

#include <pthread.h>
#include <signal.h>

struct job {
	void (*fn)(void *item);
	void *item;
	pthread_t thread;
	bool started;
};

static void *run(void *job_)
{
	struct job *job = job_;

	job->fn(job->item);
	return NULL;
}

void threads_run(void (*fn)(void *item), void **items, size_t n)
{
	AUTO(free) struct job *jobs = xcalloc(n, sizeof *jobs);

	for (size_t i = 0; i < n; i++) {
		jobs[i] = (struct job){ .fn = fn, .item = items[i] };
		if (i > 0)
			jobs[i].started = pthread_create(&jobs[i].thread, NULL, run, &jobs[i]) == 0;
	}
	for (size_t i = 0; i < n; i++) {
		if (jobs[i].started)
			(void)pthread_join(jobs[i].thread, NULL);
		else
			fn(items[i]);
	}
}

struct thread {
	pthread_t id;
	void (*fn)(void *arg);
	void *arg;
};

static void *run_thread(void *thread)
{
	struct thread *t = thread;

	t->fn(t->arg);
	return NULL;
}

struct thread *thread_start(void (*fn)(void *arg), void *arg)
{
	struct thread *t = xcalloc(1, sizeof *t);
	sigset_t all, before;
	int r;

	t->fn = fn;
	t->arg = arg;
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&t->id, NULL, run_thread, t);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r == 0)
		return t;
	free(t);
	return NULL;
}

void thread_join(struct thread *t)
{
	if (!t)
		return;
	(void)pthread_join(t->id, NULL);
	free(t);
}

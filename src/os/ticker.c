#include "os/ticker.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

struct ticker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool stop; /* under the lock */
	int every_ms;
	void (*tick)(void *data);
	void *data;
};

static void *run(void *arg)
{
	struct ticker *t = arg;
	struct timespec next;

	(void)clock_gettime(CLOCK_MONOTONIC, &next);
	pthread_mutex_lock(&t->lock);
	while (!t->stop) {
		next.tv_sec += t->every_ms / 1000;
		next.tv_nsec += (t->every_ms % 1000) * 1000000L;
		if (next.tv_nsec >= 1000000000L) {
			next.tv_sec++;
			next.tv_nsec -= 1000000000L;
		}
		while (!t->stop && pthread_cond_timedwait(&t->wake, &t->lock, &next) == 0)
			;
		if (t->stop)
			break;
		pthread_mutex_unlock(&t->lock);
		t->tick(t->data);
		pthread_mutex_lock(&t->lock);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

static void free_parts(struct ticker *t)
{
	(void)pthread_cond_destroy(&t->wake);
	(void)pthread_mutex_destroy(&t->lock);
	free(t);
}

struct ticker *ticker_new(int every_ms, void (*tick)(void *data), void *data)
{
	struct ticker *t = xcalloc(1, sizeof *t);
	pthread_condattr_t attr;
	sigset_t all, old;
	int r;

	t->every_ms = every_ms;
	t->tick = tick;
	t->data = data;
	(void)pthread_mutex_init(&t->lock, NULL);
	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&t->wake, &attr);
	(void)pthread_condattr_destroy(&attr);
	/* The new thread inherits the mask: signals are the main thread's. */
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&t->thread, NULL, run, t);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r == 0)
		return t;
	free_parts(t);
	return NULL;
}

void ticker_free(struct ticker *t)
{
	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	t->stop = true;
	(void)pthread_cond_signal(&t->wake);
	pthread_mutex_unlock(&t->lock);
	(void)pthread_join(t->thread, NULL);
	free_parts(t);
}

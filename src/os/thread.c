#include "os/thread.h"

#include <pthread.h>

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

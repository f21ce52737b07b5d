/* One firing as a job: see job.c and tl_job_*() in trotline.h. */
#pragma once

#include "base/cancel.h"
#include "hooks/plan.h"

/* Begins the firing that the plan was made for; the job releases the plan. */
struct tl_job *job_start(struct tl_hooks *h, const struct tl_event *event, const struct plan *plan);
/* A message to the user of a hook that has ended, while others still run. */
struct job_heard {
	size_t report; /* its index in the outcome */
	const char *name;
	struct str message;
};

/* Who wants to know of those: of an advisory event, where nothing depends on the others. */
struct job_listener {
	void (*hear)(void *data, const struct job_heard *heard);
	void *data;
};

/*
 * (waits) Steps until the job is done; a fired cancel (NULL allowed) ends its hooks.  The only
 * place of the library that waits.  The listener may be NULL.
 */
void job_run(struct tl_job *job, struct cancel *cancel, const struct job_listener *listener);

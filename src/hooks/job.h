/* One firing as a job: see job.c and tl_job_*() in trotline.h. */
#pragma once

#include "base/cancel.h"
#include "hooks/plan.h"

/* Begins the firing that the plan was made for; the job releases the plan. */
struct tl_job *job_start(struct tl_hooks *h, const struct tl_event *event, const struct plan *plan);
/*
 * (waits) Steps until the job is done; a fired cancel (NULL allowed) ends its hooks.  The only
 * place of the library that waits.
 */
void job_run(struct tl_job *job, struct cancel *cancel);

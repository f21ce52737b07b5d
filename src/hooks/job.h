/* One firing as a job: see job.c and tl_job_*() in trotline.h. */
#pragma once

#include "hooks/plan.h"

/* Begins the firing that the plan was made for; the job releases the plan. */
struct tl_job *job_start(struct tl_hooks *h, const struct tl_event *event, const struct plan *plan);

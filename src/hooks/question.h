/*
 * Hooks that the host runs: functions of its own, and handlers of types that are no processes.
 *
 * A question to a handler of the host (C6.11): asked, waited for and given up like a process, in
 * steps.  It is counted: an answer after the firing has given up is dropped.
 */
#pragma once

#include <poll.h>

#include "base/cancel.h"
#include "hooks/result.h"

struct tl_ask;

/* Asks.  NULL when it cannot be: *ret_why says why. */
struct tl_ask *question_ask(const struct hook *hook, const struct firing *f, struct str payload,
			    const char **ret_why);
/* What to poll for. */
struct pollfd question_fd(const struct tl_ask *ask);
int64_t question_deadline_us(const struct tl_ask *ask);
/* Does what can be done without waiting; true once there is an answer, or none is wanted. */
bool question_step(struct tl_ask *ask);
void question_cancel(struct tl_ask *ask);
/* What came of it, once question_step() was true. */
struct ending question_ending(const struct tl_ask *ask, const struct hook *hook, struct arena *a);
void question_free(struct tl_ask *ask); /* NULL allowed */

/* A runtime hook, which runs here and now. */
struct ending runtime_call(const struct hook *hook, struct str payload, struct arena *a);

/*
 * Policies as guards without a process (C9): the packs that settings switch on, and policy files of
 * the system, the user and a trusted project.
 */
#pragma once

#include "hooks/firing.h"
#include "hooks/result.h"
#include "policy/judge.h"

/* Reads them, and adds a hook for each and each event that its rules are about. */
void policies_read(struct tl_hooks *h);
/* Once it is known what of the project is approved: the exceptions that count. */
void policies_settle(struct tl_hooks *h);
void policies_done(struct tl_hooks *h);
/* What the hook's policy says of the firing as it is now, as an answer of a hook. */
struct ending policy_ending(const struct hook *hook, struct firing *f);

/*
 * What was approved, kept as text in ~/.trotline/approved, so that what changed since can be shown
 * as a difference (C7.4).  Only for people: fingerprints decide.
 */
#pragma once

#include "base/buf.h"
#include "trotline.h"

/* Keeps what the project's hooks are now, for tl_trust_approve() behind it; older texts go. */
void approved_keep(const struct tl_hooks *hooks);
/* Forgets them, before tl_trust_revoke(). */
void approved_forget(const struct tl_hooks *hooks);
/*
 * Appends how the i-th hook differs from what was approved, as a unified diff; false when nothing
 * is known of that.
 */
bool approved_diff(const struct tl_hooks *hooks, size_t i, struct buf *out);

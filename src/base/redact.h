/*
 * Secrets in text: keys, tokens and passwords of well-known shapes.  What is written to records,
 * telemetry and diagnostics goes through here.
 */
#pragma once

#include "base/buf.h"

/* Does the text look like a secret as a whole, or hold one (a PEM key, a URL with a password)? */
bool secret_in(struct str s);
/* Appends s with every secret replaced by "***". */
int redact_add(struct buf *out, struct str s);

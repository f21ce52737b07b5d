/*
 * What a hook reads on stdin (C2.4, C2.5): one JSON object and a newline.  It is written once a
 * firing and dialect, shared by all hooks, and big fields are not copied: the payload is a list of
 * pieces.
 */
#pragma once

#include "hooks/firing.h"

struct payload {
	struct iovec *pieces;
	size_t n, cap;
	unsigned version; /* of the firing when it was made */
};

/* The payload of a hook's dialect and event; pieces point into the firing's arena and the host's
 * fields. */
void payload_make(struct payload *p, struct firing *f, const struct hook *hook);
/* The same as one line with this "seq", whatever line breaks the host's fields have between their
 * tokens: what a persistent hook is asked. */
void payload_question(struct payload *p, struct firing *f, const struct hook *hook, uint64_t seq);
/* All pieces as one NUL-terminated text in the firing's arena. */
struct str payload_flat(const struct payload *p, struct arena *a);

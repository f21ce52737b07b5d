/* The policy that a session here would have. */
#pragma once

#include "agent/catalog/agent_defs.h"
#include "hooks/config.h"
#include "policy/policy.h"

struct policy_setup {
	const struct tl_hooks *hooks; /* for home and project */
	bool trusted; /* what the project says counts */
	/* What may be left out: mode, interactive, lists of options. */
	struct policy_options o;
	void (*complain)(void *data, const char *text);
	void *data;
	const struct json *settings; /* filled: all merged */
	const struct agents *agents; /* filled; NULL = there are none */
};

/* NULL like policy_new(), also when the settings cannot be read. */
struct policy *policy_setup(struct policy_setup *s, struct arena *a, struct err *err);

/* trotline guard: packs, and what they say of calls. */
#pragma once

#include "policy/judge.h"
#include "policy/packs.h"
#include "workbench/wb.h"

/* Packs and files that are asked. */
struct guard_packs {
	struct guard_pack {
		const char *name;
		struct policy *policy;
	} * p;
	size_t n, cap;
};
void guard_packs_done(struct guard_packs *g);
DEFINE_AUTO(struct guard_packs, guard_packs_done)

/* complain (NULL allowed) hears what is wrong with it. */
struct policy *guard_pack_open(const struct pack *pack, void (*complain)(void *data, const char *),
			       void *data);
/* The packs that are on here, or all that there are. */
void guard_packs_on(const struct tl_hooks *hooks, bool all, struct guard_packs *g);
/* {"command", "cwd", "home"}, or {"tool", "input", ...}. */
void guard_call_init(struct policy_call *call, const struct json *line, const char *cwd,
		     const char *home, struct arena *a);
/* The strictest word of all packs; of two that are as strict the first one's. */
void guard_judge(const struct guard_packs *g, struct policy_call *call,
		 const struct policy_exception *exceptions, struct policy_verdict *ret_verdict,
		 const char **ret_pack);
const struct json *guard_effects_value(struct arena *a, const struct effects *all);
/* Against files of fixtures: one, or that of each pack. */
int guard_fixtures(struct wb *wb, const struct guard_packs *g, const char *fixtures);
/* A line of JSON for each line of the input. */
int guard_batch(struct wb *wb, const struct guard_packs *g);

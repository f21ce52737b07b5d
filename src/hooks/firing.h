/*
 * One firing: the event as the host gave it, and the values that hooks change on the way.
 * Everything lives in the arena of the outcome that the firing ends in.
 */
#pragma once

#include <sys/uio.h>

#include "hooks/api.h"
#include "hooks/plan.h"
#include "os/clock.h"

/*
 * A field of AfterModel that no hook is given, since it holds what policies take out: the texts of
 * the chunk with what came before them and what is known to follow, an array of [before, text,
 * after].
 */
#define FIELD_AROUND "llm_around"

/* Members that hooks can change, kept parsed when somebody changed them. */
struct firing {
	struct tl_hooks *h;
	const struct event *event;
	struct tl_event in; /* a copy of the host's struct; its strings are borrowed */
	const char *cwd;
	const char *session_id;
	char timestamp[CLOCK_ISO_SIZE];
	struct arena *arena;
	/* The event's chained field (tool_input, prompt, llm_request): as given, and as it is now.
	 */
	struct str original;
	const struct json *original_json; /* parsed when somebody asked, see firing_original() */
	const struct json *current; /* NULL while it is unchanged */
	struct str current_text; /* of it, once somebody asked; .p NULL = not yet */
	struct policy_call *call; /* what policies judge (policies.c); NULL = not made yet */
	unsigned call_version; /* the version that it was made of */
	unsigned version; /* counts the changes, so that payloads know when they are stale */
};

/* -E_INVAL where a field of the event has no name or no value. */
int firing_check_fields(const struct firing *f, struct err *err);
/* Checks and takes over the host's event; -E_INVAL for one that is not known or lacks its subject.
 */
int firing_init(struct firing *f, struct tl_hooks *h, const struct tl_event *event,
		struct arena *arena, struct err *err);
void firing_key(const struct firing *f, struct plan_key *ret_key);
/* A field as the host gave it: JSON text, or .p NULL. */
struct str firing_field(const struct firing *f, const char *name);
/* The same, parsed; NULL when there is none or it is not JSON. */
const struct json *firing_value(const struct firing *f, const char *name);
/* The arguments of a call as they are now; an empty object when it has none. */
const struct json *firing_tool_input(struct firing *f);
/* The chained field as it was given, parsed; NULL when there is none or it is not JSON. */
const struct json *firing_original(struct firing *f);
/* False when the host's chained field is no JSON, or nested too deeply to be read. */
bool firing_is_readable(struct firing *f);
/* The chained field as it is now; as firing_original() while it is unchanged. */
const struct json *firing_current(struct firing *f);
void firing_change(struct firing *f, const struct json *now);
/* The chained field as JSON text, once somebody changed it; else .p NULL. */
struct str firing_changed_text(struct firing *f);

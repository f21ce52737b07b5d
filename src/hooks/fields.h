/*
 * What payloads and answers are made of: the members with their types and a sentence each.  The
 * schemas are written from these, and what a hook answers is held against them.
 */
#pragma once

#include "base/arena.h"
#include "base/json.h"

/* A member of a payload or of an answer. */
struct field {
	const char *name;
	const char *type; /* "string", "string[]", "string|object[]"; NULL = anything */
	bool optional; /* in a payload */
	bool needed; /* an answer without it cannot be applied ... */
	const char *instead; /* ... unless it has this one */
	const char *values; /* the words that it can be, separated by blanks; NULL = open */
	const struct field *members; /* of an object, or of each object in an array */
	size_t nmembers;
	const char *text;
};
#define MEMBERS(list) .members = (list), .nmembers = ARRAY_LEN(list)

enum { BASE_FIELDS = 10, TOOL_CONFIG_FIELDS = 2, LLM_REQUEST_FIELDS = 4, LLM_RESPONSE_FIELDS = 4 };

extern const struct field base_fields[BASE_FIELDS]; /* of every payload */
extern const struct field tool_config_fields[TOOL_CONFIG_FIELDS];
extern const struct field llm_request_fields[LLM_REQUEST_FIELDS];
extern const struct field llm_response_fields[LLM_RESPONSE_FIELDS];

/* What a name in struct event's `input` means. */
const struct field *event_field(struct str name);

/* Why v cannot be this member of an answer: "candidates[0] has no \"content\""; NULL = it can. */
const char *field_misfit(struct arena *a, const struct field *f, const struct json *v);

/* Who hears of members that no table knows: "llm_request.contents", and what was meant or NULL. */
struct strays {
	struct arena *arena;
	void (*found)(void *arg, struct str name, const char *meant);
	void *arg;
};

/*
 * v without the members that no table knows, v itself when it has none.  What `had` (NULL =
 * nothing) has as well was shown to the hook, and stays.
 */
const struct json *field_known(struct strays *s, const struct field *f, const struct json *v,
			       const struct json *had);

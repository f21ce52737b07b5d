/*
 * A call as policies judge it: an event of a host with the tool's arguments, and, once a rule asks
 * for it, what the call does.
 */
#pragma once

#include "base/json.h"
#include "effects/effects.h"
#include "policy/subject.h"
#include "secrets/secrets.h"

struct policy_call {
	/* Set before. */
	const char *event; /* "BeforeTool" */
	const char *mode; /* the approval mode; NULL = the default */
	bool powershell; /* its command is for PowerShell */
	const char *called; /* the tool, as the agent calls it; NULL = as in `subject` */
	const char *agent; /* the sub-agent that calls; NULL = none */
	struct policy_subject subject; /* .name NULL = the event is about no tool */
	const struct json *input; /* the tool's arguments; NULL = none */
	const struct json *paths; /* files that it touches, as the host knows them; NULL = none */
	/* Another member of the payload; NULL = there is none.  May be NULL. */
	const struct json *(*member)(void *data, struct str name);
	void *data;
	struct effects_world world;
	struct arena *arena;
	/* Where the event is about pieces of longer texts: an array of [before, piece, after];
	 * NULL = it is not. */
	const struct json *around;
	/* Made when they are needed. */
	struct effects *effects;
	struct {
		bool known;
		const char *names[SECRET_CLASSES]; /* of the first one of each class, or NULL */
	} secrets;
};

/* What the call does: of a shell command, of a tool of files, of files that the host names. */
const struct effects *call_effects(struct policy_call *call);
/*
 * What a key, token or password of one of the classes (bits 1 << enum secret_class) is called, that
 * is in what the event is about: arguments, a result, a prompt, an answer; "" when there is none.
 */
const char *call_secret(struct policy_call *call, unsigned classes);
/* The text with what is around it, by the rows of policy_call.around; .p NULL = it is in none.  It
 * is at *ret_at. */
struct str call_around(const struct json *around, struct arena *a, struct str text, size_t *ret_at);
/* A member of the payload, by a JSON pointer. */
const struct json *call_member(struct policy_call *call, struct str pointer);
/* The text of a file for effects_world.read: a regular one, its beginning. */
bool call_read_file(void *data, struct str path, struct arena *a, struct str *ret_text);
/* The same for effects_world.link. */
bool call_read_link(void *data, struct str path, struct arena *a, struct str *ret_target);

/*
 * What the policies of the engine say of a call (C9): files and packs, each by itself and without
 * the rules that are built into the agent.
 *
 *	policy_open("packs/git.toml", text, ...)	once
 *	policy_judge(policy, &call, NULL, &verdict)	for each call, from any thread
 */
#pragma once

#include "policy/call.h"
#include "policy/policy.h"
#include "settings/tiers.h"

/* What the user lets through although a rule stops it. */
struct policy_exception {
	const char *pack; /* or the name of a file */
	const char *rule; /* NULL = every rule of the pack */
	const char *path, *command; /* patterns on what it happens to, and its words; NULL = any */
	const char *project; /* the directory that it is for; NULL = all */
};

struct policy_verdict {
	bool decided; /* a rule fits; else the others say nothing */
	enum policy_decision decision;
	struct str reason; /* for the agent: what was seen, where, and what to do instead */
	struct str rule; /* "destructive/home", or "FILE:LINE" */
	const char *file;
	unsigned line, column;
	const struct effect *effect; /* that decided it; NULL = another condition */
	struct str context; /* "" = none */
	const struct json *rewrite; /* the arguments as they are to be; NULL = unchanged */
	bool redact; /* the tool's result goes on without its secrets */
};

struct policy_source {
	const char *path; /* for messages */
	struct str text;
	struct str image; /* of a pack: what policy_image_write() made of its text; or "" */
	bool lasting; /* the text outlives the policy, which then needs no copy */
	enum tl_tier tier;
	/* Told of rules that are left out, or read strictly; may be NULL. */
	void (*complain)(void *data, const char *text);
	void *data;
};

/* Never fails: what cannot be read denies all that it could be about. */
struct policy *policy_open(const struct policy_source *s) MUST_CHECK;
/* What replaces a file that cannot be read at all: every call of a tool is denied. */
struct policy *policy_open_unreadable(const struct policy_source *s, const char *why) MUST_CHECK;
/* The events that its rules are about, as bits by policy_event_name(): of those that decide, or of
 * those that add context and rewrite. */
unsigned policy_event_bits(const struct policy *p, bool comments);
/* Does a rule about the event with this number depend on secrets, or redact them? */
bool policy_looks_for_secrets(const struct policy *p, unsigned event);
/* Does a rule about the event redact? */
bool policy_redacts(const struct policy *p, unsigned event);
/* "BeforeTool"; NULL = no more. */
const char *policy_event_name(unsigned i);
/* The pack's version, or "". */
struct str policy_version(const struct policy *p);
struct str policy_about(const struct policy *p);
/* What rules add that decide nothing: .context and .rewrite. */
void policy_comment(const struct policy *p, struct policy_call *call, struct policy_verdict *ret);
/* Strings of the verdict live in the call's arena.  Exceptions end with one without a pack. */
void policy_judge(const struct policy *p, struct policy_call *call,
		  const struct policy_exception *exceptions, struct policy_verdict *ret);

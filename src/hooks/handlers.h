/*
 * Hooks that are no processes (C6.11): one row a type.  The engine has neither network nor model,
 * so that the host runs them (struct tl_handler); what they are asked and how their answer is read
 * is here, and everything behind that is as for a command.
 */
#pragma once

#include "base/json.h"
#include "hooks/keys.h"

struct hook;
struct source;
struct tl_hooks;

/* An entry while it is read. */
struct handler_entry {
	struct tl_hooks *h;
	struct hook *hook;
	const struct object_value *got; /* by K_... */
};

/* What is wrong with it; all-zero = nothing. */
struct handler_fault {
	const char *code, *text;
	int key; /* K_... */
};

/* A hook that is about to be asked. */
struct handler_asking {
	struct arena *a;
	const struct hook *hook;
	const char *const *env;
	struct str payload;
	const char *wrong; /* why it cannot be asked, or NULL */
};

struct handler {
	const char *type;
	unsigned key; /* the KEY_ of its members in an entry */
	int needs[2]; /* K_... that must be there and not be blank; 0 = no more */
	int owns[5]; /* K_... that make it what it is: approvals cover them; 0 = no more */
	int timeout_ms; /* of a hook that has none; 0 = the dialect's */
	/* What takes the place of a command's text. */
	struct str (*label)(struct arena *a, const struct object_value *got);
	/* Looks at an entry that has what it needs; NULL = that is all. */
	struct handler_fault (*check)(const struct handler_entry *e);
	/* What the host is asked, as JSON; *wrong says why it cannot be. */
	const struct json *(*request)(struct handler_asking *q);
	/* From the host's answer to what a command would have printed; why it is none, or NULL.
	 * NULL = it is that. */
	const char *(*answer)(struct arena *a, const struct hook *hook, struct str *answer);
};

/* NULL for a type that is none of these. */
const struct handler *handler_find(struct str type);
/* "http, mcp_tool, ..." */
const struct handler *handler_at(size_t i);
/* Fills what a hook of such a type has of its own; the first thing that is wrong with it. */
struct handler_fault handler_read(const struct handler_entry *e, const struct handler *row);

/* Keys at the top of settings files. */
#define HTTP_URLS_KEY "allowedHttpHookUrls"
#define HTTP_VARS_KEY "httpHookAllowedEnvVars"

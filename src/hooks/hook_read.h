/*
 * Reading a source's hooks, between the two files that do it: hook_file.c walks events and
 * definitions, hook_read.c reads one hook.
 */
#pragma once

#include "hooks/config.h"
#include "hooks/schema.h"

/* Where the reader is: everything that a message or a hook needs to know about its surroundings. */
struct cursor {
	struct tl_hooks *h;
	const struct source *s;
	const struct dialect *dialect;
	const struct dialect_event *as;
	size_t def, entry;
	bool sequential;
	const struct json *said; /* the definition's "dialect", or NULL */
	struct str matcher;
	uint32_t matcher_pos;
};

const struct known_key *key_find(const struct known_key *keys, size_t n, struct str name);
/* An unknown key of a definition (prefix "") or of one of its hooks (".hooks[1]"). */
void report_unknown(const struct cursor *c, const struct known_key *keys, size_t n,
		    const struct json_member *m, const char *prefix);
/* Reads the entry v of the definition that the cursor is in, and adds it. */
void hook_read(const struct cursor *c, const struct json *v);
/* Adds it to the snapshot. */
void hook_add(struct tl_hooks *h, struct hook *hook);

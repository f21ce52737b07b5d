/*
 * Reading a source's hooks, between the two files that do it: hook_file.c walks events and
 * definitions, hook_read.c reads one hook.
 */
#pragma once

#include "hooks/config.h"
#include "hooks/keys.h"

/* Where the reader is: everything that a message or a hook needs to know about its surroundings. */
struct cursor {
	struct tl_hooks *h;
	const struct source *s;
	const struct dialect *dialect;
	const struct dialect_event *as;
	const char *listed_under; /* what the file calls the event */
	size_t def, entry;
	bool sequential;
	struct object_value said; /* the definition's "dialect" */
	const char *misplaced; /* a member of the definition that makes hooks stricter, or NULL */
	struct str matcher;
	uint32_t matcher_pos;
};

/* Claude Code passes over members that it does not know: who is told at every start learns nothing,
 * unless it is like one that counts. */
static inline enum tl_severity odd_severity(const struct cursor *c, const struct object_odd *odd)
{
	return c->dialect->claude_keys && !odd->key && strcmp(odd->code, "unknown-key") == 0
		       ? TL_SEVERITY_NOTE
		       : TL_SEVERITY_WARNING;
}
/* Reads the entry v of the definition that the cursor is in, and adds it. */
void hook_read(const struct cursor *c, const struct json *v);
/* permissions.c: the rules of one source, as hooks. */
void permissions_read(struct tl_hooks *h, const struct source *s);
/*
 * Something is where something else belongs, and whatever it holds is left out.  When that is a
 * guard, nothing may run: no hook is left to be kept as broken.
 */
void hooks_wrong_shape(struct tl_hooks *h, const struct source *s, const struct json *v,
		       const char *code, const struct place *at, const char *what);
/* What is wrong with the file of an extension whose "hooks" is no object. */
const char *hooks_no_object(struct tl_hooks *h, const char *file);
/* The configuration cannot be used; one mistake is enough to say.  What is left out of a project's
 * hooks does not matter where these are left out anyway. */
void hooks_give_up(struct tl_hooks *h, const struct source *s, const struct place *at,
		   const char *fmt, ...) PRINTF_LIKE(4, 5);
/* Adds it to the snapshot. */
void hook_add(struct tl_hooks *h, struct hook *hook);

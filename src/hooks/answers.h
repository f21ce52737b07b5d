/*
 * The table of answers (C3.9): which members the answer of a hook may have, in which dialect's
 * words, of which type, and what each does.  An event honours a member when its `honours` has one
 * of the member's parts.  Judging, the schemas, the remarks about what has no effect and the
 * reference in docs/ read it.
 */
#pragma once

#include "hooks/config.h"
#include "hooks/fields.h"

enum { CHANGES_NOTHING = -1 };

struct answer_member {
	unsigned words; /* enum words */
	bool inner; /* of hookSpecificOutput */
	unsigned parts; /* enum answer_part; 0 = known and without effect */
	int change; /* what of the event it changes: enum tl_change, or CHANGES_NOTHING */
	struct field f;
};

/* The table; NULL behind the last row. */
const struct answer_member *answer_member_at(size_t i);
const struct answer_member *answer_member_find(enum words words, bool inner, struct str name);
/* The member of the same dialect that was probably meant, where it belongs ("decision"); or NULL. */
const char *answer_meant(struct arena *a, const struct hook *hook, bool inner, struct str name);
/* Was a member meant to change the event, in the words of any dialect, or of none? */
bool answer_is_change(bool inner, struct str name);
/* What an event honours for this hook: that of its dialect, where that says something. */
unsigned answer_honours(const struct hook *hook);
/* Does a denial of it count?  Of an advisory event (C2.1) where its dialect's row says so. */
bool answer_can_deny(const struct hook *hook);
/* Why a value cannot be applied to what there is, or NULL. */
const char *answer_misfit(struct arena *a, const struct answer_member *m, const struct event *ev,
			  const struct json *v);
/*
 * What of a change that fits would be dropped (C3.9), or NULL: a piece that is not a text, a
 * message that is left out.  `had` is what the hook was shown of it, or NULL.  What is given back
 * as it was shown drops nothing.  Null of a strict hook counts, too: it is a member that it could
 * not say.
 */
const char *answer_gap(struct arena *a, int change, const struct json *v, const struct json *had,
		       bool is_strict);

/*
 * What an answer says in the words of any dialect (C3.10, C3.11), the strictest value of each
 * member that occurs more than once.
 */
struct strictest {
	enum tl_verdict
		verdict; /* the strictest: DENY, ASK or NONE; allowances are not looked at */
	bool stop;
	const char *member; /* that said the verdict: "permissionDecision"; NULL = none */
	struct str under; /* the outermost member that holds it, as it is written there */
	bool own; /* as the hook's own dialect writes it */
	int mode; /* of toolConfig, as tool_mode_rank(); -1 = none */
	struct str repeated; /* a member that occurs twice; .p NULL = none */
};

/* `text` is what obj was parsed from: repeated members are only there. */
void answer_strictest(struct arena *a, const struct hook *hook, struct str text,
		      const struct json *obj, struct strictest *ret);
/*
 * Does a text that was meant as JSON and is not one JSON object deny, wherever in it?  Fills
 * verdict, stop and member.
 */
void answer_strictest_text(struct arena *a, struct str text, struct strictest *ret);
/* NONE 2, ANY 1, everything else 0 (C4.9). */
int tool_mode_rank(struct str mode);
bool tool_config_is_empty(const struct json *config);
/* Is it nested more deeply than what hosts read? */
bool answer_is_too_deep(const struct json *v);

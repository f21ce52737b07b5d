/*
 * May a tool run, must somebody be asked, or is it denied (host.md F6)?  Settings make rules; the
 * first rule that fits, by priority, decides.
 */
#pragma once

#include "tools/tool.h"

enum approval_mode { MODE_DEFAULT, MODE_AUTO_EDIT, MODE_YOLO, MODE_PLAN };
enum policy_decision { POLICY_ALLOW, POLICY_ASK, POLICY_DENY };

struct policy;

struct policy_options {
	const struct json
		*settings; /* merged: tools.core, .exclude, .allowed, .confirmationRequired... */
	const char *const *allowed; /* --allowed-tools, NULL-terminated; NULL = none */
	enum approval_mode mode;
	bool interactive;
};

struct policy *policy_new(const struct policy_options *o) MUST_CHECK;
void policy_free(struct policy *p);
/* *ret_why: a sentence for a denial, in the arena; may be NULL. */
enum policy_decision policy_check(const struct policy *p, const struct tool *t,
				  const struct json *args, struct arena *a, struct str *ret_why);
/* Is the tool denied whatever its arguments are?  Then it is not even declared (F1.6). */
bool policy_hides(const struct policy *p, const struct tool *t);
/* "Always allow" for the rest of the session; prefix of a shell command, or "" for the tool. */
void policy_always(struct policy *p, struct str tool, struct str prefix);

DEFINE_AUTO_PTR(struct policy, policy_free)

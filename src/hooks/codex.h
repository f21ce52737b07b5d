/*
 * The codex dialect where it is more than a row of the table: its payload, the patches that writing
 * and editing are there, and what Codex refuses of an answer.  Words and judge are Claude Code's.
 */
#pragma once

#include "hooks/result.h"

/* The payload with the members of Codex's schemas and no other, one line with its newline. */
struct str codex_payload(struct firing *f, const struct hook *hook);
/*
 * The host's arguments of a call whose arguments, as Codex shows them, a hook has rewritten.  NULL
 * when they cannot be said there: a patch of other files, a command that is none.
 */
const struct json *codex_args_to_host(struct firing *f, const struct json *args);
/*
 * Why Codex would refuse this answer, and go on as if the hook had not run; NULL = it would not.
 * One that is no object is not looked at.
 */
const char *codex_objection(const struct judging *j);

/*
 * A shell command as the policy sees it: every program that bash would start (shell/calls.h), and
 * what git, sed, tar and others start as their arguments say.
 *
 * A guard never fails open: what is not understood becomes a call with .unknown, which no rule
 * about a command's beginning allows and which every such rule that denies takes for its own.
 */
#pragma once

#include "shell/calls.h"

/* Reads a command; .arena is set before, sh_calls_done() follows. */
void policy_calls(struct sh_calls *s, struct str command);
/*
 * The beginning of a command, as rules and settings name it ("git log"), as words; false when it is
 * not the beginning of one simple command.
 */
bool shell_prefix(struct arena *a, struct str text, const struct sh_arg **ret_words, size_t *ret_n);
/* The programs of a command joined by ", ", for a question to the user. */
struct str shell_roots(struct arena *a, struct str command);
/* One program that only reads, with arguments that keep it so. */
bool shell_is_safe(const struct sh_calls *s);
/* The user should look at it, whatever allows it. */
bool shell_is_dangerous(const struct sh_call *c);

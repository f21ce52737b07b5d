/* Hooks in a sandbox (C6.12, C6.13): which are, and in what. */
#pragma once

#include "hooks/config.h"

/* The value of a variable in a path of a sandbox, or NULL: the engine's, or the environment's. */
const char *confined_variable(const struct tl_hooks *h, struct str name);
/*
 * When everything is loaded: gives the project's hooks their default, where it was chosen, and lets
 * every hook of others read the files that its command names, and its extension.
 */
void confine_hooks(struct tl_hooks *h);
/* Does a project's hook that says nothing about it run in the default sandbox, or in none? */
bool confined_by_default(const struct hook *hook);
/* Why the hook cannot be started, or NULL. */
const char *confined_refusal(const struct hook *hook, struct arena *a);
/* What it may reach, to be put behind "exit 1"; "" when it did not run in a sandbox. */
const char *confined_words(const struct hook *hook, const struct tl_hooks *h, struct arena *a);
/* Do both have the same sandbox, or none? */
bool confined_alike(const struct hook *a, const struct hook *b);

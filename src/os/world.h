/*
 * What a process depends on that is started here, apart from its program, arguments and
 * environment: two that are alike in all of it may stand for each other.
 */
#pragma once

#include "base/buf.h"

/*
 * Adds it as a text without NUL: the directory itself (not its name), root, namespaces, limits,
 * umask, and what the user and the kernel allow.  What cannot be told is like nothing else.
 */
void world_add(struct buf *out, const char *dir);

/* A program that has the terminal until it ends: an editor. */
#pragma once

#include "base/err.h"

/*
 * (waits) Runs `command FILE` in the shell, with our terminal; command may have arguments ("code
 * --wait").  Its exit status, or -E_SPAWN.
 */
int foreground_edit(const char *command, const char *file, struct err *err);

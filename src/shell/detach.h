/* Does a command start its program in the background, so that nobody learns how it ends? */
#pragma once

#include "base/str.h"

/*
 * True when something goes on in the background (`x &`, setsid, systemd-run ...) and nothing in the
 * foreground could decide: besides it are builtins, programs that move data, and exit 0.  Scripts
 * that the text starts are not read.
 */
bool sh_detaches(struct str text);

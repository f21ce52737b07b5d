/* Does a shell command hold commands within its words, where nobody looks for them (host.md F3.5)?
 */
#pragma once

#include "base/str.h"

/*
 * True for $(...), `...`, <(...) and >(...) where a shell would run them: not in single quotes,
 * comments, behind a backslash or in a here-document with a quoted end.  Arithmetic, $((...)), is
 * none.  Where shells disagree, or quoting is entangled, what looks like one counts as one.
 */
bool shell_substitutes(struct str command);

/*
 * What a call does, told by its shape: by the words of the tool's name and by what its arguments
 * are called.  Servers and agents come with tools that no table knows; a member called "command"
 * is run all the same, and a path given to a tool called "delete" is gone.
 */
#pragma once

#include "policy/call.h"

/* Adds to call->effects.  For a tool that is known to run commands, any text of it is one. */
void shape_effects(struct policy_call *call);
/* What happens to the files of a tool that edits, by its name; `otherwise` when it does not say. */
enum effect_kind shape_edit_kind(const char *name, enum effect_kind otherwise);
/* Does a member of this name hold a path, or several? */
bool shape_is_path(struct str name);

/* How much an agent may do unasked, and what ours, Gemini CLI and Claude Code call it. */
#pragma once

#include "base/str.h"

enum approval_mode { MODE_DEFAULT, MODE_AUTO_EDIT, MODE_YOLO, MODE_PLAN };

const char *mode_name(enum approval_mode mode);
/* Claude Code's word for one of any of them; "default" for others and for NULL. */
const char *mode_claude(const char *word);
/* Of a word of any of them; false, and *ret_mode as it was, when none has it. */
bool mode_find(struct str word, enum approval_mode *ret_mode);

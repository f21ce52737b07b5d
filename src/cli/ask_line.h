/* Questions on stdin, one line an answer; what follows the line stays for the next question. */
#pragma once

#include "base/buf.h"
#include "base/err.h"

enum { ASK_LINE_MAX = 64 << 10 };

/* (waits) Prints the question and appends the answer without its line break; of a secret nothing
 * is shown while it is typed.  1, 0 = there is no answer, -E_CANCEL after a signal. */
int ask_line(const char *question, bool secret, struct buf *answer, struct err *err);
/* (waits) True for "y" and "yes"; no answer is none. */
bool ask_yes(const char *question);

/* Answers on stdin, one line each; what follows the line stays for the next question. */
#pragma once

#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"

enum { ASK_LINE_MAX = 64 << 10 };

/*
 * (waits) Appends a line without its line break; of a secret nothing is shown while it is typed.
 * The cursor of `to`, where the question was asked, is then in a new line.  1, 0 = there is no
 * answer, -E_CANCEL after a signal.
 */
int read_line(FILE *to, bool secret, struct buf *answer, struct err *err);

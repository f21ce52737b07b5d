/* Questions whose answers are lines on stdin. */
#pragma once

#include "cli/read_line.h"

/* (waits) Prints the question, on stderr with --json, and reads the answer as read_line() does. */
int ask_line(const char *question, bool secret, struct buf *answer, struct err *err);
/* (waits) True for "y" and "yes"; no answer is none. */
bool ask_yes(const char *question);

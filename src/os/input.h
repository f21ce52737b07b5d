/* Reading a stream that somebody else may never end: a pipe on stdin. */
#pragma once

#include "base/buf.h"
#include "base/cancel.h"
#include "base/err.h"

struct input_limits {
	size_t max_bytes; /* more is left unread */
	int first_ms; /* nothing within this time: taken as an empty stream */
};

/*
 * (waits) Appends what the descriptor gives until its end; *ret_cut says whether max_bytes cut it.
 * A closed descriptor is an empty stream.  -E_CANCEL, -E_IO.
 */
int input_read(int fd, const struct input_limits *limits, struct cancel *cancel, struct buf *out,
	       bool *ret_cut, struct err *err);

/*
 * Errors: a code and a sentence for a person, on the caller's stack, without ownership.
 *
 * A fallible function returns >= 0, or the negative code, with `struct err *err` as its last
 * parameter (NULL allowed).  Success leaves *err alone.  The function that knows the facts writes
 * the sentence; callers add context with err_wrap() or nothing; one place prints it.
 */
#pragma once

#include <stdarg.h>

#include "base/util.h"

#define ERR_CODES(X)                                                                               \
	X(OK, 0, "no error")                                                                       \
	X(INVAL, 1, "invalid argument")                                                            \
	X(IO, 2, "input/output error")                                                             \
	X(PARSE, 3, "syntax error")                                                                \
	X(LIMIT, 4, "limit exceeded")                                                              \
	X(CONFIG, 5, "invalid configuration")                                                      \
	X(NOTFOUND, 6, "not found")                                                                \
	X(CANCEL, 7, "cancelled")                                                                  \
	X(SPAWN, 8, "process not started")                                                         \
	X(UNTRUSTED, 9, "not trusted")                                                             \
	X(BUSY, 10, "locked by another process")                                                   \
	X(AGAIN, 11, "not ready")

enum {
#define ERR_ENUM(name, n, text) E_##name = n,
	ERR_CODES(ERR_ENUM)
#undef ERR_ENUM
};

enum { ERR_TEXT_MAX = 500, ERR_FILE_MAX = 1024 };

struct err {
	int code; /* E_..., positive */
	char text[ERR_TEXT_MAX];
	/* The place, which is part of the text too; "" and 0 = none, or too long a name. */
	char file[ERR_FILE_MAX];
	unsigned line, column;
	unsigned sentence; /* where in the text the sentence begins, behind "FILE:1:2: " */
	int errnum; /* of the system call that failed, or 0 */
};

/* Sets *err and returns -code.  A text that is too long is cut with an ellipsis. */
int err_set(struct err *err, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* The same about a place, which goes in front: "FILE:1:2: ", "FILE: " without a line,
 * "1:2: " without a file. */
int err_set_at(struct err *err, int code, const char *file, unsigned line, unsigned column,
	       const char *fmt, ...) PRINTF_LIKE(6, 7);
/* Puts the place in front of the sentence that is there; returns as err_wrap(). */
int err_locate(struct err *err, const char *file, unsigned line, unsigned column);
/*
 * As err_set, with ": <strerror(errno)>" added; the code is E_IO, or E_NOTFOUND for ENOENT.  Threads
 * may call it: glibc keeps such a text for each thread, and musl's are constants.
 */
int err_errno(struct err *err, int errnum, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Puts "context: " in front of the text; returns -err->code (or -E_INVAL for a NULL err). */
int err_wrap(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);
/*
 * The sentence without the place, without "reading FILE: " and without what err_wrap() put in front:
 * for those who name the file themselves.
 */
const char *err_sentence(const struct err *err);
/* The default sentence of a code, positive or negative. */
const char *err_name(int code);

/* Small things that every file uses: cleanup by scope, array length, memory that cannot fail. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/banned.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define MUST_CHECK __attribute__((warn_unused_result))
#define NORETURN __attribute__((noreturn))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/*
 * Cleanup by scope.  A local that owns something says so where it is declared:
 *
 *	AUTO(buf_done) struct buf out = {0};
 *	AUTO(free) char *name = xstrdup(src);
 *
 * and leaving ownership is visible: return MOVE(name).
 */
#define AUTO(fn) __attribute__((cleanup(auto_##fn)))
#define MOVE(p)                                                                                    \
	({                                                                                         \
		__typeof__(p) moved_ = (p);                                                        \
		(p) = NULL;                                                                        \
		moved_;                                                                            \
	})
/* For objects that are held by pointer: fn(T *) is called with the pointer, NULL allowed. */
#define DEFINE_AUTO_PTR(type, fn)                                                                  \
	static inline void auto_##fn(type **p)                                                     \
	{                                                                                          \
		fn(*p);                                                                            \
	}
/* For objects that are held in place. */
#define DEFINE_AUTO(type, fn)                                                                      \
	static inline void auto_##fn(type *p)                                                      \
	{                                                                                          \
		fn(p);                                                                             \
	}

static inline void auto_free(void *p)
{
	free(*(void **)p);
}

/* Closes *fd when it is >= 0. */
void auto_close(int *fd);

/*
 * Allocation that cannot fail: out of memory ends the process (abort).  What stops growth are
 * limits, not malloc; see docs/decisions.md.
 */
void *xmalloc(size_t n) MUST_CHECK;
void *xcalloc(size_t n, size_t size) MUST_CHECK;
void *xrealloc(void *p, size_t n) MUST_CHECK;
char *xstrdup(const char *s) MUST_CHECK;
char *xstrndup(const char *s, size_t n) MUST_CHECK;
char *xasprintf(const char *fmt, ...) PRINTF_LIKE(1, 2) MUST_CHECK;
char *xvasprintf(const char *fmt, va_list ap) PRINTF_LIKE(1, 0) MUST_CHECK;

/* A broken invariant of our own code. */
#define BUG() abort()

static inline size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* For d > 0: d is the result times 2^(*ret_power - 1075). */
static inline uint64_t double_mantissa(double d, int *ret_power)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof bits);
	*ret_power = (int)(bits >> 52);
	bits &= (UINT64_C(1) << 52) - 1;
	if (*ret_power)
		return bits | UINT64_C(1) << 52;
	*ret_power = 1;
	return bits;
}

static inline size_t max_size(size_t a, size_t b)
{
	return a > b ? a : b;
}

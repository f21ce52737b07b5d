/*
 * struct buf: bytes that grow, up to a maximum given at its birth.
 *
 *	AUTO(buf_done) struct buf out = BUF_INIT(.max = 1 << 20);
 *
 * All-zero is an empty buffer without a limit of its own, for text that we make ourselves.  An
 * addition that does not fit adds nothing and sets .full, which is checked once, at the end.
 */
#pragma once

#include <stdarg.h>

#include "base/str.h"

struct buf {
	char *p; /* NULL while empty; not NUL-terminated, see buf_z() */
	size_t n;
	size_t cap;
	size_t max; /* 0 = no limit */
	bool full; /* an addition was refused */
};

#define BUF_INIT(...) ((struct buf){ __VA_ARGS__ })

void buf_add(struct buf *b, const void *p, size_t n);
void buf_addc(struct buf *b, char c);
void buf_adds(struct buf *b, struct str s);
void buf_addz(struct buf *b, const char *z);
void buf_addf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void buf_vaddf(struct buf *b, const char *fmt, va_list ap) PRINTF_LIKE(2, 0);
/* Room for n more bytes at b->p + b->n, not yet counted in b->n; NULL when over the maximum. */
char *buf_reserve(struct buf *b, size_t n);
/* Drops the first n bytes (n <= b->n). */
void buf_drop(struct buf *b, size_t n);
/* Ready for reuse, memory kept. */
void buf_clear(struct buf *b);
/* Gives the memory back; the buffer is empty and usable afterwards. */
void buf_done(struct buf *b);
/* NUL-terminates and returns the text, which stays the buffer's ("" when empty). */
const char *buf_z(struct buf *b);
/* The NUL-terminated text becomes the caller's (free()); the buffer is empty afterwards. */
char *buf_take(struct buf *b) MUST_CHECK;

/* How much to read at once: the room that there is, before it grows by `chunk`. */
static inline size_t buf_room(const struct buf *b, size_t chunk)
{
	return b->cap > b->n + 1 ? b->cap - b->n - 1 : chunk; /* one byte is buf_z()'s */
}

static inline struct str buf_str(const struct buf *b)
{
	return (struct str){ b->p ? b->p : "", b->n };
}

DEFINE_AUTO(struct buf, buf_done)

#include "base/buf.h"

#include <stdio.h>

#include "base/err.h"

char *buf_reserve(struct buf *b, size_t n)
{
	size_t need, cap;

	if (__builtin_add_overflow(b->n, n, &need) || (b->max && need > b->max)) {
		b->full = true;
		return NULL;
	}
	if (b->cap > need) /* one byte is always kept for buf_z() */
		return b->p + b->n;
	cap = max_size(b->cap ? b->cap * 2 : 64, need + 1);
	b->p = xrealloc(b->p, cap);
	b->cap = cap;
	return b->p + b->n;
}

void buf_add(struct buf *b, const void *p, size_t n)
{
	char *to = buf_reserve(b, n);

	if (!to || !n)
		return;
	memcpy(to, p, n);
	b->n += n;
}

void buf_addc(struct buf *b, char c)
{
	char *to = buf_reserve(b, 1);

	if (!to)
		return;
	*to = c;
	b->n++;
}

void buf_adds(struct buf *b, struct str s)
{
	buf_add(b, s.p, s.n);
}

void buf_addz(struct buf *b, const char *z)
{
	buf_add(b, z, strlen(z));
}

void buf_vaddf(struct buf *b, const char *fmt, va_list ap)
{
	va_list again;
	char small[256];
	int n;

	va_copy(again, ap);
	n = vsnprintf(small, sizeof small, fmt, ap);
	if (n < 0)
		BUG();
	if ((size_t)n < sizeof small) {
		va_end(again);
		buf_add(b, small, (size_t)n);
		return;
	}
	char *big = xmalloc((size_t)n + 1);
	(void)vsnprintf(big, (size_t)n + 1, fmt, again);
	va_end(again);
	buf_add(b, big, (size_t)n);
	free(big);
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(b, fmt, ap);
	va_end(ap);
}

void buf_drop(struct buf *b, size_t n)
{
	if (n > b->n)
		BUG();
	b->n -= n;
	if (b->n)
		memmove(b->p, b->p + n, b->n);
}

void buf_clear(struct buf *b)
{
	b->n = 0;
	b->full = false;
}

void buf_done(struct buf *b)
{
	free(b->p);
	*b = (struct buf){ .max = b->max };
}

const char *buf_z(struct buf *b)
{
	if (!b->p)
		return "";
	b->p[b->n] = '\0';
	return b->p;
}

char *buf_take(struct buf *b)
{
	char *p = b->p ? b->p : xstrdup("");

	p[b->n] = '\0';
	*b = (struct buf){ .max = b->max };
	return p;
}

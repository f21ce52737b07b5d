#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>

enum { FIRST_BLOCK = 4096, LARGEST_STEP = 1 << 20, ALIGN = 16 };

struct arena_block {
	struct arena_block *next;
	size_t size;
	_Alignas(ALIGN) char bytes[];
};

static void *arena_grow(struct arena *a, size_t n)
{
	size_t size = a->blocks ? min_size(a->blocks->size * 2, LARGEST_STEP) : FIRST_BLOCK;
	struct arena_block *b;

	size = max_size(size, n);
	if (size > SIZE_MAX - sizeof *b)
		abort();
	b = xmalloc(sizeof *b + size);
	b->size = size;
	/* A block made for one big object does not end the use of the room in the newest one. */
	if (n > LARGEST_STEP && a->blocks) {
		b->next = a->blocks->next;
		a->blocks->next = b;
		return b->bytes;
	}
	b->next = a->blocks;
	a->blocks = b;
	a->at = b->bytes + n;
	a->end = b->bytes + size;
	return b->bytes;
}

void *arena_raw(struct arena *a, size_t n)
{
	if (n > SIZE_MAX - ALIGN)
		abort();
	n = (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	a->used += n;
	if (LIKELY((size_t)(a->end - a->at) >= n && a->at)) {
		void *p = a->at;

		a->at += n;
		return p;
	}
	return arena_grow(a, n);
}

void *arena_alloc(struct arena *a, size_t n)
{
	void *p = arena_raw(a, n);

	memset(p, 0, n);
	return p;
}

char *arena_z(struct arena *a, struct str s)
{
	char *p = arena_raw(a, s.n + 1);

	if (s.n)
		memcpy(p, s.p, s.n);
	p[s.n] = '\0';
	return p;
}

struct str arena_str(struct arena *a, struct str s)
{
	return (struct str){ arena_z(a, s), s.n };
}

struct str arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *z;

	va_start(ap, fmt);
	z = xvasprintf(fmt, ap);
	va_end(ap);
	struct str s = arena_str(a, str_from(z));
	free(z);
	return s;
}

void arena_done(struct arena *a)
{
	struct arena_block *b = a->blocks, *next;

	for (; b; b = next) {
		next = b->next;
		free(b);
	}
	*a = (struct arena){ 0 };
}

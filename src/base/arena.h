/*
 * struct arena: memory of one lifetime, freed whole (a parsed document, a configuration, a firing).
 * All-zero is an empty arena.  Not for use by two threads at once.
 */
#pragma once

#include "base/str.h"

struct arena_block;

struct arena {
	struct arena_block *blocks;
	char *at, *end; /* free room in the newest block */
	size_t used; /* bytes handed out, for limits and tests */
};

/* n zeroed bytes, aligned for any type. */
void *arena_alloc(struct arena *a, size_t n) MUST_CHECK;
/* n bytes with undefined content, aligned for any type. */
void *arena_raw(struct arena *a, size_t n) MUST_CHECK;
/* A NUL-terminated copy (the NUL is not counted). */
struct str arena_str(struct arena *a, struct str s);
char *arena_z(struct arena *a, struct str s);
struct str arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Frees everything; the arena is empty and usable afterwards. */
void arena_done(struct arena *a);

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (n)))

/* As VEC_ROOM() and VEC_ADD(), of an array in the arena. */
#define ARENA_ROOM(a, p, n, cap)                                                                   \
	do {                                                                                       \
		if ((n) == (cap)) {                                                                \
			(cap) = (cap) ? (cap)*2 : 8;                                               \
			(p) = arena_more((a), (p), (n) * sizeof *(p), (cap) * sizeof *(p));        \
		}                                                                                  \
	} while (0)
#define ARENA_ADD(a, v)                                                                            \
	({                                                                                         \
		__typeof__(v) vec_ = (v);                                                          \
		ARENA_ROOM((a), vec_->p, vec_->n, vec_->cap);                                      \
		&vec_->p[vec_->n++];                                                               \
	})

/* A copy of n bytes with room for `room`. */
static inline void *arena_more(struct arena *a, const void *p, size_t n, size_t room)
{
	void *more = arena_raw(a, room);

	return n ? memcpy(more, p, n) : more;
}

DEFINE_AUTO(struct arena, arena_done)

/*
 * Growing arrays.  A vector is any struct with the members p, n and cap:
 *
 *	struct hooks { struct hook *p; size_t n, cap; } v = {0};
 *	*VEC_ADD(&v) = (struct hook){ ... };
 *	free(v.p);
 */
#pragma once

#include "base/util.h"

/* Room for one more of the n elements at p, where the three have names of their own. */
#define VEC_ROOM(p, n, cap)                                                                        \
	do {                                                                                       \
		if ((n) == (cap)) {                                                                \
			(cap) = (cap) ? (cap)*2 : 8;                                               \
			(p) = vec_grow((p), (cap), sizeof *(p));                                   \
		}                                                                                  \
	} while (0)

/* A pointer to one more element with undefined content. */
#define VEC_ADD(v)                                                                                 \
	({                                                                                         \
		__typeof__(v) vec_ = (v);                                                          \
		VEC_ROOM(vec_->p, vec_->n, vec_->cap);                                             \
		&vec_->p[vec_->n++];                                                               \
	})

static inline void *vec_grow(void *p, size_t cap, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(cap, size, &bytes))
		abort();
	return xrealloc(p, bytes);
}

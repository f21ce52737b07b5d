/* The edge of the public API: structs that carry their size, and errors. */
#pragma once

#include <pthread.h>

#include "base/err.h"
#include "trotline.h"

/*
 * A struct of an older or newer caller: what the caller has is copied, what it lacks is zero.
 * The first member of every such struct is its size_t size.
 */
static inline void api_copy_in(void *to, size_t to_size, const void *from)
{
	size_t size;

	memcpy(&size, from, sizeof size);
	memset(to, 0, to_size);
	memcpy(to, from, min_size(size, to_size));
}

/*
 * Is the size set, and as large as when the struct was first published?  A forgotten size would
 * otherwise read as "everything left out".
 */
static inline bool api_has(const void *p, size_t first_size)
{
	size_t size;

	if (!p)
		return false;
	memcpy(&size, p, sizeof size);
	return size >= first_size;
}

/* The other way: the caller's size stays, members that it does not know are left out. */
static inline void api_copy_out(void *to, const void *from, size_t from_size)
{
	size_t size;

	memcpy(&size, to, sizeof size);
	memcpy((char *)to + sizeof size, (const char *)from + sizeof size,
	       min_size(size, from_size) - min_size(sizeof size, min_size(size, from_size)));
}

/*
 * pthread_cancel() of a thread of the host takes effect when the call is over, else processes,
 * descriptors and memory of a firing would be left behind.
 */
static inline int api_hold(void)
{
	int state;

	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	return state;
}

static inline void auto_api_release(const int *state)
{
	(void)pthread_setcancelstate(*state, NULL);
}

#define API_WHOLE AUTO(api_release) const int api_held __attribute__((unused)) = api_hold()

/* Hands an inner error to the caller; returns the (negative) code. */
int api_err(struct tl_err *ret, const struct err *err, int code);

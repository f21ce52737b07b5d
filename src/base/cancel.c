/*
 * One mutex a tree, the root's.  Firing takes it only when there are children, which is what makes
 * a childless object safe in a signal handler: fire() sets the flag and then looks for children,
 * cancel_new() links the child and then looks at the flag, so one of them sees the other.
 */
#include "base/cancel.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/eventfd.h>

struct cancel {
	struct cancel *parent;
	_Atomic(struct cancel *) first; /* child; the list changes only under *lock */
	struct cancel *next, *prev; /* siblings */
	pthread_mutex_t *lock; /* the root's own_lock */
	pthread_mutex_t own_lock;
	atomic_bool fired;
	int fd;
};

/* The flag goes first: who is woken by the descriptor must see it. */
static void fire_one(struct cancel *c)
{
	const uint64_t one = 1;
	int saved = errno;

	if (!atomic_exchange(&c->fired, true))
		(void)!write(c->fd, &one, sizeof one);
	errno = saved;
}

static void fire_children(struct cancel *c)
{
	for (struct cancel *i = atomic_load(&c->first); i; i = i->next) {
		fire_one(i);
		fire_children(i);
	}
}

/* Not one of the standard numbers, which are the host's even if it has closed them. */
static int new_fd(void)
{
	AUTO(close) int low = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int fd = low;

	if (low >= 0 && low <= STDERR_FILENO)
		return fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	low = -1;
	return fd;
}

struct cancel *cancel_new(struct cancel *parent)
{
	int fd = new_fd();

	if (fd < 0)
		return NULL;
	struct cancel *c = xcalloc(1, sizeof *c);
	c->fd = fd;
	c->lock = parent ? parent->lock : &c->own_lock;
	pthread_mutex_init(&c->own_lock, NULL);
	if (parent) {
		pthread_mutex_lock(c->lock);
		c->parent = parent;
		c->next = atomic_load(&parent->first);
		if (c->next)
			c->next->prev = c;
		atomic_store(&parent->first, c);
		if (atomic_load(&parent->fired))
			fire_one(c);
		pthread_mutex_unlock(c->lock);
	}
	return c;
}

void cancel_free(struct cancel *c)
{
	if (!c)
		return;
	if (atomic_load(&c->first))
		BUG();
	if (c->parent) {
		pthread_mutex_lock(c->lock);
		if (c->prev)
			c->prev->next = c->next;
		else
			atomic_store(&c->parent->first, c->next);
		if (c->next)
			c->next->prev = c->prev;
		pthread_mutex_unlock(c->lock);
	}
	pthread_mutex_destroy(&c->own_lock);
	(void)close(c->fd);
	free(c);
}

void cancel_fire(struct cancel *c)
{
	if (!c)
		return;
	fire_one(c);
	if (!atomic_load(&c->first))
		return;
	pthread_mutex_lock(c->lock);
	fire_children(c);
	pthread_mutex_unlock(c->lock);
}

bool cancel_fired(const struct cancel *c)
{
	return c && atomic_load(&c->fired);
}

int cancel_fd(const struct cancel *c)
{
	return c ? c->fd : -1;
}

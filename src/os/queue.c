#include "os/queue.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "os/fd.h"

struct queue {
	pthread_mutex_t lock;
	struct message *first, **last; /* under the lock */
	int fd; /* counts the messages */
};

struct queue *queue_new(void)
{
	struct queue *q = xcalloc(1, sizeof *q);

	q->last = &q->first;
	q->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
	if (q->fd < 0) {
		free(q);
		return NULL;
	}
	if (pthread_mutex_init(&q->lock, NULL) != 0)
		BUG();
	return q;
}

void queue_free(struct queue *q, void (*free_message)(struct message *m))
{
	struct message *m;

	if (!q)
		return;
	while ((m = queue_pop(q)))
		free_message(m);
	(void)pthread_mutex_destroy(&q->lock);
	(void)close(q->fd);
	free(q);
}

void queue_push(struct queue *q, struct message *take_m)
{
	const uint64_t one = 1;

	take_m->next = NULL;
	(void)pthread_mutex_lock(&q->lock);
	*q->last = take_m;
	q->last = &take_m->next;
	(void)!write(q->fd, &one, sizeof one);
	(void)pthread_mutex_unlock(&q->lock);
}

struct message *queue_pop(struct queue *q)
{
	struct message *m;
	uint64_t count;

	(void)pthread_mutex_lock(&q->lock);
	m = q->first;
	if (m) {
		q->first = m->next;
		if (!q->first)
			q->last = &q->first;
		(void)!read(q->fd, &count, sizeof count);
	}
	(void)pthread_mutex_unlock(&q->lock);
	return m;
}

struct message *queue_wait(struct queue *q, struct cancel *cancel)
{
	for (;;) {
		struct message *m = queue_pop(q);
		struct pollfd fds[] = {
			{ .fd = q->fd, .events = POLLIN },
			{ .fd = cancel_fd(cancel), .events = POLLIN },
		};

		if (m || cancel_fired(cancel))
			return m;
		(void)fd_poll(fds, 2, -1);
	}
}

int queue_fd(const struct queue *q)
{
	return q->fd;
}

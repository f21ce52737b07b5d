/*
 * Messages from one thread to another.  A message is memory of its own, begins with a struct
 * message, and belongs to the queue from the push until the pop.
 */
#pragma once

#include "base/cancel.h"

struct message {
	struct message *next;
};

struct queue;

struct queue *queue_new(void) MUST_CHECK; /* NULL when the process has no descriptor left */
/* free_message is called for what is still in it. */
void queue_free(struct queue *q, void (*free_message)(struct message *m));
void queue_push(struct queue *q, struct message *take_m);
/* The oldest message, or NULL. */
struct message *queue_pop(struct queue *q);
/* (waits) The oldest message; NULL when the cancel fired first (NULL allowed). */
struct message *queue_wait(struct queue *q, struct cancel *cancel);
/* Readable while there are messages; never read from it. */
int queue_fd(const struct queue *q);

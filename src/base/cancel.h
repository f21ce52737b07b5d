/*
 * Cancel objects: a flag that every wait also polls.  They form a tree (application, session, turn,
 * batch, call): firing a parent fires its children, now and later.  Cancelling means "ask, then
 * wait": who is cancelled returns only when what it started is gone.
 *
 * All functions may be called from any thread; a parent must outlive its children.  NULL is an
 * object that never fires.
 */
#pragma once

#include "base/util.h"

struct cancel;

/* parent may be NULL.  The object of a fired parent is born fired.  NULL when the process has no
 * file descriptor left (errno). */
struct cancel *cancel_new(struct cancel *parent) MUST_CHECK;
void cancel_free(struct cancel *c);
/* Async-signal-safe only for an object without children; use a self-pipe otherwise. */
void cancel_fire(struct cancel *c);
bool cancel_fired(const struct cancel *c);
/* Readable (POLLIN) once fired, for ever; the object's, never read from it.  -1 for NULL. */
int cancel_fd(const struct cancel *c);

DEFINE_AUTO_PTR(struct cancel, cancel_free)

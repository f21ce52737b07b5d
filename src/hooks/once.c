#include "hooks/once.h"

#include "base/vec.h"

struct once {
	pthread_mutex_t lock;
	struct ran {
		const struct hook *hook;
		char *session;
	} * p;
	size_t n, cap;
};

struct once *once_new(void)
{
	struct once *o = xcalloc(1, sizeof *o);

	(void)pthread_mutex_init(&o->lock, NULL);
	return o;
}

void once_free(struct once *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->n; i++)
		free(o->p[i].session);
	free(o->p);
	(void)pthread_mutex_destroy(&o->lock);
	free(o);
}

bool once_take(struct once *o, const struct hook *hook, const char *session)
{
	bool first = true;

	(void)pthread_mutex_lock(&o->lock);
	for (size_t i = 0; i < o->n && first; i++)
		first = o->p[i].hook != hook || strcmp(o->p[i].session, session) != 0;
	if (first)
		*VEC_ADD(o) = (struct ran){ hook, xstrdup(session) };
	(void)pthread_mutex_unlock(&o->lock);
	return first;
}

/* The first hook of each kind, so that 5,000 hooks are not compared with each other. */
#include "base/util.h"
#include "workbench/lint.h"

void hook_index_init(struct hook_index *x, size_t nhooks, uint64_t (*hash)(const struct hook *h),
		     bool (*same)(const struct hook *a, const struct hook *b))
{
	size_t cap = 16;

	while (cap < nhooks * 2)
		cap *= 2;
	*x = (struct hook_index){ .cap = cap, .hash = hash, .same = same };
	x->p = xcalloc(cap, sizeof(struct hook *));
}

const struct hook *hook_index_first(struct hook_index *x, const struct hook *h)
{
	size_t i = (size_t)x->hash(h) & (x->cap - 1);

	while (x->p[i] && !x->same(x->p[i], h))
		i = (i + 1) & (x->cap - 1);
	if (x->p[i])
		return x->p[i];
	x->p[i] = h;
	return NULL;
}

void hook_index_done(struct hook_index *x)
{
	free(x->p);
	x->p = NULL;
}

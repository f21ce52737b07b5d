#include "agent/halt.h"

bool halt_init(struct halt *h)
{
	*h = (struct halt){ cancel_new(NULL), tl_cancel_new(NULL) };
	return h->work && h->hooks;
}

void halt_done(struct halt *h)
{
	cancel_free(h->work);
	if (h->hooks)
		tl_cancel_free(h->hooks);
	*h = (struct halt){ 0 };
}

void halt_fire(const struct halt *h)
{
	if (h->work)
		cancel_fire(h->work);
	if (h->hooks)
		tl_cancel_fire(h->hooks);
}

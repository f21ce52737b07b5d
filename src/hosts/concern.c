#include "hosts/concern.h"

static bool any(const struct host_call *c, struct tl_hooks *hooks, bool guards)
{
	bool found = false;

	for (size_t i = 0; i < c->n && !found; i++) {
		struct tl_outcome *o;

		if (tl_why(hooks, &c->events[i], &o, NULL) < 0)
			return true;
		for (size_t k = 0; k < tl_outcome_report_count(o); k++) {
			struct tl_report r = TL_REPORT_INIT();

			(void)tl_outcome_report_get(o, k, &r);
			found |= r.state == TL_STATE_WOULD_RUN &&
				 (guards ? r.hook->guard : !r.hook->observe);
		}
		tl_outcome_free(o);
	}
	return found;
}

bool host_has_guard(const struct host_call *c, struct tl_hooks *hooks)
{
	return any(c, hooks, true);
}

int host_check_whole(const struct host_call *c, struct tl_hooks *hooks, struct err *err)
{
	bool result = ON_RESULTS & host_on(host_kind_of(c));

	if (!c->partial || !any(c, hooks, result))
		return 0;
	return err_set(err, E_LIMIT,
		       "%s shows hooks only a part of it, as it is too large; %s in smaller parts",
		       c->host->title, result ? "ask for it" : "do it");
}

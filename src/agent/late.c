/* What hooks say that nobody waited for: messages, context, a reason to go on. */
#include "agent/session_impl.h"

static bool take(struct session *s, bool wait, struct tl_late **ret)
{
	if (tl_late_get(s->o.hooks, s->id, wait, s->halt->hooks, ret) <= 0)
		return false;
	if (*tl_late_message(*ret))
		session_note(s, NOTE_HOOK_MESSAGE, "%s", tl_late_message(*ret));
	return true;
}

void session_hear_late(struct session *s)
{
	struct tl_late *late;

	while (take(s, false, &late)) {
		buf_addz(&s->start_context, tl_late_wrapped_text(late));
		tl_late_free(late);
	}
}

bool session_is_woken(struct session *s, struct arena *a, struct str *ret_text)
{
	struct tl_late *late;

	/* Without a terminal there is no later. */
	while (take(s, !s->o.interactive, &late)) {
		bool wakes = tl_late_wakes(late);

		if (wakes)
			*ret_text = arena_str(a, str_from(tl_late_text(late)));
		else
			buf_addz(&s->start_context, tl_late_wrapped_text(late));
		tl_late_free(late);
		if (wakes)
			return true;
	}
	return false;
}

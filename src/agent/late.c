/*
 * What background hooks say: messages, context, a reason to go on.  A session at a
 * terminal hears of it also when it has nothing to do.
 */
#include <poll.h>

#include "agent/session_impl.h"
#include "os/fd.h"

static bool take(struct session *s, bool wait, struct tl_late **ret)
{
	/* The halt of a session that has nothing to do may be replaced meanwhile. */
	if (tl_late_get(session_hooks(s), s->id, wait, wait ? s->halt->hooks : NULL, ret) <= 0)
		return false;
	if (*tl_late_message(*ret))
		session_note(s, NOTE_HOOK_MESSAGE, "%s", tl_late_message(*ret));
	return true;
}

/* Something for the next prompt; what woke an idle session is for it, too, when it comes first. */
void session_hear_late(struct session *s)
{
	struct tl_late *late;

	buf_adds(&s->start_context, buf_str(&s->woken.wrapped));
	buf_clear(&s->woken.wrapped);
	buf_clear(&s->woken.text);
	while (take(s, false, &late)) {
		buf_addz(&s->start_context, tl_late_wrapped_text(late));
		tl_late_free(late);
	}
}

bool session_is_woken(struct session *s, struct arena *a, struct str *ret_text)
{
	struct tl_late *late;

	/* Without a terminal nothing comes later. */
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

/* ---- a session that has nothing to do ---- */

bool session_wait(struct session *s, int fd)
{
	enum { FDS_MAX = 256 };
	struct pollfd fds[FDS_MAX];
	struct tl_late *late;

	for (;;) {
		size_t n = 0;
		int timeout = -1;

		fds[n++] = (struct pollfd){ .fd = fd, .events = POLLIN };
		fds[n++] =
			(struct pollfd){ .fd = s->watching.changes ? changes_fd(s->watching.changes)
								   : -1,
					 .events = POLLIN };
		/* What has come by now may be a reason to ask the model again. */
		while (!s->woken.text.n && take(s, false, &late)) {
			bool wakes = tl_late_wakes(late) && s->woken.left > 0;

			if (wakes)
				buf_addz(&s->woken.text, tl_late_text(late));
			buf_addz(wakes ? &s->woken.wrapped : &s->start_context,
				 tl_late_wrapped_text(late));
			tl_late_free(late);
		}
		if (s->woken.text.n)
			return true;
		n += tl_late_fds(session_hooks(s), s->id, fds + n, FDS_MAX - n, &timeout);
		(void)fd_poll(fds, n, timeout);
		if (fds[0].revents)
			return false;
		if (fds[1].revents && changes_heard(s->watching.changes))
			return true;
	}
}

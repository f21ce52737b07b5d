#include "hooks/away.h"

#include "base/cancel.h"
#include "base/vec.h"
#include "hooks/api.h"
#include "hooks/outcome.h"
#include "os/clock.h"
#include "os/fd.h"

enum { TIMEOUT_MAX_MS = 3600000, KEPT_MAX = 64 };

struct away {
	struct proc proc;
	struct arena arena;
	const struct hook *hook;
	char *session;
	size_t heard; /* bytes of stdout that were its first line */
};

struct aways {
	pthread_mutex_t lock;
	struct away **p;
	size_t n, cap;
};

struct fds {
	struct pollfd *p;
	size_t n, cap;
};

struct aways *aways_new(void)
{
	struct aways *as = xcalloc(1, sizeof *as);

	(void)pthread_mutex_init(&as->lock, NULL);
	return as;
}

struct away *away_new(const struct hook *hook, const char *session)
{
	struct away *w = xcalloc(1, sizeof *w);

	w->hook = hook;
	w->session = xstrdup(session);
	return w;
}

static void forget(struct away *w)
{
	arena_done(&w->arena);
	free(w->session);
	free(w);
}

void away_free(struct away *w)
{
	if (!w)
		return;
	proc_done(&w->proc);
	forget(w);
}

struct proc *away_proc(struct away *w)
{
	return &w->proc;
}

/* ---- how it begins ---- */

const struct json *away_line(struct away *w, bool ended, bool *ret_known)
{
	struct str out = buf_str(&w->proc.result.out), line = out;
	ptrdiff_t end = str_chr(out, '\n', 0);
	const struct json *v = NULL;
	struct strictest says;

	*ret_known = end >= 0 || ended;
	if (end >= 0)
		line = str_sub(out, 0, (size_t)end);
	/* What came on the result channel is its answer. */
	if (!*ret_known || w->proc.result.result.n ||
	    json_parse(&w->arena, str_trim(line), 0, &v, NULL) < 0 ||
	    !json_is_true(json_getz(v, "async")))
		return NULL;
	/* Who denies in the same breath has answered. */
	answer_strictest(&w->arena, w->hook, str_trim(line), v, &says);
	if (says.verdict >= TL_VERDICT_ASK || says.stop)
		return NULL;
	w->heard = end >= 0 ? (size_t)end + 1 : out.n;
	return v;
}

void aways_take(struct aways *as, struct away *take, const struct json *line)
{
	double ms = json_num(json_getz(line, "asyncTimeout"), 0);
	struct proc_spec *spec = &take->proc.spec;
	struct iovec *own = ARENA_ARRAY(&take->arena, struct iovec, spec->ninput + 1);

	proc_go_on(&take->proc); /* it is over when it has ended */
	/* What is still to be written to its stdin is the firing's until now. */
	for (size_t i = 0; i < spec->ninput; i++) {
		struct str text = arena_str(&take->arena, (struct str){ spec->input[i].iov_base,
									spec->input[i].iov_len });

		own[i] = (struct iovec){ (void *)text.p, text.n };
	}
	spec->input = own;
	if (ms > 0)
		take->proc.deadline_us =
			clock_us() + (int64_t)(ms < TIMEOUT_MAX_MS ? ms : TIMEOUT_MAX_MS) * 1000;
	(void)pthread_mutex_lock(&as->lock);
	/* A host that never asks what they said does not keep them all. */
	for (size_t i = 0; as->n >= KEPT_MAX && i < as->n;) {
		if (proc_is_ours(&as->p[i]->proc) && as->p[i]->proc.result.end == PROC_RUNNING &&
		    !proc_step(&as->p[i]->proc, NULL, 0)) {
			i++;
			continue;
		}
		away_free(as->p[i]);
		memmove(&as->p[i], &as->p[i + 1], (--as->n - i) * sizeof(struct away *));
	}
	*VEC_ADD(as) = take;
	(void)pthread_mutex_unlock(&as->lock);
}

/* ---- how it ends ---- */

struct tl_late {
	struct arena arena;
	struct str text, wrapped, message;
	bool wakes;
};

static bool is_of(const struct away *w, const char *session)
{
	return proc_is_ours(&w->proc) && (!session || strcmp(w->session, session) == 0);
}

/* One of the session that has ended, out of the list; how many of the others may still wake. */
static struct away *take_ended(struct aways *as, const char *session, int *ret_waking)
{
	struct away *found = NULL;

	*ret_waking = 0;
	(void)pthread_mutex_lock(&as->lock);
	for (size_t i = 0; i < as->n; i++) {
		struct away *w = as->p[i];

		if (!is_of(w, session))
			continue;
		if (!found &&
		    (w->proc.result.end != PROC_RUNNING || proc_step(&w->proc, NULL, 0))) {
			found = w;
			memmove(&as->p[i], &as->p[i + 1], (--as->n - i) * sizeof(struct away *));
			i--;
			continue;
		}
		*ret_waking += w->hook->rewake;
	}
	(void)pthread_mutex_unlock(&as->lock);
	return found;
}

/* What an async hook may still say: a message, and something for the model. */
static void read_answer(struct tl_late *late, const struct away *w, struct str out)
{
	struct arena *a = &late->arena;
	struct answer answer = answer_read(a, out, false);
	struct strictest says = { 0 };
	struct str message;

	if (answer.kind == ANSWER_OBJECT)
		answer_strictest(a, w->hook, answer.text, answer.obj, &says);
	message = clean_text(a, json_get_str(answer.obj, "systemMessage"));
	if (says.verdict >= TL_VERDICT_ASK || says.stop || w->proc.result.code == 2)
		message = arena_printf(a,
				       "hook \"%s\" denied when it was too late: an async hook "
				       "decides nothing%s%.*s",
				       hook_label(a, w->hook), message.n ? "\n" : "",
				       STR_ARG(message));
	late->message = message;
	late->text = cut_context(
		a, json_str(json_pointer(answer.obj, STR("/hookSpecificOutput/additionalContext")),
			    STR("")));
}

/* "PREFIX\n\nstderr", which the model is asked again with. */
static void read_wake(struct tl_late *late, const struct away *w, struct str out)
{
	struct arena *a = &late->arena;
	struct str said = clean_text(a, buf_str(&w->proc.result.err));

	if (!said.n)
		said = clean_text(a, out);
	if (!said.n)
		said = STR("(no message)");
	said = cut_context(a, said);
	late->wakes = true;
	late->text = w->hook->rewake_message
			     ? arena_printf(a, "%s\n\n%.*s", w->hook->rewake_message, STR_ARG(said))
			     : arena_printf(a, "%s hook feedback:\n[%s]: %.*s", w->hook->as->name,
					    w->hook->id, STR_ARG(said));
}

/* What those of the session are watched by, and until when. */
static void watched_by(struct aways *as, const char *session, struct fds *fds, int64_t *until_us)
{
	(void)pthread_mutex_lock(&as->lock);
	for (size_t i = 0; i < as->n; i++) {
		struct pollfd some[PROC_FDS_MAX];
		struct proc *p = &as->p[i]->proc;
		size_t n = is_of(as->p[i], session) ? proc_fds(p, some) : 0;

		for (size_t k = 0; k < n; k++)
			*VEC_ADD(fds) = some[k];
		if (n && proc_deadline_us(p) < *until_us)
			*until_us = proc_deadline_us(p);
	}
	(void)pthread_mutex_unlock(&as->lock);
}

/* Until one of them has something to tell us, or the time has come. */
static void wait_for_some(struct aways *as, const char *session, struct cancel *cancel,
			  int64_t until_us)
{
	struct fds fds = { 0 };

	watched_by(as, session, &fds, &until_us);
	*VEC_ADD(&fds) = (struct pollfd){ .fd = cancel ? cancel_fd(cancel) : -1, .events = POLLIN };
	(void)fd_poll_until(fds.p, fds.n, until_us);
	free(fds.p);
}

int tl_late_get(struct tl_hooks *h, const char *session_id, int wait, struct tl_cancel *cancel,
		struct tl_late **ret)
{
	API_WHOLE;
	const char *session = session_id ? session_id : "";
	int waking;

	for (;;) {
		struct away *w = take_ended(h->aways, session, &waking);

		if (w) {
			struct tl_late *late = xcalloc(1, sizeof *late);
			const struct proc_result *r = &w->proc.result;
			struct str out =
				str_sub(buf_str(&r->out), min_size(w->heard, r->out.n), r->out.n);
			struct arena *a = &late->arena;

			late->text = late->message = STR("");
			if (r->end == PROC_EXITED && r->code == 2 && w->hook->rewake)
				read_wake(late, w, out);
			else if (r->end == PROC_EXITED)
				read_answer(late, w, out);
			else if (r->end == PROC_TIMED_OUT)
				late->message =
					arena_printf(a, "hook \"%s\" was ended: it took too long",
						     hook_label(a, w->hook));
			late->wrapped =
				merge_wrapped(a, late->text, w->hook->dialect->literal_context);
			away_free(w);
			*ret = late;
			return 1;
		}
		if (!wait || !waking || (cancel && cancel_fired((struct cancel *)cancel)))
			return 0;
		wait_for_some(h->aways, session, (struct cancel *)cancel, INT64_MAX);
	}
}

size_t tl_late_fds(struct tl_hooks *h, const char *session_id, struct pollfd *fds, size_t max,
		   int *ret_timeout_ms)
{
	int64_t until = INT64_MAX;
	struct fds all = { 0 };
	size_t n;

	watched_by(h->aways, session_id ? session_id : "", &all, &until);
	n = min_size(all.n, max);
	for (size_t i = 0; i < n; i++)
		fds[i] = all.p[i];
	free(all.p);
	*ret_timeout_ms = until == INT64_MAX ? -1 : clock_ms_until(until);
	return n;
}

const char *tl_late_text(const struct tl_late *late)
{
	return late->text.p;
}

const char *tl_late_wrapped_text(const struct tl_late *late)
{
	return late->wrapped.p;
}

const char *tl_late_message(const struct tl_late *late)
{
	return late->message.p;
}

int tl_late_wakes(const struct tl_late *late)
{
	return late->wakes;
}

void tl_late_free(struct tl_late *late)
{
	if (!late)
		return;
	arena_done(&late->arena);
	free(late);
}

void aways_free(struct aways *as)
{
	if (!as)
		return;
	for (size_t i = 0; i < as->n; i++) {
		proc_release(&as->p[i]->proc);
		forget(as->p[i]);
	}
	free(as->p);
	(void)pthread_mutex_destroy(&as->lock);
	free(as);
}

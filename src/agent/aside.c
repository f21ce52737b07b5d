#include "agent/aside.h"

#include "base/json_pack.h"
#include "os/clock.h"
#include "os/family.h"
#include "os/fd.h"
#include "os/proc.h"
#include "os/thread.h"

struct aside {
	struct aside *next;
	struct aside_listener to;
	struct arena arena; /* of the thread that listens, while it does */
	struct thread *thread; /* NULL = none could be made: the session's listens when it looks */
	struct cancel *left_alone; /* its answer is not wanted any longer */
	struct cancel *over; /* its process has ended, and was heard */
	size_t taken; /* bytes of its output that were heard */
	const struct json *report, *heard;
	const struct json *payload;
	struct str text; /* the payload as the reaper reads it */
	struct iovec input;
	const char *event;
	struct proc proc;
};

enum { ARGS_MAX = 32 };

static bool parse(struct aside *e, struct str text, const struct json **ret)
{
	return json_parse(&e->arena, text, 0, ret, NULL) == 0;
}

static void hear(const struct aside *e, const struct json *value)
{
	const struct aside_said said = { e->event, value, e->payload, e->heard };

	e->to.hear(e->to.data, &said);
}

/* True when its process has ended: the report was heard, too. */
static bool step(struct aside *e, const struct pollfd *fds, size_t n)
{
	bool ended = proc_step(&e->proc, fds, n);
	struct str out = buf_str(&e->proc.result.out);
	const struct json *v;
	ptrdiff_t nl;

	/* Hooks that have ended before the others: a line each, before the report. */
	while (str_starts(str_sub(out, e->taken, out.n), STR("{\"heard\":")) &&
	       (nl = str_find(out, STR("\n"), e->taken)) >= 0) {
		if (parse(e, str_sub(out, e->taken, (size_t)nl), &v)) {
			v = json_getz(v, "heard");
			hear(e, json_pack(&e->arena, "heard:j", v));
			e->heard = json_append(&e->arena, e->heard, json_getz(v, "hook"));
		}
		e->taken = (size_t)nl + 1;
	}
	if (!ended)
		return false;
	if (!parse(e, str_sub(out, e->taken, out.n), &e->report)) {
		struct str rest = str_trim(buf_str(&e->proc.result.err)), line = { 0 };

		/* In the place of a report that never came, in the form in which reapers say it
		 * themselves. */
		if (!str_split(&rest, '\n', &line) || !line.n)
			line = STR("their process ended without a report");
		e->report =
			json_pack(&e->arena, "error:j", json_pack(&e->arena, "message:s", line));
	}
	hear(e, e->report);
	return true;
}

static void listen_to(void *aside)
{
	struct aside *e = aside;
	struct pollfd fds[PROC_FDS_MAX + 1];
	size_t n = 0;

	while (!cancel_fired(e->left_alone)) {
		if (step(e, n ? fds : NULL, n)) {
			cancel_fire(e->over);
			return;
		}
		n = proc_fds(&e->proc, fds);
		fds[n] = (struct pollfd){ .fd = cancel_fd(e->left_alone), .events = POLLIN };
		(void)fd_poll_until(fds, n + 1, proc_deadline_us(&e->proc));
	}
}

/* With a thread it listens by itself; without one whenever somebody looks. */
static bool is_over(struct aside *e, int64_t until)
{
	struct pollfd fds[PROC_FDS_MAX];
	size_t n = 0;

	if (e->thread) {
		fds[0] = (struct pollfd){ .fd = cancel_fd(e->over), .events = POLLIN };
		(void)fd_poll_until(fds, 1, until);
		return cancel_fired(e->over);
	}
	while (!step(e, n ? fds : NULL, n)) {
		if (clock_us() >= until)
			return false;
		n = proc_fds(&e->proc, fds);
		(void)fd_poll_until(
			fds, n,
			until < proc_deadline_us(&e->proc) ? until : proc_deadline_us(&e->proc));
	}
	return true;
}

/* False: it goes on by itself. */
static bool take_out(struct aside **at, bool over)
{
	struct aside *e = *at;

	cancel_fire(e->left_alone);
	thread_join(e->thread);
	/* It may have ended by now. */
	over |= cancel_fired(e->over);
	*at = e->next;
	if (over) {
		e->to.done(e->to.data,
			   &(struct aside_said){ e->event, e->report, e->payload, e->heard });
		proc_done(&e->proc);
	} else {
		proc_release(&e->proc);
	}
	cancel_free(e->left_alone);
	cancel_free(e->over);
	arena_done(&e->arena);
	free(e);
	return over;
}

void asides_poll(struct asides *all)
{
	for (struct aside **at = &all->first; *at;)
		if (is_over(*at, 0))
			(void)take_out(at, true);
		else
			at = &(*at)->next;
}

void asides_wait(struct asides *all, const char *event, int wait_ms)
{
	int64_t until = clock_us() + wait_ms * 1000LL;

	for (struct aside *e = all->first; e; e = e->next)
		if (strcmp(e->event, event) == 0)
			(void)is_over(e, until);
	asides_poll(all);
}

int asides_finish(struct asides *all, int wait_ms)
{
	int64_t until = clock_us() + wait_ms * 1000LL;
	int left = 0;

	while (all->first)
		left += !take_out(&all->first, is_over(all->first, until));
	return left;
}

int asides_start(struct asides *all, const char *const *argv, const char *event,
		 const char *subject, const char *cwd, const struct json *payload,
		 const struct aside_listener *to, struct err *err)
{
	struct aside *e = xcalloc(1, sizeof *e);
	const char *args[ARGS_MAX];
	struct proc_spec spec = {
		.file = OWN_PROGRAM, .argv = args, .cwd = cwd, .input = &e->input, .ninput = 1
	};
	size_t n = 0;
	sigset_t before;
	int r;

	while (argv[n] && n < ARGS_MAX - 4) {
		args[n] = argv[n];
		n++;
	}
	if (subject) {
		args[n++] = "--subject";
		args[n++] = subject;
	}
	args[n++] = event;
	args[n] = NULL;
	e->payload = json_dup(&e->arena, payload);
	e->text = json_text(&e->arena, payload, JSON_COMPACT);
	e->input = (struct iovec){ (void *)e->text.p, e->text.n };
	e->event = arena_z(&e->arena, str_from(event));
	/* The whole payload is in the pipe before a second signal can end us. */
	family_hold(&before);
	r = proc_start(&e->proc, &spec, err);
	if (r >= 0)
		(void)proc_step(&e->proc, NULL, 0);
	family_release(&before);
	if (r < 0) {
		proc_done(&e->proc);
		arena_done(&e->arena);
		free(e);
		return r;
	}
	e->to = *to;
	e->next = all->first;
	all->first = e;
	e->left_alone = cancel_new(NULL);
	e->over = cancel_new(NULL);
	if (e->left_alone && e->over)
		e->thread = thread_start(listen_to, e);
	return 0;
}

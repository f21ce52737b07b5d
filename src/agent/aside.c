#include "agent/aside.h"

#include "os/clock.h"
#include "os/family.h"
#include "os/proc.h"

struct aside {
	struct aside *next;
	struct arena arena;
	const struct json *payload;
	struct str text; /* the payload as the reaper reads it */
	struct iovec input;
	const char *event;
	struct proc proc;
};

enum { ARGS_MAX = 32 };

int asides_start(struct asides *all, const char *const *argv, const char *event,
		 const char *subject, const char *cwd, const struct json *payload, struct err *err)
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
	e->next = all->first;
	all->first = e;
	return 0;
}

static void report(struct aside *e, aside_done_fn *done, void *data)
{
	const struct json *v = NULL;

	if (json_parse(&e->arena, buf_str(&e->proc.result.out), JSON_BORROW, &v, NULL) < 0) {
		struct str rest = str_trim(buf_str(&e->proc.result.err)), line = { 0 };
		struct arena *a = &e->arena;

		/* In the place of a report that never came, in the form in which reapers say it
		 * themselves. */
		if (!str_split(&rest, '\n', &line) || !line.n)
			line = STR("their process ended without a report");
		v = json_set(a, NULL, STR("error"),
			     json_set(a, NULL, STR("message"), json_new_str(a, line)));
	}
	done(data, e->event, v, e->payload);
}

static void take_out(struct aside **at)
{
	struct aside *e = *at;

	*at = e->next;
	arena_done(&e->arena);
	free(e);
}

void asides_poll(struct asides *all, aside_done_fn *done, void *data)
{
	for (struct aside **at = &all->first; *at;) {
		struct aside *e = *at;

		if (!proc_step(&e->proc, NULL, 0)) {
			at = &e->next;
			continue;
		}
		report(e, done, data);
		proc_done(&e->proc);
		take_out(at);
	}
}

int asides_finish(struct asides *all, int wait_ms, aside_done_fn *done, void *data)
{
	int64_t until = clock_us() + wait_ms * 1000LL;
	int left = 0;

	while (all->first) {
		struct aside *e = all->first;

		if (proc_wait(&e->proc, NULL, until)) {
			report(e, done, data);
			proc_done(&e->proc);
		} else {
			proc_release(&e->proc);
			left++;
		}
		take_out(&all->first);
	}
	return left;
}

#include "hooks/question.h"

#include "hooks/api.h"
#include "hooks/handlers.h"

enum { FAILURE_MAX = 2000 };

struct tl_ask {
	atomic_int refs; /* the firing's and the host's */
	struct arena arena; /* the question, then the answer */
	struct tl_hooks *h;
	struct cancel *cancel; /* tells the host to end */
	struct cancel *done; /* tells the firing that there is an answer */
	atomic_bool answered;
	/* The host's until done was fired. */
	struct str out;
	const char *failure; /* NULL = none */
	int64_t end_us;
	/* The firing's. */
	int64_t start_us, deadline_us, give_up_us;
	enum proc_end asked; /* why it is being ended: TIMED_OUT, CANCELLED; or RUNNING */
};

static void unref(struct tl_ask *ask)
{
	if (!ask || atomic_fetch_sub(&ask->refs, 1) != 1)
		return;
	cancel_free(ask->cancel);
	cancel_free(ask->done);
	arena_done(&ask->arena);
	hooks_unref(ask->h);
	free(ask);
}

void question_free(struct tl_ask *ask)
{
	if (ask && !cancel_fired(ask->done))
		cancel_fire(ask->cancel);
	unref(ask);
}

static const struct tl_question *question_new(struct tl_ask *ask, const struct hook *hook,
					      const struct firing *f, struct str request,
					      struct str payload)
{
	struct arena *a = &ask->arena;
	struct tl_question *q;

	request = arena_str(a, request);
	payload = arena_str(a, payload);
	q = ARENA_NEW(a, struct tl_question);
	*q = (struct tl_question){
		.size = sizeof(struct tl_question),
		.hook = &f->h->infos[hook->index],
		.type = hook->handler->type,
		.request = request.p,
		.request_length = request.n,
		.payload = payload.p,
		.payload_length = payload.n,
		.session_id = arena_z(a, str_from(f->session_id)),
		.cwd = arena_z(a, str_from(f->cwd)),
		.timeout_ms = hook->timeout_ms,
		.cancel = (struct tl_cancel *)ask->cancel,
	};
	return q;
}

struct tl_ask *question_ask(const struct hook *hook, const struct firing *f, struct str payload,
			    const char **ret_why)
{
	struct handler_asking asking = {
		.a = f->arena, .hook = hook, .env = f->h->env, .payload = payload
	};
	const struct json *request = hook->handler->request(&asking);
	struct tl_err err = { .text = "" };
	const struct tl_question *q;
	struct tl_ask *ask;

	*ret_why = asking.wrong;
	if (asking.wrong)
		return NULL;
	ask = xcalloc(1, sizeof *ask);

	atomic_init(&ask->refs, 2);
	atomic_init(&ask->answered, false);
	ask->h = hooks_ref(f->h);
	ask->cancel = cancel_new(NULL);
	ask->done = cancel_new(NULL);
	ask->start_us = clock_us();
	ask->deadline_us = ask->start_us + hook->timeout_ms * 1000;
	ask->give_up_us = INT64_MAX;
	q = question_new(ask, hook, f, json_text(f->arena, request, JSON_COMPACT), payload);
	if (ask->cancel && ask->done && hook->host->start(hook->host->data, q, ask, &err) >= 0)
		return ask;
	*ret_why = !ask->cancel || !ask->done ? "the process has no descriptor left"
		   : *err.text                ? arena_z(f->arena, str_from(err.text))
					      : "the host could not start it";
	unref(ask);
	unref(ask);
	return NULL;
}

void tl_ask_answer(struct tl_ask *ask, const char *output, size_t length, const char *failure)
{
	if (atomic_exchange(&ask->answered, true))
		return;
	ask->end_us = clock_us();
	if (length > PROC_STDOUT_MAX)
		failure = "the answer is too long";
	if (failure)
		ask->failure = arena_z(&ask->arena, str_sub(str_from(failure), 0, FAILURE_MAX));
	else
		ask->out = arena_str(&ask->arena,
				     (struct str){ output ? output : "", output ? length : 0 });
	cancel_fire(ask->done);
	unref(ask);
}

struct pollfd question_fd(const struct tl_ask *ask)
{
	return (struct pollfd){ .fd = cancel_fd(ask->done), .events = POLLIN };
}

int64_t question_deadline_us(const struct tl_ask *ask)
{
	return ask->asked == PROC_RUNNING ? ask->deadline_us : ask->give_up_us;
}

static void end_it(struct tl_ask *ask, enum proc_end why)
{
	if (ask->asked != PROC_RUNNING)
		return;
	ask->asked = why;
	ask->give_up_us = clock_us() + (int64_t)PROC_GRACE_MS * 1000;
	cancel_fire(ask->cancel);
}

bool question_step(struct tl_ask *ask)
{
	if (cancel_fired(ask->done))
		return true;
	if (clock_us() >= ask->deadline_us)
		end_it(ask, PROC_TIMED_OUT);
	return clock_us() >= ask->give_up_us;
}

void question_cancel(struct tl_ask *ask)
{
	end_it(ask, PROC_CANCELLED);
}

/* An answer that came after its time is none, whenever we look. */
struct ending question_ending(const struct tl_ask *ask, const struct hook *hook, struct arena *a)
{
	bool done = cancel_fired(ask->done);
	bool late = ask->asked != PROC_RUNNING || (done && ask->end_us >= ask->deadline_us);
	struct ending e = { .end = PROC_EXITED, .out = STR(""), .err = STR(""), .result = STR("") };

	e.elapsed_us = (done ? ask->end_us : clock_us()) - ask->start_us;
	if (late) {
		e.end = ask->asked == PROC_CANCELLED ? PROC_CANCELLED : PROC_TIMED_OUT;
	} else if (ask->failure) {
		e.end = PROC_UNKNOWN;
		e.failure = arena_z(a, str_from(ask->failure));
	} else {
		e.out = arena_str(a, ask->out);
		if (hook->handler->answer)
			e.misfit = hook->handler->answer(a, hook, &e.out);
	}
	return e;
}

struct ending runtime_call(const struct hook *hook, struct str payload, struct arena *a)
{
	const struct tl_runtime_hook *r = hook->runtime;
	struct tl_call call = { .payload = payload.p, .length = payload.n };
	int64_t start = clock_us();
	int rc = r->call(&call, r->data);
	size_t n = call.output && !call.output_length ? strlen(call.output) : call.output_length;

	return (struct ending){
		.end = PROC_EXITED,
		.code = rc ? 1 : 0,
		.out = arena_str(a, (struct str){ call.output, call.output ? n : 0 }),
		.err = STR(""),
		.result = STR(""),
		.elapsed_us = clock_us() - start,
	};
}

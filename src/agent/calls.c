/*
 * The tool calls of one answer, in waves: calls that only read run beside each other, all others
 * alone and in order.  Hooks and policy are asked on the session's thread.
 */
#include "agent/call.h"
#include "agent/tell.h"
#include "base/vec.h"
#include "os/thread.h"

enum { BESIDE_MAX = 16, CALLS_MAX = 1000 };

struct calls {
	struct call *p;
	size_t n;
	const struct selection *selection;
};

static bool is_alone(const struct session *s, const struct call *c)
{
	const struct tool *tool = session_tool(s, str_from(c->name));

	return !tool || !tool->read_only || json_is_true(json_getz(c->args, "wait_for_previous"));
}

/* The end of the wave that begins at i. */
static size_t wave_end(const struct session *s, const struct calls *calls, size_t i)
{
	const struct tool *first = session_tool(s, str_from(calls->p[i].name));
	size_t end = i + 1, max = min_size(calls->n, CALLS_MAX);

	if (first && !first->read_only)
		return end;
	while (end < max && !is_alone(s, &calls->p[end]))
		end++;
	return end;
}

static void run_thread(void *c)
{
	call_run(c);
}

static void run_ready(struct session *s, struct call *calls, size_t n)
{
	AUTO(free) void **ready = xcalloc(n, sizeof *ready);
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (calls[i].state == CALL_READY)
			ready[k++] = &calls[i];
	if (k == 0)
		return;
	session_waiting(s, ((struct call *)ready[0])->tool->display_name);
	for (size_t from = 0; from < k; from += BESIDE_MAX)
		threads_run(run_thread, ready + from, min_size(k - from, BESIDE_MAX));
	session_waiting(s, NULL);
}

static enum end end_of(const struct call *calls, size_t n)
{
	enum end end = END_DONE;

	for (size_t i = 0; i < n; i++) {
		if (calls[i].state == CALL_CANCELLED || calls[i].state == CALL_REFUSED)
			return END_CANCELLED;
		if (calls[i].fatal)
			end = END_FATAL;
		else if (calls[i].state == CALL_STOPPED && end == END_DONE)
			end = END_STOPPED;
	}
	return end;
}

/* AfterTool, and the calls that it puts in the place of this one. */
static void finish_call(struct turn *t, struct call *c, const struct selection *sel)
{
	while (call_after(t, c)) {
		call_prepare(t, c, sel);
		if (c->state != CALL_READY)
			return;
		run_ready(t->s, c, 1);
	}
	if (t->stopped && c->state == CALL_OVER)
		c->state = CALL_STOPPED;
	if (t->refused && c->state == CALL_OVER)
		c->state = CALL_REFUSED;
}

/* Everything that ran is judged by AfterTool, also when another call of the wave stopped the agent.
 */
static enum end run_wave(struct turn *t, struct call *calls, size_t n, const struct selection *sel)
{
	bool *ran = arena_alloc(&t->arena, n);
	size_t prepared = 0;

	while (prepared < n && end_of(calls, prepared) == END_DONE)
		call_prepare(t, &calls[prepared++], sel);
	if (end_of(calls, prepared) == END_DONE) {
		for (size_t i = 0; i < n; i++)
			ran[i] = calls[i].state == CALL_READY;
		run_ready(t->s, calls, n);
	}
	for (size_t i = 0; i < n; i++) {
		if (ran[i])
			finish_call(t, &calls[i], sel);
		else if (calls[i].state == CALL_NEW || calls[i].state == CALL_READY)
			call_give_up(t, &calls[i]);
		call_report(t, &calls[i]);
	}
	return end_of(calls, n);
}

/* ---- what the others are told ---- */

static void show_use(struct turn *t, const struct call *c)
{
	struct agent_sink *sink = &t->s->o.sink;

	sink->tool_use(sink->data, c->name, c->id, c->args);
}

/* .p NULL when what is shown is no text. */
static struct str shown_text(const struct call *c)
{
	if (c->result.display && !json_is(c->result.display, J_STR))
		return (struct str){ 0 };
	return json_str(c->result.display, STR("")).n ? json_str(c->result.display, STR(""))
						      : STR("");
}

static void show_result(struct turn *t, const struct call *c)
{
	struct agent_sink *sink = &t->s->o.sink;
	struct tool_report report = {
		.name = c->original ? c->original : c->name,
		.id = c->id,
		.args = c->args,
		.ok = !c->result.error_type,
		.output = shown_text(c),
		.error_type = c->result.error_type,
		.error = c->shown_error,
		.ms = c->ms,
	};

	sink->tool_result(sink->data, &report);
	if (c->stopped_by.p)
		session_note(t->s, NOTE_TOOL_STOPPED, "Agent execution stopped: %.*s",
			     STR_ARG(c->stopped_by));
}

static const char *status_of(const struct call *c)
{
	if (!c->result.error_type)
		return "success";
	return strcmp(c->result.error_type, "cancelled") == 0 ? "cancelled" : "error";
}

/* A row of toolCalls (host.md G1.8). */
static const struct json *recorded(struct arena *a, const struct call *c,
				   const struct json *const *parts, size_t n)
{
	const struct json *o = transcript_call(a, c->part);

	if (!json_getz(o, "args"))
		o = json_set(a, o, STR("args"), json_new_obj(a));
	o = json_set(a, o, STR("result"), json_new_arr(a, parts, n));
	o = json_set(a, o, STR("status"), json_new_str(a, str_from(status_of(c))));
	if (c->result.display)
		o = json_set(a, o, STR("resultDisplay"), c->result.display);
	if (c->tool)
		o = json_set(a, o, STR("displayName"),
			     json_new_str(a, str_from(c->tool->display_name)));
	if (c->tool && c->run.args == c->args && c->tool->describe) {
		struct tool_call call = c->run;

		call.arena = a;
		o = json_set(a, o, STR("description"), json_new_str(a, c->tool->describe(&call)));
	}
	/* What commands print is no markdown. */
	return json_set(a, o, STR("renderOutputAsMarkdown"),
			json_new_bool(a, c->tool && (c->tool->mcp_server ||
						     c->tool->kind != TOOL_EXECUTE)));
}

/* All results are one content of the user, in the order of the calls (host.md F5.5). */
static void remember(struct turn *t, const struct calls *calls)
{
	struct contents parts = { 0 }, rows = { 0 };
	struct arena *a = &t->arena;

	for (size_t i = 0; i < calls->n; i++) {
		size_t from = parts.n;

		call_response(a, &calls->p[i], &parts);
		*VEC_ADD(&rows) = recorded(a, &calls->p[i], parts.p + from, parts.n - from);
	}
	(void)history_add(t->s, content_new(a, "user", json_new_arr(a, parts.p, parts.n)));
	transcript_tool_calls(t->s->transcript, json_new_arr(a, rows.p, rows.n));
	free(parts.p);
	free(rows.p);
}

static bool is_loop(struct turn *t, const struct calls *calls)
{
	bool loop = false;

	for (size_t i = 0; i < calls->n; i++)
		loop |= repeat_call(&t->repeat, str_from(calls->p[i].name), calls->p[i].args);
	return loop && !t->s->loops_allowed;
}

/* One answer is not to keep the machine busy for hours. */
static void refuse_rest(struct turn *t, const struct calls *calls, size_t *ret_next)
{
	for (size_t i = CALLS_MAX; i < calls->n; i++) {
		call_refuse(&calls->p[i], CALLS_MAX);
		call_report(t, &calls->p[i]);
	}
	*ret_next = calls->n;
}

enum end turn_calls(struct turn *t, const struct answer *answer, struct err *err)
{
	struct calls calls = { .n = answer->calls->n, .selection = &answer->selection };
	enum end end = END_DONE;

	calls.p = xcalloc(calls.n, sizeof *calls.p);
	for (size_t i = 0; i < calls.n; i++) {
		call_init(t, &calls.p[i], json_at(answer->calls, i));
		show_use(t, &calls.p[i]);
	}
	if (is_loop(t, &calls))
		end = END_LOOP;
	for (size_t i = 0; i < calls.n; i++) {
		size_t next = end == END_DONE ? wave_end(t->s, &calls, i) : calls.n;

		if (end == END_DONE && i >= CALLS_MAX)
			refuse_rest(t, &calls, &next);
		else if (end == END_DONE)
			end = run_wave(t, &calls.p[i], next - i, calls.selection);
		else
			for (size_t k = i; k < next; k++)
				call_give_up(t, &calls.p[k]);
		for (size_t k = i; k < next; k++)
			show_result(t, &calls.p[k]);
		i = next - 1;
	}
	remember(t, &calls);
	if (end == END_FATAL)
		(void)err_set(err, E_IO, "No space left on the device; the agent cannot go on.");
	for (size_t i = 0; i < calls.n; i++)
		call_done(&calls.p[i]);
	free(calls.p);
	return end;
}

/*
 * The tool calls of one answer, in waves: calls that only read run in parallel, all others alone
 * and in order.  Hooks and policy are asked on the session's thread.
 */
#include "agent/call.h"
#include "agent/tell.h"
#include "base/json_pack.h"
#include "base/vec.h"
#include "os/thread.h"

enum { BESIDE_MAX = 16, CALLS_MAX = 1000 };

struct calls {
	struct call *p;
	size_t n;
	const struct selection *selection;
};

/* The end of the wave that begins at i. */
static size_t wave_end(const struct session *s, const struct calls *calls, size_t i)
{
	size_t end = i, max = min_size(calls->n, CALLS_MAX);

	for (; end < max; end++) {
		const struct call *c = &calls->p[end];
		const struct tool *tool = session_tool(s, str_from(c->name));
		bool alone = !tool || !tool->read_only ||
			     json_is_true(json_getz(c->args, "wait_for_previous"));

		if (end > i && alone)
			break;
		if (end == i && tool && !tool->read_only)
			return i + 1;
	}
	return max_size(end, i + 1);
}

static void run_thread(void *c)
{
	call_run(c);
}

static void run_ready(struct turn *t, struct call *calls, size_t n)
{
	AUTO(free) void **ready = xcalloc(n, sizeof *ready);
	bool guarded = false;
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (calls[i].state == CALL_READY)
			ready[k++] = &calls[i];
	if (k == 0)
		return;
	for (size_t i = 0; i < k && !guarded; i++)
		guarded = call_is_guarded(t, ready[i]);
	t->s->tools.guarded = guarded;
	session_waiting(t->s, ((struct call *)ready[0])->tool->display_name);
	for (size_t from = 0; from < k; from += BESIDE_MAX)
		threads_run(run_thread, ready + from, min_size(k - from, BESIDE_MAX));
	session_waiting(t->s, NULL);
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
		run_ready(t, c, 1);
	}
	if (c->state == CALL_OVER && (t->stopped || t->refused))
		c->state = t->stopped ? CALL_STOPPED : CALL_REFUSED;
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
		run_ready(t, calls, n);
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

static void show_result(struct turn *t, struct call *c)
{
	struct agent_sink *sink = &t->s->o.sink;
	const struct json *display = c->result.display;
	struct tool_report report = {
		.name = c->original ? c->original : c->name,
		.id = c->id,
		.args = c->args,
		.ran = c->original && strcmp(c->original, c->name) != 0 ? c->name : NULL,
		.ok = !c->result.error_type,
		.error_type = c->result.error_type,
		.error = c->shown_error,
		.ended = c->result.ended,
		.ms = c->ms,
	};

	call_show(t, c); /* one that was refused before */
	if (!display || json_is(display, J_STR))
		report.output = json_str(display, STR(""));
	else
		report.display = display;
	sink->tool_result(sink->data, &report);
	if (c->stopped_by.p)
		session_note(t->s, NOTE_TOOL_STOPPED, "Agent execution stopped: %.*s",
			     STR_ARG(c->stopped_by));
}

/* A row of toolCalls. */
static const struct json *recorded(struct arena *a, const struct call *c,
				   const struct json *const *parts, size_t n)
{
	const struct json *o = transcript_call(a, c->part);
	const char *error = c->result.error_type;
	struct tool_call call = c->run;
	struct str about = { 0 };

	if (!json_getz(o, "args"))
		o = json_set(a, o, STR("args"), json_new_obj(a));
	/* What ran is recorded; what the model asked for is its conversation. */
	if ((c->changed || c->by_user) && !c->original) {
		o = json_set(a, o, STR("argsAsked"), json_getz(o, "args"));
		o = json_set(a, o, STR("args"), c->args);
	}
	call.arena = a;
	if (c->tool && c->run.args == c->args && c->tool->describe)
		about = c->tool->describe(&call);
	o = json_pack_more(a, o, "result:j status:z ?resultDisplay:j ?displayName:z",
			   json_new_arr(a, parts, n),
			   !error                            ? "success"
			   : strcmp(error, "cancelled") == 0 ? "cancelled"
							     : "error",
			   c->result.display, c->tool ? c->tool->display_name : NULL);
	/* What commands print is not Markdown. */
	return json_pack_more(a, o, "?description:s renderOutputAsMarkdown:b", about,
			      c->tool && (c->tool->mcp_server || c->tool->kind != TOOL_EXECUTE));
}

/* ---- the batch ---- */

/* PostToolBatch: the turn goes on after END_DONE only; what it adds goes with the last result. */
static enum end after_batch(struct turn *t, const struct calls *calls)
{
	struct fire_args args = { .event = "PostToolBatch", .turn_id = t->id, .nfields = 1 };
	struct json_list batch = { 0 };
	struct tl_outcome *o;
	struct tl_field field;
	enum end end;

	if (!session_wants_this(t->s, &args))
		return END_DONE;
	for (size_t i = 0; i < calls->n; i++)
		json_list_add(&batch, call_in_batch(t, &calls->p[i], &t->arena));
	field = field_json(&t->arena, "tool_calls", json_list_take(&t->arena, &batch));
	args.fields = &field;
	o = session_fire(t->s, &args);
	end = hooks_said(t->s, o);
	if (end == END_DONE)
		call_add_text(&calls->p[calls->n - 1],
			      arena_str(&t->arena, str_from(tl_outcome_wrapped_context(o))));
	tl_outcome_free(o);
	/* The model is not asked again: AfterAgent has no answer to look at. */
	return end == END_BLOCKED ? END_STOPPED : end;
}

/* Whoever reads Claude's transcript before the next call finds what is known by now. */
static void tell_results(struct turn *t, const struct call *calls, size_t n)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct contents rows = { 0 };

	if (!*transcript_claude_path(t->s->transcript))
		return;
	for (size_t i = 0; i < n; i++) {
		struct contents parts = { 0 };

		call_response(&a, &calls[i], &parts);
		*VEC_ADD(&rows) = recorded(&a, &calls[i], parts.p, parts.n);
		free(parts.p);
	}
	transcript_some_results(t->s->transcript, json_new_arr(&a, rows.p, rows.n));
	free(rows.p);
}

/* All results are one content of the user, in the order of the calls. */
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

enum end turn_calls(struct turn *t, const struct answer *answer, struct err *err)
{
	struct calls calls = { .n = answer->calls->n, .selection = &answer->selection };
	enum end end = END_DONE;
	bool loop = false;

	calls.p = xcalloc(calls.n, sizeof *calls.p);
	for (size_t i = 0; i < calls.n; i++) {
		struct call *c = &calls.p[i];

		call_init(t, c, json_at(answer->calls, i));
		loop |= repeat_call(&t->repeat, str_from(c->name), c->args);
	}
	if (loop && !t->s->loops_allowed)
		end = END_LOOP;
	for (size_t i = 0, next; i < calls.n; i = next) {
		bool too_many = end == END_DONE && i >= CALLS_MAX;

		next = end == END_DONE && !too_many ? wave_end(t->s, &calls, i) : calls.n;
		if (end == END_DONE && !too_many)
			end = run_wave(t, &calls.p[i], next - i, calls.selection);
		else
			for (size_t k = i; k < next; k++) {
				if (!too_many) {
					call_give_up(t, &calls.p[k]);
					continue;
				}
				call_refuse(&calls.p[k], CALLS_MAX);
				call_report(t, &calls.p[k]);
			}
		for (size_t k = i; k < next; k++)
			show_result(t, &calls.p[k]);
		/* Those of the last come with remember(): PostToolBatch may add to them. */
		if (next < calls.n)
			tell_results(t, &calls.p[i], next - i);
	}
	/* After a call that ended the turn no model is left to add anything for. */
	if (end == END_DONE)
		end = after_batch(t, &calls);
	remember(t, &calls);
	if (end == END_FATAL)
		(void)err_set(err, E_IO, "No space left on the device; the agent cannot go on.");
	for (size_t i = 0; i < calls.n; i++)
		call_done(&calls.p[i]);
	free(calls.p);
	return end;
}

/*
 * invoke_agent: a second conversation with the model, by the same requests and calls as the
 * session's: every hook of them fires, the policy judges them, and what stops or cancels the
 * session ends them.  Meanwhile the session's conversation is put aside.
 */
#include "agent/call.h"
#include "agent/catalog/agent_defs.h"
#include "agent/tell.h"
#include "os/clock.h"
#include "tools/files.h"

/* What a conversation is made of; the session's and the agent's change places. */
struct talk {
	struct arena *memory;
	struct contents history;
	size_t history_bytes;
	int64_t prompt_tokens, compress_failed_at;
	const struct json *system;
	struct transcript *transcript;
	const struct agent_def *agent;
	struct transcript *main_transcript;
	const char *agent_id, *model;
	struct agent_sink sink;
	struct turn *turn;
	struct todos todos;
};

struct sub {
	struct session *s;
	const struct agent_def *def;
	struct arena arena; /* of the conversation */
	struct talk other;
	struct turn turn;
};

#define EXCHANGE(a, b)                                                                             \
	do {                                                                                       \
		__typeof__(a) before = (a);                                                        \
		(a) = (b);                                                                         \
		(b) = before;                                                                      \
	} while (0)

static void exchange(struct session *s, struct talk *t)
{
	EXCHANGE(s->memory, t->memory);
	EXCHANGE(s->history, t->history);
	EXCHANGE(s->history_bytes, t->history_bytes);
	EXCHANGE(s->prompt_tokens, t->prompt_tokens);
	EXCHANGE(s->compress_failed_at, t->compress_failed_at);
	EXCHANGE(s->system, t->system);
	EXCHANGE(s->transcript, t->transcript);
	EXCHANGE(s->agent, t->agent);
	EXCHANGE(s->agent_id, t->agent_id);
	EXCHANGE(s->main_transcript, t->main_transcript);
	EXCHANGE(s->o.model, t->model);
	EXCHANGE(s->o.sink, t->sink);
	EXCHANGE(s->turn, t->turn);
	EXCHANGE(s->todos, t->todos);
	policy_set_agent(s->o.policy, s->agent ? s->agent->name : NULL);
}

/* ---- what is shown of it ---- */

static void on_text(void *data, struct str piece)
{
	(void)data;
	(void)piece;
}

static void on_turn(void *data)
{
	(void)data;
}

static void on_tool_use(void *data, const char *name, const char *id, const struct json *args)
{
	(void)data;
	(void)name;
	(void)id;
	(void)args;
}

static void on_tool_result(void *data, const struct tool_report *r)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct sub *sub = data;
	const struct agent_sink *outer = &sub->other.sink;
	const struct tool *tool = session_tool(sub->s, str_from(r->name));
	struct tool_call call = { .arena = &a, .args = r->args };

	if (outer->agent_tool)
		outer->agent_tool(outer->data, sub->def->name, r,
				  tool && tool->describe ? tool->describe(&call) : STR(""));
}

static void on_note(void *data, enum note_kind kind, struct str text)
{
	const struct agent_sink *outer = &((struct sub *)data)->other.sink;

	outer->note(outer->data, kind, text);
}

static void on_terminal(void *data, struct str sequences)
{
	const struct agent_sink *outer = &((struct sub *)data)->other.sink;

	outer->terminal(outer->data, sequences);
}

static enum confirm_answer on_confirm(void *data, struct confirmation *c)
{
	const struct agent_sink *outer = &((struct sub *)data)->other.sink;

	return outer->confirm(outer->data, c);
}

static int on_ask(void *data, struct question *q)
{
	const struct agent_sink *outer = &((struct sub *)data)->other.sink;

	return outer->ask(outer->data, q);
}

/* "agent NAME: a tool" */
static void on_waiting(void *data, const char *what)
{
	const struct sub *sub = data;
	const struct agent_sink *outer = &sub->other.sink;

	AUTO(free) char *text = xasprintf("agent %s: %s", sub->def->name, what ? what : "working");
	outer->waiting(outer->data, text);
}

static void on_progress(void *data, const char *what)
{
	const struct sub *sub = data;
	const struct agent_sink *outer = &sub->other.sink;

	AUTO(free) char *text = xasprintf("agent %s: %s", sub->def->name, what);
	outer->progress(outer->data, text);
}

/* ---- the conversation ---- */

static void begin(struct sub *sub, const struct tool_call *call)
{
	struct session *s = sub->s;
	const struct agent_def *def = sub->def;
	struct arena *a = &sub->arena;
	struct turn *outer = s->turn;
	struct err err = { 0 };

	sub->turn = (struct turn){
		.s = s,
		.prompt_id = outer->prompt_id,
		.until_us = clock_us() + def->max_minutes * 60000000LL,
	};
	(void)snprintf(sub->turn.id, sizeof sub->turn.id, "%s", outer->id);
	sub->other = (struct talk){
		.memory = a,
		.system = content_new(a, "user", text_parts(a, context_agent(a, def->body))),
		.transcript = transcript_new_agent(s->transcript, s->o.project, &err),
		.agent = def,
		.agent_id = call->id ? call->id : "",
		.main_transcript = s->transcript,
		.model = def->model ? def->model : s->o.model,
		.sink = {
				.data = sub,
				.text = on_text,
				.user = on_text,
				.turn = on_turn,
				.tool_use = on_tool_use,
				.tool_result = on_tool_result,
				.note = on_note,
				.terminal = s->o.sink.terminal ? on_terminal : NULL,
				.confirm = s->o.sink.confirm ? on_confirm : NULL,
				.ask = s->o.sink.ask ? on_ask : NULL,
				.waiting = s->o.sink.waiting ? on_waiting : NULL,
				.progress = s->o.sink.progress ? on_progress : NULL,
			},
		.turn = &sub->turn,
	};
	if (err.code)
		session_note(s, NOTE_WARNING, "The agent %s is not recorded: %s", def->name,
			     err.text);
	exchange(s, &sub->other);
}

/* ---- its events ---- */

/* (waits) SubagentStart; the agent goes on after END_DONE only. */
static enum end fire_start(struct sub *sub, struct err *err)
{
	struct session *s = sub->s;
	struct turn *t = &sub->turn;
	struct fire_args args = { .event = "SubagentStart",
				  .subject = sub->def->name,
				  .turn_id = t->id };
	struct tl_outcome *o;
	enum end end;

	t->context = STR("");
	if (!session_wants_this(s, &args))
		return END_DONE;
	o = session_fire(s, &args);
	end = hooks_said(s, o);
	if (end == END_DONE)
		t->context = arena_str(&t->arena, str_from(tl_outcome_wrapped_context(o)));
	if (end == END_BLOCKED)
		(void)err_set(err, E_UNTRUSTED, "%s", outcome_said(&t->arena, o));
	t->refused_by = outcome_names(&t->arena, o);
	tl_outcome_free(o);
	return end;
}

/*
 * (waits) SubagentStop, when the agent ended by itself.  END_BLOCKED: it is to go on, and
 * *ret_reason is what it is told.  *ret_guarded: a guard said so.
 */
static enum end fire_stop(struct sub *sub, bool retry, struct str *ret_reason, bool *ret_guarded)
{
	struct session *s = sub->s;
	struct turn *t = &sub->turn;
	struct arena *a = &t->arena;
	struct fire_args args = { .event = "SubagentStop",
				  .subject = sub->def->name,
				  .turn_id = t->id };
	struct tl_field fields[3];
	struct tl_outcome *o;
	enum end end;

	if (!session_wants_this(s, &args))
		return END_DONE;
	fields[0] = field_str(a, "agent_transcript_path", str_from(transcript_path(s->transcript)));
	fields[1] = field_json(a, "stop_hook_active", json_new_bool(a, retry));
	fields[2] = field_str(a, "last_assistant_message", t->result.p ? t->result : t->last);
	args.fields = fields;
	args.nfields = ARRAY_LEN(fields);
	o = session_fire(s, &args);
	end = hooks_said_and(s, o, " (the answer is sent back to the agent)");
	if (end == END_BLOCKED)
		*ret_reason = arena_str(a, str_from(tl_outcome_reason(o)));
	t->refused_by = outcome_names(a, o);
	*ret_guarded = end == END_BLOCKED && outcome_is_guarded(o);
	tl_outcome_free(o);
	return end;
}

static void say(struct sub *sub, struct str text)
{
	struct turn *t = &sub->turn;
	const struct json *parts = text_parts(&t->arena, text);

	t->user = history_add(sub->s, content_new(&t->arena, "user", parts));
	transcript_user(sub->s->transcript, parts, NULL, t->retry);
}

/* From its prompt to an answer that no hook sends back, as often as AfterAgent may (C4.11). */
static enum end converse(struct sub *sub, struct str prompt, struct err *err)
{
	struct tl_settings hooks = TL_SETTINGS_INIT();
	struct turn *t = &sub->turn;
	struct str reason = { 0 };
	bool guarded = false;
	enum end end = fire_start(sub, err), said;

	tl_hooks_settings(session_hooks(sub->s), &hooks);
	for (int retries = 0; end == END_DONE; retries++) {
		say(sub, retries ? reason : prompt);
		end = turn_answer(t, err);
		if (end == END_CANCELLED || end == END_STOPPED || end == END_FATAL)
			return end;
		said = fire_stop(sub, retries > 0, &reason, &guarded);
		if (said == END_CANCELLED || said == END_STOPPED)
			return said;
		if (said == END_DONE || end != END_DONE)
			return guarded ? END_BLOCKED : end;
		if (retries >= hooks.max_retries) {
			session_note(sub->s, NOTE_WARNING,
				     "SubagentStop hooks rejected the answer of %s %d times; %s "
				     "(hooksConfig.maxRetries). [%s]",
				     sub->def->name, retries + 1,
				     guarded ? "it is withheld" : "keeping the last answer",
				     t->refused_by);
			return guarded ? END_BLOCKED : END_DONE;
		}
		t->result = (struct str){ 0 };
		t->retry = true;
	}
	return end;
}

/* ---- what came of it ---- */

/* Of the two limits, was it the time? */
static bool is_late(const struct sub *sub)
{
	return sub->turn.requests < sub->def->max_turns;
}

/* Stop and cancel end the session's turn, too. */
static void conclude(struct sub *sub, enum end how, struct tool_call *call, struct tool_result *r,
		     const struct err *err)
{
	struct session *s = sub->s;
	struct turn *outer = s->turn;

	struct turn *t = &sub->turn;
	struct str text = t->result.p ? t->result : t->last;
	bool late = is_late(sub);
	const char *by = t->refused_by && *t->refused_by ? t->refused_by : NULL;

	switch (how) {
	case END_DONE:
		if (!str_trim(text).n)
			text = STR("The agent ended without a result.");
		tool_ok(call, r, text,
			arena_printf(call->arena, "**Agent %s** (%d turn%s)\n\n%.*s",
				     sub->def->name, t->requests, t->requests == 1 ? "" : "s",
				     STR_ARG(text)));
		break;
	case END_LIMIT:
		tool_fail(call, r, "execution_failed",
			  "The agent %s did not finish within its %d %s.%s%.*s", sub->def->name,
			  late ? sub->def->max_minutes : sub->def->max_turns,
			  late ? "minutes" : "turns", t->last.n ? " What it said last: " : "",
			  STR_ARG(t->last));
		break;
	case END_STOPPED:
		outer->stopped = true;
		tool_fail(call, r, "stop_execution", "A hook stopped the agent %s%s%s%s.",
			  sub->def->name, by ? " [" : "", by ? by : "", by ? "]" : "");
		break;
	case END_CANCELLED:
		outer->refused = true;
		tool_fail(call, r, "cancelled", "The agent %s was cancelled.", sub->def->name);
		break;
	case END_FATAL:
		tool_fail(call, r, "no_space_left", "%s", err->text);
		break;
	case END_BLOCKED:
		tool_fail(call, r, "execution_failed",
			  "A hook did not let the agent %s go on%s%s%s%s", sub->def->name,
			  *err->text ? ": "
			  : by       ? " ["
				     : "",
			  *err->text ? err->text
			  : by       ? by
				     : "",
			  !*err->text && by ? "]" : "", *err->text ? "" : ".");
		break;
	case END_LOOP:
		tool_fail(call, r, "execution_failed", "The agent %s repeated itself.",
			  sub->def->name);
		break;
	case END_BROKEN:
	case END_FAILED:
		tool_fail(call, r, "execution_failed", "The agent %s failed: %s", sub->def->name,
			  s->error.n ? buf_z(&s->error) : err->text);
		break;
	}
	buf_clear(&s->error);
}

/* The words of Gemini CLI's telemetry. */
static const char *reason_of(const struct sub *sub, enum end how)
{
	if (how == END_DONE)
		return "GOAL";
	if (how == END_LIMIT)
		return is_late(sub) ? "TIMEOUT" : "MAX_TURNS";
	return how == END_STOPPED || how == END_CANCELLED ? "ABORTED" : "ERROR";
}

void session_run_agent(void *data, struct tool_call *call, struct tool_result *r)
{
	struct session *s = data;
	struct str name = arg_str(call, "agent_name");
	const struct agent_def *found = agent_find(s->o.agents, name);
	struct agent_def def = found ? *found : (struct agent_def){ 0 };
	struct sub sub = { .s = s, .def = &def };
	struct err err = { 0 };
	const char *why;
	struct agent_told told;
	int64_t begun_us = clock_us();
	enum end how;

	/* An agent needs a prompt of the user, and does not start another one. */
	if (!found || !s->turn || s->agent) {
		tool_fail(call, r, "execution_failed", "No agent can be started here.");
		return;
	}
	why = context_left(&s->context, call->arena, def.file, &def.body);
	if (why) {
		tool_fail(call, r, "execution_failed", "The instruction of %s is withheld: %s",
			  def.name, why);
		return;
	}
	told = (struct agent_told){ .id = call->id ? call->id : "", .name = sub.def->name };
	begin(&sub, call);
	tell_agent_start(s, &told);
	how = converse(&sub, arg_str(call, "prompt"), &err);
	exchange(s, &sub.other);
	told.ms = (double)(clock_us() - begun_us) / 1000;
	told.turns = sub.turn.requests;
	told.reason = reason_of(&sub, how);
	tell_agent_finish(s, &told);
	conclude(&sub, how, call, r, &err);
	/* What the agent said stays in its recording. */
	transcript_free(sub.other.transcript);
	free(sub.other.history.p);
	todos_done(&sub.other.todos);
	arena_done(&sub.turn.arena);
	arena_done(&sub.arena);
}

/* ---- for a hook ---- */

static void on_silent_result(void *data, const struct tool_report *r)
{
	(void)data;
	(void)r;
}

/* It is neither shown nor recorded, and asks no questions. */
static void begin_for_hook(struct sub *sub)
{
	struct session *s = sub->s;
	struct arena *a = &sub->arena;

	sub->turn = (struct turn){ .s = s,
				   .prompt_id = s->turn ? s->turn->prompt_id : s->id,
				   .context = STR(""),
				   .until_us = clock_us() + sub->def->max_minutes * 60000000LL };
	(void)snprintf(sub->turn.id, sizeof sub->turn.id, "%s", s->turn ? s->turn->id : "hook");
	sub->other = (struct talk){
		.memory = a,
		.system = content_new(a, "user", text_parts(a, context_agent(a, sub->def->body))),
		.agent = sub->def,
		.agent_id = sub->def->name,
		.main_transcript = s->agent ? s->main_transcript : s->transcript,
		.model = sub->def->model,
		.sink = { .data = sub,
			  .text = on_text,
			  .user = on_text,
			  .turn = on_turn,
			  .tool_use = on_tool_use,
			  .tool_result = on_silent_result,
			  .note = on_note },
		.turn = &sub->turn,
	};
	exchange(s, &sub->other);
}

int session_ask_agent(struct session *s, const struct agent_def *def, struct str prompt,
		      const struct halt *halt, struct arena *a, struct str *ret_answer,
		      struct err *err)
{
	struct sub sub = { .s = s, .def = def };
	const struct halt *before = s->halt;
	struct agent_told told = { .id = def->name, .name = def->name };
	int64_t begun_us = clock_us();
	struct turn *t = &sub.turn;
	int r = 0;
	enum end how;

	begin_for_hook(&sub);
	s->halt = halt;
	tell_agent_start(s, &told);
	say(&sub, prompt);
	how = turn_answer(t, err);
	s->halt = before;
	exchange(s, &sub.other);
	told.ms = (double)(clock_us() - begun_us) / 1000;
	told.turns = t->requests;
	told.reason = reason_of(&sub, how);
	tell_agent_finish(s, &told);
	if (how == END_DONE)
		*ret_answer = arena_str(a, t->result.p ? t->result : t->last);
	else if (how == END_LIMIT)
		r = err_set(err, E_LIMIT, "it did not finish within its %d turns", t->requests);
	else if (how != END_FAILED || !*err->text)
		r = err_set(err, E_IO, "its conversation with the model was ended");
	else
		r = -E_IO;
	buf_clear(&s->error);
	free(sub.other.history.p);
	todos_done(&sub.other.todos);
	arena_done(&t->arena);
	arena_done(&sub.arena);
	return r;
}

/* From a prompt of the user to the final answer. */
#include "agent/session_impl.h"
#include "agent/tell.h"
#include "os/clock.h"

/* BeforeAgent: false when the prompt goes no further; *ret_end says how. */
static bool before_agent(struct turn *t, const struct json *parts, enum prompt_end *ret_end)
{
	struct session *s = t->s;
	struct tl_field fields[1];
	struct tl_outcome *o;
	bool go_on = false;

	t->context = STR("");
	if (!session_wants(s, "BeforeAgent", NULL))
		return true;
	fields[0] = field_str(&t->arena, "prompt", parts_text(&t->arena, parts));
	o = session_fire(s, &(struct fire_args){ .event = "BeforeAgent",
						 .fields = fields,
						 .nfields = 1,
						 .turn_id = t->id,
						 .failed = t->retry });
	if (!o) {
		*ret_end = PROMPT_CANCELLED;
	} else if (tl_outcome_stopped(o)) {
		/* The prompt is remembered, it only is not answered. */
		(void)history_add(s, content_new(&t->arena, "user", parts));
		transcript_user(s->transcript, parts, NULL);
		session_note_end(s, NOTE_STOPPED, o);
		*ret_end = PROMPT_STOPPED;
	} else if (outcome_denies(o)) {
		session_note_end(s, NOTE_BLOCKED, o);
		*ret_end = PROMPT_BLOCKED;
	} else {
		t->context = arena_str(&t->arena, str_from(tl_outcome_wrapped_context(o)));
		go_on = true;
	}
	tl_outcome_free(o);
	return go_on;
}

static void remember_answer(struct turn *t, const struct answer *ans)
{
	if (ans->parts->n)
		(void)history_add(t->s, content_new(&t->arena, "model", ans->parts));
	if (!ans->text.n)
		return;
	if (t->said.n)
		buf_addc(&t->said, '\n');
	buf_adds(&t->said, ans->text);
	t->last = ans->text;
}

static bool over_limit(const struct turn *t)
{
	const struct session *s = t->s;
	double max =
		json_num_in_text(json_pointer(s->o.settings, STR("/model/maxSessionTurns")), -1);

	if (s->agent)
		return t->requests >= s->agent->max_turns || clock_us() >= t->until_us;
	return max >= 0 && s->requests >= max;
}

static enum prompt_end loop_found(struct session *s)
{
	session_note(s, NOTE_WARNING, "Loop detected, stopping execution");
	return PROMPT_LOOP;
}

enum prompt_end turn_answer(struct turn *t, struct err *err)
{
	static const enum prompt_end by_ask[] = {
		[ASK_DONE] = PROMPT_DONE,       [ASK_BLOCKED] = PROMPT_BLOCKED,
		[ASK_STOPPED] = PROMPT_STOPPED, [ASK_CANCELLED] = PROMPT_CANCELLED,
		[ASK_BROKEN] = PROMPT_BROKEN,   [ASK_LOOP] = PROMPT_LOOP,
		[ASK_FAILED] = PROMPT_FAILED,
	};
	static const enum prompt_end by_calls[] = {
		[CALLS_DONE] = PROMPT_DONE,           [CALLS_STOPPED] = PROMPT_STOPPED,
		[CALLS_CANCELLED] = PROMPT_CANCELLED, [CALLS_FATAL] = PROMPT_FATAL,
		[CALLS_LOOP] = PROMPT_LOOP,
	};
	struct session *s = t->s;

	for (;;) {
		struct answer ans;
		enum ask_end asked;
		enum calls_end called;

		if (over_limit(t))
			return PROMPT_LIMIT;
		session_compress(s, t, false);
		if (t->stopped)
			return PROMPT_STOPPED;
		t->requests++;
		s->requests += !s->agent;
		s->o.sink.turn(s->o.sink.data);
		asked = turn_ask(t, &ans, err);
		remember_answer(t, &ans);
		session_check(s);
		if (asked == ASK_LOOP)
			return loop_found(s);
		if (asked != ASK_DONE || !ans.calls->n)
			return by_ask[asked];
		called = turn_calls(t, &ans, err);
		session_check(s);
		if (called == CALLS_LOOP)
			return loop_found(s);
		if (called != CALLS_DONE)
			return by_calls[called];
		if (t->result.p)
			return PROMPT_DONE;
	}
}

/*
 * AfterAgent: true when it rejects the answer, and *ret_reason is what the model is told.  Context
 * that is to be forgotten is (C4.10).
 */
static bool after_agent(struct turn *t, enum prompt_end *end, struct str *ret_reason)
{
	struct session *s = t->s;
	struct arena *a = &t->arena;
	struct str said = t->said.n ? buf_str(&t->said) : STR("[no response text]");
	struct tl_field fields[3];
	struct tl_outcome *o;
	bool again = false;

	if (!session_wants(s, "AfterAgent", NULL))
		return false;
	fields[0] = field_str(a, "prompt", t->prompt);
	fields[1] = field_str(a, "prompt_response", said);
	fields[2] = field_json(a, "stop_hook_active", json_new_bool(a, t->retry));
	o = session_fire(s, &(struct fire_args){ .event = "AfterAgent",
						 .fields = fields,
						 .nfields = 3,
						 .turn_id = t->id });
	if (!o) {
		*end = PROMPT_CANCELLED;
		return false;
	}
	if (tl_outcome_stopped(o)) {
		session_note_end(s, NOTE_STOPPED, o);
		*end = PROMPT_STOPPED;
	} else if (outcome_denies(o)) {
		session_note_end(s, NOTE_BLOCKED, o);
		*ret_reason = arena_str(a, str_from(tl_outcome_reason(o)));
		again = true;
	}
	if (tl_outcome_clear_context(o) && (again || tl_outcome_stopped(o))) {
		history_clear(s);
		transcript_replace(s->transcript, json_new_arr(a, NULL, 0));
		session_note(s, NOTE_INFO, "Conversation context has been cleared.");
	}
	tl_outcome_free(o);
	return again;
}

/* Does AfterAgent look at an answer that ended so (host.md B4.1)? */
static bool is_answered(enum prompt_end end)
{
	return end == PROMPT_DONE || end == PROMPT_BLOCKED;
}

static const struct json *one_text(struct arena *a, struct str text)
{
	const struct json *part = text_part(a, text);

	return json_new_arr(a, &part, 1);
}

static enum prompt_end attempt(struct turn *t, const struct json *parts, const char *typed,
			       struct err *err, bool *ret_asked)
{
	struct session *s = t->s;
	enum prompt_end end = PROMPT_DONE;

	*ret_asked = before_agent(t, parts, &end);
	if (!*ret_asked)
		return end;
	t->user = history_add(s, content_new(&t->arena, "user", parts));
	transcript_user(s->transcript, parts, typed);
	return turn_answer(t, err);
}

enum prompt_end turn_run(struct turn *t, const struct json *parts, struct err *err)
{
	struct tl_settings hooks = { .size = sizeof hooks };
	/* What stands in the transcript for people, where that is not all of it. */
	const char *typed = t->invocation.p ? arena_z(&t->arena, t->invocation)
			    : parts->n > 1  ? arena_z(&t->arena, t->typed)
					    : NULL;
	struct str reason = { 0 };

	tl_hooks_settings(t->s->o.hooks, &hooks);
	for (int retries = 0;; retries++) {
		bool asked;
		enum prompt_end end = attempt(t, parts, typed, err, &asked);

		if (!asked || !is_answered(end) || !after_agent(t, &end, &reason))
			return end;
		if (retries >= hooks.max_retries) {
			session_note(t->s, NOTE_WARNING,
				     "AfterAgent hooks rejected the answer %d times; the last one "
				     "stands (hooksConfig.maxRetries).",
				     retries + 1);
			return end;
		}
		t->retry = true;
		typed = arena_z(&t->arena, t->typed);
		parts = one_text(&t->arena, reason);
	}
}

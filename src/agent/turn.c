/* From a prompt of the user to the final answer. */
#include "agent/session_impl.h"
#include "agent/tell.h"
#include "base/json_pack.h"
#include "os/clock.h"

/* BeforeAgent: the prompt goes on after END_DONE only. */
static enum end before_agent(struct turn *t, const struct json *parts)
{
	struct session *s = t->s;
	struct tl_field fields[2];
	struct tl_outcome *o;
	enum end end;

	t->context = t->retry || !t->expanded.p ? STR("") : t->expanded;
	if (!session_wants(s, "BeforeAgent", NULL))
		return END_DONE;
	fields[0] = field_str(&t->arena, "prompt", t->typed);
	fields[1] = field_json(&t->arena, "prompt_parts", t->added);
	o = session_fire(s, &(struct fire_args){ .event = "BeforeAgent",
						 .fields = fields,
						 .nfields = 2,
						 .turn_id = t->id,
						 .failed = t->retry });
	/* A prompt that is not answered because a hook stopped the agent is remembered. */
	if (outcome_end(o) == END_STOPPED) {
		(void)history_add(s, content_new(&t->arena, "user", parts));
		transcript_user(s->transcript, parts, NULL, t->retry);
	}
	end = hooks_said(s, o);
	if (end == END_DONE)
		t->context = arena_printf(&t->arena, "%.*s%s", STR_ARG(t->context),
					  tl_outcome_wrapped_context(o));
	tl_outcome_free(o);
	return end;
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

enum end turn_answer(struct turn *t, struct err *err)
{
	struct session *s = t->s;

	for (;;) {
		struct answer ans;
		enum end end;

		if (over_limit(t))
			return END_LIMIT;
		session_compress(s, t, false);
		if (t->stopped)
			return END_STOPPED;
		t->requests++;
		s->requests += !s->agent;
		s->o.sink.turn(s->o.sink.data);
		end = turn_ask(t, &ans, err);
		if (ans.parts->n)
			(void)history_add(s, content_new(&t->arena, "model", ans.parts));
		t->final = ans.text;
		if (ans.text.n) {
			t->said =
				json_append(&t->arena, t->said, json_new_str(&t->arena, ans.text));
			t->last = ans.text;
		}
		session_check(s);
		if (end == END_DONE && ans.calls->n) {
			end = turn_calls(t, &ans, err);
			session_check(s);
			session_look_at_files(s);
		}
		if (end == END_LOOP)
			session_note(s, NOTE_WARNING, "Loop detected, stopping execution");
		if (end != END_DONE || !ans.calls->n || t->result.p)
			return end;
	}
}

/*
 * AfterAgent: true when it rejects the answer, and *ret_reason is what the model is told.  Context
 * that is to be forgotten is (C4.10).  `again`: then there is another attempt.
 */
static bool after_agent(struct turn *t, bool again, enum end *end, struct str *ret_reason)
{
	struct session *s = t->s;
	struct arena *a = &t->arena;
	struct tl_field fields[5];
	struct tl_outcome *o;
	enum end how;

	if (!session_wants(s, "AfterAgent", NULL))
		return false;
	fields[0] = field_str(a, "prompt", t->typed);
	fields[1] = field_json(a, "prompt_parts", t->added);
	fields[2] =
		field_str(a, "prompt_response", t->final.n ? t->final : STR("[no response text]"));
	fields[3] = field_json(a, "prompt_responses", t->said);
	fields[4] = field_json(a, "stop_hook_active", json_new_bool(a, t->retry));
	o = session_fire(s, &(struct fire_args){ .event = "AfterAgent",
						 .fields = fields,
						 .nfields = 5,
						 .turn_id = t->id });
	how = hooks_said_and(s, o, again ? " (the answer is sent back to the model)" : "");
	if (how == END_CANCELLED || how == END_STOPPED)
		*end = how;
	if (how == END_BLOCKED)
		*ret_reason = arena_str(a, str_from(tl_outcome_reason(o)));
	t->refused_by = outcome_names(a, o);
	if ((how == END_BLOCKED || how == END_STOPPED) && tl_outcome_clear_context(o)) {
		session_forget(s, a);
		session_note(s, NOTE_INFO, "Conversation context has been cleared.");
	}
	tl_outcome_free(o);
	return how == END_BLOCKED;
}

/* (waits) StopFailure: the turn ends because the API, or what it sent, failed. */
static void stop_failure(struct turn *t, const struct err *err)
{
	/* Claude Code's words for what an API's status means; the first that fits. */
	static const struct {
		int from, to;
		const char *error;
	} kinds[] = {
		{ 401, 401, "authentication_failed" },
		{ 402, 402, "billing_error" },
		{ 403, 403, "authentication_failed" },
		{ 404, 404, "model_not_found" },
		{ 429, 429, "rate_limit" },
		{ 400, 499, "invalid_request" },
		{ 500, 599, "server_error" },
	};
	struct session *s = t->s;
	int status = s->o.take_provider->status;
	struct fire_args args = { .event = "StopFailure", .subject = "unknown", .turn_id = t->id };
	struct str why = str_from(s->error.n ? buf_z(&s->error) : err->text);
	struct tl_field fields[2];
	size_t i = 0;

	while (i < ARRAY_LEN(kinds) && (status < kinds[i].from || status > kinds[i].to))
		i++;
	if (i < ARRAY_LEN(kinds))
		args.subject = kinds[i].error;
	if (!session_wants_this(s, &args))
		return;
	fields[0] = field_str(&t->arena, "error_details", tool_clean(&t->arena, why));
	fields[1] = field_str(&t->arena, "last_assistant_message", t->last);
	args.fields = fields;
	args.nfields = t->last.n ? 2 : 1;
	tl_outcome_free(session_fire(s, &args));
}

static enum end attempt(struct turn *t, const struct json *parts, const char *typed,
			struct err *err, bool *ret_asked)
{
	struct session *s = t->s;
	enum end end;

	t->said = json_new_arr(&t->arena, NULL, 0);
	t->final = STR("");
	end = s->start_stopped ? END_STOPPED : before_agent(t, parts);
	s->start_stopped = false;
	*ret_asked = end == END_DONE;
	if (!*ret_asked)
		return end;
	t->user = history_add(s, content_new(&t->arena, "user", parts));
	transcript_user(s->transcript, parts, typed, t->retry);
	return turn_answer(t, err);
}

static void judged(const struct session *s, enum verdict_on_answer verdict)
{
	if (s->o.sink.verdict)
		s->o.sink.verdict(s->o.sink.data, verdict);
}

enum end turn_run(struct turn *t, const struct json *parts, struct err *err)
{
	struct tl_settings hooks = TL_SETTINGS_INIT();
	/* What is in the transcript for people, where that is not all of it. */
	const char *typed = t->invocation.p ? arena_z(&t->arena, t->invocation)
			    : t->added->n   ? arena_z(&t->arena, t->typed)
					    : NULL;
	struct str reason = { 0 };

	tl_hooks_settings(session_hooks(t->s), &hooks);
	for (int retries = 0;; retries++) {
		bool awaits = session_wants(t->s, "AfterAgent", NULL), asked;
		enum end end;

		if (awaits)
			judged(t->s, ANSWER_AWAITS);
		end = attempt(t, parts, typed, err, &asked);
		if (end == END_FAILED || end == END_BROKEN)
			stop_failure(t, err);
		if (!asked || (end != END_DONE && end != END_BLOCKED)) {
			if (awaits)
				judged(t->s, ANSWER_LOST);
			return end;
		}
		if (!after_agent(t, retries < hooks.max_retries, &end, &reason)) {
			judged(t->s, end == END_CANCELLED ? ANSWER_LOST : ANSWER_ACCEPTED);
			return end;
		}
		judged(t->s, retries >= hooks.max_retries ? ANSWER_ACCEPTED : ANSWER_REFUSED);
		if (retries >= hooks.max_retries) {
			session_note(t->s, NOTE_WARNING,
				     "AfterAgent hooks rejected the answer %d times; keeping the "
				     "last answer (hooksConfig.maxRetries). [%s]",
				     retries + 1, t->refused_by);
			return end;
		}
		t->retry = true;
		typed = arena_z(&t->arena, t->typed);
		t->added = json_append(&t->arena, NULL,
				       json_pack(&t->arena, "type:z source:z text:s", "feedback",
						 "AfterAgent", reason));
		parts = text_parts(&t->arena, reason);
	}
}

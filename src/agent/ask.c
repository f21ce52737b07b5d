/*
 * One request to the model and its answer, with the hooks around it: BeforeModel,
 * BeforeToolSelection, and AfterModel for each chunk.
 */
#include "agent/stream.h"
#include "agent/tell.h"
#include "base/json_pack.h"
#include "base/vec.h"
#include "model/alias.h"
#include "model/stable.h"
#include "os/clock.h"
#include "os/fd.h"

enum { ATTEMPTS = 4, TOOLS_MAX = 64 };

/* ---- AfterModel ---- */

/* *chunk becomes what the hooks make of it, unless they end the answer. */
static enum end judge_chunk(struct stream *st, struct arena *a, const struct json **chunk)
{
	struct turn *t = st->t;
	const struct json *around = st->whole ? whole_around(st->whole, a) : NULL;
	struct tl_field fields[] = {
		field_raw("llm_request", st->request),
		field_json(a, "llm_response", stable_response(a, *chunk)),
		around ? field_json(a, "llm_around", around) : (struct tl_field){ 0 },
	};
	struct tl_outcome *o = session_fire(t->s, &(struct fire_args){ .event = "AfterModel",
								       .fields = fields,
								       .nfields = around ? 3 : 2,
								       .turn_id = t->id });
	enum end end = hooks_said(t->s, o);
	const struct json *given =
		end == END_DONE ? outcome_change(a, o, TL_CHANGE_LLM_RESPONSE) : NULL;
	const struct json *now = given ? stable_apply_response(a, *chunk, given) : NULL;

	now = now ? now : *chunk;
	/* C4.8: of the calls only those that are given back. */
	if (stable_calls(now) < stable_calls(*chunk))
		session_note(
			t->s, NOTE_WARNING,
			"AfterModel: hook \"%s\" replaced a chunk of the answer; its tool calls "
			"are not run.",
			outcome_changer(a, o, TL_CHANGE_LLM_RESPONSE));
	*chunk = now;
	tl_outcome_free(o);
	return end;
}

/* Shown and kept is what hooks make of it; NULL = nothing. */
static void take_chunk(struct stream *st, struct arena *a, const struct json *chunk)
{
	if (chunk && st->wants)
		st->end = judge_chunk(st, a, &chunk);
	if (chunk && st->end == END_DONE) {
		stream_note_end(st, chunk);
		stream_take(st, chunk);
	}
}

static void take_rest(struct stream *st)
{
	AUTO(arena_done) struct arena a = { 0 };

	if (st->whole && st->end == END_DONE)
		take_chunk(st, &a, whole_rest(st->whole, &a));
}

/* From now on hooks judge what comes. */
static void begin_judging(struct stream *st, const struct model_request *rq)
{
	st->wants = true;
	st->request = json_text(st->a, stable_request(st->a, rq), JSON_COMPACT);
	if (session_seeks_secrets(st->t->s, "AfterModel"))
		st->whole = whole_new(st->a);
}

static int on_chunk(void *data, const struct json *chunk, struct err *err)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct stream *st = data;

	if (stream_note(st, chunk, err) < 0)
		return -E_LIMIT;
	if (st->whole)
		chunk = whole_take(st->whole, &a, chunk);
	take_chunk(st, &a, chunk);
	return st->end == END_DONE ? 0 : err_set(err, E_CANCEL, "the answer was ended");
}

/* ---- before the request ---- */

/*
 * An answer that a hook gave instead of the model (C4.7), as AfterModel's guards leave it; false
 * when there is none.
 */
static bool take_synthetic(struct stream *st, const struct model_request *rq,
			   const struct tl_outcome *o)
{
	struct session *s = st->t->s;
	const struct json *llm = outcome_change(st->a, o, TL_CHANGE_LLM_RESPONSE);
	const struct json *chunk = llm ? stable_apply_response(st->a, NULL, llm) : NULL;

	if (!llm)
		return false;
	if (!chunk) {
		session_note(s, NOTE_BLOCKED,
			     "BeforeModel: the answer of hook \"%s\" cannot be used; the model is "
			     "not asked.",
			     outcome_changer(st->a, o, TL_CHANGE_LLM_RESPONSE));
		st->end = END_BLOCKED;
		return true;
	}
	if (session_is_guarded(s, &(struct fire_args){ .event = "AfterModel" }))
		begin_judging(st, rq);
	if (st->whole)
		chunk = whole_take(st->whole, st->a, chunk);
	take_chunk(st, st->a, chunk);
	take_rest(st);
	return true;
}

/* Is the hook that answers for the model the only one that denies?  Else nothing is shown. */
static bool only_the_answer_denies(const struct tl_outcome *o)
{
	int by = tl_outcome_changed_by(o, TL_CHANGE_LLM_RESPONSE);
	struct tl_report r = TL_REPORT_INIT();

	for (size_t i = 0; i < tl_outcome_report_count(o); i++)
		if (tl_outcome_report_get(o, i, &r) == 0 && r.state == TL_STATE_RAN &&
		    !r.hook->observe && (r.verdict >= TL_VERDICT_ASK) != ((int)i == by))
			return false;
	return true;
}

/* C4.9: only what this and every earlier restriction allow. */
static void restrict_tools(struct stream *st, struct model_request *rq, struct answer *ans,
			   const struct json *config, const char *by)
{
	struct session *s = st->t->s;
	struct selection *sel = &ans->selection;
	const struct json *names = json_getz(config, "allowedFunctionNames");
	const struct json *before = json_getz(rq->tool_config, "functionCallingConfig");
	struct contents both = { 0 };

	for (size_t i = 0; json_is(names, J_ARR) && i < names->n; i++)
		if (tool_selected(s, sel, json_str(json_at(names, i), STR(""))))
			*VEC_ADD(&both) = json_at(names, i);
	sel->by = by;
	sel->none |= str_eqz(json_get_str(config, "mode"), "NONE");
	if (json_is(names, J_ARR) && names->n) {
		sel->none |= !both.n;
		sel->names = json_dup(&st->t->arena, json_new_arr(st->a, both.p, both.n));
	}
	free(both.p);
	if (sel->none)
		config = json_set(st->a, NULL, STR("mode"), json_new_str(st->a, STR("NONE")));
	else if (str_eqz(json_get_str(before, "mode"), "ANY"))
		config = json_set(st->a, config, STR("mode"), json_getz(before, "mode"));
	if (!sel->none && sel->names)
		config = json_set(st->a, config, STR("allowedFunctionNames"), sel->names);
	rq->tool_config = stable_tool_config(st->a, config);
	rq->tools = tool_declarations(s, sel, st->a);
}

static void change_request(struct session *s, struct model_request *rq, struct arena *a,
			   const struct tl_outcome *o)
{
	const struct json *llm = outcome_change(a, o, TL_CHANGE_LLM_REQUEST);

	if (llm)
		stable_apply_request(a, rq, llm);
	if (!s->o.take_provider->foreign)
		rq->model = model_alias(rq->model);
}

/*
 * True when the model is to be asked; else st->end says how it ended.  A denial with an answer
 * shows the answer, and neither is remembered.
 */
static bool before_model(struct stream *st, struct model_request *rq, struct answer *ans)
{
	struct turn *t = st->t;
	struct tl_field fields[1];
	struct tl_outcome *o;
	const struct json *config;
	bool go_on = false;
	enum end end;

	if (!session_wants(t->s, "BeforeModel", NULL))
		return true;
	fields[0] = field_json(st->a, "llm_request", stable_request(st->a, rq));
	o = session_fire(t->s, &(struct fire_args){ .event = "BeforeModel",
						    .fields = fields,
						    .nfields = 1,
						    .turn_id = t->id });
	end = hooks_said(t->s, o);
	if (end == END_BLOCKED && only_the_answer_denies(o) && take_synthetic(st, rq, o))
		stream_forget(st);
	if (end == END_DONE && !take_synthetic(st, rq, o)) {
		const struct json *before = rq->contents;

		change_request(t->s, rq, st->a, o);
		history_take_results(t, before, rq->contents);
		config = json_getz(rq->tool_config, "functionCallingConfig");
		if (config)
			restrict_tools(st, rq, ans, config,
				       outcome_changer(&t->arena, o, TL_CHANGE_LLM_REQUEST));
		go_on = true;
	}
	/* What the synthetic answer said may have ended it, too: it repeated itself. */
	if (end != END_DONE)
		st->end = end;
	tl_outcome_free(o);
	return go_on;
}

/* False when it was cancelled. */
static bool before_tool_selection(struct stream *st, struct model_request *rq, struct answer *ans)
{
	struct turn *t = st->t;
	struct tl_field fields[1];
	struct tl_outcome *o;
	const struct json *config;

	if (!session_wants(t->s, "BeforeToolSelection", NULL))
		return true;
	fields[0] = field_json(st->a, "llm_request", stable_request(st->a, rq));
	o = session_fire(t->s, &(struct fire_args){ .event = "BeforeToolSelection",
						    .fields = fields,
						    .nfields = 1,
						    .turn_id = t->id });
	if (!o) {
		st->end = END_CANCELLED;
		return false;
	}
	config = outcome_change(st->a, o, TL_CHANGE_TOOL_CONFIG);
	if (config)
		restrict_tools(st, rq, ans, config,
			       outcome_changer(&t->arena, o, TL_CHANGE_TOOL_CONFIG));
	tl_outcome_free(o);
	return true;
}

/*
 * What the API accepts: no tool config without tools, names only with ANY.  That they are not
 * declared says the same.
 */
static void fit_tool_config(struct arena *a, struct model_request *rq)
{
	const struct json *config = json_getz(rq->tool_config, "functionCallingConfig");

	if (!rq->tools || !rq->tools->n)
		rq->tool_config = NULL;
	else if (str_eqz(json_get_str(config, "mode"), "AUTO"))
		rq->tool_config = json_set(a, NULL, STR("functionCallingConfig"),
					   json_without(a, config, STR("allowedFunctionNames")));
}

/* ---- the request ---- */

static enum end send(struct stream *st, const struct model_request *rq, struct err *err)
{
	struct session *s = st->t->s;
	struct model_sink sink = { on_chunk, st };
	struct api_told api = { .rq = rq,
				.role = s->agent ? s->agent->role ?: "subagent" : "main",
				.prompt_id = st->t->prompt_id };
	int64_t start = clock_us();
	bool failed;
	int r;

	tell_request(s, &api);
	trace_event(s->trace, "Render", "Render Context for LLM",
		    json_pack(st->a, "renderedContext:j", rq->contents));
	session_waiting(s, rq->model);
	s->streaming = true;
	r = provider_stream(s->o.take_provider, rq, &sink, s->halt->work, err);
	s->streaming = false;
	take_rest(st);
	session_waiting(s, NULL);
	api.ms = (double)(clock_us() - start) / 1000;
	api.usage = st->usage;
	api.finish = st->finish;
	api.chunks = json_new_arr(st->a, st->chunks.p, st->chunks.n);
	failed = r < 0 && r != -E_CANCEL && st->end == END_DONE;
	stats_request(&s->stats, rq->model, api.role, api.ms, failed, st->usage);
	if (st->usage)
		s->prompt_tokens = json_int(json_getz(st->usage, "promptTokenCount"), 0);
	if (r == 0 || st->end != END_DONE) {
		tell_response(s, &api);
		return st->end;
	}
	if (!failed)
		return END_CANCELLED;
	buf_clear(&s->error);
	buf_addz(&s->error, provider_error(s->o.take_provider));
	tell_error(s, &api, buf_z(&s->error));
	return END_FAILED;
}

static const struct json *generation_config(struct session *s, struct arena *a)
{
	/* What models of Gemini may spend on thinking; others have no such option. */
	static const struct {
		struct str model;
		const char *config;
	} thinking[] = {
		{ STR("gemini-2.5"), "{\"includeThoughts\":true,\"thinkingBudget\":8192}" },
		{ STR("gemini-3"), "{\"includeThoughts\":true,\"thinkingLevel\":\"HIGH\"}" },
	};
	const struct json *set = json_pointer(s->o.settings, STR("/model/generationConfig")), *v;
	const struct json *config = json_pack(a, "temperature:i topP:f topK:i", 1, 0.95, 64);

	for (size_t i = 0; i < ARRAY_LEN(thinking); i++)
		if (!s->o.take_provider->foreign &&
		    str_starts(str_from(s->o.model), thinking[i].model) &&
		    json_parse(a, str_from(thinking[i].config), 0, &v, NULL) == 0)
			config = json_set(a, config, STR("thinkingConfig"), v);
	config = json_is(set, J_OBJ) ? json_overlay(a, config, set) : config;
	if (s->agent && s->agent->temperature >= 0)
		config = json_set(a, config, STR("temperature"),
				  json_new_num(a, s->agent->temperature));
	return config;
}

static void record_answer(struct turn *t, const struct stream *st, const struct answer *ans,
			  const char *model)
{
	static const struct {
		const char *format, *usage;
	} tokens[] = {
		{ "input:f", "promptTokenCount" },         { "output:f", "candidatesTokenCount" },
		{ "cached:f", "cachedContentTokenCount" }, { "thoughts:f", "thoughtsTokenCount" },
		{ "tool:f", "toolUsePromptTokenCount" },   { "total:f", "totalTokenCount" },
	};
	const struct json *counts = NULL;

	for (size_t i = 0; st->usage && i < ARRAY_LEN(tokens); i++)
		counts = json_pack_more(st->a, counts, tokens[i].format,
					json_num(json_getz(st->usage, tokens[i].usage), 0));
	if (ans->parts->n)
		transcript_model(t->s->transcript, ans->parts, stream_thoughts(st, st->a), counts,
				 model);
}

static enum end ask_once(struct turn *t, struct answer *ans, struct fault *ret_fault,
			 struct err *err)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct session *s = t->s;
	struct stream st = { .t = t, .a = &a };
	struct model_request rq = {
		.model = s->o.model,
		.system = s->system,
		.config = generation_config(s, &a),
	};
	enum end end;

	*ans = (struct answer){ 0 };
	*ret_fault = (struct fault){ 0 };
	session_look_at_servers(s);
	display_begin(&st);
	rq.contents = history_contents(t, &a);
	rq.tools = tool_declarations(s, &ans->selection, &a);
	if (before_model(&st, &rq, ans) && before_tool_selection(&st, &rq, ans)) {
		fit_tool_config(&a, &rq);
		if (session_wants(s, "AfterModel", NULL))
			begin_judging(&st, &rq);
		end = send(&st, &rq, err);
		if (end == END_DONE)
			*ret_fault = stream_fault(&st);
		/* It failed before it brought anything: asking again repeats nothing. */
		if (end == END_FAILED && s->o.take_provider->cut && !st.had_text && !st.had_call &&
		    !st.text.n) {
			*ret_fault = (struct fault){ .type = "STREAM_CUT", .is_failure = true };
			ret_fault->text = arena_z(&t->arena, buf_str(&s->error));
			end = END_DONE;
		}
	} else {
		end = st.end;
	}
	display_end(&st);
	stream_finish(&st, end, ans);
	if (!ret_fault->text) {
		record_answer(t, &st, ans, rq.model);
		if (end == END_DONE)
			stream_tell_cut(&st);
	}
	stream_done(&st);
	return end;
}

enum end turn_ask(struct turn *t, struct answer *ret, struct err *err)
{
	const struct provider *p = t->s->o.take_provider;
	struct retry_told retry;
	struct fault fault;

	for (int attempt = 1;; attempt++) {
		enum end end = ask_once(t, ret, &fault, err);

		if (end != END_DONE || !fault.text)
			return end;
		retry = (struct retry_told){ .attempt = attempt - 1, .error_type = fault.type };
		retry.delay_ms = (int64_t)clock_patience() << (attempt - 1);
		if (attempt == ATTEMPTS || fault.is_final)
			break;
		tell_retry(t->s, &retry);
		if (ret->text.n && t->s->o.sink.verdict)
			t->s->o.sink.verdict(t->s->o.sink.data, ANSWER_BROKE_OFF);
		if (p->on_retry) {
			struct str why = str_from(fault.text);

			why.n -= str_ends(why, STR("."));
			p->on_retry(p->on_retry_data, attempt, (int)retry.delay_ms,
				    arena_z(&t->arena, why));
		}
		if (fd_sleep(t->s->halt->work, retry.delay_ms))
			return END_CANCELLED;
	}
	retry.delay_ms = -1;
	tell_retry(t->s, &retry);
	if (fault.is_failure)
		return END_FAILED;
	/* The history, like the transcript, does not keep what was not an answer. */
	ret->parts = json_new_arr(&t->arena, NULL, 0);
	buf_clear(&t->s->error);
	buf_addz(&t->s->error, fault.text);
	session_note(t->s, NOTE_ERROR, "%s", fault.text);
	return END_BROKEN;
}

/* ---- requests of our own ---- */

struct str response_text(struct arena *a, const struct json *response)
{
	const struct json *parts = chunk_parts(response);
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t i = 0; json_is(parts, J_ARR) && i < parts->n; i++)
		if (!part_is_thought(json_at(parts, i)))
			buf_adds(&out, json_get_str(json_at(parts, i), "text"));
	return arena_str(a, buf_str(&out));
}

/* A synthetic answer of a hook leaves *ret_response non-NULL; else *rq is to be sent. */
static int judge_own(struct session *s, struct model_request *rq, struct arena *a,
		     const struct json **ret_response, struct err *err)
{
	struct tl_field field = field_json(a, "llm_request", stable_request(a, rq));
	struct tl_outcome *o =
		session_fire(s, &(struct fire_args){ .event = "BeforeModel",
						     .fields = &field,
						     .nfields = 1,
						     .turn_id = s->turn ? s->turn->id : NULL });
	const struct json *llm;
	enum end end;
	int r = 0;

	if (!o)
		return err_set(err, E_CANCEL, "the request was cancelled");
	end = outcome_end(o);
	if (end == END_STOPPED) {
		(void)hooks_said(s, o);
		if (s->turn)
			s->turn->stopped = true;
		r = err_set(err, E_UNTRUSTED, "a hook stopped the agent: %s", outcome_said(a, o));
	} else if (end == END_BLOCKED) {
		r = err_set(err, E_UNTRUSTED, "a hook denied the request: %s", outcome_said(a, o));
	} else {
		llm = outcome_change(a, o, TL_CHANGE_LLM_RESPONSE);
		change_request(s, rq, a, o);
		if (str_eqz(json_str(json_pointer(rq->tool_config,
						  STR("/functionCallingConfig/mode")),
				     STR("")),
			    "NONE"))
			rq->tools = rq->tool_config = NULL;
		*ret_response = llm ? stable_apply_response(a, NULL, llm) : NULL;
		if (llm && !*ret_response)
			r = err_set(err, E_UNTRUSTED, "the answer of hook \"%s\" cannot be used",
				    outcome_changer(a, o, TL_CHANGE_LLM_RESPONSE));
	}
	tl_outcome_free(o);
	return r;
}

int session_ask_model(struct session *s, const char *role, const struct model_request *asked,
		      struct arena *a, const struct json **ret_response, struct err *err)
{
	return session_ask_model_for(s, role, asked, s->halt->work, a, ret_response, err);
}

int session_ask_model_for(struct session *s, const char *role, const struct model_request *asked,
			  struct cancel *cancel, struct arena *a, const struct json **ret_response,
			  struct err *err)
{
	const struct json *synthetic = NULL;
	struct model_request rq = *asked;
	struct api_told api = { .rq = &rq, .role = role, .prompt_id = s->id };
	int64_t start;
	int r = 0;

	if (session_wants(s, "BeforeModel", NULL))
		r = judge_own(s, &rq, a, &synthetic, err);
	if (r == 0 && synthetic)
		*ret_response = synthetic;
	if (r < 0 || synthetic)
		return r;
	start = clock_us();
	tell_request(s, &api);
	r = provider_generate(s->o.take_provider, &rq, a, ret_response, cancel, err);
	api.ms = (double)(clock_us() - start) / 1000;
	if (r == 0)
		api.usage = json_getz(*ret_response, "usageMetadata");
	stats_request(&s->stats, rq.model, role, api.ms, r < 0, api.usage);
	if (r < 0) {
		tell_error(s, &api, provider_error(s->o.take_provider));
		return r;
	}
	api.chunks = json_new_arr(a, ret_response, 1);
	if (json_is(json_pointer(*ret_response, STR("/candidates/0/finishReason")), J_STR))
		api.finish =
			arena_z(a, json_get_str(json_pointer(*ret_response, STR("/candidates/0")),
						"finishReason"));
	tell_response(s, &api);
	return r;
}

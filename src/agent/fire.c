/* Firing hooks from a session: base fields, what the user sees of them, records, telemetry. */
#include <poll.h>

#include "agent/hook_dialect.h"
#include "agent/session_impl.h"
#include "base/json_pack.h"
#include "base/utf8.h"
#include "os/clock.h"
#include "os/fd.h"
#include "settings/tiers.h"

enum { HOOKS_SHOWN = 4, FDS_MAX = 64 };

/* Of the session, also while a sub-agent has one of its own. */
static const struct transcript *main_transcript(const struct session *s)
{
	return s->agent ? s->main_transcript : s->transcript;
}

static struct tl_event event_of(const struct session *s, const struct fire_args *args)
{
	return (struct tl_event)
		TL_EVENT_INIT(.name = args->event, .subject = args->subject, .session_id = s->id,
			      .transcript_path = transcript_path(main_transcript(s)),
			      .claude_transcript_path = transcript_claude_path(main_transcript(s)),
			      .claude_agent_path =
				      s->agent ? transcript_claude_path(s->transcript) : NULL,
			      .cwd = s->o.cwd, .turn_id = args->turn_id,
			      .tool_call_id = args->call_id, .mcp_server = args->mcp_server,
			      .mcp_tool = args->mcp_tool, .permission_mode = mode_name(s->o.mode),
			      .failed = args->failed, .nth = args->nth,
			      .guards_only = args->guards_only, .fields = args->fields,
			      .nfields = args->nfields, .env_file = args->env_file,
			      .agent_id = s->agent_id, .skills = s->active.p, .model = s->o.model,
			      .agent_type = s->agent ? s->agent->name : NULL);
}

struct tl_hooks *session_hooks(const struct session *s)
{
	return s->o.unmuted && clock_us() >= s->o.unmute_at_us ? s->o.unmuted : s->o.hooks;
}

/* A rule of Claude's permissions, or a hook that may answer with Claude's "allow". */
static bool may_allow(const struct tl_hook *hook)
{
	static const char *const types[] = { "command", "http", "mcp_tool" };
	bool answers = false;

	if (str_starts(str_from(hook->name), STR("permissions.allow: ")))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		answers |= strcmp(hook->type, types[i]) == 0;
	return answers && !hook->guard && !hook->observe && hook_dialect(hook).allow_approves;
}

bool session_may_allow(const struct session *s, const struct fire_args *tool)
{
	struct fire_args args = *tool;
	struct tl_report r = TL_REPORT_INIT();
	struct tl_outcome *why = NULL;
	bool found = false;

	args.event = "BeforeTool";
	args.nfields = 0;
	const struct tl_event e = event_of(s, &args);
	if (!tl_wants(session_hooks(s), &e) || tl_why(session_hooks(s), &e, &why, NULL) < 0)
		return false;
	for (size_t i = 0; i < tl_outcome_report_count(why) && !found; i++)
		found = tl_outcome_report_get(why, i, &r) == 0 && r.state == TL_STATE_WOULD_RUN &&
			may_allow(r.hook);
	tl_outcome_free(why);
	return found;
}

bool session_wants(struct session *s, const char *event, const char *subject)
{
	struct fire_args args = { .event = event, .subject = subject };
	struct tl_event e = event_of(s, &args);

	return tl_wants(session_hooks(s), &e);
}

bool session_wants_this(const struct session *s, const struct fire_args *args)
{
	struct tl_event e = event_of(s, args);

	/* Which may be filled in only when somebody wants them. */
	e.nfields = 0;
	return tl_wants(session_hooks(s), &e);
}

static bool would_run(struct session *s, const struct fire_args *args,
		      bool (*is)(const struct tl_hook *hook))
{
	struct tl_event e = event_of(s, args);
	struct tl_report r = TL_REPORT_INIT();
	struct tl_outcome *why = NULL;
	bool found = false;

	if (!tl_wants(session_hooks(s), &e))
		return false;
	/* Where it cannot be told, it would. */
	if (tl_why(session_hooks(s), &e, &why, NULL) < 0)
		return true;
	for (size_t i = 0; i < tl_outcome_report_count(why) && !found; i++)
		found = tl_outcome_report_get(why, i, &r) == 0 && r.state == TL_STATE_WOULD_RUN &&
			!r.hook->observe && is(r.hook);
	tl_outcome_free(why);
	return found;
}

static bool guards(const struct tl_hook *hook)
{
	return hook->guard || hook->secrets;
}

bool session_is_guarded(struct session *s, const struct fire_args *args)
{
	return would_run(s, args, guards);
}

static bool seeks_secrets(const struct tl_hook *hook)
{
	return hook->secrets;
}

bool session_seeks_secrets(struct session *s, const char *event)
{
	return would_run(s, &(struct fire_args){ .event = event }, seeks_secrets);
}

static bool can_refuse(const struct tl_hook *hook)
{
	return hook->can_refuse;
}

bool session_may_refuse(struct session *s, const struct fire_args *args)
{
	return would_run(s, args, can_refuse);
}

/* ---- telemetry ---- */

/*
 * The payload for the reaper and for telemetry: as hooks of the gemini dialect read it, with the
 * mode, which those of the claude dialect are told.
 */
static const struct json *payload_of(struct session *s, struct arena *a, const struct tl_event *e)
{
	AUTO(free) char *text = tl_event_payload(session_hooks(s), e, NULL, NULL);
	const struct json *v = NULL;

	if (!text || json_parse(a, str_from(text), 0, &v, NULL) < 0)
		v = json_new_obj(a);
	return json_set(a, v, STR("permission_mode"), json_pack_str(a, mode_name(s->o.mode)));
}

/* One hook that ran, here or aside, as telemetry is told of it. */
struct hook_run {
	const char *event, *name;
	const char *type; /* as in struct tl_hook */
	bool is_unnamed; /* the name is its command, its address or its prompt */
	bool suppressed;
	int exit_code; /* -1 = none */
	double ms;
	const char *failure; /* the warning about it; NULL when it did not fail */
	struct str out, err;
};

static void hook_ran(struct session *s, const struct json *payload, const struct hook_run *run)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct telemetry *t = s->o.telemetry;
	bool ok = run->exit_code == 0, prompts = telemetry_prompts(t);
	bool is_command = strcmp(run->type, "command") == 0;
	/* An address or a prompt has no part that is safe to tell. */
	struct str safe_name = is_command        ? telemetry_hook_name(str_from(run->name))
			       : run->is_unnamed ? str_from(run->type)
						 : str_from(run->name);
	struct str name = prompts ? str_from(run->name) : safe_name;
	const struct json *count =
		json_pack(&a, "hook_event_name:z hook_name:s success:b", run->event, safe_name, ok);
	const struct json *at =
		json_pack(&a, "hook_event_name:z hook_type:z hook_name:s duration_ms:f success:b",
			  run->event, run->type, name, run->ms, ok);
	struct str failure = str_from(run->failure ? run->failure : "");
	const struct json *said;

	if (run->exit_code >= 0)
		at = json_pack_more(&a, at, "exit_code:i", run->exit_code);
	if (prompts)
		at = json_pack_more(&a, at, "hook_input:s", json_text(&a, payload, JSON_PRETTY));
	if (prompts && !run->suppressed) {
		struct str out = tool_clean(&a, run->out);
		bool is_json = json_parse(&a, run->out, JSON_BORROW, &said, NULL) == 0;

		at = json_pack_more(&a, at, "hook_output:s stdout:s stderr:s",
				    is_json ? json_text(&a, said, JSON_PRETTY) : out, out,
				    tool_clean(&a, run->err));
	}
	/* The warning names the command and quotes stderr: without prompts, only how it ended. */
	if (failure.n && (!prompts || run->suppressed))
		failure = run->exit_code < 0
				  ? STR("the hook failed")
				  : arena_printf(&a, "the hook failed: exit %d", run->exit_code);
	at = json_pack_more(&a, at, "?error:s", failure);
	AUTO(free) char *body = xasprintf("Hook call %s.%.*s %s in %.0fms", run->event,
					  STR_ARG(name), ok ? "succeeded" : "failed", run->ms);
	telemetry_event(t, "hook_call", body, at);
	telemetry_count(t, "hook_call.count", 1, count);
	telemetry_measure(t, "hook_call.latency", run->ms, "ms", count);
}

/* ---- what became of a firing ---- */

static bool has_failed(const struct tl_report *r)
{
	return r->how >= TL_CLASS_WARNED && r->how != TL_CLASS_CANCELLED;
}

/* The event as the file of the hook at "hooks.EVENT[0]..." spells it, which its author looks for. */
static struct str event_at(struct str path, const char *moment)
{
	static const struct str before = { "hooks.", 6 };
	ptrdiff_t end = str_chr(path, '[', before.n);

	return str_starts(path, before) && end > (ptrdiff_t)before.n
		       ? str_sub(path, before.n, (size_t)end)
		       : str_from(moment);
}

/* The hooks of one firing that failed: one warning names them all. */
struct failures {
	struct buf names, events, texts;
};

/*
 * Was this line, which ends with a line break, not said in this session yet?  With -d it always is
 * news; when more was said than is remembered, what the caller says.  Hooks that run aside are
 * heard on threads of their own.
 */
static bool is_news(struct session *s, const char *line, bool beyond)
{
	enum { TOLD_MAX = 64 << 10 };
	bool full, news;

	(void)pthread_mutex_lock(&s->telling);
	full = s->told.n > TOLD_MAX;
	news = s->o.debug ||
	       (str_find(buf_str(&s->told), str_from(line), 0) < 0 && (!full || beyond));
	if (news && !full)
		buf_addz(&s->told, line);
	(void)pthread_mutex_unlock(&s->telling);
	return news;
}

/* `how` is the class; what a hook says itself when it ends with a status may be another thing. */
static bool is_new_failure(struct session *s, const char *name, struct str event, const char *how,
			   const char *text)
{
	AUTO(free) char *line =
		xasprintf("%.*s: %s: %s\n", STR_ARG(event), name,
			  strcmp(how, tl_class_name(TL_CLASS_WARNED)) == 0 ? text : how);

	return is_news(s, line, true);
}

static void add_failure(struct failures *f, const char *name, struct str event, const char *text)
{
	enum { HEAD_CHARS = 30, NAME_CHARS = 100 };
	AUTO(arena_done) struct arena a = { 0 };
	struct str line = utf8_without_middle(&a, str_from(name), HEAD_CHARS, NAME_CHARS);
	struct str listed = buf_str(&f->events), one;
	bool is_listed = false;

	buf_addf(&f->names, "%s%.*s", f->names.n ? ", " : "", STR_ARG(line));
	while (str_split(&listed, ',', &one))
		is_listed |= str_eq(str_trim(one), event);
	if (!is_listed)
		buf_addf(&f->events, "%s%.*s", f->events.n ? ", " : "", STR_ARG(event));
	buf_addz(&f->texts, f->texts.n ? "\n" : "");
	utf8_add_uncoloured(&f->texts, str_from(text));
}

static struct str failures_text(struct arena *a, struct failures *f)
{
	struct str text = STR("");

	if (f->names.n)
		text = arena_printf(a, "Hook(s) [%s] failed for event %s. %s", buf_z(&f->names),
				    buf_z(&f->events), buf_z(&f->texts));
	buf_done(&f->names);
	buf_done(&f->events);
	buf_done(&f->texts);
	return text;
}

/* What is wrong with an answer is said once a session (C3.9), also at an event of every chunk. */
static void note_odd_answers(struct session *s, const char *event, const struct tl_outcome *o)
{
	static const char *const codes[] = {
		"async-answer",    "cannot-apply",     "cannot-rewrite",  "codex-refuses",
		"conflict",        "denial-on-stdout", "foreign-word",    "ignored-field",
		"json-after-text", "not-an-object",    "repeated-member", "unknown-decision",
		"unknown-field",   "wrong-event",      "wrong-type",
	};

	for (size_t i = 0; i < tl_outcome_diagnostic_count(o); i++) {
		struct tl_diagnostic d = TL_DIAGNOSTIC_INIT();
		size_t k = 0;

		(void)tl_outcome_diagnostic_get(o, i, &d);
		while (k < ARRAY_LEN(codes) && strcmp(codes[k], d.code) != 0)
			k++;
		struct str as = event_at(str_from(d.path), event);
		AUTO(free) char *line = xasprintf("%.*s: %s\n", STR_ARG(as), d.text);
		if (k < ARRAY_LEN(codes) && is_news(s, line, false))
			session_note(s, NOTE_WARNING, "%.*s: %s", STR_ARG(as), d.text);
	}
}

/* What this hook read: others before it may have changed a field. */
static const struct json *as_seen(struct arena *a, const struct json *payload,
				  const struct tl_field *saw, const struct tl_hook *hook)
{
	const struct json *v;

	if (!hook_dialect(hook).sends_mode)
		payload = json_without(a, payload, STR("permission_mode"));
	if (!saw->name ||
	    json_parse(a, (struct str){ saw->json, saw->length }, JSON_BORROW, &v, NULL) < 0)
		return payload;
	return json_set(a, payload, str_from(saw->name), v);
}

/*
 * What hooks keep from the model, or from the user, is not kept in telemetry either: the field that
 * an event is about is written as it is after the firing.
 */
static const struct json *as_left(struct arena *a, const struct json *payload, const char *event,
				  const struct tl_outcome *o)
{
	static const struct {
		const char *event;
		struct str field;
		enum tl_change change;
	} fields[] = {
		{ "BeforeModel", STR("llm_request"), TL_CHANGE_LLM_REQUEST },
		{ "AfterModel", STR("llm_response"), TL_CHANGE_LLM_RESPONSE },
		{ "AfterTool", STR("tool_response"), TL_CHANGE_TOOL_RESULT },
	};
	const struct json *v;
	const char *text;
	size_t i = 0;

	while (i < ARRAY_LEN(fields) && strcmp(fields[i].event, event) != 0)
		i++;
	if (i == ARRAY_LEN(fields))
		return payload;
	text = tl_outcome_change(o, fields[i].change);
	if (outcome_end(o) != END_DONE || tl_outcome_change(o, TL_CHANGE_TAIL_CALL))
		v = json_pack_str(a, "[withheld]");
	else if (!text)
		return payload;
	else if (fields[i].change == TL_CHANGE_TOOL_RESULT)
		v = json_pack(a, "llmContent:z returnDisplay:z", text, text);
	else if (json_parse(a, str_from(text), JSON_BORROW, &v, NULL) < 0)
		return payload;
	return json_set(a, payload, fields[i].field, v);
}

static void report_hooks(struct session *s, const struct tl_event *e, const struct tl_outcome *o)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct failures failed = { 0 };
	bool told = telemetry_on(s->o.telemetry);
	const struct json *payload = told ? payload_of(s, &a, e) : NULL;
	struct str text;

	for (size_t i = 0; i < tl_outcome_report_count(o); i++) {
		struct tl_report r = TL_REPORT_INIT();
		const char *failure;
		struct str at;

		(void)tl_outcome_report_get(o, i, &r);
		if (r.state != TL_STATE_RAN)
			continue;
		failure = has_failed(&r) ? r.message : NULL;
		at = event_at(str_from(r.hook->path), e->name);
		if (failure && is_new_failure(s, r.hook->name, at, tl_class_name(r.how), failure))
			add_failure(&failed, r.hook->name, at, failure);
		/* The words that readers of telemetry know. */
		if (r.how == TL_CLASS_TIMED_OUT)
			failure = arena_printf(&a, "Hook timed out after %lldms",
					       (long long)r.hook->timeout_ms)
					  .p;
		if (told)
			hook_ran(s, as_left(&a, as_seen(&a, payload, &r.saw, r.hook), e->name, o),
				 &(struct hook_run){
					 .event = e->name,
					 .name = r.hook->name,
					 .type = r.hook->type,
					 .is_unnamed = strcmp(r.hook->name, r.hook->command) == 0,
					 .suppressed = tl_outcome_suppressed(o),
					 .exit_code = r.exit_code,
					 .ms = (double)r.elapsed_us / 1000,
					 .failure = failure,
					 .out = { r.output, r.output_length },
					 .err = { r.errors, r.errors_length },
				 });
	}
	text = failures_text(&a, &failed);
	if (text.n)
		session_note(s, NOTE_WARNING, "%.*s", STR_ARG(text));
	note_odd_answers(s, e->name, o);
}

/* What a hook says to the user; at a terminal its name (NULL = none) follows. */
static struct str message_shown(struct arena *a, struct str text, const char *name)
{
	AUTO(buf_done) struct buf out = { 0 };

	utf8_add_uncoloured(&out, text);
	if (name)
		buf_addf(&out, " [%s]", name);
	return arena_str(a, buf_str(&out));
}

/* At a terminal each hook's message is shown by itself, elsewhere they are joined. */
static void show_message(struct session *s, const struct tl_outcome *o)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf comments = { 0 };
	bool by_name = s->o.interactive;

	for (size_t i = 0; outcome_end(o) == END_DONE && i < tl_outcome_report_count(o); i++) {
		struct tl_report r = TL_REPORT_INIT();

		(void)tl_outcome_report_get(o, i, &r);
		/* It could deny nothing, and told the model. */
		if (r.state == TL_STATE_RAN && *r.said && r.verdict < TL_VERDICT_ASK &&
		    !r.hook->observe)
			outcome_add_said(&comments, &r);
	}
	if (comments.n)
		session_note(s, NOTE_INFO, "The model is told: %s", buf_z(&comments));
	/* What wanted to deny and came too late is named everywhere. */
	for (size_t i = 0; !by_name && i < tl_outcome_report_count(o); i++) {
		struct tl_report r = TL_REPORT_INIT();

		(void)tl_outcome_report_get(o, i, &r);
		by_name = r.state == TL_STATE_RAN && *r.message &&
			  (r.how == TL_CLASS_BLOCKED || *r.reason);
	}
	for (size_t i = 0; by_name && i < tl_outcome_report_count(o); i++) {
		struct tl_report r = TL_REPORT_INIT();

		(void)tl_outcome_report_get(o, i, &r);
		if (r.state == TL_STATE_RAN && !has_failed(&r) && *r.message && !r.hook->observe &&
		    !tl_outcome_suppressed(o))
			session_note(s, NOTE_HOOK_MESSAGE, "%.*s",
				     STR_ARG(message_shown(&a, str_from(r.message), r.hook->name)));
	}
	if (!by_name && *tl_outcome_message(o) && !tl_outcome_suppressed(o))
		session_note(s, NOTE_HOOK_MESSAGE, "%.*s",
			     STR_ARG(message_shown(&a, str_from(tl_outcome_message(o)), NULL)));
}

/* "Executing Hook: a", "Executing Hooks: a (1/2), b (2/2)"; the system's are not named. */
static void wait_for_hooks(struct session *s, const struct tl_event *e)
{
	struct tl_settings settings = TL_SETTINGS_INIT();
	AUTO(buf_done) struct buf names = { 0 };
	struct tl_outcome *why = NULL;
	const char *only[HOOKS_SHOWN];
	size_t n = 0, all = 0;

	tl_hooks_settings(session_hooks(s), &settings);
	if (!s->o.sink.waiting || !settings.notifications ||
	    tl_why(session_hooks(s), e, &why, NULL) < 0)
		return;
	for (size_t i = 0; i < tl_outcome_report_count(why); i++) {
		struct tl_report r = TL_REPORT_INIT();

		(void)tl_outcome_report_get(why, i, &r);
		if (r.state != TL_STATE_WOULD_RUN || tiers[r.hook->tier].own_switch)
			continue;
		if (all++ < HOOKS_SHOWN)
			only[n++] = *r.hook->status_message ? r.hook->status_message : r.hook->name;
	}
	for (size_t i = 0; i < n; i++) {
		buf_addf(&names, "%s%s", i ? ", " : "", only[i]);
		if (all > 1)
			buf_addf(&names, " (%zu/%zu)", i + 1, all);
	}
	if (n) {
		AUTO(free) char *text =
			xasprintf("Executing Hook%s: %s", all == 1 ? "" : "s", buf_z(&names));
		session_waiting(s, text);
	}
	tl_outcome_free(why);
}

/* The same, when a hook is about to read what it names. */
static struct tl_event event_for_hooks(struct session *s, const struct fire_args *args)
{
	session_keep_claude_log(s);
	return event_of(s, args);
}

struct tl_outcome *session_fire(struct session *s, const struct fire_args *args)
{
	struct tl_event e = event_of(s, args);
	struct tl_outcome *o = NULL;
	struct tl_err err;
	bool wanted = tl_wants(session_hooks(s), &e);
	int r;

	if (wanted) {
		e = event_for_hooks(s, args);
		wait_for_hooks(s, &e);
	}
	e.seq = ++s->seq;
	r = tl_fire(session_hooks(s), &e, s->halt->hooks, &o, &err);
	hook_hosts_settle(s->o.hosts);
	if (wanted)
		session_waiting(s, NULL);
	if (r < 0) {
		if (r != -TL_E_CANCEL)
			session_note(s, NOTE_ERROR, "The hooks of %s could not be fired: %s",
				     args->event, err.text);
		return NULL;
	}
	if (!tl_outcome_report_count(o))
		return o;
	if (s->o.record)
		s->o.record(s->o.record_data, o);
	report_hooks(s, &e, o);
	show_message(s, o);
	if (*tl_outcome_terminal_sequence(o) && s->o.sink.terminal)
		s->o.sink.terminal(s->o.sink.data, str_from(tl_outcome_terminal_sequence(o)));
	return o;
}

/* ---- hooks that ran aside ---- */

static bool aside_failed(const struct json *row)
{
	struct str how = json_get_str(row, "class");

	return str_eqz(json_get_str(row, "state"), "ran") && !str_eqz(how, "ok") &&
	       !str_eqz(how, "blocked") && !str_eqz(how, "cancelled");
}

typedef void emit_fn(struct session *s, enum note_kind kind, struct str text);

static void emit_late(struct session *s, enum note_kind kind, struct str text)
{
	s->late.late(s->late.data, kind, text);
}

/* It was heard, unless whoever shows it hears nothing from other threads. */
static void emit_done(struct session *s, enum note_kind kind, struct str text)
{
	if (s->late.late)
		session_record_note(s, kind, text);
	else
		session_note(s, kind, "%.*s", STR_ARG(text));
}

static void emit_message(struct session *s, const struct json *row, emit_fn *emit)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct str text = json_get_str(row, "message");
	const char *name = arena_z(&a, json_get_str(row, "name"));

	if (text.n)
		emit(s, NOTE_HOOK_MESSAGE, message_shown(&a, text, s->o.interactive ? name : NULL));
}

/* All that people are told of a report; messages that were heard are not told again. */
static void emit_report(struct session *s, const struct aside_said *said, emit_fn *emit)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct failures failed = { 0 };
	const struct json *report = said->value, *hooks = json_getz(report, "hooks"), *h;
	struct str message = json_str(json_pointer(report, STR("/outcome/systemMessage")), STR(""));
	struct str error = json_str(json_pointer(report, STR("/error/message")), STR(""));
	bool suppressed = json_is_true(json_pointer(report, STR("/outcome/suppressOutput")));
	/* What was heard is only put into the transcript. */
	bool is_heard = emit == emit_done && s->late.late;
	struct str text;

	if (error.n && strcmp(said->event, "SessionEnd") != 0)
		emit(s, NOTE_WARNING,
		     arena_printf(&a, "The hooks of %s did not run: %.*s", said->event,
				  STR_ARG(error)));
	for (size_t i = 0; (h = json_at(hooks, i)); i++) {
		const char *name = arena_z(&a, json_get_str(h, "name"));
		const char *failure = arena_z(&a, json_get_str(h, "message"));
		struct str at = event_at(json_get_str(h, "path"), said->event);

		if (aside_failed(h) &&
		    (is_heard ||
		     is_new_failure(s, name, at, arena_z(&a, json_get_str(h, "class")), failure)))
			add_failure(&failed, name, at, failure);
	}
	text = failures_text(&a, &failed);
	if (text.n)
		emit(s, NOTE_WARNING, text);
	if (json_is_true(json_getz(report, "changed")))
		emit(s, NOTE_WARNING,
		     arena_printf(&a,
				  "The project's hooks or settings changed since this session "
				  "began: its hooks of %s were not run.",
				  said->event));
	if (!said->heard && message.n && !suppressed)
		emit(s, NOTE_HOOK_MESSAGE, message_shown(&a, message, NULL));
	for (size_t i = 0; said->heard && !suppressed && (h = json_at(hooks, i)); i++) {
		bool heard = false;

		for (size_t k = 0; k < said->heard->n; k++)
			heard |= json_int(json_at(said->heard, k), -1) == (int64_t)i;
		if (!heard && str_eqz(json_get_str(h, "state"), "ran") && !aside_failed(h))
			emit_message(s, h, emit);
	}
}

static void aside_hear(void *data, const struct aside_said *said)
{
	const struct json *row = json_getz(said->value, "heard");

	struct session *s = data;

	if (!s->late.late)
		return;
	if (row)
		emit_message(s, row, emit_late);
	else
		emit_report(s, said, emit_late);
}

static void aside_done(void *data, const struct aside_said *said)
{
	struct session *s = data;
	const struct json *hooks = json_getz(said->value, "hooks"), *h;
	bool suppressed = json_is_true(json_pointer(said->value, STR("/outcome/suppressOutput")));

	s->end_lost |= json_pointer(said->value, STR("/error/message")) &&
		       strcmp(said->event, "SessionEnd") == 0;
	emit_report(s, said, emit_done);
	for (size_t i = 0; (h = json_at(hooks, i)); i++) {
		/* For telemetry. */
		AUTO(arena_done) struct arena a = { 0 };
		struct hook_run run = {
			.event = said->event,
			.name = arena_z(&a, json_get_str(h, "name")),
			.type = arena_z(&a, json_get_str(h, "type")),
			.is_unnamed = str_eq(json_get_str(h, "name"), json_get_str(h, "command")),
			.suppressed = suppressed,
			.exit_code = (int)json_int(json_getz(h, "exitCode"), -1),
			.ms = json_num(json_getz(h, "ms"), 0),
			.failure = aside_failed(h) ? arena_z(&a, json_get_str(h, "message")) : NULL,
			.out = json_get_str(h, "stdout"),
			.err = json_get_str(h, "stderr"),
		};

		if (str_eqz(json_get_str(h, "state"), "ran") && telemetry_on(s->o.telemetry))
			/*
			 * Not every dialect sends the mode, and the report names none.
			 */
			hook_ran(s, json_without(&a, said->payload, STR("permission_mode")), &run);
	}
}

void session_announce(struct session *s, const struct fire_args *args)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *payload;
	const struct aside_listener to = { aside_hear, aside_done, s };
	struct json_list skills = { 0 };
	struct tl_event e;
	struct err err;

	if (!session_wants(s, args->event, args->subject))
		return;
	if (!s->o.reaper) {
		tl_outcome_free(session_fire(s, args));
		return;
	}
	e = event_for_hooks(s, args);
	e.seq = ++s->seq;
	payload = json_pack_more(&a, payload_of(s, &a, &e), "?claude_transcript_path:z",
				 e.claude_transcript_path);
	for (size_t i = 0; i + 1 < s->active.n; i++)
		json_list_add(&skills, json_pack_str(&a, s->active.p[i]));
	if (s->active.n)
		payload =
			json_pack_more(&a, payload, "active_skills:j", json_list_take(&a, &skills));
	if (asides_start(&s->asides, s->o.reaper, args->event, args->subject, s->o.cwd, payload,
			 &to, &err) == 0)
		return;
	if (strcmp(args->event, "SessionEnd") == 0)
		s->end_lost = true;
	else
		session_note(s, NOTE_WARNING, "The hooks of %s were not started: %s", args->event,
			     err.text);
}

void session_check(struct session *s)
{
	const char *lost = transcript_error(s->transcript);

	if (lost)
		session_note(s, NOTE_WARNING, "This session is no longer recorded: %s", lost);
	asides_poll(&s->asides);
}

int session_asides_finish(struct session *s, int wait_ms)
{
	return asides_finish(&s->asides, wait_ms);
}

/*
 * The end's hooks when no reaper could run them (a tool broke the settings, the project is gone):
 * with the configuration of the session's beginning, and ended when the time is over.
 */
void session_fire_end(struct session *s, const char *reason, int wait_ms)
{
	struct fire_args args = { .event = "SessionEnd", .subject = reason };
	struct tl_event e = event_for_hooks(s, &args);
	int64_t until = clock_us() + wait_ms * 1000LL;
	struct pollfd fds[FDS_MAX];
	struct tl_outcome *o = NULL;
	struct tl_job *job;
	size_t n = 0;
	int timeout;

	e.seq = ++s->seq;
	job = tl_job_new(session_hooks(s), &e, NULL);
	if (!job)
		return;
	while (!tl_job_step(job, fds, n) && clock_us() < until) {
		n = min_size(tl_job_fds(job, fds, FDS_MAX, &timeout), FDS_MAX);
		int left = clock_ms_until(until);
		(void)fd_poll(fds, n, timeout < 0 || left < timeout ? left : timeout);
	}
	timeout = tl_job_finish(job, &o, NULL);
	hook_hosts_settle(s->o.hosts);
	if (timeout < 0)
		return;
	if (s->o.record)
		s->o.record(s->o.record_data, o);
	report_hooks(s, &e, o);
	show_message(s, o);
	tl_outcome_free(o);
}

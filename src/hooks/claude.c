/*
 * Payloads and verdicts of the claude dialect (C3.7).  What its answers may have is in answers.c.
 */
#include "hooks/claude.h"
#include "base/json_pack.h"
#include "base/words.h"
#include "hooks/codex.h"
#include "settings/mode.h"

enum { SCHEMA_VERSION = 1 };

struct sending {
	struct jw w;
	struct firing *f;
};

/* ---- the payload ---- */

/* A text of the host, "" when there is none. */
static void text_member(struct sending *s, const char *key, const char *name)
{
	jw_kv_str(&s->w, key, json_str(firing_value(s->f, name), STR("")));
}

static void tool_members(struct sending *s)
{
	struct firing *f = s->f;
	const struct json *before = firing_value(f, "tool_input_original");
	struct claude_call c;

	claude_call_init(&c, f);
	jw_kv_str(&s->w, "tool_name", claude_tool_of(f));
	if (f->in.tool_call_id)
		jw_kv_str(&s->w, "tool_use_id",
			  arena_printf(f->arena, "toolu_%s", f->in.tool_call_id));
	jw_key(&s->w, "tool_input");
	jw_json(&s->w, claude_args_from_host(&c, firing_tool_input(f)));
	if (f->in.mcp_server) {
		jw_key(&s->w, "mcp_server");
		jw_obj(&s->w);
		jw_kv_z(&s->w, "name", f->in.mcp_server);
		jw_end(&s->w);
	}
	if (before) {
		jw_key(&s->w, "tool_input_original");
		jw_json(&s->w, claude_args_from_host(&c, before));
	}
}

static struct claude_result result_of(struct firing *f)
{
	const struct json *code = firing_value(f, "exit_code");

	return (struct claude_result){
		.args = firing_tool_input(f),
		.response = firing_value(f, "tool_response"),
		.call_id = f->in.tool_call_id,
		.ms = json_num(firing_value(f, "duration_ms"), 0),
		.exit_code = code ? json_text(f->arena, code, JSON_COMPACT) : STR(""),
	};
}

static void tool_success_members(struct sending *s)
{
	struct claude_result r = result_of(s->f);
	struct claude_call c;

	tool_members(s);
	claude_call_init(&c, s->f);
	jw_key(&s->w, "tool_response");
	jw_json(&s->w, claude_response(&c, &r));
}

static void tool_failure_members(struct sending *s)
{
	static const char *const cancelled[] = { "cancelled", "canceled", "aborted",
						 "interrupted" };
	const struct json *response = firing_value(s->f, "tool_response");
	const struct json *error = json_getz(response, "error");
	struct str type = json_get_str(error, "type");
	struct str text = json_str(error, json_get_str(error, "message"));
	bool interrupt = json_is_true(json_getz(response, "interrupted"));
	struct claude_result r = result_of(s->f);
	struct claude_call c;

	interrupt |= WORD_IN(type, cancelled);
	tool_members(s);
	claude_call_init(&c, s->f);
	jw_kv_str(&s->w, "error", text.n ? text : claude_failure(&c, &r));
	jw_kv_bool(&s->w, "is_interrupt", interrupt);
}

/* A rule's tool under its name on the other side. */
static const struct json *renamed_rules(struct arena *a, const struct json *updates, bool to_claude)
{
	struct json_list all = { 0 };

	for (size_t i = 0; json_is(updates, J_ARR) && i < updates->n; i++) {
		const struct json *update = json_at(updates, i);
		const struct json *rules = json_getz(update, "rules");
		struct json_list list = { 0 };

		for (size_t k = 0; json_is(rules, J_ARR) && k < rules->n; k++) {
			const struct json *rule = json_at(rules, k);
			struct str tool = json_get_str(rule, "toolName");
			const char *name =
				to_claude ? tool_name_in(TOOLS_CLAUDE, tool) : tool_alias(tool);

			json_list_add(&list, name ? json_set(a, rule, STR("toolName"),
							     json_new_str(a, str_from(name)))
						  : rule);
		}
		json_list_add(&all, json_is(rules, J_ARR) ? json_set(a, update, STR("rules"),
								     json_list_take(a, &list))
							  : update);
	}
	return json_list_take(a, &all);
}

static void request_members(struct sending *s)
{
	const struct json *rules = firing_value(s->f, "permission_suggestions");

	tool_members(s);
	jw_key(&s->w, "permission_suggestions");
	jw_json(&s->w, renamed_rules(s->f->arena, rules, true));
}

static void denied_members(struct sending *s)
{
	tool_members(s);
	text_member(s, "reason", "reason");
}

static void prompt_members(struct sending *s)
{
	text_member(s, "prompt", "prompt");
	if (firing_current(s->f)) {
		jw_key(&s->w, "prompt_parts");
		jw_raw(&s->w, json_text(s->f->arena, firing_current(s->f), JSON_COMPACT));
	}
}

static void idle_members(struct sending *s)
{
	jw_key(&s->w, "background_tasks");
	jw_arr(&s->w);
	jw_end(&s->w);
	jw_key(&s->w, "session_crons");
	jw_arr(&s->w);
	jw_end(&s->w);
}

static void stop_members(struct sending *s)
{
	jw_kv_bool(&s->w, "stop_hook_active", json_is_true(firing_value(s->f, "stop_hook_active")));
	text_member(s, "last_assistant_message", "prompt_response");
	idle_members(s);
}

static void agent_stop_members(struct sending *s)
{
	if (s->f->in.claude_agent_path)
		jw_kv_z(&s->w, "agent_transcript_path", s->f->in.claude_agent_path);
	else
		text_member(s, "agent_transcript_path", "agent_transcript_path");
	jw_kv_bool(&s->w, "stop_hook_active", json_is_true(firing_value(s->f, "stop_hook_active")));
	text_member(s, "last_assistant_message", "last_assistant_message");
	idle_members(s);
}

/* Files or addresses that a call touches (C2.11). */
static void places_member(struct sending *s, const char *key, const struct json *list)
{
	if (!list)
		return;
	jw_key(&s->w, key);
	jw_json(&s->w, list);
}

/* The calls of one answer, each as PreToolUse and PostToolUse would show it. */
static void batch_members(struct sending *s)
{
	const struct json *calls = firing_value(s->f, "tool_calls");
	struct arena *a = s->f->arena;

	jw_key(&s->w, "tool_calls");
	jw_arr(&s->w);
	for (size_t i = 0; json_is(calls, J_ARR) && i < calls->n; i++) {
		const struct json *call = json_at(calls, i), *mcp = json_getz(call, "mcp_context");
		const char *name = arena_z(a, json_get_str(call, "tool_name"));
		struct firing one = {
			.h = s->f->h, .event = s->f->event, .cwd = s->f->cwd, .arena = a
		};
		struct claude_call c;

		one.in.subject = name;
		if (json_get_str(mcp, "tool_name").n) {
			one.in.mcp_server = arena_z(a, json_get_str(mcp, "server_name"));
			one.in.mcp_tool = arena_z(a, json_get_str(mcp, "tool_name"));
		}
		claude_call_init(&c, &one);
		jw_obj(&s->w);
		jw_kv_str(&s->w, "tool_name", claude_tool_of(&one));
		jw_key(&s->w, "tool_input");
		jw_json(&s->w, claude_args_from_host(&c, json_getz(call, "tool_input")));
		jw_kv_str(
			&s->w, "tool_use_id",
			arena_printf(a, "toolu_%.*s", STR_ARG(json_get_str(call, "tool_call_id"))));
		jw_kv_str(&s->w, "tool_response", claude_told(json_get_str(call, "tool_response")));
		places_member(s, "tool_paths", json_getz(call, "tool_paths"));
		places_member(s, "tool_urls", json_getz(call, "tool_urls"));
		jw_end(&s->w);
	}
	jw_end(&s->w);
}

static void session_start_members(struct sending *s)
{
	static const char *const numbers[] = { "context_tokens", "seconds_since_last_response" };

	jw_kv_z(&s->w, "source", s->f->in.subject);
	text_member(s, "model", "model");
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		const struct json *v = firing_value(s->f, numbers[i]);

		if (!json_is(v, J_NUM))
			return;
		jw_key(&s->w, numbers[i]);
		jw_json(&s->w, v);
	}
	/* Of a conversation that is resumed; nothing is cached here. */
	jw_kv_bool(&s->w, "prompt_cache_likely_expired", true);
	jw_kv_int(&s->w, "estimated_cache_write_usd", 0);
}

static void session_end_members(struct sending *s)
{
	jw_kv_str(&s->w, "reason", claude_word(s->f->event, str_from(s->f->in.subject)));
}

static void compact_members(struct sending *s)
{
	jw_kv_z(&s->w, "trigger", s->f->in.subject);
	jw_kv_z(&s->w, "custom_instructions", "");
}

static void notification_members(struct sending *s)
{
	const struct json *title = json_getz(firing_value(s->f, "details"), "title");

	text_member(s, "message", "message");
	jw_kv_str(&s->w, "title", json_str(title, STR("")));
	jw_kv_str(&s->w, "notification_type", claude_word(s->f->event, str_from(s->f->in.subject)));
}

/* An event that only this dialect has: the host's fields have its names. */
static void own_members(struct sending *s)
{
	const struct tl_event *in = &s->f->in;

	if (in->subject != in->agent_type)
		jw_kv_z(&s->w, s->f->event->subject, in->subject);
	for (size_t i = 0; i < in->nfields; i++) {
		jw_key(&s->w, in->fields[i].name);
		jw_raw(&s->w, (struct str){ in->fields[i].json, in->fields[i].length });
	}
}

/* Nothing is cached here, and no price is known; hooks that check their input want both. */
static void switch_members(struct sending *s)
{
	own_members(s);
	jw_kv_bool(&s->w, "prompt_cache_warm", false);
	jw_kv_z(&s->w, "cache_ttl", "5m");
	jw_kv_int(&s->w, "estimated_cache_write_usd", 0);
	jw_kv_z(&s->w, "pricing", "default");
}

/* What each event sends besides the base members. */
static const struct {
	const char *name;
	void (*members)(struct sending *s);
} payloads[] = {
	{ "PreToolUse", tool_members },
	{ "PostToolUse", tool_success_members },
	{ "PostToolUseFailure", tool_failure_members },
	{ "UserPromptSubmit", prompt_members },
	{ "Stop", stop_members },
	{ "SubagentStop", agent_stop_members },
	{ "PostToolBatch", batch_members },
	{ "PermissionRequest", request_members },
	{ "PermissionDenied", denied_members },
	{ "UserPromptExpansion", own_members },
	{ "PostCompact", own_members },
	{ "StopFailure", own_members },
	{ "InstructionsLoaded", own_members },
	{ "Setup", own_members },
	{ "Elicitation", own_members },
	{ "ElicitationResult", own_members },
	{ "PreModelSwitch", switch_members },
	{ "PostModelSwitch", switch_members },
	{ "TaskCreated", own_members },
	{ "TaskCompleted", own_members },
	{ "MessageDisplay", own_members },
	{ "ConfigChange", own_members },
	{ "FileChanged", own_members },
	{ "DirectoryAdded", own_members },
	{ "SessionStart", session_start_members },
	{ "SessionEnd", session_end_members },
	{ "PreCompact", compact_members },
	{ "Notification", notification_members },
};

struct str claude_word(const struct event *ev, struct str subject)
{
	static const struct {
		enum event_id event;
		const char *host, *claude;
	} words[] = {
		{ EV_NOTIFICATION, "ToolPermission", "permission_prompt" },
		{ EV_NOTIFICATION, "Elicitation", "elicitation_dialog" },
		/* Who quits at the prompt is reported as prompt_input_exit. */
		{ EV_SESSION_END, "exit", "other" },
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (words[i].event == ev->id && str_eqz(subject, words[i].host))
			return str_from(words[i].claude);
	return subject;
}

/* What Claude Code does not send (C2.4, C5.2). */
static void extra_members(struct sending *s)
{
	static const char *const passed[] = { "mcp_context", "original_request_name", "exit_code",
					      "signal", "duration_ms" };
	const struct firing *f = s->f;

	jw_kv_z(&s->w, "timestamp", f->timestamp);
	jw_kv_int(&s->w, "schema_version", SCHEMA_VERSION);
	if (f->in.turn_id)
		jw_kv_z(&s->w, "turn_id", f->in.turn_id);
	if (f->in.seq)
		jw_kv_int(&s->w, "seq", (int64_t)f->in.seq);
	if (f->in.tool_call_id && f->event->subject_kind == SUBJECT_TOOL)
		jw_kv_z(&s->w, "tool_call_id", f->in.tool_call_id);
	for (size_t i = 0; i < ARRAY_LEN(passed); i++) {
		struct str json = firing_field(f, passed[i]);

		if (!json.p)
			continue;
		jw_key(&s->w, passed[i]);
		jw_raw(&s->w, json);
	}
	/* Not what the arguments meant before a hook changed them. */
	if (f->event->subject_kind == SUBJECT_TOOL && !f->current) {
		places_member(s, "tool_paths", firing_value(f, "tool_paths"));
		places_member(s, "tool_urls", firing_value(f, "tool_urls"));
	}
}

struct str claude_payload(struct firing *f, const struct hook *hook)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct sending s = { .w = { .out = &out }, .f = f };

	jw_obj(&s.w);
	jw_kv_z(&s.w, "session_id", f->session_id);
	if (f->in.turn_id)
		jw_kv_z(&s.w, "prompt_id", f->in.turn_id);
	jw_kv_z(&s.w, "transcript_path",
		f->in.claude_transcript_path ? f->in.claude_transcript_path
		: f->in.transcript_path      ? f->in.transcript_path
					     : "");
	jw_kv_z(&s.w, "cwd", f->cwd);
	jw_kv_z(&s.w, "permission_mode", mode_claude(f->in.permission_mode));
	jw_kv_z(&s.w, "hook_event_name", hook->as->name);
	if (f->in.agent_id)
		jw_kv_z(&s.w, "agent_id", f->in.agent_id);
	if (f->in.agent_type)
		jw_kv_z(&s.w, "agent_type", f->in.agent_type);
	for (size_t i = 0; i < ARRAY_LEN(payloads); i++)
		if (strcmp(payloads[i].name, hook->as->name) == 0)
			payloads[i].members(&s);
	extra_members(&s);
	jw_end(&s.w);
	buf_addc(&out, '\n');
	return arena_str(f->arena, buf_str(&out));
}

/* ---- the answer ---- */

/* A valid answer under judgement; all zero when there is none. */
struct said {
	struct judging *j;
	const struct dialect_event *ev;
	const struct json *obj, *inner;
	enum tl_verdict verdict; /* DENY also for a mere comment */
	struct str reason; /* of the verdict; "" when it gave none */
};

static struct str text_of(const struct said *s, const struct json *obj, const char *key)
{
	return clean_text(s->j->f->arena, json_str(answer_get(obj, key), STR("")));
}

static void ignored(const struct said *s, const char *what)
{
	s->j->bad = true;
	judge_ignored(s->j, what);
}

/* A known member of the wrong type spoils the whole answer (C3.7). */
static bool types_are_right(struct judging *j, const struct json *obj)
{
	const struct json *inner = answer_get(obj, "hookSpecificOutput");
	const struct answer_member *m;

	for (size_t i = 0; (m = answer_member_at(i)); i++) {
		const struct json *v = answer_get(m->inner ? inner : obj, m->f.name);
		/* Elsewhere hookSpecificOutput.decision is another dialect's word. */
		bool other = m->parts == PART_REQUEST && !(j->hook->as->honours & PART_REQUEST);
		const char *why = !v || other || !(m->words & j->hook->dialect->words)
					  ? NULL
					  : field_misfit(j->f->arena, &m->f, v);

		if (!why && v && !other && m->words & j->hook->dialect->words)
			(void)judge_known(j, m, v, NULL);
		if (!why)
			continue;
		judge_note(j, TL_SEVERITY_WARNING, "wrong-type",
			   "\"%s\" %s; the whole answer is invalid", m->f.name, why);
		return false;
	}
	return true;
}

struct word {
	const char *word;
	enum tl_verdict verdict;
	bool foreign; /* Claude Code does not know it there */
};

static const struct word *word_find(const struct word *words, size_t n, struct str s)
{
	for (size_t i = 0; i < n; i++)
		if (str_eqz(s, words[i].word))
			return &words[i];
	return NULL;
}

/* `decision`.  A denial in another dialect's word still is one; an approval is not. */
static void read_decision(struct said *s)
{
	static const struct word words[] = {
		{ "approve", TL_VERDICT_ALLOW, false }, { "block", TL_VERDICT_DENY, false },
		{ "allow", TL_VERDICT_NONE, true },     { "ask", TL_VERDICT_ASK, true },
		{ "deny", TL_VERDICT_DENY, true },
	};
	struct str said = text_of(s, s->obj, "decision");
	const struct word *w = word_find(words, ARRAY_LEN(words), said);

	if (!answer_get(s->obj, "decision"))
		return;
	/* Of a denial in other words judge_note_strictest() says that it counts. */
	if ((!w || w->foreign) && !judge_is_foreign(s->j, "decision"))
		judge_note(s->j, TL_SEVERITY_WARNING, "unknown-decision",
			   "decision \"%.*s\" is none of approve, block; %s", STR_ARG(said),
			   w && w->verdict ? "it counts" : "no opinion");
	s->j->bad |= !w || w->verdict == TL_VERDICT_NONE ||
		     (w->verdict == TL_VERDICT_ASK && !(s->ev->honours & PART_PERMISSION));
	if (!w || (w->verdict < TL_VERDICT_DENY && !(s->ev->honours & PART_PERMISSION)))
		return;
	s->verdict = w->verdict;
	s->reason = text_of(s, s->obj, "reason");
}

static void read_permission(struct said *s)
{
	static const struct word words[] = {
		{ "allow", TL_VERDICT_ALLOW, false },
		{ "ask", TL_VERDICT_ASK, false },
		{ "defer", TL_VERDICT_DENY, false },
		{ "deny", TL_VERDICT_DENY, false },
	};
	struct str said = text_of(s, s->inner, "permissionDecision");
	const struct word *w = word_find(words, ARRAY_LEN(words), said);

	if (!answer_get(s->inner, "permissionDecision"))
		return;
	if (!(s->ev->honours & PART_PERMISSION)) {
		ignored(s, "permissionDecision");
		return;
	}
	if (!w) {
		s->j->bad = true;
		if (judge_is_foreign(s->j, "permissionDecision"))
			return;
		judge_note(s->j, TL_SEVERITY_WARNING, "unknown-decision",
			   "permissionDecision \"%.*s\" is none of allow, ask, deny, defer",
			   STR_ARG(said));
		return;
	}
	if (w->verdict < s->verdict)
		return;
	struct str reason = text_of(s, s->inner, "permissionDecisionReason");
	s->verdict = w->verdict;
	if (reason.n || !s->reason.n)
		s->reason = reason.n ? reason : text_of(s, s->obj, "reason");
	if (!str_eqz(said, "defer"))
		return;
	/* Not now: the call does not run, and whoever goes on with the session decides. */
	s->j->r->stop = true;
	s->reason = arena_printf(s->j->f->arena, "The call was deferred%s%.*s",
				 s->reason.n ? ": " : "", STR_ARG(s->reason));
}

/* PermissionRequest: the answer in the user's place. */
static void read_request(struct said *s)
{
	static const struct word words[] = {
		{ "allow", TL_VERDICT_ALLOW, false },
		{ "deny", TL_VERDICT_DENY, false },
	};
	const struct json *decision = answer_get(s->inner, "decision");
	struct str said = text_of(s, decision, "behavior");
	const struct word *w = word_find(words, ARRAY_LEN(words), said);

	if (!decision)
		return;
	if (!(s->ev->honours & PART_REQUEST)) {
		ignored(s, "decision");
		return;
	}
	if (!w) {
		s->j->bad = true;
		judge_note(s->j, TL_SEVERITY_WARNING, "unknown-decision",
			   "behavior \"%.*s\" is none of allow, deny", STR_ARG(said));
		return;
	}
	if (w->verdict < s->verdict)
		return;
	s->verdict = w->verdict;
	s->reason = text_of(s, decision, "message");
	s->j->r->stop =
		w->verdict == TL_VERDICT_DENY && json_is_true(answer_get(decision, "interrupt"));
}

static struct str lines(struct arena *a, struct str first, struct str second)
{
	if (!first.n || !second.n)
		return first.n ? first : second;
	return arena_printf(a, "%.*s\n%.*s", STR_ARG(first), STR_ARG(second));
}

static struct str reason_or_default(const struct said *s)
{
	struct str stop = s->obj ? text_of(s, s->obj, "stopReason") : STR("");
	struct str message = s->obj ? text_of(s, s->obj, "systemMessage") : STR("");

	if (s->reason.n)
		return s->reason;
	if (stop.n)
		return stop;
	return s->verdict == TL_VERDICT_ASK && message.n ? message : STR("No reason provided");
}

static void set_verdict(struct said *s)
{
	struct reply *r = s->j->r;

	if (s->verdict < TL_VERDICT_DENY) {
		r->verdict = s->verdict;
		r->approved =
			s->verdict == TL_VERDICT_ALLOW &&
			(s->j->hook->dialect->allow_approves || s->ev->honours & PART_REQUEST);
		r->reason = s->verdict == TL_VERDICT_ASK ? reason_or_default(s) : s->reason;
		return;
	}
	r->reason = reason_or_default(s);
	/* What Claude Code only comments on, this host can still withhold: a guard may. */
	if (s->j->hook->guard && !s->j->f->event->advisory) {
		r->verdict = TL_VERDICT_DENY;
		return;
	}
	switch (s->ev->blocks) {
	case BLOCK_DENY:
		r->verdict = TL_VERDICT_DENY;
		return;
	case BLOCK_COMMENT:
		r->context = cut_context(s->j->f->arena, r->reason);
		r->said = r->reason;
		return;
	case BLOCK_NOTICE:
		r->message = r->reason;
		judge_note(s->j, TL_SEVERITY_NOTE, "cannot-block", "nothing can be blocked on %s",
			   s->ev->name);
		return;
	case BLOCK_IGNORED:
		judge_note(s->j, TL_SEVERITY_NOTE, "cannot-block", "nothing can be blocked on %s",
			   s->ev->name);
		return;
	}
}

static void take_context(struct said *s)
{
	struct arena *a = s->j->f->arena;
	struct reply *r = s->j->r;
	struct str text =
		cut_context(a, json_str(answer_get(s->inner, "additionalContext"), STR("")));

	if (!text.n)
		return;
	if (s->ev->honours & PART_FEEDBACK) {
		r->reason = r->verdict == TL_VERDICT_DENY ? lines(a, r->reason, text) : text;
		r->verdict = TL_VERDICT_DENY;
	} else if (!(s->ev->honours & PART_CONTEXT)) {
		ignored(s, "additionalContext");
	} else if (r->verdict == TL_VERDICT_DENY && s->ev->honours & PART_TOOL_INPUT) {
		/* There will be no result that it could go with. */
		r->reason = lines(a, r->reason, text);
	} else {
		r->context = lines(a, r->context, text);
	}
}

/* To run what the hook wanted otherwise would be the looser reading. */
static void deny_rewrite(struct said *s, const struct json *input)
{
	struct arena *a = s->j->f->arena;
	struct str text = json_text(a, input, JSON_COMPACT);

	s->j->r->verdict = TL_VERDICT_DENY;
	s->j->r->approved = false;
	s->j->r->reason = cut_context(
		a, arena_printf(
			   a,
			   "A hook wants other arguments, which this call cannot be given. Make it "
			   "anew with: %.*s",
			   STR_ARG(text)));
}

/* C3.9: the call that was allowed is another one than the call that is made. */
static void not_whole(struct said *s)
{
	struct reply *r = s->j->r;

	s->j->bad = true;
	r->approved = false;
	if (r->verdict == TL_VERDICT_ALLOW)
		r->verdict = TL_VERDICT_NONE;
}

static void take_input(struct said *s)
{
	bool request = s->ev->honours & PART_REQUEST;
	bool is_strict = s->j->hook->guard || s->j->hook->on_failure > FAIL_WARN;
	const struct json *decision = request ? answer_get(s->inner, "decision") : NULL;
	const struct json *input = answer_get(decision ? decision : s->inner, "updatedInput"),
			  *args;
	struct claude_call c;

	if (!input || s->j->r->verdict == TL_VERDICT_DENY)
		return;
	if (!(s->ev->honours & PART_TOOL_INPUT) && !(decision && s->j->r->approved)) {
		ignored(s, "updatedInput");
		return;
	}
	if (s->j->hook->dialect->tools == TOOLS_CODEX) {
		args = codex_args_to_host(s->j->f, input);
		if (args)
			s->j->r->change[TL_CHANGE_TOOL_INPUT] = args;
		else
			deny_rewrite(s, input);
		return;
	}
	claude_call_init(&c, s->j->f);
	args = claude_args_to_host(&c, input, firing_current(s->j->f));
	if (c.refused || c.dropped.n)
		not_whole(s);
	if (c.refused) {
		judge_note(s->j, TL_SEVERITY_WARNING, "cannot-rewrite",
			   "the arguments of %.*s cannot be rewritten here; ignored",
			   STR_ARG(c.tool));
		return;
	}
	if (c.dropped.n)
		judge_note(s->j, TL_SEVERITY_NOTE, "dropped-argument",
			   "%.*s has no use for these arguments: %.*s", STR_ARG(c.tool),
			   STR_ARG(c.dropped));
	if (!c.dropped.n || !is_strict)
		s->j->r->change[TL_CHANGE_TOOL_INPUT] = args;
}

static void take_result(struct said *s)
{
	const struct json *output = answer_get(s->inner, "updatedToolOutput");
	const struct json *mcp = answer_get(s->inner, "updatedMCPToolOutput");
	struct arena *a = s->j->f->arena;
	const char *why;

	if (mcp && (!(s->ev->honours & PART_RESULT) || !s->j->f->in.mcp_server)) {
		ignored(s, "updatedMCPToolOutput");
		mcp = NULL;
	}
	if (output && !(s->ev->honours & PART_RESULT)) {
		ignored(s, "updatedToolOutput");
		output = NULL;
	}
	why = output ? claude_result_misfit(str_from(s->j->f->in.subject),
					    s->j->f->in.mcp_server != NULL, output)
	      : mcp  ? claude_result_misfit(STR(""), true, mcp)
		     : NULL;
	if (why) {
		s->j->bad = true;
		judge_note(s->j, TL_SEVERITY_WARNING, "cannot-apply", "\"%s\" %s; ignored",
			   output ? "updatedToolOutput" : "updatedMCPToolOutput", why);
		return;
	}
	output = output ? output : mcp;
	if (output)
		s->j->r->change[TL_CHANGE_TOOL_RESULT] =
			json_new_copy(a, claude_result_text(a, output));
}

/* What an MCP server is answered in the user's place; not to accept is to deny. */
static void take_elicitation(struct said *s)
{
	static const struct word words[] = {
		{ "accept", TL_VERDICT_ALLOW, false },
		{ "decline", TL_VERDICT_DENY, false },
		{ "cancel", TL_VERDICT_DENY, false },
	};
	struct reply *r = s->j->r;
	struct arena *a = s->j->f->arena;
	struct str said = text_of(s, s->inner, "action");
	const struct json *content = answer_get(s->inner, "content");
	const struct word *w = word_find(words, ARRAY_LEN(words), said);

	if (!answer_get(s->inner, "action") || !(s->ev->honours & PART_ELICIT))
		return;
	if (!w) {
		s->j->bad = true;
		judge_note(s->j, TL_SEVERITY_WARNING, "unknown-decision",
			   "action \"%.*s\" is none of accept, decline, cancel", STR_ARG(said));
		return;
	}
	if (w->verdict == TL_VERDICT_DENY && r->verdict < TL_VERDICT_DENY) {
		r->verdict = TL_VERDICT_DENY;
		r->reason = reason_or_default(s);
	}
	r->change[TL_CHANGE_ELICITATION] = json_pack(a, "action:s ?content:j", said, content);
}

/* A value that the host takes as it is, where the event has it. */
static void take_plain(struct said *s, enum answer_part part, const char *name,
		       enum tl_change change)
{
	const struct json *v = answer_get(s->inner, name);

	if (v && s->ev->honours & part)
		s->j->r->change[change] = v;
	else if (v)
		ignored(s, name);
}

static void take_stop(struct said *s)
{
	struct reply *r = s->j->r;
	struct str reason = text_of(s, s->obj, "stopReason");

	if (!json_is_false(answer_get(s->obj, "continue")) && !r->stop)
		return;
	if (!(s->ev->honours & PART_STOP)) {
		ignored(s, "continue");
		return;
	}
	r->stop = true;
	if (!reason.n)
		reason = s->reason.n ? s->reason : text_of(s, s->obj, "reason");
	r->stop_reason = reason.n ? reason : STR("No reason provided");
}

/* What may be done to a terminal: titles, notices and the bell, nothing that moves or asks. */
static void take_terminal(struct said *s)
{
	const struct json *v = answer_get(s->obj, "terminalSequence");
	struct str text = json_str(v, STR(""));

	if (!v)
		return;
	if (terminal_is_harmless(text)) {
		s->j->r->terminal = arena_str(s->j->f->arena, text);
		return;
	}
	s->j->bad = true;
	judge_note(
		s->j, TL_SEVERITY_WARNING, "cannot-apply",
		"\"terminalSequence\" may hold OSC 0, 1, 2, 9, 99 and 777 and BEL alone, at most "
		"%d bytes; ignored",
		TERMINAL_MAX);
}

/* What no other dialect has. */
static void take_claudes(struct said *s)
{
	struct reply *r = s->j->r;
	const struct json *retry = answer_get(s->inner, "retry");
	const struct json *rules =
		answer_get(answer_get(s->inner, "decision"), "updatedPermissions");

	take_result(s);
	/* With a permission that was given, rules for those to come. */
	if (s->ev->honours & PART_REQUEST && r->approved && rules && rules->n)
		r->change[TL_CHANGE_PERMISSIONS] = renamed_rules(s->j->f->arena, rules, false);
	if (retry && !(s->ev->honours & PART_RETRY))
		ignored(s, "retry");
	else if (json_is_true(retry))
		r->change[TL_CHANGE_RETRY] = retry;
	take_elicitation(s);
	take_plain(s, PART_DISPLAY, "displayContent", TL_CHANGE_DISPLAY);
	take_plain(s, PART_WATCH, "watchPaths", TL_CHANGE_WATCH_PATHS);
	take_terminal(s);
}

/* ---- text ---- */

static void judge_text(struct judging *j, const struct dialect_event *ev)
{
	static const char *const keys[] = { "\"hookSpecificOutput\"", "\"decision\"",
					    "\"continue\"" };
	struct str text = j->answer.text;

	if (!text.n)
		return;
	/* A line for people and then the JSON.  Of a denial in it judge_note_strictest() tells. */
	if (TEXT_HAS(text, keys) && j->strictest.verdict == TL_VERDICT_NONE)
		judge_note(j, TL_SEVERITY_WARNING, "json-after-text",
			   "the output must be one JSON object and nothing else%s; it is not read",
			   judge_why_no_object(j));
	j->bad = true;
	if (!j->hook->guard && j->r->how == TL_CLASS_OK && ev->honours & PART_TEXT)
		j->r->context = cut_context(j->f->arena, text);
}

/* A denial in other words than the answer's own, or with another value, is still a denial. */
static void take_strictest(struct said *s)
{
	const struct strictest *w = &s->j->strictest;

	s->j->r->stop |= w->stop && s->ev->honours & PART_STOP;
	if (w->verdict <= s->verdict ||
	    (w->verdict < TL_VERDICT_DENY && !(s->ev->honours & PART_PERMISSION)))
		return;
	s->verdict = w->verdict;
	if (!s->reason.n)
		s->reason = judge_reason(s->j);
}

/* It denies and asks as it says; what it allows, Codex would not have taken from it. */
static void note_objection(struct said *s, const char *objection)
{
	s->j->bad = true;
	judge_note(s->j, TL_SEVERITY_WARNING, "codex-refuses",
		   "Codex would refuse this answer (%s) and go on without it; here what it denies "
		   "counts, and what it allows does not",
		   objection);
	if (s->verdict == TL_VERDICT_ALLOW)
		s->verdict = TL_VERDICT_NONE;
}

void claude_judge(struct judging *j)
{
	const struct dialect *d = j->hook->dialect;
	const char *objection = d->words == WORDS_CODEX ? codex_objection(j) : NULL;
	struct said s = { .j = j, .ev = j->hook->as, .reason = STR("") };
	bool failed = j->r->how == TL_CLASS_WARNED && !d->json_on_failure;
	bool valid = j->answer.kind == ANSWER_OBJECT && types_are_right(j, j->answer.obj);

	if (valid) {
		s.obj = j->answer.obj;
		s.inner = answer_get(s.obj, "hookSpecificOutput");
		read_decision(&s);
		read_permission(&s);
		read_request(&s);
	} else if (j->answer.kind != ANSWER_OBJECT) {
		judge_text(j, s.ev);
	} else {
		j->bad = true;
	}
	take_strictest(&s);
	if (objection)
		note_objection(&s, objection);
	if (j->r->how == TL_CLASS_BLOCKED) {
		/* Exit 2: the answer's own reason to block, else stderr. */
		s.reason =
			judge_blocked_reason(j, s.verdict == TL_VERDICT_DENY ? s.reason : STR(""));
		s.verdict = TL_VERDICT_DENY;
	} else if (!valid && s.verdict < TL_VERDICT_DENY) {
		j->r->how = j->answer.kind == ANSWER_OBJECT ? TL_CLASS_WARNED : j->r->how;
	} else if (!j->hook->guard && !failed)
		j->r->how =
			TL_CLASS_OK; /* the JSON alone decides; a guard that failed has failed */
	set_verdict(&s);
	if (valid && failed) {
		take_stop(&s);
		return;
	}
	if (valid) {
		struct str message = text_of(&s, s.obj, "systemMessage");

		/* Everything but the verdict, which may change what it means. */
		take_stop(&s);
		take_context(&s);
		take_input(&s);
		if (d->words == WORDS_CLAUDE)
			take_claudes(&s);
		judge_members(j, s.obj);
		if (message.n)
			j->r->message = lines(j->f->arena, j->r->message, message);
		if (json_is_true(answer_get(s.obj, "async")) && !s.verdict && !j->r->stop) {
			j->bad = true;
			judge_note(
				j, TL_SEVERITY_WARNING, "async-answer",
				"\"async\" is for hooks that are not guards, in their first line");
		}
	}
}

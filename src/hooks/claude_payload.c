/* Payloads of the claude dialect: what its hooks read of an event. */
#include "base/json_pack.h"
#include "base/words.h"
#include "hooks/claude.h"
#include "settings/mode.h"

enum { SCHEMA_VERSION = 1 };

struct sending {
	struct jw w;
	struct firing *f;
};

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

const struct json *claude_rules(struct arena *a, const struct json *updates,
				const char *(*name_of)(struct str tool, const void *data),
				const void *data)
{
	struct json_list all = { 0 };

	for (size_t i = 0; json_is(updates, J_ARR) && i < updates->n; i++) {
		const struct json *update = json_at(updates, i);
		const struct json *rules = json_getz(update, "rules");
		struct json_list list = { 0 };

		for (size_t k = 0; json_is(rules, J_ARR) && k < rules->n; k++) {
			const struct json *rule = json_at(rules, k);
			const char *name = name_of(json_get_str(rule, "toolName"), data);

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

static const char *claudes(struct str tool, const void *data)
{
	(void)data;
	return tool_name_in(TOOLS_CLAUDE, tool);
}

static void request_members(struct sending *s)
{
	const struct json *rules = firing_value(s->f, "permission_suggestions");

	tool_members(s);
	jw_key(&s->w, "permission_suggestions");
	jw_json(&s->w, claude_rules(s->f->arena, rules, claudes, NULL));
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

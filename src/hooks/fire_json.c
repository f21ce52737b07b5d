/* Firing from JSON to JSON, for hosts in other languages. */
#include "base/object.h"
#include "hooks/api.h"
#include "trotline.h"

enum { AT_NAME, AT_SEQ, AT_FAILED, AT_FIELDS, AT_TEXTS };

#define TEXT(member)                                                                               \
	{                                                                                          \
		.name = #member, .type = J_STR                                                     \
	}
/* The texts are in the order of text_member(). */
static const struct object_key keys[] = {
	[AT_NAME] = { .name = "event", .type = J_STR, .required = true },
	[AT_SEQ] = { .name = "seq", .type = J_NUM, .max = 1e15 },
	[AT_FAILED] = { .name = "failed", .type = J_BOOL },
	[AT_FIELDS] = { .name = "fields", .type = J_OBJ },
	TEXT(subject),
	TEXT(session_id),
	TEXT(transcript_path),
	TEXT(cwd),
	TEXT(turn_id),
	TEXT(tool_call_id),
	TEXT(mcp_server),
	TEXT(mcp_tool),
	TEXT(permission_mode),
	TEXT(env_file),
	TEXT(agent_id),
	TEXT(agent_type),
	TEXT(claude_transcript_path),
	TEXT(claude_agent_path),
};

static const char **text_member(struct tl_event *e, size_t i)
{
	const char **const members[] = {
		&e->subject,
		&e->session_id,
		&e->transcript_path,
		&e->cwd,
		&e->turn_id,
		&e->tool_call_id,
		&e->mcp_server,
		&e->mcp_tool,
		&e->permission_mode,
		&e->env_file,
		&e->agent_id,
		&e->agent_type,
		&e->claude_transcript_path,
		&e->claude_agent_path,
	};

	_Static_assert(AT_TEXTS + ARRAY_LEN(members) == ARRAY_LEN(keys), "a row for each member");
	return members[i];
}

struct reading {
	struct str text;
	struct err *err;
};

/* The first thing that is odd: a misspelt member would fire another event than was meant. */
static void say_odd(void *data, const struct object_odd *odd)
{
	struct reading *in = data;
	struct json_where at = json_locate(in->text, odd->pos);

	if (!in->err->code)
		(void)err_set_at(in->err, E_INVAL, "event", at.line, at.column, "%s", odd->text);
}

static int read_event(struct arena *a, struct str text, struct tl_event *ret, struct err *err)
{
	struct object_value got[ARRAY_LEN(keys)];
	struct reading in = { text, err };
	struct object_reader r = {
		.keys = keys, .n = ARRAY_LEN(keys), .nulls = true, .odd = say_odd, .data = &in
	};
	const struct json *v, *fields;
	struct json_where at;
	struct tl_field *list;

	*err = (struct err){ 0 };
	if (json_parse_at(a, text, 0, NULL, &v, &at, err) < 0)
		return err_wrap(err, "event:%u:%u", at.line, at.column);
	if (v->type != J_OBJ)
		return err_set(err, E_INVAL, "an event is an object, this is %s", json_what(v));
	if (v->yes)
		return err_set(err, E_INVAL, "a member of the event is repeated");
	object_read(&r, v, got);
	if (err->code)
		return -err->code;
	*ret = (struct tl_event)TL_EVENT_INIT(.name = arena_z(a, json_str(got[AT_NAME].v, STR(""))),
					      .seq = (uint64_t)json_num(got[AT_SEQ].v, 0),
					      .failed = json_is_true(got[AT_FAILED].v));
	for (size_t i = AT_TEXTS; i < ARRAY_LEN(keys); i++)
		if (got[i].v)
			*text_member(ret, i - AT_TEXTS) = arena_z(a, json_str(got[i].v, STR("")));
	fields = got[AT_FIELDS].v;
	if (fields && fields->yes) /* hooks could read the other one */
		return err_set(err, E_INVAL, "a field of the event is repeated");
	if (json_has_nul_name(fields))
		return err_set(err, E_INVAL, "the name of a field holds a NUL character");
	ret->nfields = fields ? fields->n : 0;
	ret->fields = list = ARENA_ARRAY(a, struct tl_field, ret->nfields + 1);
	for (size_t i = 0; i < ret->nfields; i++) {
		struct str value = json_text(a, &fields->members[i].v, JSON_COMPACT);

		list[i] = (struct tl_field){ arena_z(a, fields->members[i].key), value.p, value.n };
	}
	return 0;
}

static void write_changes(struct jw *w, const struct tl_outcome *o)
{
	static const char *const names[] = {
		[TL_CHANGE_TOOL_INPUT] = "tool_input",
		[TL_CHANGE_LLM_REQUEST] = "llm_request",
		[TL_CHANGE_LLM_RESPONSE] = "llm_response",
		[TL_CHANGE_TOOL_CONFIG] = "toolConfig",
		[TL_CHANGE_TAIL_CALL] = "tailToolCallRequest",
		[TL_CHANGE_TOOL_RESULT] = "tool_result",
		[TL_CHANGE_PERMISSIONS] = "permissions",
		[TL_CHANGE_RETRY] = "retry",
		[TL_CHANGE_ELICITATION] = "elicitation",
		[TL_CHANGE_DISPLAY] = "display",
		[TL_CHANGE_WATCH_PATHS] = "watch_paths",
	};

	jw_key(w, "changes");
	jw_obj(w);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *text = tl_outcome_change(o, (enum tl_change)i);

		if (!text)
			continue;
		jw_key(w, names[i]);
		if (i == TL_CHANGE_TOOL_RESULT || i == TL_CHANGE_DISPLAY)
			jw_z(w, text);
		else
			jw_raw(w, str_from(text));
	}
	jw_end(w);
}

static void write_reports(struct jw *w, const struct tl_outcome *o)
{
	jw_key(w, "hooks");
	jw_arr(w);
	for (size_t i = 0; i < tl_outcome_report_count(o); i++) {
		struct tl_report r = TL_REPORT_INIT();

		(void)tl_outcome_report_get(o, i, &r);
		jw_obj(w);
		jw_kv_z(w, "name", r.hook->name);
		jw_kv_z(w, "tier", tl_tier_name(r.hook->tier));
		jw_kv_bool(w, "guard", r.hook->guard);
		jw_kv_z(w, "state", tl_state_name(r.state));
		jw_kv_z(w, "why", r.why);
		jw_kv_z(w, "class", tl_class_name(r.how));
		jw_kv_z(w, "verdict", tl_verdict_name(r.verdict));
		jw_kv_bool(w, "stop", r.stopped);
		jw_kv_z(w, "reason", r.reason);
		jw_kv_z(w, "message", r.message);
		jw_kv_int(w, "us", r.elapsed_us);
		jw_end(w);
	}
	jw_end(w);
}

static void write_diagnostics(struct jw *w, const struct tl_outcome *o)
{
	jw_key(w, "diagnostics");
	jw_arr(w);
	for (size_t i = 0; i < tl_outcome_diagnostic_count(o); i++) {
		struct tl_diagnostic d = TL_DIAGNOSTIC_INIT();

		(void)tl_outcome_diagnostic_get(o, i, &d);
		jw_obj(w);
		jw_kv_z(w, "severity", tl_severity_name(d.severity));
		jw_kv_z(w, "code", d.code);
		jw_kv_z(w, "file", d.file);
		jw_kv_int(w, "line", d.line);
		jw_kv_int(w, "column", d.column);
		jw_kv_z(w, "path", d.path);
		jw_kv_z(w, "text", d.text);
		jw_end(w);
	}
	jw_end(w);
}

char *tl_fire_json(struct tl_hooks *hooks, const char *json, size_t length,
		   struct tl_cancel *cancel, struct tl_err *ret_err)
{
	API_WHOLE;
	AUTO(arena_done) struct arena a = { 0 };
	struct buf out = { 0 };
	struct jw w = { .out = &out };
	struct tl_outcome *o;
	struct tl_event event;
	struct err err;
	int r = !hooks || !json
			? err_set(&err, E_INVAL, "tl_fire_json() needs hooks and a text")
			: read_event(&a, (struct str){ json, length ? length : strlen(json) },
				     &event, &err);

	if (r < 0) {
		(void)api_err(ret_err, &err, r);
		return NULL;
	}
	if (tl_fire(hooks, &event, cancel, &o, ret_err) < 0)
		return NULL;
	jw_obj(&w);
	jw_kv_z(&w, "verdict", tl_verdict_name(tl_outcome_verdict(o)));
	jw_kv_bool(&w, "stop", tl_outcome_stopped(o));
	jw_kv_z(&w, "reason", tl_outcome_reason(o));
	jw_kv_z(&w, "stop_reason", tl_outcome_stop_reason(o));
	jw_kv_z(&w, "message", tl_outcome_message(o));
	jw_kv_z(&w, "context", tl_outcome_context(o));
	jw_kv_bool(&w, "clear_context", tl_outcome_clear_context(o));
	jw_kv_bool(&w, "suppressed", tl_outcome_suppressed(o));
	jw_kv_bool(&w, "approved", tl_outcome_approved(o));
	write_changes(&w, o);
	write_reports(&w, o);
	write_diagnostics(&w, o);
	jw_end(&w);
	tl_outcome_free(o);
	return buf_take(&out);
}

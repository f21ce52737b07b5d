/* -o stream-json: one object a line, as things happen. */
#include "cli/agent/agent_output.h"
#include "os/clock.h"

static struct jw line_begin(struct output *o, const char *type)
{
	struct jw w = { .out = &o->line };
	char now[CLOCK_ISO_SIZE];

	buf_clear(&o->line);
	clock_iso(now);
	jw_obj(&w);
	jw_kv_z(&w, "type", type);
	jw_kv_z(&w, "timestamp", now);
	return w;
}

static void line_end(struct output *o, struct jw *w)
{
	jw_end(w);
	buf_addc(&o->line, '\n');
	output_write_json(o);
}

static void on_begin(struct output *o, const char *model)
{
	struct jw w = line_begin(o, "init");

	jw_kv_z(&w, "session_id", o->session_id);
	jw_kv_z(&w, "model", model);
	line_end(o, &w);
}

static void on_user(struct output *o, struct str prompt)
{
	struct jw w = line_begin(o, "message");

	jw_kv_z(&w, "role", "user");
	jw_kv_str(&w, "content", prompt);
	line_end(o, &w);
}

static void on_text(struct output *o, struct str piece)
{
	struct jw w = line_begin(o, "message");

	jw_kv_z(&w, "role", "assistant");
	jw_kv_str(&w, "content", piece);
	jw_kv_bool(&w, "delta", true);
	line_end(o, &w);
}

static void on_tool_use(struct output *o, const char *name, const char *id, const struct json *args)
{
	struct jw w = line_begin(o, "tool_use");

	jw_kv_z(&w, "tool_name", name);
	jw_kv_z(&w, "tool_id", id);
	jw_key(&w, "parameters");
	jw_json(&w, args);
	line_end(o, &w);
}

static void write_error(struct jw *w, const char *type, struct str message)
{
	jw_key(w, "error");
	jw_obj(w);
	jw_kv_z(w, "type", type);
	jw_kv_str(w, "message", message);
	jw_end(w);
}

static void on_tool_result(struct output *o, const struct tool_report *r)
{
	struct jw w = line_begin(o, "tool_result");

	jw_kv_z(&w, "tool_id", r->id);
	jw_kv_z(&w, "status", r->ok ? "success" : "error");
	if (r->output.p)
		jw_kv_str(&w, "output", r->output);
	if (!r->ok)
		write_error(&w, r->error_type ? r->error_type : "TOOL_EXECUTION_ERROR", r->error);
	line_end(o, &w);
}

static void write_severity(struct output *o, bool error, struct str text)
{
	struct jw w = line_begin(o, "error");

	jw_kv_z(&w, "severity", error ? "error" : "warning");
	jw_kv_str(&w, "message", text);
	line_end(o, &w);
}

static void on_verdict(struct output *o, enum verdict_on_answer verdict)
{
	if (verdict == ANSWER_BROKE_OFF)
		write_severity(o, false, STR("The answer broke off and is asked for again."));
}

static bool on_note(struct output *o, enum note_kind kind, struct str text)
{
	if (kind != NOTE_BLOCKED && kind != NOTE_ERROR)
		return false;
	write_severity(o, kind == NOTE_ERROR, text);
	return true;
}

static void on_end(struct output *o, const struct run_end *end, const struct stats *stats)
{
	struct stats none = { .start_us = clock_us() };
	struct jw w = line_begin(o, "result");

	jw_kv_z(&w, "status", end->type || end->broken ? "error" : "success");
	if (end->type)
		write_error(&w, end->type, str_from(end->message));
	jw_key(&w, "stats");
	stats_write_short(stats ? stats : &none, &w);
	line_end(o, &w);
	/* For people, too. */
	if (end->type)
		output_say_str(o, "", str_from(end->message));
}

const struct output_form output_stream = {
	.begin = on_begin,
	.user = on_user,
	.text = on_text,
	.verdict = on_verdict,
	.tool_use = on_tool_use,
	.tool_result = on_tool_result,
	.note = on_note,
	.end = on_end,
};

/* -o json: one object at the end, on stderr when the run failed. */
#include "cli/agent/agent_output.h"

static void on_text(struct output *o, struct str piece)
{
	/* A synthetic answer follows the note. */
	if (o->refused)
		buf_clear(&o->answer);
	o->refused = false;
	buf_adds(&o->answer, piece);
}

/* The answer is what the last turn says. */
static void on_turn(struct output *o)
{
	buf_clear(&o->answer);
	o->refused = false;
}

static void on_verdict(struct output *o, enum verdict_on_answer verdict)
{
	if (verdict == ANSWER_BROKE_OFF)
		on_turn(o);
}

static bool on_note(struct output *o, enum note_kind kind, struct str text)
{
	if (kind != NOTE_BLOCKED && kind != NOTE_STOPPED && kind != NOTE_ERROR)
		return false;
	output_warning(o, text);
	o->refused |= kind == NOTE_BLOCKED;
	return true;
}

static void write_answer(struct output *o, struct jw *w, const struct run_end *end,
			 const struct stats *stats)
{
	jw_obj(w);
	jw_kv_z(w, "session_id", o->session_id);
	jw_kv_str(w, "response", o->refused && !end->keeps_refused ? STR("") : buf_str(&o->answer));
	jw_key(w, "stats");
	stats_write(stats, w);
	if (end->broken) {
		/* What was said of a broken answer is no mere warning. */
		if (o->warnings.n && strcmp(o->warnings.p[o->warnings.n - 1], end->broken) == 0)
			free(o->warnings.p[--o->warnings.n]);
		jw_key(w, "error");
		jw_obj(w);
		jw_kv_z(w, "type", "INVALID_STREAM");
		jw_kv_z(w, "message", end->broken);
		jw_end(w);
	}
	if (o->warnings.n) {
		jw_key(w, "warnings");
		jw_arr(w);
		for (size_t i = 0; i < o->warnings.n; i++)
			jw_z(w, o->warnings.p[i]);
		jw_end(w);
	}
	jw_end(w);
}

static void on_end(struct output *o, const struct run_end *end, const struct stats *stats)
{
	static const struct stats none;
	struct jw w = { .out = &o->line, .pretty = true };

	buf_clear(&o->line);
	if (end->type) {
		jw_obj(&w);
		jw_kv_z(&w, "session_id", o->session_id);
		jw_key(&w, "error");
		jw_obj(&w);
		jw_kv_z(&w, "type", end->type);
		jw_kv_z(&w, "message", end->message);
		jw_kv_int(&w, "code", end->code);
		jw_end(&w);
		jw_end(&w);
		buf_clear(&o->clean);
		json_visible(&o->clean, buf_str(&o->line));
		(void)fprintf(o->options.err, "%s\n", buf_z(&o->clean));
		(void)fflush(o->options.err);
		return;
	}
	write_answer(o, &w, end, stats ? stats : &none);
	output_write_json(o);
}

const struct output_form output_json = {
	.text = on_text,
	.turn = on_turn,
	.verdict = on_verdict,
	.note = on_note,
	.end = on_end,
	.holds_stderr = true,
};

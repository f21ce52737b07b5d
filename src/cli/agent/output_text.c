/*
 * -o text: the model's visible text on stdout, everything else on stderr.  It is written as it
 * arrives; where a hook of AfterAgent has to accept it, when it has.
 */
#include "cli/agent/agent_output.h"

#include "base/utf8.h"

static void end_line(struct output *o)
{
	if (o->waiting.n && !str_ends(buf_str(&o->waiting), STR("\n")))
		buf_addc(&o->waiting, '\n');
	if (!o->mid_line)
		return;
	o->mid_line = false;
	output_write(o, STR("\n"));
}

/*
 * Control characters have gone already (plain.c).  Marks of direction are dropped, line separators
 * are line breaks, and what reorders the text of others becomes U+FFFD.
 */
static void on_text(struct output *o, struct str piece)
{
	size_t len;

	if (o->awaits) {
		buf_adds(&o->waiting, piece);
		return;
	}
	o->mid_line = piece.p[piece.n - 1] != '\n';
	buf_clear(&o->line);
	for (size_t i = 0; i < piece.n; i += len) {
		uint32_t cp = utf8_decode(piece.p + i, piece.n - i, false, &len);

		if (o->options.raw || cp < 0x80 || !utf8_is_hidden(cp))
			buf_add(&o->line, piece.p + i, len);
		else if (cp == 0x2028 || cp == 0x2029)
			buf_addc(&o->line, '\n');
		else if (cp != 0x200e && cp != 0x200f && cp != 0x061c && cp != 0xfeff)
			buf_addz(&o->line, "\xef\xbf\xbd");
	}
	output_write(o, buf_str(&o->line));
}

static void on_verdict(struct output *o, enum verdict_on_answer verdict)
{
	o->awaits = verdict == ANSWER_AWAITS;
	if (verdict == ANSWER_ACCEPTED && o->waiting.n)
		on_text(o, buf_str(&o->waiting));
	if (verdict == ANSWER_LOST && o->waiting.n)
		output_note(
			o, NOTE_WARNING,
			"The text of this attempt is not shown: no AfterAgent hook has accepted it.");
	buf_clear(&o->waiting);
}

static void on_tool_use(struct output *o, const char *name, const char *id, const struct json *args)
{
	(void)name;
	(void)id;
	(void)args;
	end_line(o);
}

static void on_tool_result(struct output *o, const struct tool_report *r)
{
	if (!r->ok && o->together && !o->awaits)
		end_line(o);
}

static bool on_note(struct output *o, enum note_kind kind, struct str text)
{
	(void)kind;
	(void)text;
	if (o->together && !o->awaits)
		end_line(o);
	return false;
}

static void on_end(struct output *o, const struct run_end *end, const struct stats *stats)
{
	(void)stats;
	end_line(o);
	if (!end->type)
		return;
	output_say_str(o, "", str_from(end->message));
	if (end->hint)
		output_say_str(o, "", str_from(end->hint));
}

const struct output_form output_text = {
	.text = on_text,
	.verdict = on_verdict,
	.tool_use = on_tool_use,
	.tool_result = on_tool_result,
	.note = on_note,
	.end = on_end,
};

/*
 * -o text: the model's visible text on stdout, everything else on stderr.  It is written as it
 * arrives; where a hook of AfterAgent has to accept it, when it has.  What an answer that broke off
 * has said is not said twice: the next one usually begins with the same words.
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
static void write_text(struct output *o, struct str piece)
{
	size_t len;

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

/* The answer that follows one that broke off is another one: it begins on a line of its own. */
static void end_repeating(struct output *o)
{
	if (!o->repeats)
		return;
	o->repeats = false;
	o->shown.n = o->repeated;
	if (!o->repeated)
		return;
	end_line(o);
	write_text(o, buf_str(&o->shown));
}

/* What is left of the piece when what was shown before is taken off it. */
static struct str skip_repeated(struct output *o, struct str piece)
{
	size_t n = 0, max = o->shown.n - o->repeated;

	while (n < piece.n && n < max && piece.p[n] == o->shown.p[o->repeated + n])
		n++;
	if (n == piece.n || n == max) {
		o->repeated += n;
		o->repeats = o->repeated < o->shown.n;
		return str_sub(piece, n, piece.n);
	}
	if (!o->repeated)
		end_line(o);
	end_repeating(o);
	return piece;
}

static void on_text(struct output *o, struct str piece)
{
	if (o->awaits) {
		buf_adds(&o->waiting, piece);
		return;
	}
	if (o->repeats)
		piece = skip_repeated(o, piece);
	if (!piece.n)
		return;
	buf_adds(&o->shown, piece);
	write_text(o, piece);
}

static void on_turn(struct output *o)
{
	end_repeating(o);
	buf_clear(&o->shown);
	o->waited = o->waiting.n;
}

static void on_verdict(struct output *o, enum verdict_on_answer verdict)
{
	if (verdict == ANSWER_BROKE_OFF) {
		o->waiting.n = o->waited;
		o->repeats = o->shown.n > 0;
		o->repeated = 0;
		return;
	}
	o->awaits = verdict == ANSWER_AWAITS;
	if (verdict == ANSWER_ACCEPTED && o->waiting.n)
		write_text(o, buf_str(&o->waiting));
	if (verdict == ANSWER_LOST && o->waiting.n)
		output_note(
			o, NOTE_WARNING,
			"The text of this attempt is not shown: no AfterAgent hook has accepted it.");
	buf_clear(&o->waiting);
	o->waited = 0;
	if (verdict == ANSWER_FOLLOWS)
		end_line(o);
}

static void on_tool_use(struct output *o, const char *name, const char *id, const struct json *args)
{
	(void)name;
	(void)id;
	(void)args;
	end_repeating(o);
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
	end_repeating(o);
	end_line(o);
	if (!end->type)
		return;
	output_say_str(o, "", str_from(end->message));
	if (end->hint)
		output_say_str(o, "", str_from(end->hint));
}

const struct output_form output_text = {
	.text = on_text,
	.turn = on_turn,
	.verdict = on_verdict,
	.tool_use = on_tool_use,
	.tool_result = on_tool_result,
	.note = on_note,
	.end = on_end,
};

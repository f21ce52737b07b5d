/* host.md E4: the model's visible text on stdout as it comes, everything else on stderr. */
#include "cli/agent/agent_output.h"

static void end_line(struct output *o)
{
	if (!o->mid_line)
		return;
	o->mid_line = false;
	output_write(o, STR("\n"));
}

/* U+202A to U+202E and U+2066 to U+2069, by which a terminal shows text in another order. */
static bool is_override(struct str s)
{
	unsigned char last = s.n < 3 ? 0 : (unsigned char)s.p[2];

	return (str_starts(s, STR("\xe2\x80")) && last >= 0xaa && last <= 0xae) ||
	       (str_starts(s, STR("\xe2\x81")) && last >= 0xa6 && last <= 0xa9);
}

static void on_text(struct output *o, struct str piece)
{
	size_t from = 0;

	o->mid_line = piece.p[piece.n - 1] != '\n';
	buf_clear(&o->line);
	for (size_t i = 0; !o->options.raw && i < piece.n; i++) {
		if (!is_override(str_sub(piece, i, piece.n)))
			continue;
		buf_adds(&o->line, str_sub(piece, from, i));
		buf_addz(&o->line, "\xef\xbf\xbd");
		from = i + 3;
	}
	buf_adds(&o->line, str_sub(piece, from, piece.n));
	output_write(o, buf_str(&o->line));
}

static void on_tool_use(struct output *o, const char *name, const char *id, const struct json *args)
{
	(void)name;
	(void)id;
	(void)args;
	end_line(o);
}

/* On one terminal a line for people would stand behind half a line of the answer. */
static void make_room(struct output *o)
{
	if (o->one_terminal)
		end_line(o);
}

static void on_tool_result(struct output *o, const struct tool_report *r)
{
	if (!r->ok)
		make_room(o);
}

static bool on_note(struct output *o, enum note_kind kind, struct str text)
{
	(void)kind;
	(void)text;
	make_room(o);
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
	.tool_use = on_tool_use,
	.tool_result = on_tool_result,
	.note = on_note,
	.end = on_end,
};

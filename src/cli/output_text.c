/* host.md E4: the model's visible text on stdout as it comes, everything else on stderr. */
#include "cli/agent_output.h"

static void end_line(struct output *o)
{
	if (!o->mid_line)
		return;
	o->mid_line = false;
	output_write(o, STR("\n"));
}

static void on_text(struct output *o, struct str piece)
{
	o->mid_line = piece.p[piece.n - 1] != '\n';
	output_write(o, piece);
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
	AUTO(buf_done) struct buf line = {0};

	if (r->ok)
		return;
	make_room(o);
	(void)buf_addf(&line, "Error executing tool %s: %.*s", r->name, STR_ARG(r->error));
	output_say_str(o, "", buf_str(&line));
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

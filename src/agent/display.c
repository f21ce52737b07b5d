/*
 * MessageDisplay: what people are shown of an answer.  The answer itself, which the model and the
 * transcript keep, stays as it is.  At a terminal each piece is shown as it comes; elsewhere the
 * answer is shown as a whole, since a piece that was printed cannot be taken back.
 */
#include "agent/stream.h"

/* What a sub-agent says is not shown. */
void display_begin(struct stream *st)
{
	struct session *s = st->t->s;

	st->display.wanted = !s->agent && session_wants(s, "MessageDisplay", NULL);
}

/* (waits) Nothing is shown of what a guard withholds. */
static void show_piece(struct stream *st, struct str text, bool final)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct turn *t = st->t;
	struct session *s = t->s;
	struct tl_field fields[] = {
		field_str(&a, "message_id", arena_printf(&a, "%s-%d", t->id, t->requests)),
		field_json(&a, "index", json_new_int(&a, st->display.n++)),
		field_json(&a, "final", json_new_bool(&a, final)),
		field_str(&a, "delta", text),
	};
	struct tl_outcome *o = session_fire(s, &(struct fire_args){ .event = "MessageDisplay",
								    .fields = fields,
								    .nfields = ARRAY_LEN(fields),
								    .turn_id = t->id });
	const char *instead = o ? tl_outcome_change(o, TL_CHANGE_DISPLAY) : NULL;
	enum end end = outcome_end(o);

	if (end == END_BLOCKED)
		session_note(s, NOTE_BLOCKED,
			     "MessageDisplay: a part of the answer is not shown: %s",
			     outcome_said(&a, o));
	else if (end == END_DONE && instead)
		text = tool_clean(&a, str_from(instead));
	if (end == END_DONE && text.n)
		s->o.sink.text(s->o.sink.data, text);
	tl_outcome_free(o);
}

void display_text(struct stream *st, struct str text)
{
	struct agent_sink *sink = &st->t->s->o.sink;

	if (!st->display.wanted)
		sink->text(sink->data, text);
	else if (st->t->s->o.interactive)
		show_piece(st, text, false);
	else
		buf_adds(&st->display.held, text);
}

void display_end(struct stream *st)
{
	bool interactive = st->t->s->o.interactive;

	if (st->display.wanted && (interactive ? st->display.n > 0 : st->display.held.n > 0))
		show_piece(st, buf_str(&st->display.held), true);
	buf_done(&st->display.held);
}

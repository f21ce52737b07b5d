/*
 * MessageDisplay: what people are shown of an answer.  The answer itself, which the model and the
 * transcript keep, stays as it is.  At a terminal each piece is shown as it comes; elsewhere the
 * answer is shown as a whole, since a piece that was printed cannot be taken back.
 */
#include "agent/stream.h"
#include "base/json_pack.h"

/* What a sub-agent says is not shown. */
void display_begin(struct stream *st)
{
	struct session *s = st->t->s;

	st->display.wanted = !s->agent && session_wants(s, "MessageDisplay", NULL);
}

struct piece {
	struct str message, text;
	int index;
	bool final;
};

/* (waits) What its hooks leave of it: nothing of what a guard withholds. */
static struct str judge(struct session *s, const char *turn_id, const struct piece *p,
			struct arena *a)
{
	struct tl_field fields[] = {
		field_str(a, "message_id", p->message),
		field_json(a, "index", json_new_int(a, p->index)),
		field_json(a, "final", json_new_bool(a, p->final)),
		field_str(a, "delta", p->text),
	};
	struct tl_outcome *o = session_fire(s, &(struct fire_args){ .event = "MessageDisplay",
								    .fields = fields,
								    .nfields = ARRAY_LEN(fields),
								    .turn_id = turn_id });
	const char *instead = o ? tl_outcome_change(o, TL_CHANGE_DISPLAY) : NULL;
	enum end end = outcome_end(o);
	struct str text = end == END_DONE ? p->text : STR("");

	if (end == END_BLOCKED)
		session_note(s, NOTE_BLOCKED,
			     "MessageDisplay: a part of the answer is not shown: %s",
			     outcome_said(a, o));
	else if (end == END_DONE && instead)
		text = tool_clean(a, str_from(instead));
	tl_outcome_free(o);
	return text;
}

static void show_piece(struct stream *st, struct str text, bool final)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct turn *t = st->t;
	struct agent_sink *sink = &t->s->o.sink;
	const struct piece piece = {
		.message = arena_printf(&a, "%s-%d", t->id, t->requests),
		.text = text,
		.index = st->display.n++,
		.final = final,
	};

	text = judge(t->s, t->id, &piece, &a);
	if (text.n)
		sink->text(sink->data, text);
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

const struct json *session_display_again(struct session *s, const struct json *recent,
					 struct arena *a)
{
	enum { JUDGED_MAX = 20 }; /* each is a firing, and a screen holds few */
	const struct json *items = json_getz(recent, "items"), *item;
	int64_t earlier = json_int(json_getz(recent, "earlier"), 0);
	struct json_list left = { 0 };

	if (!session_wants(s, "MessageDisplay", NULL))
		return recent;
	for (size_t i = 0; (item = json_at(items, i)); i++) {
		struct str type = json_get_str(item, "type");
		struct piece piece = { .text = json_get_str(item, "text"), .final = true };

		if (i + JUDGED_MAX < items->n) {
			earlier += !str_eqz(type, "tool");
			continue;
		}
		if (str_eqz(type, "gemini")) {
			piece.message = arena_printf(a, "%s-again-%zu", s->id, i);
			piece.text = judge(s, NULL, &piece, a);
			item = json_set(a, item, STR("text"), json_new_str(a, piece.text));
		}
		if (piece.text.n)
			json_list_add(&left, item);
	}
	return json_pack(a, "earlier:n items:j", (size_t)earlier, json_list_take(a, &left));
}

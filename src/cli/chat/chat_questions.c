/*
 * The questions of ask_user, one after the other: a choice, several choices, a text, yes or no.
 * Besides the options of a choice an answer can always be typed.
 */
#include "base/json_pack.h"
#include "cli/chat/chat.h"
#include "ui/clean.h"
#include "ui/marks.h"

enum { OPTIONS_MAX = 16 };

static const struct json *question_at(const struct chat *c)
{
	return json_at(json_getz(c->question_details, "questions"), c->asked);
}

static bool is_multi(const struct json *q)
{
	return json_is_true(json_getz(q, "multiSelect"));
}

/* The dialog of the question, with what is chosen already. */
static void show_question(struct chat *c, size_t at)
{
	struct arena *a = &c->question_arena;
	const struct json *q = question_at(c), *options = json_getz(q, "options"), *o;
	const char **shown = ARENA_ARRAY(a, const char *, OPTIONS_MAX);
	struct str type = json_get_str(q, "type");
	AUTO(buf_done) struct buf body = { 0 };
	size_t n = 0;

	if (str_eqz(type, "yesno")) {
		shown[n++] = "Yes";
		shown[n++] = "No";
	} else if (!str_eqz(type, "text")) {
		for (size_t i = 0; (o = json_at(options, i)) && n < OPTIONS_MAX - 3; i++) {
			struct str text = json_get_str(o, "description");
			const char *box = !is_multi(q) ? "" : c->chosen & 1u << i ? "[x] " : "[ ] ";

			shown[n++] = arena_printf(a, "%s%.*s%s%.*s", box,
						  STR_ARG(json_get_str(o, "label")),
						  text.n ? ": " : "", STR_ARG(text))
					     .p;
		}
		if (is_multi(q))
			shown[n++] = "Done";
	}
	if (!str_eqz(type, "yesno"))
		shown[n++] = str_eqz(type, "text") ? "Answer" : "Something else";
	shown[n] = NULL;
	dialog_done(&c->dialog);
	dialog_open(&c->dialog, shown);
	c->dialog.has_text = !str_eqz(type, "yesno");
	c->dialog.at = at;
	c->dialog.title = json_get_str(q, "question");
	chat_add_wrapped(
		c, "2",
		arena_printf(a, "%.*s%s%.*s%s", STR_ARG(json_get_str(q, "header")),
			     json_get_str(q, "placeholder").n ? "\n" : "",
			     STR_ARG(json_get_str(q, "placeholder")),
			     is_multi(q) ? "\nEnter or a digit switches an option; Done ends" : ""),
		&body);
	c->dialog.body = arena_str(a, buf_str(&body));
}

static struct str answer_of(struct chat *c, size_t option)
{
	struct arena *a = &c->question_arena;
	const struct json *q = question_at(c), *options = json_getz(q, "options");
	AUTO(buf_done) struct buf out = { 0 };

	if (c->dialog.has_text && option + 1 == c->dialog.n)
		return arena_str(a, buf_str(&c->dialog.text));
	if (!is_multi(q))
		return str_eqz(json_get_str(q, "type"), "yesno")
			       ? str_from(c->dialog.options[option])
			       : json_get_str(json_at(options, option), "label");
	for (size_t i = 0; json_at(options, i); i++)
		if (c->chosen & 1u << i)
			buf_addf(&out, "%s%.*s", out.n ? ", " : "",
				 STR_ARG(json_get_str(json_at(options, i), "label")));
	return arena_str(a, buf_str(&out));
}

static void finish(struct chat *c, bool answered)
{
	struct arena *a = &c->question_arena;
	struct str text = answered ? json_text(a, c->given, JSON_COMPACT) : STR("");

	for (size_t i = 0; answered && i < c->given->n; i++) {
		const struct json *q = json_at(json_getz(c->question_details, "questions"), i);

		chat_printf(c, "2", "%.*s: %.*s", STR_ARG(json_get_str(q, "header")),
			    STR_ARG(json_str(&c->given->members[i].v, STR(""))));
	}
	chat_answer(c, CONFIRM_CHANGED, xstrndup(text.p, text.n));
}

static void on_key(void *data, const char *key)
{
	struct chat *c = data;
	struct arena *a = &c->question_arena;
	const struct json *q = question_at(c);
	int chosen;

	dialog_key(&c->dialog, strcmp(key, "ctrl-c") == 0 ? "escape" : key);
	chosen = c->dialog.result;
	if (chosen == DIALOG_ESCAPE) {
		finish(c, false);
		chat_give_back(c);
	} else if (chosen >= 0 && is_multi(q) && (size_t)chosen + 2 < c->dialog.n) {
		c->chosen ^= 1u << chosen;
		show_question(c, (size_t)chosen);
	} else if (chosen >= 0) {
		c->given = json_set(a, c->given, arena_printf(a, "%zu", c->asked),
				    json_new_str(a, answer_of(c, (size_t)chosen)));
		c->asked++;
		c->chosen = 0;
		if (question_at(c))
			show_question(c, 0);
		else
			finish(c, true);
	}
	chat_draw(c, true);
}

bool chat_ask_questions(struct chat *c)
{
	if (!str_eqz(json_get_str(c->question_details, "type"), "ask_user"))
		return false;
	c->asked = 0;
	c->chosen = 0;
	c->given = json_new_obj(&c->question_arena);
	if (!question_at(c)) {
		chat_answer(c, CONFIRM_NO, NULL);
		return true;
	}
	show_question(c, 0);
	c->asking = true;
	screen_grab(c->screen, on_key, c);
	chat_draw(c, true);
	return true;
}

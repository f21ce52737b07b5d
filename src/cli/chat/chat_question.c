/* The dialog of a question that is no confirmation: the options are the asker's. */
#include "cli/chat/chat.h"
#include "ui/clean.h"
#include "ui/width.h"

static void on_key(void *data, const char *key)
{
	struct chat *c = data;
	struct dialog *d = &c->dialog;

	dialog_key(d, strcmp(key, "ctrl-c") == 0 ? "escape" : key);
	if (d->result != DIALOG_OPEN) {
		size_t chosen = d->result < 0 ? 0 : (size_t)d->result + 1;
		char *text = d->has_text && chosen == d->n ? buf_take(&d->text) : NULL;

		d->result = DIALOG_OPEN;
		chat_answer(c, (enum confirm_answer)chosen, text);
		if (!chosen)
			chat_give_back(c);
	}
	chat_draw(c, true);
}

void chat_question(struct chat *c)
{
	const struct json *q = c->question_details, *options = json_getz(q, "options");
	struct arena *a = &c->question_arena;
	const char **labels = ARENA_ARRAY(a, const char *, options->n + 1);
	AUTO(buf_done) struct buf clean = { 0 }, body = { 0 };

	for (size_t i = 0; i < options->n; i++)
		labels[i] = arena_z(a, json_str(json_at(options, i), STR("")));
	clean_add_visible(&clean, json_get_str(q, "body"));
	(void)text_add_wrapped(&body, buf_str(&clean), screen_columns(c->screen));
	dialog_open(&c->dialog, labels);
	c->dialog.title = json_get_str(q, "title");
	c->dialog.body = arena_str(a, buf_str(&body));
	c->dialog.more = NULL;
	c->dialog.at = (size_t)json_int(json_getz(q, "at"), 0);
	c->dialog.has_text = json_is_true(json_getz(q, "typed"));
	c->asking = true;
	screen_grab(c->screen, on_key, c);
	chat_draw(c, true);
}

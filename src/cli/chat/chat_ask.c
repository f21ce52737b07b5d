/* The dialog of a confirmation: what is asked, and the options with what they answer. */
#include <stdio.h>

#include "base/utf8.h"
#include "cli/chat/chat.h"
#include "os/foreground.h"
#include "os/fs.h"
#include "os/temp.h"
#include "ui/clean.h"
#include "ui/diff_view.h"
#include "ui/width.h"

enum { EDIT_MAX_BYTES = 20 << 20 };

/* What is asked (NULL = question_of() says it), and what the options answer. */
enum { OPTIONS_MAX = 5 };
struct question_kind {
	const char *type, *question;
	const char *options[OPTIONS_MAX + 1];
	enum confirm_answer answers[OPTIONS_MAX];
};

static const char once[] = "Allow once", session[] = "Allow for this session",
		  always[] = "Always allow in every project: ", no[] = "No, suggest changes (esc)";

static const struct question_kind kinds[] = {
	{ "edit",
	  "Apply this change?",
	  { once, session, "Modify with external editor", no },
	  { CONFIRM_ONCE, CONFIRM_SESSION, CONFIRM_CHANGED, CONFIRM_NO } },
	{ "exec",
	  NULL,
	  { once, session, always, no },
	  { CONFIRM_ONCE, CONFIRM_SESSION, CONFIRM_ALWAYS, CONFIRM_NO } },
	{ "mcp",
	  NULL,
	  { once, "Allow tool for this session", "Allow all server tools for this session", always,
	    no },
	  { CONFIRM_ONCE, CONFIRM_SESSION, CONFIRM_SERVER, CONFIRM_ALWAYS, CONFIRM_NO } },
	{ "exit_plan_mode",
	  "Carry out this plan?",
	  { "Yes, and apply changes without asking", "Yes, and ask before each change",
	    "No, keep planning (esc)" },
	  { CONFIRM_SESSION, CONFIRM_ONCE, CONFIRM_NO } },
	{ "info",
	  "Do you want to proceed?",
	  { once, session, no },
	  { CONFIRM_ONCE, CONFIRM_SESSION, CONFIRM_NO } },
};

/* Whatever is asked is shown as it is: nothing in it is dropped, cut off or replaced. */
static void add_lines(struct chat *c, struct buf *out, struct str text)
{
	AUTO(buf_done) struct buf clean = { 0 };

	clean_add_visible(&clean, text);
	(void)text_add_wrapped(out, buf_str(&clean), screen_columns(c->screen));
}

/* A name: a line break is a part of it. */
static void add_name(struct chat *c, struct buf *out, struct str name)
{
	AUTO(buf_done) struct buf line = { 0 };

	(void)utf8_add_visible(&line, name, false);
	add_lines(c, out, buf_str(&line));
}

/* All that is asked; of a diff at most so many rows.  Returns how many of its lines are hidden. */
static size_t add_body(struct chat *c, size_t diff_rows, struct buf *out)
{
	const struct json *details = c->question_details;
	struct str diff = json_get_str(details, "fileDiff");
	const struct json *urls = json_getz(details, "urls"),
			  *args = json_getz(details, "toolArgs");
	AUTO(buf_done) struct buf list = { 0 };
	AUTO(arena_done) struct arena a = { 0 };

	add_lines(c, out, str_from(c->question->more ? c->question->more : ""));
	add_name(c, out, json_get_str(details, "title"));
	add_lines(c, out, json_get_str(details, "command"));
	add_lines(c, out, json_get_str(details, "prompt"));
	for (size_t i = 0; json_at(urls, i); i++) {
		buf_addz(&list, i == 0 ? "URLs to fetch:\n  - " : "  - ");
		buf_adds(&list, json_str(json_at(urls, i), STR("")));
		buf_addc(&list, '\n');
	}
	add_lines(c, out, buf_str(&list));
	if (json_is(args, J_OBJ) && args->n)
		add_lines(c, out, json_text(&a, args, JSON_PRETTY));
	if (json_get_str(details, "filePath").n) {
		add_name(c, out, json_get_str(details, "filePath"));
		if (str_eq(json_get_str(details, "originalContent"),
			   json_get_str(details, "newContent")))
			add_lines(c, out, STR("No change: the file has this content already."));
	}
	return diff.n ? diff_view(diff, screen_columns(c->screen), diff_rows,
				  screen_color(c->screen), out)
		      : 0;
}

static struct str question_of(struct arena *a, const struct question_kind *kind,
			      const struct json *details)
{
	AUTO(buf_done) struct buf out = { 0 };

	if (strcmp(kind->type, "mcp") == 0) {
		buf_addz(&out, "Allow execution of MCP tool \"");
		clean_add_visible(&out, json_get_str(details, "toolName"));
		buf_addz(&out, "\" from server \"");
		clean_add_visible(&out, json_get_str(details, "serverName"));
		buf_addz(&out, "\"?");
	} else if (strcmp(kind->type, "exec") == 0) {
		buf_addz(&out, "Allow execution of [");
		clean_add_visible(&out, json_get_str(details, "rootCommand"));
		buf_addz(&out, "]?");
	} else {
		buf_addz(&out, kind->question);
	}
	return arena_str(a, buf_str(&out));
}

/* "Modify with external editor": the proposed content, in a file for the user's editor. */
static void edit(struct chat *c)
{
	const char *visual = run_env(c->run, "VISUAL"), *editor = run_env(c->run, "EDITOR");
	struct str content = json_get_str(c->question_details, "newContent");
	AUTO(free) char *path = NULL;
	AUTO(buf_done) struct buf changed = { 0 };
	struct err err;
	int r;

	if (temp_write(json_get_str(c->question_details, "fileName"), content, &path, &err) < 0) {
		chat_print(c, "31", str_from(err.text));
		return;
	}
	screen_suspend(c->screen);
	r = foreground_edit(visual ? visual : editor ? editor : "vi", path, &err);
	screen_resume(c->screen);
	if (r == 0)
		r = fs_read(path, EDIT_MAX_BYTES, &changed, &err);
	else if (r > 0)
		(void)err_set(&err, E_IO, "The editor exited with status %d; nothing was changed.",
			      r);
	temp_remove(path);
	if (r < 0 || r > 0) {
		chat_print(c, "31", str_from(err.text));
		return;
	}
	chat_answer(c, CONFIRM_CHANGED, buf_take(&changed));
}

/* With the source of a plan: Markdown has things that are not shown (titles, surplus cells). */
static void add_whole(struct chat *c, struct buf *out)
{
	add_lines(c, out, json_get_str(c->question_details, "plan"));
	(void)add_body(c, SIZE_MAX, out);
	add_lines(c, out, c->dialog.title);
}

/* All of it, where it can be scrolled to. */
static void print_whole(struct chat *c)
{
	AUTO(buf_done) struct buf out = { 0 };

	add_whole(c, &out);
	screen_print(c->screen, buf_str(&out));
}

/* The same in the user's pager. */
static void page(struct chat *c)
{
	const char *pager = run_env(c->run, "PAGER");
	AUTO(buf_done) struct buf out = { 0 };
	AUTO(free) char *path = NULL;
	struct err err;
	int r;

	add_whole(c, &out);
	r = temp_write(STR("question"), buf_str(&out), &path, &err);
	if (r == 0) {
		screen_suspend(c->screen);
		r = foreground_edit(pager ? pager : "less -R", path, &err);
		screen_resume(c->screen);
		temp_remove(path);
	}
	if (r < 0)
		chat_print(c, "31", str_from(err.text));
	if (r)
		print_whole(c);
}

static void on_key(void *data, const char *key)
{
	struct chat *c = data;
	const struct question_kind *kind = c->question_kind;
	enum confirm_answer answer;
	int chosen;

	if (strcmp(key, "d") == 0)
		print_whole(c);
	else if (strcmp(key, "v") == 0)
		page(c);
	else
		dialog_key(&c->dialog, strcmp(key, "ctrl-c") == 0 ? "escape" : key);
	chosen = c->dialog.result;
	if (chosen == DIALOG_OPEN) {
		chat_draw(c, true);
		return;
	}
	c->dialog.result = DIALOG_OPEN;
	answer = chosen < 0 ? CONFIRM_NO : kind->answers[chosen];
	if (answer == CONFIRM_CHANGED)
		edit(c);
	else
		chat_answer(c, answer, NULL);
	if (answer == CONFIRM_NO)
		chat_give_back(c);
	chat_draw(c, true);
}

/* The options as they are offered: with what "always" would allow, or without it. */
static void choose_kind(struct chat *c)
{
	struct arena *a = &c->question_arena;
	struct question_kind *own = ARENA_NEW(a, struct question_kind);
	const struct question_kind *kind = kinds; /* the last one for any other type */
	struct str what = json_get_str(c->question_details, "always");
	size_t n = 0;

	while (kind < kinds + ARRAY_LEN(kinds) - 1 &&
	       !str_eqz(json_get_str(c->question_details, "type"), kind->type))
		kind++;
	*own = (struct question_kind){ .type = kind->type, .question = kind->question };
	for (size_t i = 0; i < OPTIONS_MAX && kind->options[i]; i++) {
		AUTO(buf_done) struct buf visible = { 0 };
		bool names = kind->options[i] == always;

		if (names && !what.n)
			continue;
		buf_addz(&visible, kind->options[i]);
		if (names)
			clean_add_visible(&visible, what);
		own->options[n] = arena_z(a, buf_str(&visible));
		own->answers[n++] = kind->answers[i];
	}
	c->question_kind = own;
}

void chat_ask(struct chat *c, struct said *take_question)
{
	AUTO(buf_done) struct buf body = { 0 };
	struct arena *a = &c->question_arena;
	struct str plan;
	struct err err;

	c->question = take_question;
	if (json_parse(a, str_from(take_question->text), 0, &c->question_details, &err) < 0) {
		chat_printf(c, "31", "Cannot show the question: %s", err.text);
		chat_answer(c, CONFIRM_NO, NULL);
		return;
	}
	if (chat_ask_questions(c))
		return;
	if (str_eqz(json_get_str(c->question_details, "type"), CHAT_QUESTION)) {
		chat_question(c);
		return;
	}
	/* Printed whole, where it can be scrolled: only what is seen can be approved. */
	plan = json_get_str(c->question_details, "plan");
	if (plan.n) {
		chat_print(c, "1", json_get_str(c->question_details, "planPath"));
		chat_print_markdown(c, plan);
		chat_print(c, "2", STR("d prints its source, v opens it in a pager"));
	}
	choose_kind(c);
	dialog_open(&c->dialog, c->question_kind->options);
	c->dialog.title = question_of(a, c->question_kind, c->question_details);
	c->dialog.more = "d prints all of it above, v opens it in a pager";
	if (add_body(c, screen_rows(c->screen) / 2, &body))
		add_lines(c, &body, STR("d prints the whole change above, v opens it in a pager"));
	c->dialog.body = arena_str(a, buf_str(&body));
	c->asking = true;
	screen_grab(c->screen, on_key, c);
	chat_draw(c, true);
}

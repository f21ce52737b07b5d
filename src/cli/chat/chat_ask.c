/* The dialog of a confirmation (host.md I2): what is asked, which answers there are, what they
 * mean. */
#include <stdio.h>

#include "cli/chat/chat.h"
#include "os/foreground.h"
#include "os/fs.h"
#include "os/temp.h"
#include "ui/clean.h"
#include "ui/diff_view.h"
#include "ui/width.h"

enum { EDIT_MAX_BYTES = 20 << 20 };

/* A row of the table of I2: the question and what the options answer. */
struct question_kind {
	const char *type, *question;
	const char *options[5];
	enum confirm_answer answers[4];
};

static const char once[] = "Allow once", session[] = "Allow for this session",
		  no[] = "No, suggest changes (esc)";

static const struct question_kind kinds[] = {
	{ "edit",
	  "Apply this change?",
	  { once, session, "Modify with external editor", no },
	  { CONFIRM_ONCE, CONFIRM_SESSION, CONFIRM_CHANGED, CONFIRM_NO } },
	{ "exec",
	  "Allow execution of [%s]?",
	  { once, session, no },
	  { CONFIRM_ONCE, CONFIRM_SESSION, CONFIRM_NO } },
	{ "mcp",
	  "Allow execution of this MCP tool?",
	  { once, "Allow tool for this session", "Allow all server tools for this session", no },
	  { CONFIRM_ONCE, CONFIRM_SESSION, CONFIRM_SERVER, CONFIRM_NO } },
	{ "exit_plan_mode",
	  "Do what this plan says?",
	  { "Yes, and apply changes without asking", "Yes, and ask before each change",
	    "No, go on planning (esc)" },
	  { CONFIRM_SESSION, CONFIRM_ONCE, CONFIRM_NO } },
	{ "info",
	  "Do you want to proceed?",
	  { once, session, no },
	  { CONFIRM_ONCE, CONFIRM_SESSION, CONFIRM_NO } },
};

static struct str text_of(const struct json *details, const char *key)
{
	return json_get_str(details, key);
}

static const struct question_kind *kind_of(const struct json *details)
{
	struct str type = text_of(details, "type");

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (str_eqz(type, kinds[i].type))
			return &kinds[i];
	return &kinds[ARRAY_LEN(kinds) - 1];
}

static void add_lines(struct buf *out, const char *head, struct str text)
{
	if (!text.n)
		return;
	if (*head)
		buf_addf(out, "%s\n", head);
	clean_add(out, text);
	if (!str_ends(text, STR("\n")))
		buf_addc(out, '\n');
}

static void add_urls(struct buf *out, const struct json *urls)
{
	for (size_t i = 0; json_at(urls, i); i++) {
		if (i == 0)
			buf_addz(out, "URLs to fetch:\n");
		buf_addz(out, "  - ");
		clean_add_line(out, json_str(json_at(urls, i), STR("")));
		buf_addc(out, '\n');
	}
}

/* As much of the change as there is room for; nobody is to allow what cannot be seen. */
static void add_diff(struct chat *c, struct str diff, struct buf *out)
{
	size_t lines = 0, room = screen_rows(c->screen) / 2;

	if (!diff.n)
		return;
	for (size_t i = 0; i < diff.n; i++)
		lines += diff.p[i] == '\n';
	diff_view(diff, screen_columns(c->screen), room, screen_color(c->screen), out);
	if (lines > room)
		buf_addz(out, "d prints the whole change above\n");
}

/* The whole change, where it can be scrolled to. */
static void print_diff(struct chat *c)
{
	AUTO(buf_done) struct buf out = { 0 };

	diff_view(text_of(c->question_details, "fileDiff"), screen_columns(c->screen), SIZE_MAX,
		  screen_color(c->screen), &out);
	screen_print(c->screen, buf_str(&out));
}

/* Lines that are too long go on in the next: nobody is to allow what cannot be seen. */
static void add_wrapped(struct chat *c, struct str text, struct buf *out)
{
	AUTO(buf_done) struct buf clean = { 0 };
	size_t columns = screen_columns(c->screen);

	for (struct str rest = text, line; str_split(&rest, '\n', &line);) {
		buf_clear(&clean);
		clean_add_line(&clean, line);
		for (size_t at = 0; at < clean.n;) {
			struct str fits = text_fit(str_sub(buf_str(&clean), at, clean.n), columns);

			if (!fits.n)
				break;
			buf_adds(out, fits);
			buf_addc(out, '\n');
			at += fits.n;
		}
	}
}

static void add_arguments(struct chat *c, const struct json *args, struct buf *out)
{
	AUTO(arena_done) struct arena a = { 0 };

	if (json_is(args, J_OBJ) && args->n)
		add_wrapped(c, json_text(&a, args, JSON_PRETTY), out);
}

static struct str body_of(struct chat *c, struct arena *a, const struct json *details,
			  const char *hook_message)
{
	AUTO(buf_done) struct buf out = { 0 };

	add_lines(&out, "", str_from(hook_message));
	add_lines(&out, "", text_of(details, "title"));
	add_lines(&out, "", text_of(details, "command"));
	add_lines(&out, "", text_of(details, "prompt"));
	add_urls(&out, json_getz(details, "urls"));
	add_arguments(c, json_getz(details, "toolArgs"), &out);
	if (text_of(details, "filePath").n &&
	    str_eq(text_of(details, "originalContent"), text_of(details, "newContent")))
		add_lines(&out, "", STR("Nothing would change: the file holds this already."));
	else
		add_diff(c, text_of(details, "fileDiff"), &out);
	return arena_str(a, buf_str(&out));
}

static struct str mcp_question(struct arena *a, const struct json *details)
{
	AUTO(buf_done) struct buf out = { 0 };

	buf_addz(&out, "Allow execution of MCP tool \"");
	clean_add_line(&out, text_of(details, "toolName"));
	buf_addz(&out, "\" from server \"");
	clean_add_line(&out, text_of(details, "serverName"));
	buf_addz(&out, "\"?");
	return arena_str(a, buf_str(&out));
}

static struct str question_of(struct arena *a, const struct question_kind *kind,
			      const struct json *details)
{
	AUTO(buf_done) struct buf roots = { 0 };

	if (strcmp(kind->type, "mcp") == 0)
		return mcp_question(a, details);
	if (strcmp(kind->type, "exec") != 0)
		return str_from(kind->question);
	clean_add_line(&roots, text_of(details, "rootCommand"));
	return arena_printf(a, "Allow execution of [%s]?", buf_z(&roots));
}

void chat_answer(struct chat *c, enum confirm_answer answer, char *take_changed)
{
	struct confirm_message *m = xcalloc(1, sizeof *m);

	m->answer = answer;
	m->changed = take_changed;
	queue_push(c->worker.answers, &m->m);
	screen_grab(c->screen, NULL, NULL);
	c->asking = false;
	dialog_done(&c->dialog);
	arena_done(&c->question_arena);
	said_free(&c->question->m);
	c->question = NULL;
}

/* "Modify with external editor": what the file is to hold, in a file for the user's editor. */
static void edit(struct chat *c)
{
	const char *visual = run_env(c->run, "VISUAL"), *editor = run_env(c->run, "EDITOR");
	struct str content = text_of(c->question_details, "newContent");
	AUTO(free) char *path = NULL;
	AUTO(buf_done) struct buf changed = { 0 };
	struct err err;
	int r;

	if (temp_write(text_of(c->question_details, "fileName"), content, &path, &err) < 0) {
		chat_print(c, "31", str_from(err.text));
		return;
	}
	screen_suspend(c->screen);
	r = foreground_edit(visual ? visual : editor ? editor : "vi", path, &err);
	screen_resume(c->screen);
	if (r == 0)
		r = fs_read(path, EDIT_MAX_BYTES, &changed, &err);
	else if (r > 0)
		(void)err_set(&err, E_IO, "The editor ended with status %d; nothing was changed.",
			      r);
	temp_remove(path);
	if (r < 0 || r > 0) {
		chat_print(c, "31", str_from(err.text));
		return;
	}
	chat_answer(c, CONFIRM_CHANGED, buf_take(&changed));
}

/* False when there is nothing more than what is shown. */
static bool print_whole(struct chat *c)
{
	AUTO(buf_done) struct buf out = { 0 };

	if (text_of(c->question_details, "fileDiff").n) {
		print_diff(c);
		return true;
	}
	add_arguments(c, json_getz(c->question_details, "toolArgs"), &out);
	screen_print(c->screen, buf_str(&out));
	return out.n > 0;
}

static void on_key(void *data, const char *key)
{
	struct chat *c = data;
	const struct question_kind *kind = c->question_kind;
	int chosen;

	if (strcmp(key, "d") != 0 || !print_whole(c))
		dialog_key(&c->dialog, strcmp(key, "ctrl-c") == 0 ? "escape" : key);
	chosen = c->dialog.result;
	if (chosen == DIALOG_OPEN) {
		chat_draw(c, true);
		return;
	}
	c->dialog.result = DIALOG_OPEN;
	if (chosen >= 0 && kind->answers[chosen] == CONFIRM_CHANGED)
		edit(c);
	else
		chat_answer(c, chosen < 0 ? CONFIRM_NO : kind->answers[chosen], NULL);
	chat_draw(c, true);
}

/* Whole, where it can be scrolled to: nobody is to approve what cannot be seen. */
static void show_plan(struct chat *c, const struct json *details)
{
	struct str plan = text_of(details, "plan");

	if (!plan.n)
		return;
	chat_print(c, "1", text_of(details, "planPath"));
	chat_print_markdown(c, plan);
}

void chat_ask(struct chat *c, struct said *take_question)
{
	const struct json *details = NULL;

	c->question = take_question;
	(void)json_parse(&c->question_arena, str_from(take_question->text), 0, &details, NULL);
	c->question_details = details;
	show_plan(c, details);
	c->question_kind = kind_of(details);
	dialog_open(&c->dialog, c->question_kind->options);
	c->dialog.title = question_of(&c->question_arena, c->question_kind, details);
	c->dialog.body = body_of(c, &c->question_arena, details,
				 take_question->more ? take_question->more : "");
	c->asking = true;
	screen_grab(c->screen, on_key, c);
	chat_draw(c, true);
}

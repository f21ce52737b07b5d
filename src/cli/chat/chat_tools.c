/*
 * Calls of tools, when they are over: one line stays, with what really ran, and the beginning of
 * what came out.  Ctrl+O unfolds.
 */
#include <stdio.h>

#include "base/utf8.h"
#include "base/vec.h"
#include "cli/chat/chat.h"
#include "ui/clean.h"
#include "ui/diff_view.h"
#include "ui/marks.h"
#include "ui/width.h"

enum {
	RESULT_LINES = 5,
	DIFF_ROWS = 20,
	ABOUT_COLUMNS = 300,
	FOLDED_BYTES = 4 << 20,
};

void chat_tool_use(struct chat *c, struct said *said)
{
	AUTO(buf_done) struct buf head = { 0 };

	chat_end_answer(c);
	chat_add_head(&head, said->text, said->more, ABOUT_COLUMNS);
	if (screen_is_dumb(c->screen))
		chat_printf(c, NULL, "%s %s", mark(MARK_BEGUN), buf_z(&head));
	*VEC_ADD(&c->calls) = (struct shown_call){ .id = xstrdup(said->id ? said->id : ""),
						   .name = xstrdup(said->text),
						   .about = xstrdup(said->more ? said->more : "") };
}

/* ---- what came of them ---- */

/* What was left out of the screen, for Ctrl+O. */
static void fold(struct chat *c, const char *title, struct str rendered)
{
	if (c->folded.n + rendered.n > FOLDED_BYTES)
		buf_clear(&c->folded);
	AUTO(buf_done) struct buf head = { 0 };

	buf_addf(&head, "%s %s\n", mark(MARK_MORE), title ? title : "");
	chat_add_wrapped(c, NULL, str_trim(buf_str(&head)), &c->folded);
	buf_adds(&c->folded, utf8_prefix(rendered, FOLDED_BYTES));
	if (c->folded.p[c->folded.n - 1] != '\n')
		buf_addc(&c->folded, '\n');
}

/* The text, indented. */
static void add_lines(const struct chat *c, const char *sgr, struct str text, struct buf *out)
{
	AUTO(buf_done) struct buf indented = { 0 };

	for (struct str rest = text, line; text.n && str_split(&rest, '\n', &line);)
		buf_addf(&indented, "%s    %.*s", indented.n ? "\n" : "", STR_ARG(line));
	if (text.n)
		chat_add_wrapped(c, sgr, buf_str(&indented), out);
}

void chat_show_output(struct chat *c, const char *sgr, struct str text, const char *title)
{
	AUTO(buf_done) struct buf out = { 0 }, all = { 0 };
	size_t lines = 0, at = 0, hidden;

	text = str_trim(text);
	for (size_t i = 0; i < text.n; i++)
		lines += text.p[i] == '\n';
	lines += text.n > 0;
	if (!lines)
		return;
	/* One line more would take as much room as saying that it is there. */
	if (c->unfolded || lines <= RESULT_LINES + 1) {
		add_lines(c, sgr, text, &out);
		screen_print(c->screen, buf_str(&out));
		return;
	}
	for (size_t n = 0; n < RESULT_LINES; at++)
		n += text.p[at] == '\n';
	add_lines(c, sgr, str_sub(text, 0, at - 1), &out);
	screen_print(c->screen, buf_str(&out));
	hidden = lines - RESULT_LINES;
	chat_printf(c, "2", "    %s %zu more line%s (Ctrl+O shows %s)", mark(MARK_MORE), hidden,
		    hidden == 1 ? "" : "s", hidden == 1 ? "it" : "them");
	add_lines(c, sgr, text, &all);
	fold(c, title, buf_str(&all));
}

/* The change stays where it can be scrolled to. */
static void show_diff(struct chat *c, struct str diff, const char *title)
{
	size_t columns = screen_columns(c->screen), hidden;
	AUTO(buf_done) struct buf out = { 0 }, all = { 0 };
	bool color = screen_color(c->screen);

	hidden = diff_view(diff, columns, c->unfolded ? SIZE_MAX : DIFF_ROWS, color, &out);
	screen_print(c->screen, buf_str(&out));
	if (!hidden)
		return;
	(void)diff_view(diff, columns, SIZE_MAX, color, &all);
	chat_print(c, "2", STR("    Ctrl+O shows the whole change"));
	fold(c, title, buf_str(&all));
}

static void show_todos(struct chat *c, const struct json *todos)
{
	free(c->doing);
	c->doing = NULL;
	for (size_t i = 0; i < todos->n; i++) {
		struct str status = json_get_str(json_at(todos, i), "status");
		struct str text = json_get_str(json_at(todos, i), "description");
		enum mark m = str_eqz(status, "completed")     ? MARK_OK
			      : str_eqz(status, "in_progress") ? MARK_DOING
			      : str_eqz(status, "pending")     ? MARK_TODO
							       : MARK_DROPPED;
		AUTO(buf_done) struct buf clean = { 0 };

		clean_add_line(&clean, text);
		chat_printf(c,
			    m == MARK_DOING  ? "36"
			    : m == MARK_TODO ? NULL
					     : "2",
			    "    %s %s%s", mark(m), buf_z(&clean),
			    str_eqz(status, "blocked") ? " (blocked)" : "");
		if (m == MARK_DOING)
			c->doing = buf_take(&clean);
	}
}

void chat_tool_result(struct chat *c, struct said *said)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf head = { 0 };
	struct shown_call *s = chat_call_find(c, said->id);
	const struct json *details = NULL;
	struct str diff;

	chat_end_answer(c);
	chat_add_head(&head, said->text,
		      said->about ? said->about
		      : s         ? s->about
				  : "",
		      ABOUT_COLUMNS);
	if (s) {
		chat_call_forget(s);
		memmove(s, s + 1, (size_t)(c->calls.p + c->calls.n - s - 1) * sizeof *s);
		c->calls.n--;
	}
	chat_printf(c, said->number ? "32" : "31", "%s %s",
		    mark(said->number ? MARK_OK : MARK_FAILED), buf_z(&head));
	if (said->details && *said->details)
		(void)json_parse(&a, str_from(said->details), 0, &details, NULL);
	diff = json_get_str(details, "fileDiff");
	if (diff.n)
		show_diff(c, diff, buf_z(&head));
	else if (json_is(json_getz(details, "todos"), J_ARR))
		show_todos(c, json_getz(details, "todos"));
	else
		chat_show_output(c, said->number ? "2" : "31", str_from(said->more), buf_z(&head));
}

/* One line, however much it did. */
void chat_agent_tool(struct chat *c, struct said *said)
{
	struct str rest = str_from(said->more), line = STR("");

	chat_end_answer(c);
	(void)str_split(&rest, '\n', &line);
	chat_printf(c, said->number ? "2" : "31", "  %s %s %.*s",
		    mark(said->number ? MARK_OK : MARK_FAILED), said->text, STR_ARG(line));
}

void chat_unfold(struct chat *c)
{
	c->unfolded = !c->unfolded;
	if (c->unfolded && c->folded.n)
		screen_print(c->screen, buf_str(&c->folded));
	buf_clear(&c->folded);
	chat_print(c, "2",
		   c->unfolded ? STR("Output of tools is shown whole; Ctrl+O folds it again.")
			       : STR("Output of tools is folded again."));
}

/* Calls of tools while they run: live lines, with the end of what they write. */
#include "base/vec.h"
#include "cli/chat/chat.h"
#include "ui/clean.h"
#include "ui/marks.h"
#include "ui/width.h"

enum { LIVE_LINES = 5, LIVE_BYTES = 64 << 10 };

void chat_call_forget(struct shown_call *s)
{
	free(s->id);
	free(s->name);
	free(s->about);
	buf_done(&s->out);
}

void chat_tools_clear(struct chat *c)
{
	for (size_t i = 0; i < c->calls.n; i++)
		chat_call_forget(&c->calls.p[i]);
	c->calls.n = 0;
}

void chat_tools_done(struct chat *c)
{
	chat_tools_clear(c);
	free(c->calls.p);
	free(c->doing);
	free(c->retry);
	buf_done(&c->folded);
}

void chat_add_head(struct buf *out, const char *name, const char *about, size_t columns)
{
	AUTO(buf_done) struct buf clean = { 0 };
	struct str fit;

	clean_add_line(&clean, str_from(about));
	fit = text_fit(buf_str(&clean), columns);
	/* A model may call a tool that it made up, by any name. */
	clean_add_line(out, str_from(name));
	buf_addf(out, "%s%.*s%s", clean.n ? "  " : "", STR_ARG(fit),
		 fit.n < clean.n ? mark(MARK_MORE) : "");
}

struct shown_call *chat_call_find(struct chat *c, const char *id)
{
	for (size_t i = 0; id && i < c->calls.n; i++)
		if (strcmp(c->calls.p[i].id, id) == 0)
			return &c->calls.p[i];
	return NULL;
}

void chat_tool_output(struct chat *c, struct said *said)
{
	struct shown_call *s = chat_call_find(c, said->id);
	size_t keep = LIVE_BYTES / 2, from;

	if (!s)
		return;
	buf_addz(&s->out, said->text);
	if (s->out.n <= LIVE_BYTES)
		return;
	from = s->out.n - keep;
	while (from < s->out.n && s->out.p[from - 1] != '\n')
		from++;
	for (size_t i = 0; i < from; i++)
		s->gone += s->out.p[i] == '\n';
	memmove(s->out.p, s->out.p + from, s->out.n - from);
	s->out.n -= from;
}

static void add_live_output(const struct chat *c, const struct shown_call *s, size_t max,
			    struct buf *out)
{
	struct str text = { s->out.p, s->out.n }, line;
	size_t columns = screen_columns(c->screen), n = 0, skip;

	while (text.n && (text.p[text.n - 1] == '\n' || text.p[text.n - 1] == '\r'))
		text.n--;
	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '\n';
	n += text.n > 0;
	skip = n > max ? n - max : 0;
	if (skip + s->gone)
		buf_addf(out, "    %s %zu earlier line%s%s\n", mark(MARK_MORE), skip + s->gone,
			 skip + s->gone == 1 ? "" : "s", c->unfolded ? "" : " (Ctrl+O shows more)");
	for (struct str rest = text; text.n && str_split(&rest, '\n', &line);) {
		AUTO(buf_done) struct buf clean = { 0 };
		size_t from = line.n;

		if (skip > 0) {
			skip--;
			continue;
		}
		/* What was written over is not there any more. */
		while (line.n && line.p[line.n - 1] == '\r')
			line.n--;
		for (from = line.n; from > 0 && line.p[from - 1] != '\r';)
			from--;
		clean_add_line(&clean, str_sub(line, from, line.n));
		line = text_fit(buf_str(&clean), columns > 8 ? columns - 5 : columns);
		buf_addf(out, "    %s%.*s%s\n", screen_color(c->screen) ? "\033[2m" : "",
			 STR_ARG(line), screen_color(c->screen) ? "\033[0m" : "");
	}
}

void chat_tools_live(struct chat *c, struct buf *out)
{
	size_t columns = screen_columns(c->screen), rows = screen_rows(c->screen) / 2;
	size_t each = c->calls.n ? rows / c->calls.n : 0;
	bool color = screen_color(c->screen);

	for (size_t i = 0; i < c->calls.n; i++) {
		const struct shown_call *s = &c->calls.p[i];
		AUTO(buf_done) struct buf head = { 0 };

		chat_add_head(&head, s->name, s->about,
			      columns > 30 ? columns - 8 - min_size(strlen(s->name), 20) : 10);
		buf_addf(out, "%s%s %.*s%s\n", color ? "\033[36m" : "", mark(MARK_BEGUN),
			 STR_ARG(text_fit(buf_str(&head), columns - min_size(columns, 3))),
			 color ? "\033[0m" : "");
		add_live_output(c, s, c->unfolded && each > LIVE_LINES ? each : LIVE_LINES, out);
	}
	if (c->doing && c->busy)
		buf_addf(out, "%s%s %.*s%s\n", color ? "\033[2m" : "", mark(MARK_DOING),
			 STR_ARG(text_fit(str_from(c->doing), columns - min_size(columns, 4))),
			 color ? "\033[0m" : "");
}

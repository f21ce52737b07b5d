/* The last exchanges of a resumed session: as many as the screen holds. */
#include "base/vec.h"
#include "cli/chat/chat.h"
#include "ui/clean.h"
#include "ui/marks.h"
#include "ui/width.h"

enum {
	PROMPT_LINES = 3, /* of what was typed */
	OTHER_ROWS = 6, /* around it: how many came before, input, status */
	LEAST_ROWS = 4,
};

struct item {
	struct buf text;
	size_t lines;
	bool tool, prompt;
};

struct items {
	struct item *p;
	size_t n, cap;
};

static void items_done(struct items *v)
{
	for (size_t i = 0; i < v->n; i++)
		buf_done(&v->p[i].text);
	free(v->p);
}
DEFINE_AUTO(struct items, items_done)

static void add_line(const struct chat *c, struct buf *out, const char *sgr, const char *head,
		     struct str text)
{
	AUTO(buf_done) struct buf clean = { 0 };
	size_t columns = screen_columns(c->screen);
	bool color = screen_color(c->screen);

	clean_add_line(&clean, text);
	text = text_fit(buf_str(&clean), columns > 10 ? columns - 3 : columns);
	buf_addf(out, "%s%s%s%s%.*s%s%s\n", color ? "\033[" : "", color ? sgr : "",
		 color ? "m" : "", head, STR_ARG(text), text.n < clean.n ? mark(MARK_MORE) : "",
		 color ? "\033[0m" : "");
}

/* Consecutive calls share a block; everything else begins with an empty line. */
static void render(const struct chat *c, const struct json *item, struct items *items)
{
	struct str type = json_get_str(item, "type"), text = json_get_str(item, "text"), line;
	bool after_tool = items->n && items->p[items->n - 1].tool;
	struct item *i = VEC_ADD(items);
	size_t n = 0;

	*i = (struct item){ .tool = str_eqz(type, "tool"), .prompt = str_eqz(type, "user") };
	if (!i->tool || !after_tool)
		buf_addc(&i->text, '\n');
	if (i->tool) {
		AUTO(buf_done) struct buf call = { 0 }, head = { 0 };
		bool ok = json_is_true(json_getz(item, "ok"));

		buf_addf(&call, "%.*s  %.*s", STR_ARG(text), STR_ARG(json_get_str(item, "about")));
		buf_addf(&head, "%s ", mark(ok ? MARK_OK : MARK_FAILED));
		add_line(c, &i->text, ok ? "32" : "31", buf_z(&head), buf_str(&call));
	} else if (i->prompt) {
		for (; n < PROMPT_LINES && str_split(&text, '\n', &line); n++)
			add_line(c, &i->text, "1", n ? "  " : "> ", line);
		if (text.n)
			add_line(c, &i->text, "2", "  ", str_from(mark(MARK_MORE)));
	} else {
		AUTO(markdown_free) struct markdown *m = markdown_new(&(struct markdown_style){
			.columns = screen_columns(c->screen), .color = screen_color(c->screen) });

		markdown_add(m, text, &i->text);
		markdown_end(m, &i->text);
	}
	for (size_t at = 0; at < i->text.n; at++)
		i->lines += i->text.p[at] == '\n';
}

static size_t room(const struct chat *c)
{
	size_t rows = screen_rows(c->screen);

	return rows > OTHER_ROWS + LEAST_ROWS ? rows - OTHER_ROWS : LEAST_ROWS;
}

/* The first item shown: of those that fit, the first prompt if there is one. */
static size_t first_shown(const struct items *items, size_t left)
{
	size_t from = items->n, prompt;

	for (; from > 0 && items->p[from - 1].lines <= left; from--)
		left -= items->p[from - 1].lines;
	if (from == items->n && from > 0)
		from--;
	for (prompt = from; prompt < items->n && !items->p[prompt].prompt;)
		prompt++;
	return from > 0 && prompt < items->n ? prompt : from;
}

void chat_show_recent(struct chat *c, struct str json)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(items_done) struct items items = { 0 };
	AUTO(buf_done) struct buf out = { 0 };
	const struct json *v, *list;
	size_t from, earlier;

	if (json_parse(&a, json, 0, &v, NULL) < 0)
		return;
	list = json_getz(v, "items");
	for (size_t i = 0; json_at(list, i); i++)
		render(c, json_at(list, i), &items);
	from = first_shown(&items, room(c));
	earlier = (size_t)json_int(json_getz(v, "earlier"), 0);
	for (size_t i = 0; i < from; i++)
		earlier += !items.p[i].tool;
	if (earlier)
		chat_printf(c, "2", "%s %zu earlier message%s", mark(MARK_MORE), earlier,
			    earlier == 1 ? "" : "s");
	for (size_t i = from; i < items.n; i++) {
		const struct item *it = &items.p[i];
		struct str text = buf_str(&it->text), line;

		/* Of what is too long the last lines. */
		if (it->lines > room(c))
			add_line(c, &out, "2", "", str_from(mark(MARK_MORE)));
		for (size_t lines = it->lines; lines > room(c); lines--)
			(void)str_split(&text, '\n', &line);
		buf_adds(&out, text);
	}
	if (items.n)
		buf_addc(&out, '\n');
	screen_print(c->screen, buf_str(&out));
}

#include "ui/complete.h"

#include "ui/clean.h"
#include "ui/width.h"

enum { ROWS_MAX = 8, NAME_MIN = 12 };

size_t complete_word(struct str line, size_t cursor)
{
	size_t at = min_size(cursor, line.n);

	while (at > 0 && line.p[at - 1] != '\n' &&
	       ((line.p[at - 1] != ' ' && line.p[at - 1] != '\t') ||
		(at > 1 && line.p[at - 2] == '\\')))
		at--;
	return at;
}

bool complete_offers_itself(struct str line, size_t cursor)
{
	size_t from = complete_word(line, cursor);

	if (line.n == 0 || cursor == 0)
		return false;
	if (line.p[0] == '/')
		return str_chr(line, '\n', 0) < 0;
	return from < cursor && line.p[from] == '@';
}

void complete_close(struct complete *c)
{
	buf_clear(&c->text);
	c->n = c->at = 0;
	c->moved = false;
}

void complete_open(struct complete *c, size_t from)
{
	c->n = c->at = 0;
	c->moved = false;
	c->from = from;
	if (c->text.n > 0 && c->text.p[c->text.n - 1] != '\n')
		buf_addc(&c->text, '\n');
	for (size_t i = 0; i < c->text.n; i++)
		c->n += c->text.p[i] == '\n';
}

void complete_move(struct complete *c, int step)
{
	if (c->n == 0)
		return;
	c->at = (c->at + c->n + (size_t)step) % c->n;
	c->moved = true;
}

static struct str row_of(const struct complete *c, size_t i)
{
	struct str rest = buf_str(&c->text), line = STR("");

	for (size_t k = 0; k <= i && str_split(&rest, '\n', &line); k++)
		;
	return line;
}

struct str complete_replacement(const struct complete *c, size_t i)
{
	struct str rest = row_of(c, i), word = STR("");

	(void)str_split(&rest, '\t', &word);
	return word;
}

bool complete_has(const struct complete *c, struct str word)
{
	for (size_t i = 0; i < c->n; i++)
		if (str_eq(str_trim(complete_replacement(c, i)), word))
			return true;
	return false;
}

static void draw_row(struct str row, bool chosen, size_t name_columns, size_t columns, bool color,
		     struct frame *out)
{
	AUTO(buf_done) struct buf clean = { 0 };
	struct str help = row, name;
	size_t width = 2, from;

	(void)str_split(&help, '\t', &name);
	buf_addz(&out->text, color && chosen ? "\033[36m" : "");
	buf_addz(&out->text, chosen ? "> " : "  ");
	clean_add_visible(&clean, str_trim(name));
	name = text_fit(buf_str(&clean), columns > 2 ? columns - 2 : 0);
	width += text_width(name);
	buf_adds(&out->text, name);
	from = clean.n;
	clean_add_line(&clean, help.p ? help : STR(""));
	help = str_sub(buf_str(&clean), from, clean.n);
	size_t column = max_size(width + 2, 2 + name_columns + 2);

	if (help.n > 0 && column + 8 <= columns) {
		buf_addf(&out->text, "%s%*s", color && !chosen ? "\033[2m" : "",
			 (int)(column - width), "");
		help = text_fit(help, columns - column);
		buf_adds(&out->text, help);
		width = column + text_width(help);
	}
	buf_addz(&out->text, color ? "\033[0m" : "");
	frame_end_row(out, width);
}

void complete_draw(const struct complete *c, size_t columns, size_t rows, bool color,
		   struct frame *out)
{
	size_t n = min_size(min_size(rows, ROWS_MAX), c->n), widest = NAME_MIN;
	size_t first = c->at >= n ? c->at - n + 1 : 0;

	for (size_t i = first; i < first + n; i++)
		widest = max_size(widest, text_width(str_trim(complete_replacement(c, i))));
	for (size_t i = first; i < first + n; i++)
		draw_row(row_of(c, i), i == c->at, min_size(widest, columns / 2), columns, color,
			 out);
}

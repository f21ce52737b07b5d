/* Prefixes of quotes and items; code, rules and wrapped text behind them. */
#include "ui/markdown_page.h"

#include "base/vec.h"
#include "ui/marks.h"
#include "ui/width.h"

/* More is flattened, and so is what would leave less than half of the columns. */
enum { LEVELS_SHOWN = 30, CODE_INDENT = 2, NARROW = 20, TAB = 8 };

void page_done(struct page *p)
{
	free(p->levels.p);
	*p = (struct page){ 0 };
}

static void push(struct page *p, struct page_level level)
{
	bool fits = p->shown == p->levels.n && p->shown < LEVELS_SHOWN &&
		    p->indent + level.width <= p->style->columns / 2;

	*VEC_ADD(&p->levels) = level;
	if (!fits)
		return;
	p->shown++;
	p->indent += level.width;
}

void page_quote(struct page *p)
{
	page_begin_block(p);
	push(p, (struct page_level){ .width = 2 });
}

void page_item(struct page *p, const char *mark, bool tight)
{
	struct page_level level = { .width = text_width(str_from(mark)), .tight = tight };

	memcpy(level.mark, mark, min_size(strlen(mark), sizeof level.mark - 1));
	push(p, level);
	if (p->shown < p->levels.n)
		memcpy(p->mark, level.mark, sizeof p->mark);
	else
		p->mark[0] = '\0';
}

void page_leave(struct page *p)
{
	p->mark[0] = '\0';
	if (p->shown == p->levels.n)
		p->indent -= p->levels.p[--p->shown].width;
	p->levels.n--;
}

size_t page_columns(const struct page *p)
{
	return p->style->columns - p->indent;
}

static void put_level(struct page *p, struct page_level *level)
{
	if (!level->mark[0]) {
		AUTO(free) char *bar = xasprintf("%s ", p->style->color ? mark(MARK_BAR) : ">");

		rich_put_plain(str_from(bar), RICH_DIM, p->style->color, p->out);
		return;
	}
	if (!level->started)
		buf_addz(p->out, level->mark);
	for (size_t i = 0; level->started && i < level->width; i++)
		buf_addc(p->out, ' ');
	level->started = true;
}

void page_begin_block(struct page *p)
{
	if (p->gap && !(p->levels.n && p->levels.p[p->levels.n - 1].tight)) {
		/* The mark of an item is not for an empty line. */
		for (size_t i = 0; i < p->shown; i++) {
			if (p->levels.p[i].mark[0] && !p->levels.p[i].started)
				break;
			put_level(p, &p->levels.p[i]);
		}
		page_end_line(p);
	}
	p->gap = false;
}

void page_end_block(struct page *p)
{
	p->gap = true;
}

void page_begin_line(struct page *p)
{
	for (size_t i = 0; i < p->shown; i++)
		put_level(p, &p->levels.p[i]);
}

void page_end_line(struct page *p)
{
	while (p->out->n && p->out->p[p->out->n - 1] == ' ')
		p->out->n--;
	buf_addc(p->out, '\n');
}

void page_text(struct page *p, const struct rich *t, const struct str *links)
{
	struct rich_look look = { .color = p->style->color, .links = links };
	struct rich_lines lines = rich_lines(t, 0, t->text.n, 0);

	while (rich_next(&lines, page_columns(p))) {
		page_begin_line(p);
		rich_put(&lines, &look, p->out);
		page_end_line(p);
	}
}

void page_label(struct page *p, struct str text, unsigned style)
{
	page_begin_line(p);
	rich_put_plain(text_fit(text, page_columns(p)), style, p->style->color, p->out);
	page_end_line(p);
}

static size_t code_indent(const struct page *p)
{
	return p->style->columns > NARROW ? CODE_INDENT : 0;
}

static void put_code(struct page *p, struct str line)
{
	size_t indent = code_indent(p), columns = max_size(page_columns(p) - indent, 1);

	do {
		struct str fit = text_fit(line, columns);

		if (!fit.n)
			fit = text_cluster(line);
		page_begin_line(p);
		for (size_t i = 0; fit.n && i < indent; i++)
			buf_addc(p->out, ' ');
		buf_adds(p->out, fit);
		page_end_line(p);
		line = str_sub(line, fit.n, line.n);
	} while (line.n);
}

void page_code(struct page *p, struct str line)
{
	AUTO(buf_done) struct buf expanded = { 0 };
	size_t column = 0;

	if (str_chr(line, '\t', 0) < 0) {
		put_code(p, line);
		return;
	}
	for (struct str rest = line, part; str_split(&rest, '\t', &part);) {
		buf_adds(&expanded, part);
		if (!rest.p)
			break;
		column += text_width(part);
		for (size_t blanks = TAB - column % TAB; blanks > 0; blanks--, column++)
			buf_addc(&expanded, ' ');
	}
	put_code(p, buf_str(&expanded));
}

static void put_mark(struct page *p)
{
	if (p->mark[0])
		page_label(p, str_from(p->mark), 0);
	p->mark[0] = '\0';
}

void page_begin_code(struct page *p, struct str language)
{
	AUTO(buf_done) struct buf label = { 0 };
	size_t word = 0;

	while (word < language.n && language.p[word] != ' ' && language.p[word] != '\t')
		word++;
	language = str_sub(language, 0, word);
	page_begin_block(p);
	put_mark(p);
	if (p->style->color && !language.n)
		return;
	for (size_t i = 0; i < code_indent(p); i++)
		buf_addc(&label, ' ');
	buf_addz(&label, p->style->color ? "" : "```");
	buf_adds(&label, language);
	page_label(p, buf_str(&label), RICH_DIM);
}

void page_end_code(struct page *p)
{
	if (!p->style->color)
		page_label(p, code_indent(p) ? STR("  ```") : STR("```"), 0);
	page_end_block(p);
}

void page_rule(struct page *p)
{
	AUTO(buf_done) struct buf rule = { 0 };

	page_begin_block(p);
	put_mark(p);
	for (size_t i = 0, n = page_columns(p); i < n; i++)
		buf_addz(&rule, mark(MARK_RULE));
	page_label(p, buf_str(&rule), RICH_DIM);
	page_end_block(p);
}

/*
 * The stream: lines are gathered into independent blocks, and each is rendered when the line after
 * it shows that it is over.  A block begins only where it would in any context (a heading, a rule,
 * a fence, an item after an item, text after an empty line); in doubt lines stay together and md4c
 * decides.  Items of a list are separate blocks, and fenced code is written line by line.
 *
 * A line or block that does not end is cut at a size, so memory and time are bounded.
 */
#include "ui/markdown.h"

#include "base/utf8.h"
#include "ui/clean.h"
#include "ui/markdown_line.h"
#include "ui/markdown_page.h"
#include "ui/markdown_render.h"

enum {
	LINE_MAX_BYTES = 32 << 10,
	BLOCK_MAX_BYTES = 128 << 10,
	COLUMNS_DEFAULT = 80,
	COLUMNS_MIN = 4
};

enum block_kind { BLOCK_NONE, BLOCK_TEXT, BLOCK_QUOTE, BLOCK_ITEM, BLOCK_FENCE };

struct markdown {
	struct markdown_style style;
	size_t next_columns; /* markdown_resize() */
	struct buf line; /* the last line, as it came */
	struct buf clean; /* for a line at work */
	struct buf block; /* lines of the open block, cleaned and mended */
	enum block_kind kind;
	struct line fence; /* BLOCK_FENCE */
	size_t content; /* BLOCK_ITEM: where its text begins */
	char list; /* the mark of the list that the last item belongs to; 0 = none */
	unsigned number; /* of the last item */
	bool gap; /* an empty line before the open block */
	bool blank; /* the last line was empty */
	bool any; /* something was written */
	bool cut; /* what comes is the rest of a line */
};

static size_t clamp_columns(size_t columns)
{
	return columns ? max_size(columns, COLUMNS_MIN) : COLUMNS_DEFAULT;
}

struct markdown *markdown_new(const struct markdown_style *style)
{
	struct markdown *m = xcalloc(1, sizeof *m);

	m->style = *style;
	m->style.columns = m->next_columns = clamp_columns(style->columns);
	return m;
}

static void markdown_done(struct markdown *m)
{
	buf_done(&m->line);
	buf_done(&m->clean);
	buf_done(&m->block);
}

void markdown_free(struct markdown *m)
{
	if (!m)
		return;
	markdown_done(m);
	free(m);
}

void markdown_resize(struct markdown *m, size_t columns)
{
	m->next_columns = clamp_columns(columns);
	if (m->kind == BLOCK_NONE || m->kind == BLOCK_FENCE)
		m->style.columns = m->next_columns;
}

/* The open block is over. */
static void finish(struct markdown *m, struct buf *out)
{
	size_t before = out->n;

	if (m->kind == BLOCK_FENCE) {
		struct page p = { .style = &m->style, .out = out };

		page_end_code(&p);
	} else if (m->kind != BLOCK_NONE) {
		if (m->gap)
			buf_addc(out, '\n');
		before = out->n;
		markdown_block(buf_str(&m->block), m->kind == BLOCK_ITEM ? m->number : 0, &m->style,
			       out);
		if (out->n == before && m->gap)
			out->n--;
		else
			m->any = true;
	}
	buf_clear(&m->block);
	m->kind = BLOCK_NONE;
	m->style.columns = m->next_columns;
}

static void begin_block(struct markdown *m, const struct line *line, struct buf *out)
{
	m->gap = m->any;
	if (line->kind == LINE_ITEM) {
		bool more = m->list == line->mark;

		m->gap = m->any && (m->blank || !m->list);
		m->number = more ? m->number + 1 : line->number;
		m->list = line->mark;
		m->content = line->content;
		m->kind = BLOCK_ITEM;
		return;
	}
	m->list = 0;
	if (line->kind == LINE_FENCE) {
		struct page p = { .style = &m->style, .out = out };

		if (m->gap)
			buf_addc(out, '\n');
		m->kind = BLOCK_FENCE;
		m->fence = *line;
		page_begin_code(&p, line->info);
		m->fence.info = (struct str){ 0 };
		m->any = true;
	} else {
		m->kind = line->kind == LINE_QUOTE ? BLOCK_QUOTE : BLOCK_TEXT;
	}
}

/* Is the line a block of its own, whatever text is above it? */
static bool interrupts(const struct line *line)
{
	return line->kind == LINE_HEADING || line->kind == LINE_RULE || line->kind == LINE_FENCE ||
	       line->kind == LINE_QUOTE || (line->kind == LINE_ITEM && line->interrupts);
}

/* Does the line belong to the open block (or may it)? */
static bool continues(const struct markdown *m, const struct line *line)
{
	bool rule = line->kind == LINE_UNDERLINE && line->rule;

	if (m->kind == BLOCK_TEXT)
		return !interrupts(line);
	if (m->kind == BLOCK_QUOTE)
		return line->kind == LINE_QUOTE || (!interrupts(line) && !rule);
	if (line->indent >= m->content)
		return true;
	if (m->blank || rule || interrupts(line))
		return false;
	return line->kind != LINE_ITEM || line->mark != m->list;
}

static void add_line(struct markdown *m, struct str text, const struct line *line, struct buf *out)
{
	bool first = m->block.n == 0;

	/* In items and quotes it could be a line of code. */
	if (m->kind == BLOCK_TEXT && line->kind == LINE_TEXT && markdown_is_table_rule(text))
		markdown_mend_table_rule(&m->block, text);
	else
		markdown_mend(&m->block, text);
	buf_addc(&m->block, '\n');
	/* Nothing can be added to the block after such a line. */
	bool ends = line->kind == LINE_HEADING || line->kind == LINE_RULE ||
		    (line->kind == LINE_UNDERLINE && (line->rule || !first));

	if (m->block.n >= BLOCK_MAX_BYTES || (m->kind == BLOCK_TEXT && ends))
		finish(m, out);
}

static void code_line(struct markdown *m, struct str text, struct buf *out)
{
	struct page p = { .style = &m->style, .out = out };
	size_t indent = 0;

	if (!m->cut && line_ends_fence(text, &m->fence)) {
		finish(m, out);
		m->blank = false;
		return;
	}
	while (!m->cut && indent < m->fence.indent && indent < text.n && text.p[indent] == ' ')
		indent++;
	page_code(&p, str_sub(text, indent, text.n));
}

static void take_line(struct markdown *m, struct str raw, struct buf *out)
{
	struct line line;
	struct str text;

	buf_clear(&m->clean);
	clean_add_source(&m->clean, raw);
	text = buf_str(&m->clean);
	if (m->kind == BLOCK_FENCE) {
		code_line(m, text, out);
		return;
	}
	if (m->cut) {
		/* The rest of a line that was too long is text, whatever it looks like. */
		m->gap = false;
		m->list = 0;
		m->blank = false;
		if (line_read(text).kind == LINE_BLANK)
			return;
		m->kind = BLOCK_TEXT;
		buf_addz(&m->block, MARK_LETTER);
		add_line(m, text, &(struct line){ .kind = LINE_TEXT }, out);
		return;
	}
	line = line_read(text);
	if (line.kind == LINE_BLANK) {
		if (m->kind == BLOCK_ITEM)
			buf_addc(&m->block, '\n');
		else if (m->kind != BLOCK_NONE)
			finish(m, out);
		m->blank = true;
		return;
	}
	if (m->kind != BLOCK_NONE && !continues(m, &line))
		finish(m, out);
	if (m->kind == BLOCK_NONE)
		begin_block(m, &line, out);
	m->blank = false;
	if (m->kind != BLOCK_FENCE)
		add_line(m, text, &line, out);
}

/* Where a line that is too long is cut: not in a character. */
static size_t cut_place(struct str s)
{
	size_t at = s.n;

	while (s.n - at < 3 && at > 1 && ((unsigned char)s.p[at - 1] & 0xc0) == 0x80)
		at--;
	if (at > 1 && (unsigned char)s.p[at - 1] >= 0xc0) {
		size_t len;

		(void)utf8_decode(s.p + at - 1, s.n - at + 1, false, &len);
		return len == s.n - at + 1 && utf8_valid(str_sub(s, at - 1, s.n)) == len ? s.n
											 : at - 1;
	}
	return s.n;
}

static void end_line(struct markdown *m, struct buf *out)
{
	struct str line = buf_str(&m->line);

	if (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	if (line.n || !m->cut)
		take_line(m, line, out);
	buf_clear(&m->line);
	m->cut = false;
}

void markdown_add(struct markdown *m, struct str piece, struct buf *out)
{
	while (piece.n) {
		const char *end = memchr(piece.p, '\n', piece.n);
		size_t n = end ? (size_t)(end - piece.p) : piece.n;
		size_t fits = min_size(n, LINE_MAX_BYTES - m->line.n);

		buf_add(&m->line, piece.p, fits);
		piece = str_sub(piece, fits, piece.n);
		if (m->line.n == LINE_MAX_BYTES) {
			size_t at = cut_place(buf_str(&m->line));

			take_line(m, str_sub(buf_str(&m->line), 0, at), out);
			buf_drop(&m->line, at);
			if (m->kind != BLOCK_FENCE)
				finish(m, out);
			m->cut = true;
		} else if (end) {
			end_line(m, out);
			piece = str_sub(piece, 1, piece.n);
		}
	}
}

void markdown_end(struct markdown *m, struct buf *out)
{
	if (m->line.n)
		end_line(m, out);
	if (m->kind != BLOCK_NONE)
		finish(m, out);
	m->list = 0;
	m->number = 0;
	m->gap = m->blank = m->any = m->cut = false;
}

void markdown_open(const struct markdown *m, struct buf *out)
{
	struct markdown copy = *m;
	struct str s;

	copy.line = copy.clean = copy.block = (struct buf){ 0 };
	/* The length of s without a character of which the end is missing. */
	s = buf_str(&m->line);
	buf_add(&copy.line, m->line.p, str_sub(s, 0, cut_place(s)).n);
	buf_adds(&copy.block, buf_str(&m->block));
	markdown_end(&copy, out);
	markdown_done(&copy);
}

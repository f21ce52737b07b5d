/*
 * md4c calls us for each block, span and piece of text; text is collected until its block ends and
 * laid out then.  Without colours the marks of the source stay: ** * ~~ ` ## ```.
 */
#include "ui/markdown_render.h"

#include <limits.h>
#include <md4c.h>
#include <pthread.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "base/words.h"
#include "os/library.h"
#include "ui/clean.h"
#include "ui/markdown_entity.h"
#include "ui/markdown_table.h"
#include "ui/marks.h"
#include "ui/width.h"

enum {
	PARSER_FLAGS = MD_DIALECT_GITHUB | MD_FLAG_NOHTML,
	SPAN_KINDS = (int)MD_SPAN_DEL + 1,
	ADDRESS_MAX = 2048, /* longer ones are no hyperlinks, and are shown cut */
	LINKED_MAX = 2048, /* text of a hyperlink: each of its lines repeats the address */
	CELLS_FREE = 4096, /* a table may have as many, and one more for each byte */
};

struct list {
	bool ordered, tight;
	unsigned number;
	char mark;
};

struct link {
	MD_SPANTYPE type;
	size_t from; /* of its text */
	size_t n; /* its number in render.links, from 1 */
	struct str address;
};

struct render {
	struct page page;
	struct arena arena;
	struct str source;
	unsigned number; /* of the first item; 0 = as the source says */
	struct rich text; /* of the block, or of the whole table */
	unsigned spans[SPAN_KINDS]; /* how many of each are open */
	unsigned heading; /* level; 0 = none */
	struct {
		struct list *p;
		size_t n, cap;
	} lists;
	struct {
		struct link *p;
		size_t n, cap;
	} open_links;
	struct {
		struct str *p;
		size_t n, cap;
	} links; /* for OSC 8 */
	bool in_code, in_table, in_head;
	struct buf code; /* a line of it */
	struct table table;
	size_t cell_from, cell_run;
};

static bool has_color(const struct render *r)
{
	return r->page.style->color;
}

static void set_style(struct render *r)
{
	unsigned style = 0;
	size_t link = r->open_links.n ? r->open_links.p[0].n : 0;

	if (r->spans[MD_SPAN_STRONG] || r->heading || r->in_head)
		style |= RICH_BOLD;
	if (r->spans[MD_SPAN_EM])
		style |= RICH_ITALIC;
	if (r->spans[MD_SPAN_DEL])
		style |= RICH_STRIKE;
	if (r->spans[MD_SPAN_CODE])
		style |= RICH_CODE;
	if (r->heading == 1 || r->open_links.n)
		style |= RICH_UNDERLINE;
	rich_style(&r->text, style, link);
}

/* An item without room for its mark has it in its text. */
static void begin_text(struct render *r)
{
	if (!r->page.mark[0] || r->in_table)
		return;
	buf_addz(&r->text.text, r->page.mark);
	r->page.mark[0] = '\0';
}

/* Appends source text without our marks. */
static void add_unmarked(struct buf *out, struct str s)
{
	struct str lead = STR("\xef\xb7");

	for (ptrdiff_t at = str_find(s, lead, 0); at >= 0; at = str_find(s, lead, 0)) {
		bool tilde = str_starts(str_sub(s, (size_t)at, s.n), STR(MARK_TILDE));
		bool ours = tilde || str_starts(str_sub(s, (size_t)at, s.n), STR(MARK_LETTER));

		buf_add(out, s.p, (size_t)at + (ours ? 0 : 3));
		buf_addz(out, tilde ? "~" : "");
		s = str_sub(s, (size_t)at + 3, s.n);
	}
	buf_adds(out, s);
}

/* "<br>", "<br/>", "<br />": its length, or 0. */
static size_t break_length(struct str s)
{
	static const char *const tags[] = { "<br>", "<br/>", "<br />", "<BR>" };

	for (size_t i = 0; i < ARRAY_LEN(tags); i++) {
		if (str_starts(s, str_from(tags[i])))
			return strlen(tags[i]);
	}
	return 0;
}

static void add_normal(struct render *r, struct str s)
{
	size_t done = 0;

	for (ptrdiff_t at = str_chr(s, '<', 0); at >= 0; at = str_chr(s, '<', (size_t)at + 1)) {
		size_t n = break_length(str_sub(s, (size_t)at, s.n));

		if (!n)
			continue;
		add_unmarked(&r->text.text, str_sub(s, done, (size_t)at));
		buf_addc(&r->text.text, '\n');
		done = (size_t)at + n;
	}
	add_unmarked(&r->text.text, str_sub(s, done, s.n));
}

static bool is_only_breaks(struct str s)
{
	return str_trim(s).n == 0;
}

/* md4c 0.4.8 leaves spans that it did not enter, and the other way round; none outlives its block.
 */
static void close_spans(struct render *r)
{
	memset(r->spans, 0, sizeof r->spans);
	r->open_links.n = 0;
	set_style(r);
}

/* What was collected is a paragraph (tight items have no block of that kind). */
static void flush_text(struct render *r)
{
	if (r->in_table)
		return;
	if (!is_only_breaks(buf_str(&r->text.text))) {
		while (r->text.text.p[r->text.text.n - 1] == '\n')
			r->text.text.n--;
		page_begin_block(&r->page);
		page_text(&r->page, &r->text, r->links.p);
		page_end_block(&r->page);
	}
	rich_clear(&r->text);
	r->links.n = 0;
	close_spans(r);
}

static void add_attribute(struct buf *out, const MD_ATTRIBUTE *a)
{
	AUTO(buf_done) struct buf raw = { 0 };

	for (unsigned i = 0; a->size && a->substr_offsets[i] < a->size; i++) {
		struct str part = { a->text + a->substr_offsets[i],
				    a->substr_offsets[i + 1] - a->substr_offsets[i] };

		if (a->substr_types[i] == MD_TEXT_ENTITY)
			entity_add(&raw, part);
		else
			add_unmarked(&raw, part);
	}
	clean_add_line(out, str_trim(buf_str(&raw)));
}

static void enter_list(struct render *r, struct list list)
{
	page_begin_block(&r->page);
	if (r->number && list.ordered && !r->lists.n)
		list.number = r->number;
	*VEC_ADD(&r->lists) = list;
}

static void enter_item(struct render *r, const MD_BLOCK_LI_DETAIL *item)
{
	struct list *list = &r->lists.p[r->lists.n - 1];
	AUTO(buf_done) struct buf text = { 0 };

	if (list->ordered)
		buf_addf(&text, "%u%c ", list->number++, list->mark);
	else if (!item->is_task)
		buf_addf(&text, "%s ", has_color(r) ? mark(MARK_BULLET) : "-");
	if (item->is_task)
		buf_addz(&text, item->task_mark == ' ' ? "[ ] " : "[x] ");
	page_item(&r->page, buf_z(&text), list->tight);
}

/* Rows may be shorter than the heading: few bytes can make very many cells. */
static int enter_table(struct render *r, const MD_BLOCK_TABLE_DETAIL *table)
{
	size_t cells = (size_t)table->col_count * ((size_t)table->body_row_count + 1);

	if (!table->col_count || cells > CELLS_FREE + r->source.n)
		return 1;
	begin_text(r);
	flush_text(r);
	r->in_table = true;
	r->table.columns = table->col_count;
	r->table.cells.n = 0;
	return 0;
}

static void leave_table(struct render *r)
{
	r->in_table = false;
	if (r->table.cells.n >= r->table.columns) {
		page_begin_block(&r->page);
		table_put(&r->table, &r->text, r->links.p, &r->page);
		page_end_block(&r->page);
	}
	rich_clear(&r->text);
	flush_text(r);
}

static int enter_block(MD_BLOCKTYPE type, void *detail, void *data)
{
	struct render *r = data;

	flush_text(r);
	if (type == MD_BLOCK_QUOTE) {
		page_quote(&r->page);
	} else if (type == MD_BLOCK_UL) {
		const MD_BLOCK_UL_DETAIL *ul = detail;

		enter_list(r, (struct list){ .tight = ul->is_tight });
	} else if (type == MD_BLOCK_OL) {
		const MD_BLOCK_OL_DETAIL *ol = detail;

		enter_list(r, (struct list){ true, ol->is_tight, ol->start, ol->mark_delimiter });
	} else if (type == MD_BLOCK_LI) {
		enter_item(r, detail);
	} else if (type == MD_BLOCK_HR) {
		page_rule(&r->page);
	} else if (type == MD_BLOCK_H) {
		unsigned level = ((const MD_BLOCK_H_DETAIL *)detail)->level;

		r->heading = level;
		begin_text(r);
		set_style(r);
		for (unsigned i = 0; !has_color(r) && i <= level; i++)
			buf_addc(&r->text.text, i < level ? '#' : ' ');
	} else if (type == MD_BLOCK_CODE) {
		AUTO(buf_done) struct buf language = { 0 };

		add_attribute(&language, &((const MD_BLOCK_CODE_DETAIL *)detail)->lang);
		page_begin_code(&r->page, buf_str(&language));
		r->in_code = true;
	} else if (type == MD_BLOCK_TABLE) {
		return enter_table(r, detail);
	} else if (type == MD_BLOCK_THEAD) {
		r->in_head = true;
	} else if (type == MD_BLOCK_TH || type == MD_BLOCK_TD) {
		set_style(r);
		r->cell_from = r->text.text.n;
		r->cell_run = r->text.runs.n ? r->text.runs.n - 1 : 0;
	}
	return 0;
}

static int leave_block(MD_BLOCKTYPE type, void *detail, void *data)
{
	struct render *r = data;

	flush_text(r);
	if (type == MD_BLOCK_QUOTE) {
		page_leave(&r->page);
	} else if (type == MD_BLOCK_UL || type == MD_BLOCK_OL) {
		r->lists.n--;
	} else if (type == MD_BLOCK_LI) {
		struct page *p = &r->page;
		struct page_level *level = &p->levels.p[p->levels.n - 1];

		/* An empty item. */
		if (p->mark[0] || (p->shown == p->levels.n && !level->started)) {
			page_begin_block(p);
			page_label(p, str_from(p->mark), 0);
			page_end_block(p);
		}
		page_leave(p);
	} else if (type == MD_BLOCK_H) {
		r->heading = 0;
		set_style(r);
	} else if (type == MD_BLOCK_CODE) {
		if (r->code.n)
			page_code(&r->page, buf_str(&r->code));
		buf_clear(&r->code);
		r->in_code = false;
		page_end_code(&r->page);
	} else if (type == MD_BLOCK_TABLE) {
		leave_table(r);
	} else if (type == MD_BLOCK_THEAD) {
		r->in_head = false;
	} else if (type == MD_BLOCK_TH || type == MD_BLOCK_TD) {
		MD_ALIGN align = ((const MD_BLOCK_TD_DETAIL *)detail)->align;

		table_cell(&r->table, &r->text, r->cell_from, r->cell_run,
			   align == MD_ALIGN_RIGHT    ? TABLE_RIGHT
			   : align == MD_ALIGN_CENTER ? TABLE_CENTER
						      : TABLE_LEFT);
		close_spans(r);
	}
	return 0;
}

static bool is_same_address(struct str text, struct str address)
{
	static const char *const added[] = { "", "mailto:", "http://" };

	for (size_t i = 0; i < ARRAY_LEN(added); i++) {
		size_t n = strlen(added[i]);

		if (str_starts(address, str_from(added[i])) &&
		    str_eq(text, str_sub(address, n, address.n)))
			return true;
	}
	return false;
}

/* An address in running text ends before Japanese that follows without a blank: at punctuation, and
 * in a host's name at any wide character. */
static size_t bare_length(struct str text)
{
	ptrdiff_t host = str_find(text, STR("://"), 0);
	ptrdiff_t path = host < 0 ? -1 : str_chr(text, '/', (size_t)host + 3);
	size_t at = 0;

	while (at < text.n) {
		struct text_step step = text_step(str_sub(text, at, text.n));
		bool mark = (step.cp >= 0x3000 && step.cp <= 0x301f) ||
			    (step.cp >= 0xff01 && step.cp <= 0xff20) || step.cp == 0x30fb;

		if (mark || (char_is_wide(step.cp) && (path < 0 || at < (size_t)path)))
			break;
		at += step.n;
	}
	return at;
}

/* An address for OSC 8: printable ASCII, the rest as %XX. */
static struct str link_address(struct render *r, struct str address)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < address.n; i++) {
		unsigned char c = (unsigned char)address.p[i];

		if (c > ' ' && c < 0x7f)
			buf_addc(&out, (char)c);
		else
			buf_addf(&out, "%%%02X", c);
	}
	return arena_str(&r->arena, buf_str(&out));
}

static void enter_link(struct render *r, MD_SPANTYPE type, const MD_ATTRIBUTE *attribute)
{
	AUTO(buf_done) struct buf address = { 0 };
	struct link link = { .type = type, .from = r->text.text.n };

	add_attribute(&address, attribute);
	link.address = arena_str(&r->arena, buf_str(&address));
	*VEC_ADD(&r->links) = (struct str){ 0 };
	link.n = r->links.n;
	*VEC_ADD(&r->open_links) = link;
	set_style(r);
}

static void leave_link(struct render *r)
{
	struct link link = r->open_links.p[r->open_links.n - 1];
	struct str text = str_sub(buf_str(&r->text.text), link.from, r->text.text.n);
	bool same = is_same_address(text, link.address);
	ptrdiff_t colon = str_chr(link.address, ':', 0);
	bool may_link = r->page.style->links && colon > 0 && link.address.n <= ADDRESS_MAX &&
			word_is_one_icase(str_sub(link.address, 0, (size_t)colon),
					  "http|https|mailto|file");
	/* A link whose text names another address shows both. */
	bool linked =
		may_link && text.n && text.n <= LINKED_MAX &&
		(same || !(str_find(text, STR("://"), 0) >= 0 || str_starts(text, STR("www."))));
	size_t n = same ? bare_length(text) : text.n;

	r->open_links.n--;
	if (linked) {
		size_t cut = text.n - n;

		r->links.p[link.n - 1] =
			link_address(r, str_sub(link.address, 0, link.address.n - cut));
	}
	if (same && n < text.n) {
		AUTO(free) char *rest =
			xstrndup(r->text.text.p + link.from + n, r->text.text.n - link.from - n);

		/* What follows the address in running text is not linked. */
		r->text.text.n = link.from + n;
		set_style(r);
		buf_addz(&r->text.text, rest);
	}
	set_style(r);
	if (!linked && !same && link.address.n) {
		bool alone = !text.n;
		struct str fit = utf8_prefix(link.address, ADDRESS_MAX);

		rich_style(&r->text, RICH_DIM, 0);
		buf_addz(&r->text.text, alone ? "" : " (");
		buf_adds(&r->text.text, fit);
		buf_addz(&r->text.text, fit.n < link.address.n ? mark(MARK_MORE) : "");
		buf_addz(&r->text.text, alone ? "" : ")");
		set_style(r);
	}
}

/* The mark of the source, where styles cannot be shown. */
static void add_mark(struct render *r, MD_SPANTYPE type)
{
	static const char *const marks[SPAN_KINDS] = { [MD_SPAN_EM] = "*",
						       [MD_SPAN_STRONG] = "**",
						       [MD_SPAN_CODE] = "`",
						       [MD_SPAN_DEL] = "~~" };

	if (!has_color(r) && marks[type])
		buf_addz(&r->text.text, marks[type]);
}

static int enter_span(MD_SPANTYPE type, void *detail, void *data)
{
	struct render *r = data;

	if ((size_t)type >= SPAN_KINDS)
		return 0;
	begin_text(r);
	r->spans[type]++;
	if (type == MD_SPAN_A)
		enter_link(r, type, &((const MD_SPAN_A_DETAIL *)detail)->href);
	else if (type == MD_SPAN_IMG)
		enter_link(r, type, &((const MD_SPAN_IMG_DETAIL *)detail)->src);
	set_style(r);
	add_mark(r, type);
	return 0;
}

static int leave_span(MD_SPANTYPE type, void *detail, void *data)
{
	struct render *r = data;

	(void)detail;
	if ((size_t)type >= SPAN_KINDS || !r->spans[type])
		return 0;
	add_mark(r, type);
	r->spans[type]--;
	if (type == MD_SPAN_A || type == MD_SPAN_IMG) {
		MD_SPANTYPE left;

		/* Leaves the innermost link of that type, and those within it that were not
		 * left. */
		do {
			left = r->open_links.p[r->open_links.n - 1].type;
			if (left != type)
				r->spans[left]--;
			leave_link(r);
		} while (left != type);
	}
	set_style(r);
	return 0;
}

static void tabs_to_blanks(struct buf *b, size_t from)
{
	for (; from < b->n; from++) {
		if (b->p[from] == '\t')
			b->p[from] = ' ';
	}
}

static int add_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE n, void *data)
{
	struct render *r = data;
	struct str s = { text, n };
	size_t from;

	if (r->in_code) {
		for (struct str rest = s, part; str_split(&rest, '\n', &part);) {
			add_unmarked(&r->code, part);
			if (!rest.p)
				break;
			page_code(&r->page, buf_str(&r->code));
			buf_clear(&r->code);
		}
		return 0;
	}
	begin_text(r);
	from = r->text.text.n;
	if (type == MD_TEXT_ENTITY) {
		entity_add(&r->text.text, s);
	} else if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR) {
		buf_addc(&r->text.text, '\n');
	} else if (type == MD_TEXT_CODE) {
		/* In a table, \| is a | also in code. */
		for (ptrdiff_t at; r->in_table && (at = str_find(s, STR("\\|"), 0)) >= 0;) {
			add_unmarked(&r->text.text, str_sub(s, 0, (size_t)at));
			s = str_sub(s, (size_t)at + 1, s.n);
		}
		add_unmarked(&r->text.text, s);
	} else if (type == MD_TEXT_NULLCHAR) {
		buf_addz(&r->text.text, "\xef\xbf\xbd");
	} else {
		add_normal(r, s);
	}
	tabs_to_blanks(&r->text.text, from);
	return 0;
}

static struct {
	__typeof__(md_parse) *parse; /* NULL: md4c is not installed */
} md4c;

static void load_md4c(void)
{
	static const struct library_function functions[] = { { "md_parse", 0 } };

	(void)library_load(&(struct library){ "md4c", "libmd4c.so.0", "libmd4c0", functions,
					      ARRAY_LEN(functions), &md4c },
			   NULL);
}

void markdown_block(struct str source, unsigned number, const struct markdown_style *style,
		    struct buf *out)
{
	/* md4c looks for the end of words with functions that want a NUL behind the text. */
	AUTO(buf_done) struct buf ended = { 0 };

	buf_adds(&ended, source);
	source = (struct str){ buf_z(&ended), source.n };
	static const MD_PARSER parser = { .flags = PARSER_FLAGS,
					  .enter_block = enter_block,
					  .leave_block = leave_block,
					  .enter_span = enter_span,
					  .leave_span = leave_span,
					  .text = add_text };
	struct render r = { .page = { .style = style, .out = out },
			    .source = source,
			    .number = number };
	size_t before = out->n;
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int failed;

	(void)pthread_once(&once, load_md4c);
	failed = source.n > UINT_MAX || !md4c.parse ||
		 md4c.parse(source.p, (MD_SIZE)source.n, &parser, &r) != 0;

	page_done(&r.page);
	arena_done(&r.arena);
	rich_done(&r.text);
	buf_done(&r.code);
	free(r.lists.p);
	free(r.open_links.p);
	free(r.links.p);
	free(r.table.cells.p);
	if (failed || (out->n == before && !is_only_breaks(source))) {
		struct page page;
		struct rich text = { 0 };

		out->n = before;
		/* The source as it is, wrapped. */
		page = (struct page){ .style = style, .out = out };
		add_unmarked(&text.text, source);
		tabs_to_blanks(&text.text, 0);
		page_text(&page, &text, NULL);
		rich_done(&text);
		page_done(&page);
	}
}

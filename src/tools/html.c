/* A tokenizer after the HTML standard and a writer of lines; no tree. */
#include "tools/html.h"
#include "base/entity.h"

#include "base/utf8.h"

enum {
	BREAK = 1 << 0, /* begins and ends a line */
	PARAGRAPH = 1 << 1, /* with an empty line around it */
	SKIP = 1 << 2, /* what is in it is not shown */
	HEADING = 1 << 3,
	ITEM = 1 << 4,
	LIST = 1 << 5,
	CELL = 1 << 6,
	AS_IT_STANDS = 1 << 7, /* white space counts */
	LINK = 1 << 8,
	TITLE = 1 << 9,
};

/* Sorted by name.  What is not here is part of a line. */
static const struct element {
	const char *name;
	unsigned flags;
} elements[] = {
	{ "a", LINK },
	{ "address", BREAK },
	{ "article", PARAGRAPH },
	{ "aside", PARAGRAPH },
	{ "blockquote", PARAGRAPH },
	{ "body", BREAK },
	{ "br", BREAK },
	{ "dd", BREAK },
	{ "details", BREAK },
	{ "div", BREAK },
	{ "dl", PARAGRAPH },
	{ "dt", BREAK },
	{ "figcaption", BREAK },
	{ "figure", PARAGRAPH },
	{ "footer", PARAGRAPH },
	{ "form", BREAK },
	{ "h1", PARAGRAPH | HEADING },
	{ "h2", PARAGRAPH | HEADING },
	{ "h3", PARAGRAPH | HEADING },
	{ "h4", PARAGRAPH | HEADING },
	{ "h5", PARAGRAPH | HEADING },
	{ "h6", PARAGRAPH | HEADING },
	{ "head", BREAK },
	{ "header", PARAGRAPH },
	{ "hr", PARAGRAPH },
	{ "iframe", SKIP },
	{ "legend", BREAK },
	{ "li", BREAK | ITEM },
	{ "main", PARAGRAPH },
	{ "nav", PARAGRAPH },
	{ "object", SKIP },
	{ "ol", PARAGRAPH | LIST },
	{ "option", BREAK },
	{ "p", PARAGRAPH },
	{ "pre", PARAGRAPH | AS_IT_STANDS },
	{ "script", SKIP },
	{ "section", PARAGRAPH },
	{ "style", SKIP },
	{ "summary", BREAK },
	{ "svg", SKIP },
	{ "table", PARAGRAPH },
	{ "td", CELL },
	{ "template", SKIP },
	{ "th", CELL },
	{ "title", PARAGRAPH | TITLE },
	{ "tr", BREAK },
	{ "ul", PARAGRAPH | LIST },
};

enum { ENTITY_MAX = 16, LINK_MAX = 300, DEPTH_MAX = 8, CHARSET_SCAN = 4096 };

struct page {
	struct str s;
	size_t at;
	struct str origin;
	struct buf *out;
	/* What goes before the next character. */
	unsigned newlines;
	bool space;
	const char *prefix; /* "- ", "## " */
	bool started;
	unsigned depth; /* of lists */
	unsigned pre; /* depth of AS_IT_STANDS */
	struct str link; /* as in the page */
	size_t link_from; /* length of the output at its start */
	bool endless[ARRAY_LEN(elements)]; /* no end tag of it follows any more */
};

struct tag {
	const struct element *element; /* NULL: any other */
	bool is_end;
	char level; /* of a heading: '1' to '6' */
	struct str href;
};

static const struct element *find_element(struct str name)
{
	size_t from = 0, to = ARRAY_LEN(elements);

	while (name.n && from < to) {
		size_t mid = (from + to) / 2;
		int c = str_cmp_icase(name, str_from(elements[mid].name));

		if (c == 0)
			return &elements[mid];
		if (c < 0)
			to = mid;
		else
			from = mid + 1;
	}
	return NULL;
}

/* ---- writing ---- */

static void begin(struct page *p)
{
	if (p->newlines && p->started) {
		for (unsigned i = 0; i < p->newlines; i++)
			buf_addc(p->out, '\n');
	} else if (p->space && p->started) {
		buf_addc(p->out, ' ');
	}
	if (p->prefix) {
		if (p->prefix[0] == '-')
			for (unsigned i = 1; i < p->depth; i++)
				buf_addz(p->out, "  ");
		buf_addz(p->out, p->prefix);
	}
	p->newlines = 0;
	p->space = false;
	p->prefix = NULL;
	p->started = true;
}

static void put_char(struct page *p, uint32_t c)
{
	char bytes[4];
	size_t n;

	if (c < 0x80 && char_is_space((char)c)) {
		if (!p->pre) {
			p->space = true;
		} else if (c == '\n') {
			p->newlines = p->newlines < 2 ? p->newlines + 1 : 2;
		} else {
			begin(p);
			buf_addc(p->out, c == '\t' ? '\t' : ' ');
		}
		return;
	}
	if (c < 0x20 || c == 0x7f || c == 0xad)
		return;
	begin(p);
	n = utf8_encode(c, bytes);
	buf_add(p->out, bytes, n);
}

/* ---- character references ---- */

/* The character at s[*at], a reference or a plain one; *at goes past it. */
static uint32_t next_char(struct str s, size_t *at)
{
	size_t n = 1, len;
	uint32_t c;

	if (s.p[*at] == '&') {
		while (n < ENTITY_MAX && *at + n < s.n &&
		       (char_is_word(s.p[*at + n]) || s.p[*at + n] == '#'))
			n++;
		c = entity_char(str_sub(s, *at + 1, *at + n));
		if (c) {
			*at += n + (*at + n < s.n && s.p[*at + n] == ';');
			return c;
		}
	}
	c = utf8_decode(s.p + *at, s.n - *at, false, &len);
	*at += len;
	return c;
}

/* ---- links ---- */

static void end_link(struct page *p)
{
	struct str link = p->link;
	bool nothing = p->out->n == p->link_from;
	bool web = link.n > 8 && (str_starts_icase(link, STR("http://")) ||
				  str_starts_icase(link, STR("https://")));

	p->link = (struct str){ 0 };
	if (nothing || !link.n || link.n > LINK_MAX || (link.p[0] != '/' && !web))
		return;
	buf_addz(p->out, " [");
	if (str_starts(link, STR("//")))
		buf_adds(p->out, str_sub(p->origin, 0, (size_t)(str_chr(p->origin, ':', 0) + 1)));
	else if (link.p[0] == '/')
		buf_adds(p->out, p->origin);
	for (size_t at = 0; at < link.n;) {
		uint32_t c = next_char(link, &at);
		char bytes[4];

		if (c > ' ' && c != 0x7f && c != '[' && c != ']')
			buf_add(p->out, bytes, utf8_encode(c, bytes));
	}
	buf_addc(p->out, ']');
}

/* ---- tags ---- */

static void skip_space(struct page *p)
{
	while (p->at < p->s.n && char_is_space(p->s.p[p->at]))
		p->at++;
}

/* Up to white space or one of the stops. */
static struct str word(struct page *p, const char *stops)
{
	size_t from = p->at;

	while (p->at < p->s.n && !char_is_space(p->s.p[p->at]) &&
	       (!p->s.p[p->at] || !strchr(stops, p->s.p[p->at])))
		p->at++;
	return str_sub(p->s, from, p->at);
}

static struct str attribute_value(struct page *p)
{
	size_t from = p->at + 1;
	ptrdiff_t end;
	char quote;

	if (p->at == p->s.n)
		return STR("");
	quote = p->s.p[p->at];
	if (quote != '"' && quote != '\'')
		return word(p, ">");
	end = str_chr(p->s, quote, from);
	p->at = end < 0 ? p->s.n : (size_t)end + 1;
	return str_sub(p->s, from, end < 0 ? p->s.n : (size_t)end);
}

/* From behind the name to behind the '>'. */
static void read_attributes(struct page *p, struct tag *t)
{
	struct str name, value;

	for (;;) {
		skip_space(p);
		if (p->at == p->s.n)
			return;
		if (p->s.p[p->at] == '>') {
			p->at++;
			return;
		}
		if (p->s.p[p->at] == '/' || p->s.p[p->at] == '=') {
			p->at++;
			continue;
		}
		name = word(p, "/>=");
		skip_space(p);
		if (p->at == p->s.n || p->s.p[p->at] != '=')
			continue;
		p->at++;
		skip_space(p);
		value = attribute_value(p);
		if (str_eqz_icase(name, "href"))
			t->href = value;
	}
}

static void skip_past(struct page *p, struct str end)
{
	ptrdiff_t at = str_find(p->s, end, p->at);

	p->at = at < 0 ? p->s.n : (size_t)at + end.n;
}

/* Where "</name" begins at or after p->at, or -1. */
static ptrdiff_t find_end_tag(const struct page *p, const char *name)
{
	size_t n = strlen(name);

	for (ptrdiff_t at = (ptrdiff_t)p->at; (at = str_find(p->s, STR("</"), (size_t)at)) >= 0;
	     at += 2) {
		struct str s = str_sub(p->s, (size_t)at + 2, p->s.n);

		if (str_starts_icase(s, str_from(name)) && (s.n == n || !char_is_letter(s.p[n])))
			return at;
	}
	return -1;
}

static void use_line(struct page *p, const struct tag *t)
{
	static const char *const marks[] = { "# ", "## ", "### ", "#### ", "##### ", "###### " };
	unsigned flags = t->element->flags;

	if (p->prefix && p->prefix[0] == '-' && !(flags & (ITEM | LIST)))
		return; /* <li><p>: on one line */
	/* A list in a list has no empty lines around it. */
	if (t->element->flags & LIST && p->depth > t->is_end) {
		p->newlines = 1;
		p->space = false;
	} else if (flags & (BREAK | PARAGRAPH)) {
		unsigned n = flags & PARAGRAPH ? 2 : 1;

		p->space = false;
		if (p->newlines < n)
			p->newlines = n;
	}
	if (flags & HEADING)
		p->prefix = t->is_end ? NULL : marks[t->level - '1'];
	if (flags & TITLE)
		p->prefix = t->is_end ? NULL : "Title: ";
}

static void use_tag(struct page *p, const struct tag *t)
{
	unsigned flags = t->element->flags;

	if (flags & LINK) {
		if (p->link.p)
			end_link(p);
		if (!t->is_end) {
			p->link = t->href;
			p->link_from = p->out->n;
		}
		return;
	}
	if (flags & CELL && !t->is_end && !p->newlines && p->started) {
		buf_addz(p->out, " |");
		p->space = true;
	}
	use_line(p, t);
	if (t->element->flags & LIST) {
		if (!t->is_end)
			p->depth = p->depth < DEPTH_MAX ? p->depth + 1 : DEPTH_MAX;
		else if (p->depth)
			p->depth--;
	}
	if (t->element->flags & ITEM)
		p->prefix = t->is_end ? NULL : "- ";
	if (flags & AS_IT_STANDS)
		p->pre = !t->is_end;
	if (flags & SKIP && !t->is_end) {
		size_t i = (size_t)(t->element - elements);
		ptrdiff_t end = p->endless[i] ? -1 : find_end_tag(p, t->element->name);

		/* An element without an end hides nothing, but a script or a style sheet cannot be
		 * text. */
		if (end >= 0) {
			p->at = (size_t)end;
			return;
		}
		p->endless[i] = true;
		if (strcmp(t->element->name, "script") == 0 ||
		    strcmp(t->element->name, "style") == 0)
			p->at = p->s.n;
	}
}

/* At a '<' that begins a tag, a comment or a declaration. */
static void read_markup(struct page *p)
{
	struct str rest = str_sub(p->s, p->at, p->s.n);
	struct tag t = { .is_end = rest.p[1] == '/' };
	struct str name;

	if (str_starts(rest, STR("<!--"))) {
		p->at += 4;
		skip_past(p, STR("-->"));
		return;
	}
	if (rest.p[1] == '!' || rest.p[1] == '?') {
		skip_past(p, STR(">"));
		return;
	}
	p->at += 1 + t.is_end;
	name = word(p, "/>");
	t.element = find_element(name);
	t.level = name.n == 2 ? name.p[1] : 0;
	read_attributes(p, &t);
	if (t.element)
		use_tag(p, &t);
}

static bool is_markup(struct str s, size_t at)
{
	if (at + 1 == s.n)
		return false;
	if (s.p[at + 1] == '/')
		return at + 2 < s.n && char_is_letter(s.p[at + 2]);
	return char_is_letter(s.p[at + 1]) || s.p[at + 1] == '!' || s.p[at + 1] == '?';
}

void html_text(struct buf *out, struct str page, struct str origin)
{
	struct page p = { .s = page, .origin = origin, .out = out };

	while (p.at < page.n && !out->full) {
		size_t from = p.at;
		ptrdiff_t next = str_chr(page, '<', p.at);

		while (next >= 0 && !is_markup(page, (size_t)next))
			next = str_chr(page, '<', (size_t)next + 1);
		p.at = next < 0 ? page.n : (size_t)next;
		while (from < p.at && !p.out->full)
			put_char(&p, next_char(str_sub(page, 0, p.at), &from));
		if (p.at < page.n)
			read_markup(&p);
	}
	if (p.link.p)
		end_link(&p);
}

struct str html_charset(struct str page)
{
	struct str head = str_sub(page, 0, CHARSET_SCAN);
	ptrdiff_t at = str_find(head, STR("charset="), 0);
	struct page p = { .s = head };
	size_t from;

	if (at < 0)
		return STR("");
	p.at = (size_t)at + 8;
	while (p.at < head.n && (head.p[p.at] == '"' || head.p[p.at] == '\''))
		p.at++;
	from = p.at;
	(void)word(&p, "\"'>;/");
	return str_sub(head, from, p.at);
}

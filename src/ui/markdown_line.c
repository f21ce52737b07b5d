/* The beginnings of blocks, after CommonMark 0.30, chapter 4 and 5. */
#include "ui/markdown_line.h"

static size_t skip_blanks(struct str s, size_t *column)
{
	size_t at = 0;

	for (; at < s.n && (s.p[at] == ' ' || s.p[at] == '\t'); at++)
		*column += s.p[at] == '\t' ? 4 - *column % 4 : 1;
	return at;
}

static size_t run_length(struct str s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] == s.p[0])
		n++;
	return n;
}

static bool is_heading(struct str s)
{
	size_t n = run_length(s);

	return s.p[0] == '#' && n <= 6 && (n == s.n || s.p[n] == ' ' || s.p[n] == '\t');
}

/* Three or more of one of * - _, with blanks between them. */
static bool is_rule(struct str s)
{
	size_t n = 0;

	if (s.p[0] != '*' && s.p[0] != '-' && s.p[0] != '_')
		return false;
	for (size_t i = 0; i < s.n; i++) {
		n += s.p[i] == s.p[0];
		if (s.p[i] != s.p[0] && s.p[i] != ' ' && s.p[i] != '\t')
			return false;
	}
	return n >= 3;
}

static bool is_underline(struct str s)
{
	size_t n = run_length(s);

	return (s.p[0] == '-' || s.p[0] == '=') && str_trim(str_sub(s, n, s.n)).n == 0;
}

static bool read_fence(struct str s, struct line *l)
{
	size_t n = run_length(s);

	if ((s.p[0] != '`' && s.p[0] != '~') || n < 3)
		return false;
	l->info = str_trim(str_sub(s, n, s.n));
	if (s.p[0] == '`' && str_chr(l->info, '`', 0) >= 0)
		return false;
	l->mark = s.p[0];
	l->n = n;
	return true;
}

static bool read_item(struct str s, struct line *l)
{
	size_t n = 0, column, blanks;

	while (n < s.n && n < 9 && char_is_digit(s.p[n]))
		l->number = l->number * 10 + (unsigned)(s.p[n++] - '0');
	if (n == s.n || !strchr(n ? ".)" : "-*+", s.p[n]) || !s.p[n])
		return false;
	l->mark = s.p[n++];
	if (n < s.n && s.p[n] != ' ' && s.p[n] != '\t')
		return false;
	column = l->indent + n;
	l->content = column + 1;
	blanks = skip_blanks(str_sub(s, n, s.n), &column);
	/* More than four: the item begins with indented code. */
	if (n + blanks < s.n && column <= l->content + 3)
		l->content = column;
	l->interrupts = n + blanks < s.n && (n == 1 || l->number == 1);
	return true;
}

struct line line_read(struct str s)
{
	struct line l = { .kind = LINE_TEXT };
	size_t at = skip_blanks(s, &l.indent);

	s = str_sub(s, at, s.n);
	if (!s.n) {
		l.kind = LINE_BLANK;
	} else if (l.indent >= 4) {
		l.kind = LINE_CODE;
	} else if (is_heading(s)) {
		l.kind = LINE_HEADING;
	} else if (is_underline(s)) {
		l.kind = LINE_UNDERLINE;
		l.rule = is_rule(s);
	} else if (is_rule(s)) {
		l.kind = LINE_RULE;
	} else if (s.p[0] == '>') {
		l.kind = LINE_QUOTE;
	} else if (read_fence(s, &l)) {
		l.kind = LINE_FENCE;
	} else if (read_item(s, &l)) {
		l.kind = LINE_ITEM;
	}
	return l;
}

bool line_ends_fence(struct str s, const struct line *fence)
{
	size_t indent = 0, at = skip_blanks(s, &indent), n;

	s = str_sub(s, at, s.n);
	if (indent >= 4 || !s.n || s.p[0] != fence->mark)
		return false;
	n = run_length(s);
	return n >= fence->n && str_trim(str_sub(s, n, s.n)).n == 0;
}

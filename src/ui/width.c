/*
 * Width by grapheme clusters.  Most text is ASCII or Japanese, so both are recognised before
 * utf8proc's tables are asked.
 */
#include "ui/width.h"

#include <unistd.h>

#include <utf8proc.h>

#include "base/utf8.h"
#include "os/term.h"

/* No real cluster is longer; families of emoji and stacked accents could be made without end. */
enum { CLUSTER_MAX = 32 };

enum { ZWJ = 0x200d, EMOJI_STYLE = 0xfe0f };

/* Kana and ideographs, two columns each, that never join what precedes them. */
static bool is_plain_wide(uint32_t cp)
{
	return (cp >= 0x4e00 && cp <= 0x9fff) || (cp >= 0x3041 && cp <= 0x3096) ||
	       (cp >= 0x30a1 && cp <= 0x30fa) || (cp >= 0x3001 && cp <= 0x3029) || cp == 0x30fc;
}

/* CSI ... m, or OSC 8 up to its ST; 0 when s begins with neither. */
static size_t escape_length(struct str s)
{
	ptrdiff_t end;
	size_t i = 2;

	if (s.n < 3 || s.p[0] != '\033')
		return 0;
	if (s.p[1] == ']') {
		end = str_find(s, STR("\033\\"), 2);
		return end < 0 ? 0 : (size_t)end + 2;
	}
	while (i < s.n && (char_is_digit(s.p[i]) || s.p[i] == ';'))
		i++;
	return s.p[1] == '[' && i < s.n && s.p[i] == 'm' ? i + 1 : 0;
}

static size_t char_width(uint32_t cp)
{
	if (is_plain_wide(cp))
		return 2;
	return (size_t)utf8proc_charwidth((utf8proc_int32_t)cp);
}

static struct text_step long_step(struct str s, uint32_t cp, size_t at)
{
	struct text_step step = { .width = char_width(cp), .cp = cp };
	utf8proc_int32_t state = 0;
	uint32_t before = cp, next;
	size_t len;

	for (int i = 1; i < CLUSTER_MAX && at < s.n && s.p[at] != '\n'; i++) {
		next = utf8_decode(s.p + at, s.n - at, false, &len);
		if (is_plain_wide(next) ||
		    utf8proc_grapheme_break_stateful((utf8proc_int32_t)before,
						     (utf8proc_int32_t)next, &state))
			break;
		if (next == EMOJI_STYLE) {
			step.width = 2;
		} else if (step.width < 2 || !(next >= 0x20d0 && next <= 0x20f0)) {
			bool jamo = (next >= 0x1160 && next <= 0x11ff) ||
				    (next >= 0xd7b0 && next <= 0xd7ff);
			bool tone = next >= 0x1f3fb && next <= 0x1f3ff;

			/* What a character that joined a cluster adds to its width. */
			step.width += before == ZWJ || jamo || tone ? 0 : char_width(next);
		}
		before = next;
		at += len;
	}
	step.n = at;
	return step;
}

struct text_step text_step(struct str s)
{
	unsigned char c = (unsigned char)s.p[0];
	size_t len, next_len;
	uint32_t cp;

	/* Nothing below U+0300 (0xcc) joins. */
	if (c >= ' ' && c < 0x7f && (s.n == 1 || (unsigned char)s.p[1] < 0xcc))
		return (struct text_step){ 1, 1, c };
	if (c < ' ') {
		len = escape_length(s);
		return (struct text_step){ len ? len : 1, 0, len ? 0 : c };
	}
	cp = utf8_decode(s.p, s.n, false, &len);
	if (is_plain_wide(cp) && len < s.n &&
	    ((unsigned char)s.p[len] < 0xcc ||
	     is_plain_wide(utf8_decode(s.p + len, s.n - len, false, &next_len))))
		return (struct text_step){ len, 2, cp };
	return long_step(s, cp, len);
}

size_t text_width(struct str s)
{
	size_t width = 0;

	while (s.n) {
		struct text_step step = text_step(s);

		width += step.width;
		s = str_sub(s, step.n, s.n);
	}
	return width;
}

struct str text_fit(struct str s, size_t columns)
{
	size_t at = 0, width = 0;

	while (at < s.n) {
		struct text_step step = text_step(str_sub(s, at, s.n));

		width += step.width;
		if (width > columns)
			break;
		at += step.n;
	}
	return str_sub(s, 0, at);
}

/* What fits, ended behind the last blank in it if there is one: no word is torn that fits. */
static struct str text_row(struct str s, size_t columns)
{
	struct str row = text_fit(s, columns);
	size_t blank = row.n;

	if (row.n == s.n || s.p[row.n] == ' ' || char_is_wide(text_step(str_sub(s, row.n, s.n)).cp))
		return row;
	while (blank > 0 && row.p[blank - 1] != ' ')
		blank--;
	/* Blanks of an indent are no place to break. */
	return str_trim(str_sub(row, 0, blank)).n ? str_sub(row, 0, blank) : row;
}

struct str text_take_row(struct str *rest, size_t columns)
{
	struct str row = text_row(*rest, columns);

	if (!row.n)
		row = text_cluster(*rest);
	*rest = str_sub(*rest, row.n, rest->n);
	while (rest->n && rest->p[0] == ' ')
		*rest = str_sub(*rest, 1, rest->n);
	return row;
}

size_t text_hang(struct str line, size_t columns)
{
	enum { ROW_COLUMNS = 24 }; /* fewer tear words */
	size_t indent = 0, at;

	while (indent < line.n && line.p[indent] == ' ')
		indent++;
	for (at = indent; at + 1 < line.n && !(line.p[at] == ' ' && line.p[at + 1] == ' ');)
		at++;
	while (indent && at < line.n && line.p[at] == ' ')
		at++;
	at = indent && at + 1 < line.n ? text_width(str_sub(line, 0, at)) : indent;
	return columns >= at + ROW_COLUMNS ? at : columns >= indent + ROW_COLUMNS ? indent : 0;
}

/* Appends a text whose lines, where they are wider than `columns`, are continued on more rows. */
static void text_add_hanging(struct buf *out, struct str text, size_t columns)
{
	while (text.n) {
		ptrdiff_t end = str_chr(text, '\n', 0);
		struct str line = str_sub(text, 0, end < 0 ? text.n : (size_t)end);
		size_t hang = text_hang(line, columns);

		text = str_sub(text, line.n + (end >= 0), text.n);
		if (text_width(line) <= columns) {
			buf_adds(out, line);
		} else {
			buf_adds(out, text_take_row(&line, columns));
			while (line.n) {
				while (out->n && out->p[out->n - 1] == ' ')
					out->n--;
				buf_addf(out, "\n%*s", (int)hang, "");
				buf_adds(out, text_take_row(&line, columns - hang));
			}
		}
		if (end >= 0)
			buf_addc(out, '\n');
	}
}

void text_write(FILE *file, struct str text)
{
	AUTO(buf_done) struct buf rows = { 0 };

	if (isatty(fileno(file))) {
		text_add_hanging(&rows, text, term_columns(fileno(file)));
		text = buf_str(&rows);
	}
	(void)fwrite(text.p, 1, text.n, file);
}

size_t text_add_wrapped(struct buf *out, struct str s, size_t columns)
{
	size_t rows = 0;

	for (struct str rest = s, line; rest.n && str_split(&rest, '\n', &line);) {
		do {
			struct str row = text_row(line, columns);
			bool too_wide = !row.n && line.n; /* on a terminal of one column */
			size_t used = too_wide ? text_cluster(line).n : row.n;

			buf_adds(out, too_wide ? STR("?") : row);
			buf_addc(out, '\n');
			line = str_sub(line, used, line.n);
			/* The break is in the place of a single blank. */
			if (line.n > 1 && line.p[0] == ' ' && line.p[1] != ' ')
				line = str_sub(line, 1, line.n);
			rows++;
		} while (line.n);
	}
	return rows;
}

struct str text_cluster(struct str s)
{
	return s.n ? str_sub(s, 0, text_step(s).n) : s;
}

bool char_is_wide(uint32_t cp)
{
	if (cp < 0x1100)
		return false;
	/* Half-width kana are broken like the others. */
	return (cp >= 0xff61 && cp <= 0xff9f) || char_width(cp) == 2;
}

/* Sorted: small kana and marks that belong to what precedes them. */
static const uint16_t not_first[] = {
	0x2025, 0x2026, 0x203c, 0x2047, 0x2048, 0x2049, 0x3001, 0x3002, 0x3005, 0x301c, 0x303b,
	0x3041, 0x3043, 0x3045, 0x3047, 0x3049, 0x3063, 0x3083, 0x3085, 0x3087, 0x308e, 0x3095,
	0x3096, 0x309b, 0x309c, 0x309d, 0x309e, 0x30a0, 0x30a1, 0x30a3, 0x30a5, 0x30a7, 0x30a9,
	0x30c3, 0x30e3, 0x30e5, 0x30e7, 0x30ee, 0x30f5, 0x30f6, 0x30fb, 0x30fc, 0x30fd, 0x30fe,
	0xff01, 0xff05, 0xff0c, 0xff0e, 0xff1a, 0xff1b, 0xff1f, 0xff61, 0xff64, 0xff65, 0xff67,
	0xff68, 0xff69, 0xff6a, 0xff6b, 0xff6c, 0xff6d, 0xff6e, 0xff6f, 0xff70, 0xff9e, 0xff9f,
};

static const uint16_t not_last[] = { 0xff03, 0xff04, 0xffe5 };

static int compare(const void *key, const void *element)
{
	return (int)*(const uint32_t *)key - (int)*(const uint16_t *)element;
}

enum { EDGE_BEGIN, EDGE_END };

/* What a line does not begin with, and what it does not end with. */
static const struct edge {
	const char *ascii;
	utf8proc_category_t categories[2];
	const uint16_t *others; /* sorted */
	size_t n;
} edges[] = {
	[EDGE_BEGIN] = { ",.!?:;)]}\"'%",
			 { UTF8PROC_CATEGORY_PE, UTF8PROC_CATEGORY_PF },
			 not_first,
			 ARRAY_LEN(not_first) },
	[EDGE_END] = { "([{\"'$#",
		       { UTF8PROC_CATEGORY_PS, UTF8PROC_CATEGORY_PI },
		       not_last,
		       ARRAY_LEN(not_last) },
};

static bool may_be_at(const struct edge *edge, uint32_t cp)
{
	utf8proc_category_t category;

	if (cp < 0x80)
		return !strchr(edge->ascii, (int)cp);
	if (cp >= 0x4e00 && cp <= 0x9fff)
		return true;
	category = utf8proc_category((utf8proc_int32_t)cp);
	return category != edge->categories[0] && category != edge->categories[1] &&
	       !bsearch(&cp, edge->others, edge->n, sizeof *edge->others, compare);
}

bool text_may_break(uint32_t a, uint32_t b)
{
	return a && b && (char_is_wide(a) || char_is_wide(b)) && may_be_at(&edges[EDGE_END], a) &&
	       may_be_at(&edges[EDGE_BEGIN], b);
}

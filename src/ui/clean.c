/*
 * What may be shown, by tables: ranges of code points with what is done to them.  Some invisible
 * characters are right in one place only, so the last two characters that were written are known.
 */
#include "ui/clean.h"

#include <utf8proc.h>

#include "base/utf8.h"
#include "ui/width.h"

enum { ACCENTS_MAX = 16, SEQUENCE_MAX = 4096, FAR = 0x300 };

enum act {
	ACT_KEEP,
	ACT_DROP,
	ACT_REPLACE, /* by U+FFFD */
	ACT_BREAK, /* a line break */
	ACT_JOIN, /* ZWJ, ZWNJ: between two letters or emoji that are not European */
	ACT_SELECT, /* a variation selector: after a symbol or a digit */
	ACT_IDEOGRAPH, /* a variation selector: after an ideograph */
};

static const struct {
	uint32_t from, to;
	enum act act;
} acts[] = {
	{ 0x80, 0x9f, ACT_REPLACE },         { 0xad, 0xad, ACT_DROP },
	{ 0x34f, 0x34f, ACT_DROP },          { 0x61c, 0x61c, ACT_DROP },
	{ 0x115f, 0x1160, ACT_DROP },        { 0x17b4, 0x17b5, ACT_DROP },
	{ 0x180b, 0x180f, ACT_DROP },        { 0x200b, 0x200b, ACT_DROP },
	{ 0x200c, 0x200d, ACT_JOIN },        { 0x200e, 0x200f, ACT_DROP },
	{ 0x2028, 0x2029, ACT_BREAK },       { 0x202a, 0x202e, ACT_REPLACE },
	{ 0x2060, 0x2065, ACT_DROP },        { 0x2066, 0x2069, ACT_REPLACE },
	{ 0x206a, 0x206f, ACT_DROP },        { 0x3164, 0x3164, ACT_DROP },
	{ 0xfdd0, 0xfdef, ACT_REPLACE },     { 0xfe00, 0xfe0f, ACT_SELECT },
	{ 0xfeff, 0xfeff, ACT_DROP },        { 0xffa0, 0xffa0, ACT_DROP },
	{ 0xfff0, 0xfffb, ACT_DROP },        { 0xfffe, 0xffff, ACT_REPLACE },
	{ 0x1d173, 0x1d17a, ACT_DROP },      { 0xe0000, 0xe00ff, ACT_DROP },
	{ 0xe0100, 0xe01ef, ACT_IDEOGRAPH }, { 0xe01f0, 0xe0fff, ACT_DROP },
};

struct cleaner {
	struct buf *out;
	struct str s;
	size_t at;
	bool one_line, keep_tabs;
	uint32_t last; /* what was written last; 0 at the beginning of a line */
	unsigned accents; /* in a row */
	size_t tab_at, tab_column; /* the column of out->p + tab_at is known */
};

static enum act act_of(uint32_t cp)
{
	size_t lo = 0, hi = ARRAY_LEN(acts);

	if (cp >= 0x3000 && cp <= 0xd7ff && cp != 0x3164)
		return ACT_KEEP;
	if ((cp & 0xfffe) == 0xfffe)
		return ACT_REPLACE;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (cp > acts[mid].to)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < ARRAY_LEN(acts) && cp >= acts[lo].from ? acts[lo].act : ACT_KEEP;
}

static bool is_accent(uint32_t cp)
{
	utf8proc_category_t category;

	if (cp < FAR || (cp >= 0x3041 && cp <= 0x3096) || (cp >= 0x30a1 && cp <= 0x9fff))
		return false;
	category = utf8proc_category((utf8proc_int32_t)cp);
	return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_ME;
}

/* A joiner needs a neighbour on each side that is shown, and no other joiner. */
static bool may_join(const struct cleaner *c, size_t after)
{
	uint32_t next;
	size_t len;

	if (c->last < FAR || c->last == 0x200c || c->last == 0x200d || after >= c->s.n)
		return false;
	next = utf8_decode(c->s.p + after, c->s.n - after, false, &len);
	return next >= FAR && act_of(next) == ACT_KEEP && !is_accent(next) && next != 0xfffd;
}

static bool may_select(const struct cleaner *c, enum act act)
{
	bool key = c->last == '#' || c->last == '*' || (c->last >= '0' && c->last <= '9');

	if ((c->last >= 0xfe00 && c->last <= 0xfe0f) ||
	    (c->last >= 0xe0100 && c->last <= 0xe01ef) || c->last == 0x200c || c->last == 0x200d)
		return false;
	if (act != ACT_IDEOGRAPH)
		return key || c->last >= 0xa9;
	return (c->last >= 0x3400 && c->last <= 0x9fff) ||
	       (c->last >= 0xf900 && c->last <= 0xfaff) ||
	       (c->last >= 0x20000 && c->last <= 0x3ffff);
}

static void put(struct cleaner *c, uint32_t cp)
{
	char utf8[4];

	buf_add(c->out, utf8, utf8_encode(cp, utf8));
	c->last = cp;
	c->accents = 0;
}

static void put_break(struct cleaner *c)
{
	buf_addc(c->out, c->one_line ? ' ' : '\n');
	c->last = 0;
	c->accents = 0;
	if (!c->one_line) {
		c->tab_at = c->out->n;
		c->tab_column = 0;
	}
}

/* The length of a whole CSI or OSC sequence at s, or 0. */
static size_t sequence_length(struct str s)
{
	size_t i = 2, max = min_size(s.n, SEQUENCE_MAX);

	if (s.n < 3)
		return 0;
	if (s.p[1] == '[') {
		while (i < max && s.p[i] >= 0x20 && s.p[i] <= 0x3f)
			i++;
		return i < max && s.p[i] >= 0x40 && s.p[i] <= 0x7e ? i + 1 : 0;
	}
	while (s.p[1] == ']' && i < max && s.p[i] != '\n' && s.p[i] != '\033' && s.p[i] != '\a')
		i++;
	if (s.p[1] != ']' || i == max || s.p[i] == '\n')
		return 0;
	if (s.p[i] == '\a')
		return i + 1;
	return i + 1 < s.n && s.p[i + 1] == '\\' ? i + 2 : 0;
}

/* A control character of ASCII; returns its length with what belongs to it. */
static size_t clean_control(struct cleaner *c)
{
	struct str rest = str_sub(c->s, c->at, c->s.n);
	size_t n = 1, blanks;

	if (rest.p[0] == '\t' && c->keep_tabs) {
		put(c, '\t');
	} else if (rest.p[0] == '\t') {
		c->tab_column += text_width(str_sub(buf_str(c->out), c->tab_at, c->out->n));
		blanks = 8 - c->tab_column % 8;
		for (size_t i = 0; i < blanks; i++)
			put(c, ' ');
		c->tab_column += blanks;
		c->tab_at = c->out->n;
	} else if (rest.p[0] == '\n' || rest.p[0] == '\r') {
		n = rest.p[0] == '\r' && rest.n > 1 && rest.p[1] == '\n' ? 2 : 1;
		put_break(c);
	} else {
		n = rest.p[0] == '\033' ? sequence_length(rest) : 0;
		if (!n)
			put(c, rest.p[0] == 0x7f ? 0x2421 : 0x2400 + (uint32_t)rest.p[0]);
		n = max_size(n, 1);
	}
	return n;
}

static void clean_far(struct cleaner *c, uint32_t cp, size_t len)
{
	enum act act = act_of(cp);

	if (act == ACT_JOIN)
		act = may_join(c, c->at + len) ? ACT_KEEP : ACT_DROP;
	else if (act == ACT_SELECT || act == ACT_IDEOGRAPH)
		act = may_select(c, act) ? ACT_KEEP : ACT_DROP;
	else if (act == ACT_KEEP && is_accent(cp) && ++c->accents > ACCENTS_MAX)
		return;
	if (act == ACT_BREAK) {
		put_break(c);
	} else if (act != ACT_DROP) {
		unsigned accents = c->accents;

		put(c, act == ACT_REPLACE ? 0xfffd : cp);
		c->accents = is_accent(c->last) ? accents : 0;
	}
}

static void clean_run(struct cleaner *c)
{
	c->tab_at = c->out->n;
	while (c->at < c->s.n) {
		size_t len = 0;

		while (c->at + len < c->s.n && c->s.p[c->at + len] >= ' ' &&
		       c->s.p[c->at + len] < 0x7f)
			len++;
		if (len) {
			buf_add(c->out, c->s.p + c->at, len);
			c->last = (unsigned char)c->s.p[c->at + len - 1];
			c->accents = 0;
		} else if ((unsigned char)c->s.p[c->at] < 0x80) {
			len = clean_control(c);
		} else {
			uint32_t cp = utf8_decode(c->s.p + c->at, c->s.n - c->at, false, &len);

			clean_far(c, cp, len);
		}
		c->at += len;
	}
}

void clean_add(struct buf *out, struct str s)
{
	clean_run(&(struct cleaner){ .out = out, .s = s });
}

void clean_add_line(struct buf *out, struct str s)
{
	clean_run(&(struct cleaner){ .out = out, .s = s, .one_line = true });
}

void clean_add_source(struct buf *out, struct str s)
{
	clean_run(&(struct cleaner){ .out = out, .s = s, .one_line = true, .keep_tabs = true });
}

void clean_add_visible(struct buf *out, struct str s)
{
	AUTO(buf_done) struct buf plain = { 0 };
	size_t n;

	for (size_t i = 0; i < s.n; i += n) {
		uint32_t cp = utf8_decode(s.p + i, s.n - i, false, &n);
		/* Blanks that look like another one. */
		bool odd = cp == 0xa0 || cp == 0x1680 || (cp >= 0x2000 && cp <= 0x200a) ||
			   cp == 0x202f || cp == 0x205f;
		bool is_shown = cp == '\n' || cp == '\t' ||
				(cp >= ' ' && cp != 0x7f && act_of(cp) == ACT_KEEP &&
				 !utf8_is_hidden(cp) && !odd);

		if (is_shown)
			buf_adds(&plain, str_sub(s, i, i + n));
		else if (cp == '\r')
			buf_addz(&plain, "\\r");
		else
			buf_addf(&plain, cp < 0x100 ? "\\x%02x" : "\\u{%x}", cp);
	}
	clean_add(out, buf_str(&plain));
}

/*
 * What is done to source text before md4c reads it.
 *
 * CommonMark decides by the characters around ** whether it opens or closes, with rules made for
 * text that has blanks between words: in 日本語の**「強調」**です it does neither.  Where one
 * neighbour is a wide character and none is a blank, both neighbours become letters here, which
 * makes the ** able to do both, as the amendment for East Asian text proposes.
 *
 * One ~ is a range in Japanese text (5~10分) and a home in a path, so only ~~ strikes through.
 */
#include "ui/markdown_render.h"

#include <utf8proc.h>

#include "base/utf8.h"
#include "ui/width.h"

static size_t run_length(struct str s, size_t at)
{
	size_t end = at;

	while (end < s.n && s.p[end] == s.p[at])
		end++;
	return end - at;
}

static uint32_t char_before(struct str s, size_t at)
{
	size_t from = at, len;

	while (from > 0 && at - from < 4) {
		from--;
		if (((unsigned char)s.p[from] & 0xc0) != 0x80)
			return utf8_decode(s.p + from, at - from, false, &len);
	}
	return ' ';
}

static uint32_t char_after(struct str s, size_t at)
{
	size_t len;

	return at < s.n ? utf8_decode(s.p + at, s.n - at, false, &len) : ' ';
}

static bool is_blank(uint32_t cp)
{
	return cp == ' ' || cp == '\t' || cp == 0xa0 ||
	       (cp >= 0x2000 && utf8proc_category((utf8proc_int32_t)cp) == UTF8PROC_CATEGORY_ZS);
}

void markdown_mend(struct buf *out, struct str line)
{
	size_t from = 0, n;

	for (size_t at = 0; at < line.n; at += n) {
		char c = line.p[at];

		n = 1;
		if (c == '\\') {
			n = min_size(2, line.n - at);
		} else if (c == '*') {
			uint32_t before, after;
			bool mend;

			n = run_length(line, at);
			buf_add(out, line.p + from, at - from);
			before = char_before(line, at);
			after = char_after(line, at + n);
			mend = !is_blank(before) && !is_blank(after) &&
			       (char_is_wide(before) || char_is_wide(after));
			buf_addz(out, mend ? MARK_LETTER : "");
			buf_add(out, line.p + at, n);
			buf_addz(out, mend ? MARK_LETTER : "");
			from = at + n;
		} else if (c == '~') {
			n = run_length(line, at);
			buf_add(out, line.p + from, at - from);
			buf_add(out, n == 1 ? MARK_TILDE : line.p + at, n == 1 ? 3 : n);
			from = at + n;
		} else if (c == ']' && at + 1 < line.n && line.p[at + 1] == ':') {
			buf_add(out, line.p + from, at + 1 - from);
			buf_addz(out, MARK_LETTER);
			from = at + 1;
		}
	}
	buf_add(out, line.p + from, line.n - from);
}

bool markdown_is_table_rule(struct str line)
{
	for (size_t i = 0; i < line.n; i++) {
		if (!line.p[i] || !strchr("|:- \t", line.p[i]))
			return false;
	}
	return str_chr(line, '|', 0) >= 0 && str_chr(line, '-', 0) >= 0;
}

void markdown_mend_table_rule(struct buf *out, struct str line)
{
	for (size_t at = 0, n; at < line.n; at += n) {
		n = line.p[at] == '-' ? run_length(line, at) : 1;
		buf_add(out, line.p + at, n);
		for (size_t i = n; line.p[at] == '-' && i < 3; i++)
			buf_addc(out, '-');
	}
}

/*
 * Literals that a program puts together: "ghp_" + "abc", adjacent ones in C and Python, lines that
 * go on behind a "\".  They are one text without what is between them, and what is found in it lies
 * in pieces of the text.
 */
#include "secrets/joined.h"

#include "base/vec.h"

enum { GAP_MAX = 400, SIGNS_MAX = 4 };

/* Where the literal begins that is added to the one whose closing quote is at i, or 0. */
static size_t next_literal(struct str s, size_t i)
{
	char quote = s.p[i];
	size_t signs = 0, k = i + 1;
	bool line = false;

	for (; k < s.n && k - i < GAP_MAX; k++) {
		if (s.p[k] == '\n' || (s.p[k] == '\\' && k + 1 < s.n && s.p[k + 1] == '\n'))
			line = true;
		else if (s.p[k] && strchr("+.&|<>~", s.p[k]))
			signs++;
		else if (!s.p[k] || !strchr(" \t\r", s.p[k]))
			break;
	}
	if (signs > SIGNS_MAX || (!signs && !line))
		return 0;
	if (k < s.n && s.p[k] && strchr("bBrRfFuUL@$", s.p[k]))
		k++;
	return k < s.n && s.p[k] == quote ? k + 1 : 0;
}

static void join(struct joined *j, struct str s, size_t from, size_t gap, size_t to)
{
	buf_adds(&j->text, str_sub(s, from, gap));
	*VEC_ADD(&j->gaps) = (struct joined_gap){ j->text.n, to - j->text.n };
}

bool joined_read(struct joined *j, struct str s)
{
	size_t from = 0, to;

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (LIKELY(c != '"' && c != '\'' && c != '`' && c != '\\'))
			continue;
		if (c == '\\') {
			i++;
			to = i < s.n && s.p[i] == '\n' ? i + 1 : 0;
			if (to)
				join(j, s, from, i - 1, to);
		} else {
			to = next_literal(s, i);
			if (to)
				join(j, s, from, i, to);
		}
		if (to) {
			from = to;
			i = to - 1;
		}
	}
	if (!j->gaps.n)
		return false;
	buf_adds(&j->text, str_sub(s, from, s.n));
	return true;
}

bool joined_piece(const struct joined *j, size_t *at, size_t end, size_t *ret_at, size_t *ret_end)
{
	size_t i = 0, last = j->gaps.n, to = end;

	if (*at >= end)
		return false;
	/* The last gap at or before .at: the first behind it ends the piece. */
	while (i < last) {
		size_t middle = i + (last - i) / 2;

		if (j->gaps.p[middle].at <= *at)
			i = middle + 1;
		else
			last = middle;
	}
	if (i < j->gaps.n && j->gaps.p[i].at < end)
		to = j->gaps.p[i].at;
	*ret_at = *at + (i ? j->gaps.p[i - 1].skipped : 0);
	*ret_end = *ret_at + (to - *at);
	*at = to;
	return true;
}

void joined_done(struct joined *j)
{
	buf_done(&j->text);
	free(j->gaps.p);
}

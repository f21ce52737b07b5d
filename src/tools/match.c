/* The four ways to find it. */
#include "tools/match.h"

#include "base/buf.h"
#include "base/vec.h"

enum {
	FUZZY_MIN = 10, /* shorter texts (without white space) resemble too much */
	FUZZY_PARTS = 10, /* one character in ten may differ */
};
#define TOKEN_STEPS_MAX ((size_t)200 << 20)
#define FUZZY_STEPS_MAX ((size_t)400 << 20)

struct search {
	struct arena *arena;
	struct str text, old, new_text;
	struct cancel *cancel;
	struct match_edits *edits;
	/* For the ways that go by lines. */
	struct str *lines, *old_lines; /* without newlines */
	size_t n, old_n;
	bool take_newline; /* old ends with a newline and new is nothing: whole lines go */
	struct str block; /* the new text, without the newline that old has, too */
};

static void add(struct search *s, size_t from, size_t to, struct str text)
{
	*VEC_ADD(s->edits) = (struct match_edit){ from, to, text };
}

/* ---- by lines ---- */

static struct str *split(struct arena *a, struct str text, size_t *ret_n)
{
	size_t max = 1, n = 0;
	struct str *lines;

	for (size_t i = 0; i < text.n; i++)
		max += text.p[i] == '\n';
	lines = arena_raw(a, max * sizeof *lines);
	for (struct str rest = { text.n ? text.p : "", text.n }; str_split(&rest, '\n', &lines[n]);)
		n++;
	*ret_n = n;
	return lines;
}

static struct str indent_of(struct str line)
{
	size_t n = 0;

	while (n < line.n && (line.p[n] == ' ' || line.p[n] == '\t'))
		n++;
	return str_sub(line, 0, n);
}

/* The new text moved to the place of the old one: its first line gets that indentation. */
static struct str reindent(struct search *s, struct str indent)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct str own = indent_of(s->block);
	bool first = true;

	for (struct str rest = { s->block.n ? s->block.p : "", s->block.n }, line;
	     str_split(&rest, '\n', &line);) {
		if (!first)
			buf_addc(&out, '\n');
		first = false;
		if (str_trim(line).n == 0)
			continue;
		buf_adds(&out, indent);
		line = str_sub(line, str_starts(line, own) ? own.n : indent_of(line).n, line.n);
		buf_adds(&out, line);
	}
	return arena_str(s->arena, buf_str(&out));
}

/* Lines i.. (as many as old has) are what is meant. */
static void add_lines(struct search *s, size_t i)
{
	const struct str *last = &s->lines[i + s->old_n - 1];
	size_t from = (size_t)(s->lines[i].p - s->text.p),
	       to = (size_t)(last->p - s->text.p) + last->n;

	to += s->take_newline && to < s->text.n;
	add(s, from, to, s->block.n ? reindent(s, indent_of(s->lines[i])) : STR(""));
}

static void find_lines(struct search *s)
{
	for (size_t i = 0; i + s->old_n <= s->n;) {
		if ((i & 4095) == 0 && cancel_fired(s->cancel))
			return;
		size_t k = 0;
		while (k < s->old_n && str_eq(str_trim(s->lines[i + k]), s->old_lines[k]))
			k++;
		if (k == s->old_n)
			add_lines(s, i);
		i += k == s->old_n ? s->old_n : 1;
	}
}

/* ---- by tokens ---- */

static bool is_delimiter(char c)
{
	return c && strchr("():[]{}><=", c);
}

/* Words and single delimiters; white space between them does not matter. */
static struct str *tokens_of(struct arena *a, struct str s, size_t *ret_n)
{
	struct str *tokens = arena_raw(a, (s.n + 1) * sizeof *tokens);
	size_t n = 0;

	for (size_t i = 0; i < s.n;) {
		size_t from = i++;

		if (char_is_space(s.p[from]))
			continue;
		if (!is_delimiter(s.p[from]))
			while (i < s.n && !char_is_space(s.p[i]) && !is_delimiter(s.p[i]))
				i++;
		tokens[n++] = str_sub(s, from, i);
	}
	*ret_n = n;
	return tokens;
}

/* Where the tokens end that begin at `at`; 0 when they are not there. */
static size_t tokens_match(struct str text, size_t at, const struct str *tokens, size_t n,
			   size_t *steps)
{
	for (size_t k = 0; k < n; k++) {
		while (k > 0 && at < text.n && char_is_space(text.p[at]))
			at++;
		(*steps)++;
		if (!str_starts(str_sub(text, at, text.n), tokens[k]))
			return 0;
		at += tokens[k].n;
	}
	return at;
}

static void find_tokens(struct search *s)
{
	size_t n, steps = 0, done = 0;
	const struct str *tokens = tokens_of(s->arena, s->old, &n);

	for (size_t i = 0; i < s->n && steps < TOKEN_STEPS_MAX; i++) {
		size_t from = (size_t)(s->lines[i].p - s->text.p), end;
		struct str indent = indent_of(s->lines[i]);

		if (from < done)
			continue;
		if ((i & 4095) == 0 && cancel_fired(s->cancel))
			return;
		end = tokens_match(s->text, from + indent.n, tokens, n, &steps);
		if (end == 0)
			continue;
		add(s, from, end, s->block.n ? reindent(s, indent) : STR(""));
		done = end;
	}
}

/* ---- by resemblance ---- */

/* Texts without white space, so that only what means something is compared. */
struct stripped {
	char *p;
	size_t *at; /* where each line begins; one more for the end */
};

static struct stripped strip(struct arena *a, const struct str *lines, size_t n, size_t bytes)
{
	struct stripped s = { arena_raw(a, bytes + 1), arena_raw(a, (n + 1) * sizeof(size_t)) };
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		s.at[i] = k;
		for (size_t j = 0; j < lines[i].n; j++)
			if (!char_is_space(lines[i].p[j]))
				s.p[k++] = lines[i].p[j];
	}
	s.at[n] = k;
	return s;
}

/*
 * Edit distance, or max + 1 when it is more: only the band of the table around the diagonal counts.
 * row has room for 2 * max + 3.
 */
static size_t distance(struct str a, struct str b, size_t max, size_t *row)
{
	size_t width = 2 * max + 1; /* row[w] is the cell (i, i + w - max) */

	if (a.n > b.n + max || b.n > a.n + max)
		return max + 1;
	for (size_t w = 0; w <= width; w++)
		row[w] = w >= max ? w - max : max + 1;
	row[width] = max + 1;
	for (size_t i = 1; i <= a.n; i++) {
		size_t best = max + 1;

		for (size_t w = 0; w < width; w++) {
			size_t cell = max + 1;

			if (i + w >= max && i + w - max <= b.n) {
				size_t j = i + w - max;

				cell = row[w + 1] + 1;
				if (w > 0)
					cell = min_size(cell, row[w - 1] + 1);
				if (j > 0)
					cell = min_size(cell, row[w] + (a.p[i - 1] != b.p[j - 1]));
				else
					cell = i;
			}
			row[w] = min_size(cell, max + 1);
			best = min_size(best, row[w]);
		}
		if (best > max)
			return max + 1;
	}
	return row[b.n + max - a.n];
}

struct candidate {
	size_t line, distance;
};

static int nearest_first(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static int by_place(const void *a, const void *b)
{
	const struct match_edit *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

static void find_fuzzy(struct search *s)
{
	struct stripped text = strip(s->arena, s->lines, s->n, s->text.n);
	struct stripped old = strip(s->arena, s->old_lines, s->old_n, s->old.n);
	struct str want = { old.p, old.at[s->old_n] };
	size_t max = want.n / FUZZY_PARTS, steps = 0, cost = want.n * (2 * max + 1);
	AUTO(free) size_t *row = xmalloc((2 * max + 3) * sizeof *row);
	struct {
		struct candidate *p;
		size_t n, cap;
	} found = { 0 };

	if (want.n < FUZZY_MIN)
		return;
	for (size_t i = 0; i + s->old_n <= s->n && steps + cost <= FUZZY_STEPS_MAX; i++) {
		struct str have = { text.p + text.at[i], text.at[i + s->old_n] - text.at[i] };

		if (have.n + max < want.n || want.n + max < have.n)
			continue;
		if (cancel_fired(s->cancel))
			break;
		size_t d = distance(want, have, max, row);
		steps += cost;
		if (d <= max)
			*VEC_ADD(&found) = (struct candidate){ i, d };
	}
	if (found.n) {
		AUTO(free) bool *taken = xcalloc(s->n + 1, sizeof *taken);

		/* The nearest first, without those that overlap a nearer one. */
		qsort(found.p, found.n, sizeof *found.p, nearest_first);
		for (size_t i = 0; i < found.n; i++) {
			if (taken[found.p[i].line] || taken[found.p[i].line + s->old_n - 1])
				continue;
			memset(taken + found.p[i].line, true, s->old_n);
			add_lines(s, found.p[i].line);
		}
		if (s->edits->n)
			qsort(s->edits->p, s->edits->n, sizeof *s->edits->p, by_place);
	}
	free(found.p);
}

void match_find(struct arena *a, struct str text, struct str old, struct str new_text,
		struct cancel *cancel, struct match_edits *ret_edits)
{
	static const struct {
		const char *name;
		void (*find)(struct search *s);
	} ways[] = { { "flexible", find_lines },
		     { "regex", find_tokens },
		     { "fuzzy", find_fuzzy } };
	struct match_edits edits = { .way = "exact" };
	struct search s = { .arena = a,
			    .text = text,
			    .old = old,
			    .new_text = new_text,
			    .block = new_text,
			    .cancel = cancel,
			    .edits = &edits };

	if (old.n) {
		ptrdiff_t at = str_find(s.text, s.old, 0);

		for (; at >= 0; at = str_find(s.text, s.old, (size_t)at + s.old.n))
			add(&s, (size_t)at, (size_t)at + s.old.n, s.new_text);
	}
	if (edits.n == 0 && str_trim(s.old).n > 0) {
		bool old_ends = str_ends(old, STR("\n")), new_ends = str_ends(new_text, STR("\n"));

		old.n -= old_ends;
		s.block.n -= old_ends && new_ends;
		s.take_newline = old_ends && new_text.n == 0;
		s.lines = split(a, text, &s.n);
		s.old_lines = split(a, old, &s.old_n);
		for (size_t i = 0; i < s.old_n; i++)
			s.old_lines[i] = str_trim(s.old_lines[i]);
		for (size_t i = 0; i < ARRAY_LEN(ways) && edits.n == 0; i++) {
			edits.way = ways[i].name;
			ways[i].find(&s);
		}
	}
	*ret_edits = edits;
}

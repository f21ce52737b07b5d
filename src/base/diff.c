/*
 * Lines become numbers (equal lines, equal numbers), Myers' middle snake splits the problem, and
 * the lines that are in one text only are marked.  Of the two halves the smaller is solved by
 * recursion and the larger in the loop, so that the stack stays flat.
 */
#include "base/diff.h"

#include "base/vec.h"

enum { COST_MAX = 256 };

struct box {
	ptrdiff_t x0, x1, y0, y1; /* old lines x0..x1, new lines y0..y1 */
};

struct work {
	const uint32_t *old_ids, *new_ids;
	bool *old_gone, *new_come;
	ptrdiff_t *fwd, *bwd; /* furthest x by diagonal; both point at diagonal 0 */
};

static struct str *split_lines(struct arena *a, struct str s, size_t *ret_n)
{
	size_t n = s.n > 0 && s.p[s.n - 1] != '\n', k = 0;

	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == '\n';
	struct str *lines = arena_raw(a, sizeof *lines * (n + 1));

	for (size_t from = 0; from < s.n; k++) {
		ptrdiff_t end = str_chr(s, '\n', from);
		size_t to = end < 0 ? s.n : (size_t)end + 1;

		lines[k] = str_sub(s, from, to);
		from = to;
	}
	*ret_n = n;
	return lines;
}

struct table {
	struct str *lines; /* by number */
	uint64_t *hashes;
	uint32_t *slots; /* number + 1, 0 = free */
	size_t mask;
	uint32_t n;
};

static uint32_t number_of(struct table *t, struct str line)
{
	uint64_t h = str_hash(STR_HASH, line);

	for (size_t i = h & t->mask;; i = (i + 1) & t->mask) {
		uint32_t k = t->slots[i];

		if (k && t->hashes[k - 1] == h && str_eq(t->lines[k - 1], line))
			return k - 1;
		if (k)
			continue;
		t->lines[t->n] = line;
		t->hashes[t->n] = h;
		t->slots[i] = ++t->n;
		return t->n - 1;
	}
}

static void number_lines(const struct diff *d, uint32_t *old_ids, uint32_t *new_ids)
{
	size_t max = d->old_n + d->new_n, size = 16;
	struct table t = { 0 };

	while (size < max * 2)
		size *= 2;
	t.mask = size - 1;
	t.lines = xmalloc((max + 1) * sizeof *t.lines);
	t.hashes = xmalloc((max + 1) * sizeof *t.hashes);
	t.slots = xcalloc(size, sizeof *t.slots);
	for (size_t i = 0; i < d->old_n; i++)
		old_ids[i] = number_of(&t, d->old_lines[i]);
	for (size_t i = 0; i < d->new_n; i++)
		new_ids[i] = number_of(&t, d->new_lines[i]);
	free(t.lines);
	free(t.hashes);
	free(t.slots);
}

/* Where two searches, from both corners, meet, or stand when the cost is over the cap. */
struct split {
	ptrdiff_t x, y;
};

/*
 * One step of the search from the upper left, or back from the lower right, where x counts the
 * lines that are left behind; true when it met the other one.
 */
static bool search_step(struct work *w, const struct box *b, ptrdiff_t c, bool odd, bool back,
			struct split *s)
{
	ptrdiff_t n = b->x1 - b->x0, m = b->y1 - b->y0, delta = n - m, way = back ? -1 : 1;
	const uint32_t *old_ids = &w->old_ids[back ? b->x1 - 1 : b->x0];
	const uint32_t *new_ids = &w->new_ids[back ? b->y1 - 1 : b->y0];
	ptrdiff_t *own = back ? w->bwd : w->fwd, *other = back ? w->fwd : w->bwd;

	for (ptrdiff_t k = -c + 2 * (c > m ? c - m : 0); k <= c - 2 * (c > n ? c - n : 0); k += 2) {
		bool down = k == -c || (k != c && own[k - 1] < own[k + 1]);
		ptrdiff_t x = down ? own[k + 1] : own[k - 1] + 1;

		while (x < n && x - k < m && old_ids[way * x] == new_ids[way * (x - k)])
			x++;
		own[k] = x;

		ptrdiff_t r = delta - k; /* the same diagonal, counted from the other corner */

		if (odd != back && r >= -(c - !back) && r <= c - !back && x + other[r] >= n) {
			*s = back ? (struct split){ b->x1 - x, b->y1 - (x - k) }
				  : (struct split){ b->x0 + x, b->y0 + x - k };
			return true;
		}
	}
	return false;
}

static struct split find_split(struct work *w, const struct box *b)
{
	ptrdiff_t n = b->x1 - b->x0, m = b->y1 - b->y0, best = -1;
	bool odd = (n - m) & 1;
	struct split s = { b->x0, b->y0 };

	for (ptrdiff_t k = -COST_MAX - 1; k <= COST_MAX + 1; k++)
		w->fwd[k] = w->bwd[k] = 0;
	w->fwd[1] = w->bwd[1] = 0;
	for (ptrdiff_t c = 0; c < COST_MAX; c++)
		if (search_step(w, b, c, odd, false, &s) || search_step(w, b, c, odd, true, &s))
			return s;
	/* Too different: the point that the search from the upper left has brought furthest. */
	for (ptrdiff_t k = 1 - COST_MAX; k < COST_MAX; k += 2) {
		ptrdiff_t x = w->fwd[k], y = x - k;

		if (x < 0 || x > n || y < 0 || y > m || x + y <= best)
			continue;
		best = x + y;
		s = (struct split){ b->x0 + x, b->y0 + y };
	}
	return s;
}

static void compare(struct work *w, struct box b)
{
	for (;;) {
		while (b.x0 < b.x1 && b.y0 < b.y1 && w->old_ids[b.x0] == w->new_ids[b.y0]) {
			b.x0++;
			b.y0++;
		}
		while (b.x0 < b.x1 && b.y0 < b.y1 && w->old_ids[b.x1 - 1] == w->new_ids[b.y1 - 1]) {
			b.x1--;
			b.y1--;
		}
		if (b.x0 == b.x1 || b.y0 == b.y1)
			break;
		struct split s = find_split(w, &b);
		struct box first = { b.x0, s.x, b.y0, s.y }, second = { s.x, b.x1, s.y, b.y1 };
		ptrdiff_t size1 = s.x - b.x0 + s.y - b.y0, size2 = b.x1 - s.x + b.y1 - s.y;

		if (size1 == 0 || size2 == 0)
			break; /* nothing in common */
		compare(w, size1 < size2 ? first : second);
		b = size1 < size2 ? second : first;
	}
	for (ptrdiff_t x = b.x0; x < b.x1; x++)
		w->old_gone[x] = true;
	for (ptrdiff_t y = b.y0; y < b.y1; y++)
		w->new_come[y] = true;
}

static void collect(struct arena *a, const struct work *w, struct diff *d)
{
	struct {
		struct diff_change *p;
		size_t n, cap;
	} v = { 0 };
	size_t x = 0, y = 0;

	while (x < d->old_n || y < d->new_n) {
		struct diff_change c = { .old_at = x, .new_at = y };

		while (x < d->old_n && w->old_gone[x])
			x++;
		while (y < d->new_n && w->new_come[y])
			y++;
		c.old_n = x - c.old_at;
		c.new_n = y - c.new_at;
		if (c.old_n || c.new_n) {
			*VEC_ADD(&v) = c;
			continue;
		}
		x++;
		y++;
	}
	d->n = v.n;
	d->changes = arena_raw(a, sizeof *d->changes * (v.n + 1));
	if (v.n)
		memcpy(d->changes, v.p, sizeof *v.p * v.n);
	free(v.p);
}

void diff_lines(struct arena *a, struct str old_text, struct str new_text, struct diff *ret_d)
{
	struct diff d = { 0 };
	ptrdiff_t diagonals[2][2 * COST_MAX + 5];

	d.old_lines = split_lines(a, old_text, &d.old_n);
	d.new_lines = split_lines(a, new_text, &d.new_n);
	AUTO(free) uint32_t *ids = xmalloc((d.old_n + d.new_n + 1) * sizeof *ids);
	AUTO(free) bool *marks = xcalloc(d.old_n + d.new_n + 1, sizeof *marks);
	struct work w = {
		.old_ids = ids,
		.new_ids = ids + d.old_n,
		.old_gone = marks,
		.new_come = marks + d.old_n,
		.fwd = diagonals[0] + COST_MAX + 2,
		.bwd = diagonals[1] + COST_MAX + 2,
	};

	number_lines(&d, ids, ids + d.old_n);
	compare(&w, (struct box){ 0, (ptrdiff_t)d.old_n, 0, (ptrdiff_t)d.new_n });
	collect(a, &w, &d);
	*ret_d = d;
}

/* ---- unified text ---- */

bool diff_next_hunk(const struct diff *d, size_t context, size_t *at, struct diff_hunk *ret_h)
{
	const struct diff_change *c = &d->changes[*at];
	struct diff_hunk h = { .changes = c, .n = 1 };
	size_t before, old_end;

	if (*at >= d->n)
		return false;
	while (*at + h.n < d->n &&
	       c[h.n].old_at - (c[h.n - 1].old_at + c[h.n - 1].old_n) <= 2 * context)
		h.n++;
	before = min_size(context, c->old_at);
	h.old_at = c->old_at - before;
	h.new_at = c->new_at - before;
	c += h.n - 1;
	old_end = c->old_at + c->old_n;
	h.old_n = min_size(old_end + context, d->old_n) - h.old_at;
	h.new_n = c->new_at + c->new_n + (h.old_at + h.old_n - old_end) - h.new_at;
	*at += h.n;
	*ret_h = h;
	return true;
}

static void add_lines(struct buf *out, char sign, const struct str *lines, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buf_addc(out, sign);
		buf_adds(out, lines[i]);
		if (!str_ends(lines[i], STR("\n")))
			buf_addz(out, "\n\\ No newline at end of file\n");
	}
}

int diff_add_hunks(struct buf *out, const struct diff *d, size_t context)
{
	struct diff_hunk h;

	for (size_t at = 0; diff_next_hunk(d, context, &at, &h);) {
		size_t x = h.old_at;

		/* Lines count from 1, but an empty side names the line before it. */
		buf_addf(out, "@@ -%zu,%zu +%zu,%zu @@\n", h.old_at + (h.old_n > 0), h.old_n,
			 h.new_at + (h.new_n > 0), h.new_n);
		for (size_t i = 0; i < h.n; i++) {
			const struct diff_change *c = &h.changes[i];

			add_lines(out, ' ', d->old_lines + x, c->old_at - x);
			add_lines(out, '-', d->old_lines + c->old_at, c->old_n);
			add_lines(out, '+', d->new_lines + c->new_at, c->new_n);
			x = c->old_at + c->old_n;
		}
		add_lines(out, ' ', d->old_lines + x, h.old_at + h.old_n - x);
	}
	return out->full ? -E_LIMIT : 0;
}

/* Where a secret may begin: what tools/pack_anchors.c made of the tables, asked about a text. */
#include "secrets/index.h"

/* Is the shape `%c{min,max}` before i?  Returns where it begins, or SIZE_MAX. */
static size_t before_from(const struct look *l, const char *before, size_t i)
{
	const char *at = before + 2;
	size_t min, max, n = 0;

	shape_counts(&at, &min, &max);
	while (n < max && n < i && shape_has(before[1], (unsigned char)l->text.p[i - n - 1]))
		n++;
	return n < min ? SIZE_MAX : i - n;
}

/* So many characters of a token behind the anchor are enough when in doubt. */
static size_t doubtful_end(struct look *l, const struct secret_format *f, size_t i)
{
	size_t n = 0;

	if (!f->doubt || !(l->flags & SECRETS_DOUBT))
		return 0;
	while (shape_has('c', look_at(l, i + n)) || look_at(l, i + n) == '.')
		n++;
	while (n > 0 && l->text.p[i + n - 1] == '.')
		n--;
	return n >= f->doubt ? i + n : 0;
}

bool index_is_shape(struct look *l, const struct secret_format *f, size_t i, struct secret *ret)
{
	size_t body = i + strlen(f->anchor), from = i, end;
	struct str s;

	if (!look_has(l, i, f->anchor, false))
		return false;
	if (f->before && (from = before_from(l, f->before, i)) == SIZE_MAX)
		return false;
	if (from < l->floor || !look_begins_word(l, from))
		return false;
	end = shape_end(l, f->after, body);
	s = str_sub(l->text, body, end);
	if (!end || !secret_varies(f, s) || secret_made_up(s) || (f->check && !f->check(s)))
		end = doubtful_end(l, f, body);
	*ret = (struct secret){ f, from, end };
	return end > 0;
}

static inline bool may_begin(uint32_t three)
{
	uint32_t h = anchors_hash(three);

	return anchors.filter[h / 64] >> h % 64 & 1;
}

size_t index_way(uint32_t three)
{
	size_t i = anchors_slot(three);

	while (anchors.slots[i] && anchors.ways[anchors.slots[i]].three != three)
		i = (i + 1) % ANCHOR_SLOTS;
	return anchors.slots[i];
}

size_t index_next(struct str s, size_t i)
{
	const unsigned char *p = (const unsigned char *)s.p;

	/* Two at a time: neither waits for the other. */
	for (; i + 3 < s.n; i += 2) {
		uint32_t two = (uint32_t)p[i + 1] << 8 | p[i + 2];

		if (UNLIKELY(may_begin((uint32_t)p[i] << 16 | two)))
			return i;
		if (UNLIKELY(may_begin(two << 8 | p[i + 3])))
			return i + 1;
	}
	while (i + 2 < s.n && !may_begin((uint32_t)p[i] << 16 | (uint32_t)p[i + 1] << 8 | p[i + 2]))
		i++;
	return i;
}

bool secret_known(struct str text)
{
	struct look l = { .text = text };
	const unsigned char *p = (const unsigned char *)text.p;
	struct secret s;

	if (text.n < 3)
		return false;
	for (size_t w = index_way((uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2]); w;
	     w = anchors.ways[w].next) {
		const struct anchor_way *way = &anchors.ways[w];
		const struct secret_format *f = &secret_formats[way->format];

		if (way->reading || f->before)
			continue;
		if (f->doubt ? look_has(&l, 0, f->anchor, false) : index_is_shape(&l, f, 0, &s))
			return true;
	}
	return false;
}

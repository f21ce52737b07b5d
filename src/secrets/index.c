/*
 * The anchors of all formats by their first three bytes, and a filter of these bytes that says "no"
 * almost everywhere.
 */
#include "secrets/index.h"

enum {
	FILTER_BITS = 16,
	SLOTS = 1 << 11, /* of rows by their three bytes; a power of two */
	ROWS_MAX = 1 << 10,
};

/* One way into the table: three bytes, and the row or reading that they may begin. */
struct way {
	uint32_t three;
	uint16_t next; /* of the same three bytes, in the order of the table; 0: the last */
	const struct secret_format *format;
	const struct secret_reading *reading;
};

static struct {
	uint64_t filter[(1 << FILTER_BITS) / 64];
	uint16_t slots[SLOTS]; /* an index in ways; 0: free */
	struct way ways[ROWS_MAX];
	size_t n;
} table;

static inline uint32_t filter_hash(uint32_t three)
{
	return three * 0x9e3779b1u >> (32 - FILTER_BITS);
}

static inline uint16_t *slot_of(uint32_t three)
{
	uint32_t i = three * 0x85ebca6bu >> 21;

	while (table.slots[i] && table.ways[table.slots[i]].three != three)
		i = (i + 1) & (SLOTS - 1);
	return &table.slots[i];
}

/* The bytes that place i of an anchor and the shape behind it may have; both cases if it folds. */
static size_t bytes_at(const char *anchor, const char *after, bool fold, size_t i,
		       unsigned char set[static 256])
{
	size_t len = strlen(anchor), n = 0;

	if (i < len) {
		set[n++] = (unsigned char)anchor[i];
		if (fold && char_is_lower(set[0]))
			set[n++] = set[0] & ~0x20;
		return n;
	}
	/* Of a shape only single characters, or a run that is long enough, are looked at. */
	for (i -= len; *after == '%' && i > 0 && strncmp(after + 2, "{1}", 3) == 0; i--)
		after += 5;
	for (int c = 1; c < 256; c++)
		if (*after == '%' ? shape_has(after[1], c) : c == (unsigned char)after[i])
			set[n++] = (unsigned char)c;
	return n;
}

void index_add(const char *anchor, const char *after, bool fold, const struct secret_format *f,
	       const struct secret_reading *r)
{
	unsigned char sets[3][256];
	size_t n[3];

	for (size_t i = 0; i < 3; i++)
		n[i] = bytes_at(anchor, after, fold, i, sets[i]);
	for (size_t a = 0; a < n[0]; a++)
		for (size_t b = 0; b < n[1]; b++)
			for (size_t c = 0; c < n[2]; c++) {
				uint32_t three = (uint32_t)sets[0][a] << 16 |
						 (uint32_t)sets[1][b] << 8 | sets[2][c];
				uint16_t *to = slot_of(three);
				uint32_t h = filter_hash(three);

				if (++table.n >= ROWS_MAX)
					BUG();
				while (*to)
					to = &table.ways[*to].next;
				*to = (uint16_t)table.n;
				table.ways[table.n] =
					(struct way){ .three = three, .format = f, .reading = r };
				table.filter[h / 64] |= UINT64_C(1) << h % 64;
			}
}

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

static bool is_shape(struct look *l, const struct secret_format *f, size_t i, struct secret *ret)
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
	uint32_t h = filter_hash(three);

	return table.filter[h / 64] >> h % 64 & 1;
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
	for (size_t w = *slot_of((uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2]); w;
	     w = table.ways[w].next) {
		const struct way *way = &table.ways[w];

		if (way->reading || way->format->before)
			continue;
		if (way->format->doubt ? look_has(&l, 0, way->format->anchor, false)
				       : is_shape(&l, way->format, 0, &s))
			return true;
	}
	return false;
}

bool index_find(struct look *l, size_t i, struct secret *ret)
{
	const unsigned char *p = (const unsigned char *)l->text.p + i;
	uint32_t three = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];

	for (size_t w = *slot_of(three); w; w = table.ways[w].next) {
		const struct way *way = &table.ways[w];
		const struct secret_reading *r = way->reading;

		if (r ? look_has(l, i, r->anchor, !r->exact) && r->read(l, way->format, i, ret)
		      : is_shape(l, way->format, i, ret))
			return true;
	}
	return false;
}

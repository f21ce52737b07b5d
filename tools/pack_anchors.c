/* pack_anchors: the anchors of src/secrets/formats.c and readings.c, for src/secrets/index.h. */
#include <inttypes.h>
#include <stdio.h>

#include "secrets/index.h"

static struct anchors table;
static size_t ways;

/* What index.c asks; it is what this prints. */
const struct anchors anchors;

static uint16_t *slot_of(uint32_t three)
{
	uint32_t i = anchors_slot(three);

	while (table.slots[i] && table.ways[table.slots[i]].three != three)
		i = (i + 1) % ANCHOR_SLOTS;
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

static void add(const char *anchor, const char *after, bool fold, size_t format, size_t reading)
{
	unsigned char sets[3][256];
	size_t n[3];

	for (size_t i = 0; i < 3; i++)
		n[i] = bytes_at(anchor, after, fold, i, sets[i]);
	for (size_t i = 0; i < n[0] * n[1] * n[2]; i++) {
		uint32_t three = (uint32_t)sets[0][i / n[2] / n[1]] << 16 |
				 (uint32_t)sets[1][i / n[2] % n[1]] << 8 | sets[2][i % n[2]];
		uint16_t *to = slot_of(three);
		uint32_t h = anchors_hash(three);

		if (++ways >= ANCHOR_WAYS)
			BUG();
		while (*to)
			to = &table.ways[*to].next;
		*to = (uint16_t)ways;
		table.ways[ways] = (struct anchor_way){ .three = three,
							.format = (uint16_t)format,
							.reading = (uint16_t)reading };
		table.filter[h / 64] |= UINT64_C(1) << h % 64;
	}
}

int main(void)
{
	for (size_t i = 0; i < secret_readings_n; i++) {
		const struct secret_reading *r = &secret_readings[i];
		size_t f = 0;

		while (strcmp(secret_formats[f].id, r->format) != 0)
			f++;
		add(r->anchor, "", !r->exact, f, i + 1);
	}
	for (size_t i = 0; i < secret_formats_n; i++)
		if (secret_formats[i].anchor)
			add(secret_formats[i].anchor, secret_formats[i].after, false, i, 0);
	(void)printf(
		"#include \"secrets/index.h\"\n\nconst struct anchors anchors = {\n\t.filter = {");
	for (size_t i = 0; i < ARRAY_LEN(table.filter); i++)
		(void)printf("%s%#" PRIx64 ",", i % 8 ? " " : "\n\t\t", table.filter[i]);
	(void)printf("\n\t},\n\t.slots = {");
	for (size_t i = 0; i < ARRAY_LEN(table.slots); i++)
		(void)printf("%s%d,", i % 16 ? " " : "\n\t\t", table.slots[i]);
	(void)printf("\n\t},\n\t.ways = {\n");
	for (size_t i = 0; i <= ways; i++)
		(void)printf("\t\t{ %#" PRIx32 ", %d, %d, %d },\n", table.ways[i].three,
			     table.ways[i].next, table.ways[i].format, table.ways[i].reading);
	(void)printf("\t},\n};\n");
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}

/*
 * Where in a text a secret may begin: the anchors of all formats by their first three bytes, and a
 * filter of these bytes that says "no" almost everywhere.
 */
#pragma once

#include "secrets/formats.h"

enum {
	ANCHOR_FILTER_BITS = 16,
	ANCHOR_SLOT_BITS = 11, /* of ways by their three bytes */
	ANCHOR_SLOTS = 1 << ANCHOR_SLOT_BITS,
	ANCHOR_WAYS = 1 << 10,
};

/* Made by tools/pack_anchors.c. */
extern const struct anchors {
	uint64_t filter[(1 << ANCHOR_FILTER_BITS) / 64];
	uint16_t slots[ANCHOR_SLOTS]; /* an index in ways; 0: free */
	/* Ways into the tables: three bytes, and the row or reading that they may begin. */
	struct anchor_way {
		uint32_t three;
		uint16_t next; /* of the same three bytes, in the order of the table; 0: the last */
		uint16_t format; /* of secret_formats */
		uint16_t reading; /* of secret_readings, counted from 1; 0: the row itself */
	} ways[ANCHOR_WAYS];
} anchors;

/* The bit of the filter, and the slot, of three bytes. */
static inline uint32_t anchors_hash(uint32_t three)
{
	return three * 0x9e3779b1u >> (32 - ANCHOR_FILTER_BITS);
}

static inline uint32_t anchors_slot(uint32_t three)
{
	return three * 0x85ebca6bu >> (32 - ANCHOR_SLOT_BITS);
}

/* The first place at or after i whose three bytes an anchor may have; n - 2 when there is none. */
size_t index_next(struct str s, size_t i);
/* The first way into the tables for these three bytes, or 0. */
size_t index_way(uint32_t three);
/* Is what begins with the format's anchor at i one of its secrets?  Only rows with an anchor. */
bool index_is_shape(struct look *l, const struct secret_format *f, size_t i, struct secret *ret);

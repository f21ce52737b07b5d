/*
 * UTF-16 units and sets of them, for regex_translate.c: folding as JavaScript's i flag has it, how
 * PCRE2 wants them written, and what may name a group.
 */
#pragma once

#include "base/buf.h"

enum { REGEX_UNIT_MAX = 0xffff };

struct unit_range {
	uint32_t lo, hi;
};

struct unit_set {
	struct unit_range *p;
	size_t n, cap;
};

/* \d and its kind. */
struct unit_class {
	char letter;
	bool negated;
	const char *text; /* outside a class */
	const struct unit_range *ranges;
	size_t n;
};

static inline bool unit_is_surrogate(uint32_t unit)
{
	return (unit & 0xf800) == 0xd800;
}

static inline bool unit_is_high(uint32_t unit)
{
	return (unit & 0xfc00) == 0xd800;
}

static inline bool unit_is_low(uint32_t unit)
{
	return (unit & 0xfc00) == 0xdc00;
}

static inline bool unit_is_digit(uint32_t unit)
{
	return unit >= '0' && unit <= '9';
}

static inline bool unit_is_letter(uint32_t unit)
{
	return (unit | 32) >= 'a' && (unit | 32) <= 'z';
}

/* Upper case, one unit to one unit. */
uint32_t unit_fold(uint32_t unit);
/* Appends the unit so that PCRE2 takes it literally. */
void unit_write(struct buf *out, uint32_t unit, bool in_class);
/* UTF-8 to units, at most one a byte; returns how many. */
size_t units_from(struct str s, uint16_t *units);

/* d, D, s, S, w or W; NULL for any other letter. */
const struct unit_class *unit_class_find(uint32_t letter);
void unit_set_add(struct unit_set *s, uint32_t lo, uint32_t hi);
void unit_set_add_class(struct unit_set *s, const struct unit_class *named);
/* Appends the class; the set is sorted, and folded when icase. */
void unit_set_write(struct unit_set *s, bool negated, bool icase, struct buf *out);
/* Whether JavaScript takes the name (UTF-8) as an identifier. */
bool regex_name_valid(struct str name);

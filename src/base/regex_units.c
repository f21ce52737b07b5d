#include "base/regex_units.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/regex.h"
#include "base/regex_fold.h"
#include "base/utf8.h"
#include "base/vec.h"

/* A unit never has this value. */
#define NEVER "[\\x{10ffff}]"
#define ANY "[^\\x{10ffff}]"
#define SPACES                                                                                     \
	"\\t-\\r\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}"             \
	"\\x{205f}\\x{3000}\\x{feff}"

uint32_t unit_fold(uint32_t unit)
{
	size_t lo = 0, hi = ARRAY_LEN(regex_folds);

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		const struct regex_fold *f = &regex_folds[mid];

		if (unit > f->hi)
			lo = mid + 1;
		else if (unit < f->lo)
			hi = mid;
		else
			return (unit - f->lo) % f->step ? unit : unit + (uint32_t)f->delta;
	}
	return unit;
}

void unit_write(struct buf *out, uint32_t unit, bool in_class)
{
	char enc[4];

	if (unit >= 0x80 && !unit_is_surrogate(unit))
		buf_add(out, enc, utf8_encode(unit, enc));
	else if (unit <= ' ' || unit >= 0x7f)
		buf_addf(out, "\\x{%x}", unit);
	else if (unit_is_letter(unit) || unit_is_digit(unit) ||
		 (!in_class && !strchr("\\^$.[]|()?*+{}", (int)unit)))
		buf_addc(out, (char)unit);
	else
		buf_addf(out, "\\%c", (char)unit);
}

/* Character sets. */

static const struct unit_range digits[] = { { '0', '9' } };
static const struct unit_range words[] = { { '0', '9' }, { 'A', 'Z' }, { '_', '_' }, { 'a', 'z' } };
static const struct unit_range spaces[] = {
	{ '\t', '\r' },     { ' ', ' ' },       { 0xa0, 0xa0 },     { 0x1680, 0x1680 },
	{ 0x2000, 0x200a }, { 0x2028, 0x2029 }, { 0x202f, 0x202f }, { 0x205f, 0x205f },
	{ 0x3000, 0x3000 }, { 0xfeff, 0xfeff },
};

static const struct unit_class classes[] = {
	{ 'd', false, "\\d", digits, ARRAY_LEN(digits) },
	{ 'D', true, "\\D", digits, ARRAY_LEN(digits) },
	{ 's', false, "[" SPACES "]", spaces, ARRAY_LEN(spaces) },
	{ 'S', true, "[^" SPACES "]", spaces, ARRAY_LEN(spaces) },
	{ 'w', false, "\\w", words, ARRAY_LEN(words) },
	{ 'W', true, "\\W", words, ARRAY_LEN(words) },
};

const struct unit_class *unit_class_find(uint32_t letter)
{
	for (size_t i = 0; i < ARRAY_LEN(classes); i++)
		if ((uint32_t)classes[i].letter == letter)
			return &classes[i];
	return NULL;
}

void unit_set_add(struct unit_set *s, uint32_t lo, uint32_t hi)
{
	*VEC_ADD(s) = (struct unit_range){ lo, hi };
}

void unit_set_add_class(struct unit_set *s, const struct unit_class *named)
{
	uint32_t from = 0;

	for (size_t i = 0; i < named->n; i++) {
		if (!named->negated)
			unit_set_add(s, named->ranges[i].lo, named->ranges[i].hi);
		else if (named->ranges[i].lo > from)
			unit_set_add(s, from, named->ranges[i].lo - 1);
		from = named->ranges[i].hi + 1;
	}
	if (named->negated && from <= REGEX_UNIT_MAX)
		unit_set_add(s, from, REGEX_UNIT_MAX);
}

/* Adds what the row makes of the range; the units themselves may stay, no subject has them. */
static void set_fold_range(struct unit_set *s, struct unit_range r, const struct regex_fold *f)
{
	uint32_t lo = r.lo > f->lo ? r.lo : f->lo, hi = r.hi < f->hi ? r.hi : f->hi;
	uint32_t to_lo = f->lo + (uint32_t)f->delta, to_hi = f->hi + (uint32_t)f->delta;

	if (r.lo <= to_lo && to_hi <= r.hi)
		return;
	lo += (f->step - (lo - f->lo) % f->step) % f->step;
	if (lo > hi)
		return;
	if (f->step == 1)
		unit_set_add(s, lo + (uint32_t)f->delta, hi + (uint32_t)f->delta);
	else
		for (; lo <= hi; lo += f->step)
			unit_set_add(s, lo + (uint32_t)f->delta, lo + (uint32_t)f->delta);
}

static int range_cmp(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	return (x->lo > y->lo) - (x->lo < y->lo);
}

/* Sorted, without overlaps and neighbours. */
static void set_normalize(struct unit_set *s)
{
	size_t n = 0;

	if (s->n)
		qsort(s->p, s->n, sizeof *s->p, range_cmp);
	for (size_t i = 0; i < s->n; i++) {
		if (n && s->p[i].lo <= s->p[n - 1].hi + 1) {
			if (s->p[i].hi > s->p[n - 1].hi)
				s->p[n - 1].hi = s->p[i].hi;
		} else {
			s->p[n++] = s->p[i];
		}
	}
	s->n = n;
}

void unit_set_write(struct unit_set *s, bool negated, bool icase, struct buf *out)
{
	if (icase) {
		size_t n = s->n;

		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < ARRAY_LEN(regex_folds); k++)
				if (regex_folds[k].lo <= s->p[i].hi &&
				    regex_folds[k].hi >= s->p[i].lo)
					set_fold_range(s, s->p[i], &regex_folds[k]);
	}
	set_normalize(s);
	if (s->n == 0 || (s->n == 1 && s->p[0].lo == 0 && s->p[0].hi == REGEX_UNIT_MAX)) {
		buf_addz(out, negated == (s->n == 0) ? ANY : NEVER);
		return;
	}
	buf_addz(out, negated ? "[^" : "[");
	for (size_t i = 0; i < s->n; i++) {
		unit_write(out, s->p[i].lo, true);
		if (s->p[i].hi > s->p[i].lo + 1)
			buf_addc(out, '-');
		if (s->p[i].hi > s->p[i].lo)
			unit_write(out, s->p[i].hi, true);
	}
	buf_addc(out, ']');
}

size_t units_from(struct str s, uint16_t *units)
{
	size_t n = 0, len;

	for (size_t i = 0; i < s.n; i += len) {
		uint32_t cp = utf8_decode(s.p + i, s.n - i, true, &len);

		if (cp > REGEX_UNIT_MAX) {
			units[n++] = (uint16_t)(0xd7c0 + (cp >> 10));
			cp = 0xdc00 | (cp & 0x3ff);
		}
		units[n++] = (uint16_t)cp;
	}
	return n;
}

int regex_add_units(struct buf *out, struct str s, unsigned flags)
{
	size_t len;

	for (size_t i = 0; i < s.n; i += len) {
		uint32_t cp = utf8_decode(s.p + i, s.n - i, true, &len);
		char *to = buf_reserve(out, 6);

		if (!to)
			return -E_LIMIT;
		if (cp > REGEX_UNIT_MAX) {
			out->n += utf8_encode(0xd7c0 + (cp >> 10), to);
			out->n += utf8_encode(0xdc00 | (cp & 0x3ff), to + 3);
		} else {
			out->n += utf8_encode(flags & REGEX_ICASE ? unit_fold(cp) : cp, to);
		}
	}
	return 0;
}

/* The part of the name's alphabet that is not ASCII, as properties of PCRE2 10.36. */
#define NAME_START "$_\\p{L}\\p{Nl}\\x{2118}\\x{212e}\\x{309b}\\x{309c}"
#define NAME_MORE                                                                                  \
	"\\p{Mn}\\p{Mc}\\p{Nd}\\p{Pc}\\x{200c}\\x{200d}\\x{b7}\\x{387}"                            \
	"\\x{1369}-\\x{1371}\\x{19da}"

static bool name_matches(struct str name)
{
	static const char pattern[] = "^[" NAME_START "][" NAME_START NAME_MORE "]*$";
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	PCRE2_SIZE offset;
	pcre2_code *code;
	int rc;

	code = pcre2_compile((PCRE2_SPTR)pattern, sizeof pattern - 1,
			     PCRE2_UTF | PCRE2_DOLLAR_ENDONLY, &rc, &offset, NULL);
	if (!code || !data)
		BUG();
	rc = pcre2_match(code, (PCRE2_SPTR)name.p, name.n, 0, 0, data, NULL);
	pcre2_match_data_free(data);
	pcre2_code_free(code);
	return rc > 0;
}

bool regex_name_valid(struct str name)
{
	size_t i = 0;

	while (i < name.n && (unit_is_letter((unsigned char)name.p[i]) || name.p[i] == '_' ||
			      name.p[i] == '$' || (i && unit_is_digit((unsigned char)name.p[i]))))
		i++;
	if (i < name.n && name.p[i] & 0x80)
		return name_matches(name);
	return i == name.n && i > 0;
}

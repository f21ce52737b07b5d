/*
 * JavaScript pattern to PCRE2 pattern: one pass over the UTF-16 units of the pattern by recursive
 * descent, writing as it reads.  The grammar is that of `new RegExp(p)` without the u flag, the
 * one with all the concessions to the web: "]", "}" and a "{" that begins no quantifier stand for
 * themselves, an escape without a meaning is its letter, \1 without a group is octal.
 *
 * Three decisions keep the two engines equal:
 * - PCRE2 sees one character a UTF-16 unit, so surrogates are written as \x{d83d};
 * - the i flag is not PCRE2's: pattern and subject are folded with JavaScript's own table;
 * - groups capture only when a back reference needs them.  JavaScript resets the groups of a
 *   repeated part at each turn and refuses empty turns; PCRE2 does neither, so a reference to a
 *   group that can show the difference is refused (ref_check()).
 */
#include "base/regex.h"

#include "base/arena.h"
#include "base/regex_units.h"
#include "base/utf8.h"
#include "base/vec.h"

enum {
	DEPTH_MAX = 200, /* nested groups; PCRE2's own limit is 250 */
	REPEAT_MAX = 65535, /* PCRE2's largest {n} */
	REPEAT_INF = 0x7fffffff,
};

struct group {
	struct str name; /* UTF-8; n = 0: none */
	size_t behind; /* the outermost lookbehind around it, by its number from 1; 0 = none */
	unsigned number; /* in the PCRE2 pattern; 0 = does not capture */
	bool closed;
	bool in_look; /* in a lookahead or lookbehind */
	bool maybe; /* one turn of what is around it can leave it out */
	bool unstable; /* a repetition around it behaves differently in PCRE2 */
};

struct ref {
	struct str name; /* of a \k<name> whose group was not there yet; n = 0: see group */
	size_t group;
	size_t at;
	size_t behind;
	bool after; /* the group was closed when the reference was read */
};

struct translation {
	const uint16_t *p;
	size_t n, at;
	struct buf *out;
	struct err *err;
	bool icase;
	bool named; /* \k is strict */
	size_t total; /* capturing groups in the whole pattern */
	struct {
		struct group *p;
		size_t n, cap;
	} groups;
	struct {
		struct ref *p;
		size_t n, cap;
	} refs;
	struct unit_set set; /* of the class being read */
	struct arena names;
	const bool *wanted; /* by group, from the first pass; NULL in it */
	size_t n_wanted;
	unsigned numbers; /* capturing groups written so far */
	size_t depth;
	size_t looks; /* lookarounds that we are in */
	size_t behind; /* number of the outermost lookbehind that we are in, or 0 */
	size_t behinds; /* numbers given */
};

struct atom {
	size_t first_group;
	size_t out_at; /* where its text begins */
	unsigned numbers; /* t->numbers before it */
	bool empty; /* can match nothing */
	bool bare; /* takes no quantifier */
	bool look; /* a lookahead: a quantifier only decides whether it takes part */
};

static int read_disjunction(struct translation *t, bool *ret_empty);

static int hex_value(uint32_t unit)
{
	if (unit_is_digit(unit))
		return (int)unit - '0';
	unit |= 32;
	return unit >= 'a' && unit <= 'f' ? (int)unit - 'a' + 10 : -1;
}

/* The unit i places on, or a value that equals no unit. */
static uint32_t peek(const struct translation *t, size_t i)
{
	return t->at + i < t->n ? t->p[t->at + i] : UINT32_MAX;
}

static bool skip(struct translation *t, uint32_t unit)
{
	if (peek(t, 0) != unit)
		return false;
	t->at++;
	return true;
}

static int refuse(struct translation *t, int code, size_t at, const char *what)
{
	size_t n = 1;

	/* Units are not what a person counts. */
	for (size_t i = 0; i < at && i < t->n; i++)
		n += !(unit_is_low(t->p[i]) && i && unit_is_high(t->p[i - 1]));
	return err_set(t->err, code, "regular expression, character %zu: %s", n, what);
}

static void put(struct translation *t, const char *z)
{
	buf_addz(t->out, z); /* the limit is checked at the end, through .full */
}

static void put_literal(struct translation *t, uint32_t unit)
{
	unit_write(t->out, t->icase ? unit_fold(unit) : unit, false);
}

/* Escapes that stand for one unit. */

static bool read_hex(struct translation *t, size_t n, uint32_t *ret_value)
{
	uint32_t value = 0;

	for (size_t i = 0; i < n; i++) {
		int digit = hex_value(peek(t, i));

		if (digit < 0)
			return false;
		value = value << 4 | (uint32_t)digit;
	}
	t->at += n;
	*ret_value = value;
	return true;
}

/* Called after the backslash. */
static int read_char_escape(struct translation *t, bool in_class, uint32_t *ret_unit)
{
	static const char letters[] = "fnrtv", values[] = "\f\n\r\t\v";
	uint32_t unit = peek(t, 0);
	const char *found = unit && unit < 0x80 ? strchr(letters, (int)unit) : NULL;

	if (unit == UINT32_MAX)
		return refuse(t, E_PARSE, t->at - 1, "trailing backslash");
	if (unit == 'k' && t->named)
		return refuse(t, E_PARSE, t->at - 1, "\\k must be \\k<name> here");
	if (unit == 'c') {
		uint32_t letter = peek(t, 1);

		/* \cA is a control character; else the backslash is literal and "c" read again. */
		*ret_unit = '\\';
		if (unit_is_letter(letter) ||
		    (in_class && (unit_is_digit(letter) || letter == '_'))) {
			t->at += 2;
			*ret_unit = letter & 31;
		}
		return 0;
	}
	if (unit >= '0' && unit <= '7') {
		uint32_t value = 0;

		/* Up to three octal digits with a value below 256. */
		for (size_t i = 0; i < 3 && value < 32 && peek(t, 0) >= '0' && peek(t, 0) <= '7';
		     i++)
			value = value * 8 + t->p[t->at++] - '0';
		*ret_unit = value;
		return 0;
	}
	t->at++;
	if (found)
		*ret_unit = (uint32_t)values[found - letters];
	else if (!(unit == 'x' && read_hex(t, 2, ret_unit)) &&
		 !(unit == 'u' && read_hex(t, 4, ret_unit)))
		*ret_unit = unit;
	return 0;
}

/* One end of a range: a unit, or a whole set such as \d (added to t->set, *ret_set is true). */
static int read_class_atom(struct translation *t, uint32_t *ret_unit, bool *ret_set)
{
	const struct unit_class *named;

	*ret_set = false;
	if (!skip(t, '\\')) {
		*ret_unit = t->p[t->at++];
		return 0;
	}
	named = unit_class_find(peek(t, 0));
	if (named) {
		t->at++;
		unit_set_add_class(&t->set, named);
		*ret_set = true;
		return 0;
	}
	if (skip(t, 'b')) {
		*ret_unit = '\b';
		return 0;
	}
	return read_char_escape(t, true, ret_unit);
}

static int read_class_item(struct translation *t)
{
	size_t at = t->at;
	uint32_t lo = 0, hi = 0;
	bool lo_set, hi_set;

	int r = read_class_atom(t, &lo, &lo_set);
	if (r < 0)
		return r;
	if (peek(t, 0) != '-' || peek(t, 1) == ']' || t->at + 1 >= t->n) {
		if (!lo_set)
			unit_set_add(&t->set, lo, lo);
		return 0;
	}
	t->at++;
	r = read_class_atom(t, &hi, &hi_set);
	if (r < 0)
		return r;
	if (!lo_set && !hi_set) {
		if (lo > hi)
			return refuse(t, E_PARSE, at, "range out of order");
		unit_set_add(&t->set, lo, hi);
		return 0;
	}
	unit_set_add(&t->set, '-', '-'); /* [\w-a] is no range */
	if (!lo_set)
		unit_set_add(&t->set, lo, lo);
	if (!hi_set)
		unit_set_add(&t->set, hi, hi);
	return 0;
}

/* Groups and references. */

/* \u0041, \u{41} or a pair of surrogates, in a group's name; follows "\u". */
static bool read_name_escape(struct translation *t, uint32_t *ret_cp)
{
	uint32_t cp = 0, low = 0;

	if (skip(t, '{')) {
		size_t from = t->at;

		for (; hex_value(peek(t, 0)) >= 0 && cp <= 0x10ffff; t->at++)
			cp = cp << 4 | (uint32_t)hex_value(peek(t, 0));
		if (t->at == from || cp > 0x10ffff || !skip(t, '}'))
			return false;
		*ret_cp = cp;
		return true;
	}
	if (!read_hex(t, 4, &cp))
		return false;
	if (unit_is_high(cp) && peek(t, 0) == '\\' && peek(t, 1) == 'u') {
		t->at += 2;
		if (!read_hex(t, 4, &low) || !unit_is_low(low))
			return false;
		cp = 0x10000 + ((cp & 0x3ff) << 10 | (low & 0x3ff));
	}
	*ret_cp = cp;
	return true;
}

/* Called after "<"; reads up to and with ">". */
static int read_name(struct translation *t, struct str *ret_name)
{
	AUTO(buf_done) struct buf name = { 0 };
	size_t at = t->at;
	char enc[4];

	while (!skip(t, '>')) {
		uint32_t cp = peek(t, 0);

		if (cp == UINT32_MAX)
			return refuse(t, E_PARSE, at, "a group name without \">\"");
		t->at++;
		if (cp == '\\' && !(skip(t, 'u') && read_name_escape(t, &cp)))
			return refuse(t, E_PARSE, at, "invalid group name");
		if (unit_is_high(cp) && unit_is_low(peek(t, 0)))
			cp = 0x10000 + ((cp & 0x3ff) << 10 | (t->p[t->at++] & 0x3ffu));
		if (unit_is_surrogate(cp))
			return refuse(t, E_PARSE, at, "invalid group name");
		buf_add(&name, enc, utf8_encode(cp, enc));
	}
	if (!regex_name_valid(buf_str(&name)))
		return refuse(t, E_PARSE, at, "invalid group name");
	*ret_name = arena_str(&t->names, buf_str(&name));
	return 0;
}

static bool find_name(const struct translation *t, struct str name, size_t *ret_group)
{
	for (size_t i = 0; i < t->groups.n; i++) {
		if (t->groups.p[i].name.n && str_eq(t->groups.p[i].name, name)) {
			*ret_group = i;
			return true;
		}
	}
	return false;
}

/*
 * Writes a reference.  Before its group is complete it matches nothing, in JavaScript always: a
 * repetition that would come back to it has reset the group.  In a lookbehind JavaScript goes from
 * right to left, so there "before" is not what it looks like; ref_check() sees to that.
 */
static void add_ref(struct translation *t, struct ref ref)
{
	const struct group *g;

	ref.behind = t->behind;
	g = !ref.name.n && ref.group < t->groups.n ? &t->groups.p[ref.group] : NULL;
	if (g && !g->closed) {
		put(t, "(?:)");
		return;
	}
	ref.after = g != NULL;
	*VEC_ADD(&t->refs) = ref;
	if (g && g->number)
		buf_addf(t->out, "\\g{%u}", g->number);
	else
		put(t, "(?:)");
}

/* \1 when there are that many groups; else the digits are something else. */
static bool read_number_ref(struct translation *t)
{
	size_t value = 0, i = 0;

	for (; unit_is_digit(peek(t, i)) && value <= t->total; i++)
		value = value * 10 + peek(t, i) - '0';
	if (value == 0 || value > t->total)
		return false;
	struct ref ref = { .group = value - 1, .at = t->at - 1 };
	t->at += i;
	add_ref(t, ref);
	return true;
}

/* Whether PCRE2 gives the reference the value that JavaScript does. */
static int ref_check(struct translation *t, struct ref *ref)
{
	const struct group *g;

	if (ref->name.n && !find_name(t, ref->name, &ref->group))
		return refuse(t, E_PARSE, ref->at, "\\k<name> names no group of this pattern");
	g = &t->groups.p[ref->group];
	if (ref->behind && ref->behind == g->behind)
		return refuse(t, E_LIMIT, ref->at,
			      "a reference within the lookbehind of its group is not supported");
	if (ref->after && g->unstable)
		return refuse(t, E_LIMIT, ref->at,
			      "a reference to a group that repetition resets is not supported");
	return 0;
}

/* What may open a group, longest first where it matters. */
static const struct opening {
	const char *text;
	enum { OPEN_PLAIN, OPEN_AHEAD, OPEN_BEHIND, OPEN_NAMED } kind;
} openings[] = {
	{ "(?:", OPEN_PLAIN },   { "(?=", OPEN_AHEAD },   { "(?!", OPEN_AHEAD },
	{ "(?<=", OPEN_BEHIND }, { "(?<!", OPEN_BEHIND }, { "(?<", OPEN_NAMED },
};

static const struct opening *opening_find(const struct translation *t)
{
	for (size_t i = 0; i < ARRAY_LEN(openings); i++) {
		size_t n = 0;

		while (openings[i].text[n] && peek(t, n) == (unsigned char)openings[i].text[n])
			n++;
		if (!openings[i].text[n])
			return &openings[i];
	}
	return NULL;
}

static int open_capture(struct translation *t, bool named, size_t *ret_group)
{
	struct group g = { .behind = t->behind, .in_look = t->looks > 0 };
	size_t at = t->at, same;

	if (named) {
		int r = read_name(t, &g.name);
		if (r < 0)
			return r;
		if (find_name(t, g.name, &same))
			return refuse(t, E_PARSE, at, "duplicate group name");
	}
	*ret_group = t->groups.n;
	if (*ret_group < t->n_wanted && t->wanted[*ret_group])
		g.number = ++t->numbers;
	*VEC_ADD(&t->groups) = g;
	put(t, g.number ? "(" : "(?:");
	return 0;
}

static int read_body(struct translation *t, size_t at, bool *ret_empty)
{
	if (++t->depth > DEPTH_MAX)
		return refuse(t, E_LIMIT, at, "groups are nested too deeply");
	int r = read_disjunction(t, ret_empty);
	if (r < 0)
		return r;
	t->depth--;
	if (!skip(t, ')'))
		return refuse(t, E_PARSE, at, "\"(\" without \")\"");
	put(t, ")");
	return 0;
}

static int read_look(struct translation *t, const struct opening *open, size_t at,
		     struct atom *atom)
{
	size_t behind = t->behind;
	bool empty;

	put(t, open->text);
	if (open->kind == OPEN_BEHIND && !behind)
		t->behind = ++t->behinds;
	t->looks++;
	int r = read_body(t, at, &empty);
	if (r < 0)
		return r;
	t->looks--;
	t->behind = behind;
	atom->empty = true;
	atom->look = open->kind == OPEN_AHEAD;
	atom->bare = open->kind == OPEN_BEHIND;
	return 0;
}

static int read_group(struct translation *t, struct atom *atom)
{
	const struct opening *open = opening_find(t);
	size_t at = t->at, group = 0;

	if (!open && peek(t, 1) == '?')
		return refuse(t, E_PARSE, at, "unknown kind of group");
	t->at += open ? strlen(open->text) : 1;
	if (open && (open->kind == OPEN_AHEAD || open->kind == OPEN_BEHIND))
		return read_look(t, open, at, atom);
	if (open && open->kind == OPEN_PLAIN) {
		put(t, "(?:");
		return read_body(t, at, &atom->empty);
	}
	int r = open_capture(t, open != NULL, &group);
	if (r == 0)
		r = read_body(t, at, &atom->empty);
	if (r == 0)
		t->groups.p[group].closed = true;
	return r;
}

/* Terms. */

/* *, +, ?, {3}, {3,} or {3,5}; anything else is text and leaves *t alone. */
static bool read_repeat(struct translation *t, size_t *ret_min, size_t *ret_max)
{
	uint32_t unit = peek(t, 0);
	size_t number[2] = { unit == '+', unit == '?' ? 1 : REPEAT_INF }, i = 0, from;

	if (unit == '{' && unit_is_digit(peek(t, 1))) {
		number[0] = 0;
		number[1] = REPEAT_INF;
		for (size_t k = 0; k < 2; k++) {
			for (from = ++i; unit_is_digit(peek(t, i)); i++) {
				number[k] = i == from ? 0 : number[k];
				number[k] = min_size(number[k] * 10 + peek(t, i) - '0', REPEAT_INF);
			}
			if (k == 0 && peek(t, i) == '}')
				number[1] = number[0];
			if (k == 1 || peek(t, i) != ',')
				break;
		}
		if (peek(t, i) != '}')
			return false;
	} else if (unit != '*' && unit != '+' && unit != '?') {
		return false;
	}
	t->at += i + 1;
	*ret_min = number[0];
	*ret_max = number[1];
	return true;
}

static void put_repeat(struct translation *t, const struct atom *atom, size_t min, size_t max)
{
	bool lazy = skip(t, '?');

	/* A turn beyond the minimum that matches nothing does not count in JavaScript. */
	if (max == 0 || (atom->look && min == 0)) {
		/* The atom takes no part: its groups stay unset. PCRE2 10.42 misjudges some groups
		 * with {0}. */
		t->out->n = min_size(t->out->n, atom->out_at);
		t->numbers = atom->numbers;
		for (size_t i = atom->first_group; i < t->groups.n; i++)
			t->groups.p[i].number = 0;
		put(t, "(?:)");
	}
	if (max == 0 || atom->look)
		return;
	if (min <= 1 && max == REPEAT_INF)
		put(t, min ? "+" : "*");
	else if (max == REPEAT_INF)
		buf_addf(t->out, "{%zu,}", min);
	else if (min == 0 && max == 1)
		put(t, "?");
	else
		buf_addf(t->out, "{%zu,%zu}", min, max);
	if (lazy)
		put(t, "?");
}

static int read_quantifier(struct translation *t, struct atom *atom)
{
	size_t at = t->at, min, max;

	if (!read_repeat(t, &min, &max))
		return 0;
	if (min > max)
		return refuse(t, E_PARSE, at, "numbers in {} out of order");
	if (min > REPEAT_MAX || (max > REPEAT_MAX && max != REPEAT_INF))
		return refuse(t, E_LIMIT, at, "a number in {} is over 65535");
	/* Notes what the repetition does to the groups in it, see ref_check(). */
	for (size_t i = atom->first_group; i < t->groups.n; i++) {
		struct group *g = &t->groups.p[i];

		if (max > 1 && !atom->look && (g->maybe || atom->empty || t->behind))
			g->unstable = true;
		if (min < max && !atom->look && atom->empty && g->in_look)
			g->unstable = true;
		if (min == 0)
			g->maybe = true;
	}
	put_repeat(t, atom, min, max);
	atom->empty = atom->empty || min == 0;
	return 0;
}

/* Called at the backslash. */
static int read_escape(struct translation *t, struct atom *atom)
{
	const struct unit_class *named = unit_class_find(peek(t, 1));
	uint32_t letter = peek(t, 1), unit = 0;

	t->at++;
	if (letter == 'b' || letter == 'B') {
		t->at++;
		put(t, letter == 'b' ? "\\b" : "\\B");
		atom->empty = atom->bare = true;
		return 0;
	}
	if (named) {
		t->at++;
		put(t, named->text);
		return 0;
	}
	if (letter == 'k' && t->named) {
		struct ref ref = { .at = t->at - 1 };

		atom->empty = true;
		t->at++;
		if (!skip(t, '<'))
			return refuse(t, E_PARSE, ref.at, "\\k must be \\k<name> here");
		int r = read_name(t, &ref.name);
		if (r < 0)
			return r;
		if (find_name(t, ref.name, &ref.group))
			ref.name.n = 0;
		add_ref(t, ref);
		return 0;
	}
	if (unit_is_digit(letter) && letter != '0' && read_number_ref(t)) {
		atom->empty = true;
		return 0;
	}
	int r = read_char_escape(t, false, &unit);
	if (r < 0)
		return r;
	put_literal(t, unit);
	return 0;
}

static int read_atom(struct translation *t, struct atom *atom)
{
	uint32_t unit = peek(t, 0);
	size_t min, max, at = t->at;

	if (unit == '(')
		return read_group(t, atom);
	if (unit == '[') {
		size_t open = t->at++;
		bool negated = skip(t, '^');

		t->set.n = 0;
		while (!skip(t, ']')) {
			if (t->at >= t->n)
				return refuse(t, E_PARSE, open, "\"[\" without \"]\"");
			int r = read_class_item(t);
			if (r < 0)
				return r;
		}
		unit_set_write(&t->set, negated, t->icase, t->out);
		return 0;
	}
	if (unit == '\\')
		return read_escape(t, atom);
	if (read_repeat(t, &min, &max))
		return refuse(t, E_PARSE, at, "nothing to repeat");
	t->at++;
	if (unit == '^' || unit == '$') {
		put(t, unit == '^' ? "^" : "$");
		atom->empty = atom->bare = true;
	} else if (unit == '.') {
		put(t, "[^\\n\\r\\x{2028}\\x{2029}]");
	} else {
		put_literal(t, unit);
	}
	return 0;
}

static int read_alternative(struct translation *t, bool *ret_empty)
{
	bool empty = true;

	while (t->at < t->n && peek(t, 0) != '|' && peek(t, 0) != ')') {
		struct atom atom = { .first_group = t->groups.n,
				     .out_at = t->out->n,
				     .numbers = t->numbers };

		int r = read_atom(t, &atom);
		if (r < 0)
			return r;
		if (!atom.bare)
			r = read_quantifier(t, &atom);
		if (r < 0)
			return r;
		empty = empty && atom.empty;
	}
	*ret_empty = empty;
	return 0;
}

static int read_disjunction(struct translation *t, bool *ret_empty)
{
	size_t first = t->groups.n;
	bool empty = false, one = false;

	for (size_t i = 0;; i++) {
		int r = read_alternative(t, &one);
		if (r < 0)
			return r;
		empty = empty || one;
		if (!skip(t, '|')) {
			for (size_t g = first; i && g < t->groups.n; g++)
				t->groups.p[g].maybe = true;
			*ret_empty = empty;
			return 0;
		}
		put(t, "|");
	}
}

static int read_pattern(struct translation *t)
{
	bool empty;

	t->at = t->groups.n = t->refs.n = 0;
	t->depth = t->looks = t->behind = t->behinds = t->numbers = 0;
	int r = read_disjunction(t, &empty);
	if (r < 0)
		return r;
	if (t->at < t->n)
		return refuse(t, E_PARSE, t->at, "\")\" without \"(\"");
	for (size_t i = 0; i < t->refs.n; i++) {
		r = ref_check(t, &t->refs.p[i]);
		if (r < 0)
			return r;
	}
	return 0;
}

/* The first pass lets no group capture; when references need some, a second one does. */
static int read_twice(struct translation *t)
{
	size_t start = t->out->n, n_refs = 0;

	int r = read_pattern(t);
	if (r < 0)
		return r;
	AUTO(free) bool *wanted = xcalloc(t->groups.n + 1, sizeof *wanted);
	for (size_t i = 0; i < t->refs.n; i++) {
		if (t->refs.p[i].after) {
			wanted[t->refs.p[i].group] = true;
			n_refs++;
		}
	}
	if (n_refs) {
		t->out->n = start;
		t->wanted = wanted;
		t->n_wanted = t->groups.n;
		r = read_pattern(t);
	}
	t->wanted = NULL;
	t->n_wanted = 0;
	return r;
}

int regex_translate(struct str pattern, unsigned flags, struct buf *out, struct err *err)
{
	struct translation t = { .out = out, .err = err, .icase = flags & REGEX_ICASE };
	size_t start = out->n;
	bool in_class = false;

	if (pattern.n > REGEX_PATTERN_MAX)
		return err_set(err, E_LIMIT, "regular expression: longer than %d bytes",
			       REGEX_PATTERN_MAX);
	AUTO(free) uint16_t *units = xmalloc((pattern.n + 1) * sizeof *units);
	t.p = units;
	t.n = units_from(pattern, units);
	/*
	 * Counts the groups and looks for names: what \2 and \k mean depends on text behind them.
	 */
	t.total = 0;
	for (t.at = 0; t.at < t.n; t.at++) {
		uint32_t unit = peek(&t, 0);

		if (unit == '\\') {
			t.at++;
		} else if (in_class) {
			in_class = unit != ']';
		} else if (unit == '[') {
			in_class = true;
		} else if (unit == '(' && peek(&t, 1) != '?') {
			t.total++;
		} else if (unit == '(' && opening_find(&t) &&
			   opening_find(&t)->kind == OPEN_NAMED) {
			t.total++;
			t.named = true;
		}
	}
	int r = read_twice(&t);
	if (r == 0 && out->full)
		r = err_set(err, E_LIMIT, "regular expression: too large");
	if (r < 0)
		out->n = start;
	free(t.groups.p);
	free(t.refs.p);
	free(t.set.p);
	arena_done(&t.names);
	return r;
}

/* Values: text with marks in it, what they are put together from, and the names that have one. */
#include "base/wild.h"
#include "effects/run.h"

enum { VALUE_MAX = 64 << 10, FIELDS_MAX = 64 << 10 };

bool value_has(struct str value, enum mark m)
{
	return value.n && memchr(value.p, (char)m, value.n);
}

bool value_known(struct str value)
{
	for (size_t i = 0; i < value.n; i++)
		if (char_is_mark(value.p[i]))
			return false;
	return true;
}

struct str value_changed(struct str value)
{
	return value_has(value, MARK_WHOLE)    ? ENVIRONMENT
	       : value_has(value, MARK_SECRET) ? SECRET
					       : ANY;
}

struct str value_shown(struct arena *a, struct str value)
{
	static const char *const shown[] = {
		[MARK_ANY] = "\u2026",    [MARK_STAR] = "*",        [MARK_ONE] = "?",
		[MARK_FIELD] = " ",       [MARK_UNSET] = "\u2026",  [MARK_FETCHED] = "\u2026",
		[MARK_SECRET] = "\u2026", [MARK_HIDDEN] = "\u2026", [MARK_OPEN] = "{",
		[MARK_COMMA] = ",",       [MARK_CLOSE] = "}",       [MARK_CUT] = "",
		[MARK_WHOLE] = "",
	};
	AUTO(buf_done) struct buf out = { 0 };

	if (value_known(value))
		return arena_str(a, value);
	for (size_t i = 0; i < value.n; i++)
		if (char_is_mark(value.p[i]))
			buf_addz(&out, shown[(unsigned char)value.p[i]]);
		else
			buf_addc(&out, value.p[i]);
	return arena_str(a, buf_str(&out));
}

bool value_fits(struct str value, struct str name)
{
	static const struct wild_notation marks = {
		.sign = { ['*'] = WILD_ANY_NUMBER,
			  [MARK_STAR] = WILD_ANY_NUMBER,
			  [MARK_ANY] = WILD_ANY_NUMBER,
			  [MARK_UNSET... MARK_HIDDEN] = WILD_ANY_NUMBER,
			  ['?'] = WILD_ONE,
			  [MARK_ONE] = WILD_ONE },
	};

	return wild_fits_as(value, name, &marks);
}

bool run_spend(struct run *r, size_t n)
{
	struct effects_state *s = r->e->state;

	if (r->e->n >= EFFECTS_MAX)
		effects_unjudged(r->e, STR("(too many effects)"));
	if (s->work > EFFECTS_WORK_MAX || r->e->n >= EFFECTS_MAX)
		return false;
	s->work += n;
	if (s->work > EFFECTS_WORK_MAX)
		effects_unjudged(r->e, STR("(too much to follow)"));
	return s->work <= EFFECTS_WORK_MAX;
}

enum { WORK_BYTES = 32 }; /* of values, that cost what a word does */

void run_copied(struct run *r, size_t bytes)
{
	(void)run_spend(r, bytes / WORK_BYTES);
}

struct str without_line_ends(struct str value)
{
	while (value.n && value.p[value.n - 1] == '\n')
		value.n--;
	return value;
}

void text_add(struct run *r, struct text *t, struct str s)
{
	t->file = (struct str){ 0 };
	if (t->n + s.n > VALUE_MAX) {
		if (t->n && t->p[t->n - 1] == MARK_CUT)
			return;
		s = CUT;
	}
	run_copied(r, s.n);
	if (t->n + s.n > t->cap) {
		size_t cap = max_size(2 * t->cap, max_size(64, t->n + s.n));
		char *p = arena_raw(r->a, cap);

		if (t->n)
			memcpy(p, t->p, t->n);
		t->p = p;
		t->cap = cap;
	}
	if (s.n)
		memcpy(t->p + t->n, s.p, s.n);
	t->n += s.n;
}

void text_addc(struct run *r, struct text *t, char c)
{
	if (t->n < t->cap)
		t->p[t->n++] = c;
	else
		text_add(r, t, (struct str){ &c, 1 });
}

struct str text_join(struct run *r, const struct str *p, size_t n, char between)
{
	struct text t = { 0 };

	for (size_t i = 0; i < n; i++) {
		if (i)
			text_addc(r, &t, between);
		text_add(r, &t, p[i]);
	}
	return text_str(&t);
}

void field_add(struct run *r, struct fields *to, struct str s)
{
	if (to->n >= FIELDS_MAX) {
		effects_unjudged(r->e, STR("(too many words)"));
		return;
	}
	*ARENA_ADD(r->a, to) = s;
}

void fields_add(struct run *r, struct fields *to, const struct call *c, size_t from)
{
	for (size_t i = from; i < c->n; i++)
		field_add(r, to, c->words[i]);
}

static uint64_t name_bit(struct str name)
{
	return UINT64_C(1) << (str_hash(STR_HASH, name) >> 58);
}

const struct binding *binding_find(const struct binding *b, struct str name)
{
	uint64_t bit = name_bit(name);

	while (b && (b->names & bit) && !str_eq(b->name, name))
		b = b->next;
	return b && (b->names & bit) ? b : NULL;
}

struct binding *binding_add(struct arena *a, const struct binding **list, struct str name)
{
	struct binding *b = ARENA_NEW(a, struct binding);

	*b = (struct binding){ .next = *list,
			       .names = name_bit(name) | (*list ? (*list)->names : 0),
			       .name = name };
	*list = b;
	return b;
}

void binding_set(struct run *r, const struct binding **list, struct str name, struct str value)
{
	binding_add(r->a, list, name)->value = value;
}

struct str directory_of(struct str path)
{
	size_t n = path.n;

	while (n && path.p[n - 1] != '/')
		n--;
	return str_sub(path, 0, n ? n - 1 : 0);
}

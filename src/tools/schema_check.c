/*
 * One function a keyword, in the order in which Ajv reports.  Evaluation is bounded by steps, since
 * references may go in circles or multiply; a schema that takes too many accepts.
 */
#include "tools/schema_check.h"
#include "base/words.h"

#include <math.h>

#include "base/regex.h"
#include "base/utf8.h"
#include "os/clock.h"

enum { STEPS_MAX = 200000, DEPTH_MAX = 256, ENUM_DEPTH = 16, PATTERNS_US = 2000000 };

struct check {
	const struct json *root; /* the whole schema, for references */
	unsigned steps, depth;
	int64_t until_us; /* for all patterns together; 0 = there was none yet */
	bool gave_up;
};

/* Where in the value we are: "params/x/0". */
struct place {
	const struct place *up; /* NULL at the root */
	struct str key; /* a member's name, or .p == NULL: an item's index */
	size_t index;
	const char *root;
};

/* A value being checked against one keyword of one schema object. */
struct at {
	struct check *c;
	const struct json *schema, *value;
	const struct place *place;
	struct err *err;
	const struct keyword *keyword;
};

struct keyword {
	struct str name;
	int (*check)(const struct at *t, const struct json *k);
	const char *unit; /* of check_bound() and check_size() */
	enum json_type type; /* of check_size() */
};

static void add_place(struct buf *out, const struct place *p)
{
	if (!p->up) {
		buf_addz(out, p->root);
		return;
	}
	add_place(out, p->up);
	if (p->key.p)
		buf_addf(out, "/%.*s", STR_ARG(p->key));
	else
		buf_addf(out, "/%zu", p->index);
}

static int violation(const struct at *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
static int violation(const struct at *t, const char *fmt, ...)
{
	AUTO(buf_done) struct buf text = { 0 };
	va_list ap;

	add_place(&text, t->place);
	buf_addc(&text, ' ');
	va_start(ap, fmt);
	buf_vaddf(&text, fmt, ap);
	va_end(ap);
	return err_set(t->err, E_PARSE, "%s", buf_z(&text));
}

static int check_value(struct check *c, const struct json *schema, const struct json *value,
		       const struct place *place, struct err *err);

/* The same value against another schema. */
static int check_other(const struct at *t, const struct json *schema, struct err *err)
{
	return check_value(t->c, schema, t->value, t->place, err);
}

static int check_member(const struct at *t, const struct json *schema, const struct json_member *m)
{
	const struct place place = { .up = t->place,
				     .key = { m->key.p ? m->key.p : "", m->key.n } };

	return check_value(t->c, schema, &m->v, &place, t->err);
}

static int check_item(const struct at *t, const struct json *schema, size_t i, struct err *err)
{
	const struct place place = { .up = t->place, .index = i };

	return check_value(t->c, schema, &t->value->items[i], &place, err);
}

static bool number_of(const struct json *v, double *ret_d)
{
	if (!json_is(v, J_NUM))
		return false;
	*ret_d = json_num(v, 0);
	return true;
}

/* ---- any value ---- */

static int check_type(const struct at *t, const struct json *k)
{
	static const char *const known[] = { "null",   "boolean", "number", "integer",
					     "string", "array",   "object" };
	AUTO(buf_done) struct buf names = { 0 };
	size_t n = json_is(k, J_ARR) ? k->n : 1;
	double d;

	if (json_is(t->value, J_NULL) && json_is_true(json_getz(t->schema, "nullable")))
		return 0;
	for (size_t i = 0; i < n; i++) {
		struct str type = json_str(json_is(k, J_ARR) ? json_at(k, i) : k, STR(""));

		if (!WORD_IN(type, known) || str_eqz(type, json_type_name(t->value)) ||
		    (str_eqz(type, "integer") && number_of(t->value, &d) && isfinite(d) &&
		     floor(d) == d))
			return 0;
		buf_addf(&names, "%s%.*s", i ? "," : "", STR_ARG(type));
	}
	return n ? violation(t, "must be %s", buf_z(&names)) : 0;
}

static int check_enum(const struct at *t, const struct json *k)
{
	if (!json_is(k, J_ARR) ||
	    (json_is(t->value, J_NULL) && json_is_true(json_getz(t->schema, "nullable"))))
		return 0;
	for (size_t i = 0; i < k->n; i++)
		if (json_equal(&k->items[i], t->value))
			return 0;
	return violation(t, "must be equal to one of the allowed values");
}

static int check_const(const struct at *t, const struct json *k)
{
	return json_equal(k, t->value) ? 0 : violation(t, "must be equal to constant");
}

/* ---- numbers ---- */

/* How far it is from the next whole number. */
static double off_whole(double q)
{
	double part = fabs(q) < 0x1p53 ? fabs(q) - (double)(int64_t)fabs(q) : 0;

	return part > 0.5 ? 1 - part : part;
}

/* Is there no rest, exactly?  d / m is more than a double can be. */
static bool divides(double m, double d)
{
	int m_power, d_power;
	uint64_t step = double_mantissa(m, &m_power),
		 rest = double_mantissa(fabs(d), &d_power) % step;

	for (; rest && d_power > m_power; d_power--)
		rest = rest * 2 % step;
	return rest == 0;
}

static int check_multiple(const struct at *t, const struct json *k)
{
	double d, m, q;

	if (!number_of(t->value, &d) || !number_of(k, &m) || !(m > 0))
		return 0;
	q = d / m;
	/* 0.3 is a multiple of 0.1, whatever binary fractions say. */
	if (isfinite(q) ? off_whole(q) <= 1e-12 * (fabs(q) > 1 ? fabs(q) : 1)
			: isfinite(d) && divides(m, d))
		return 0;
	return violation(t, "must be multiple of %.*s", (int)k->n, k->s);
}

/* minimum and the like: the unit is the comparison. */
static int check_bound(const struct at *t, const struct json *k)
{
	const char *unit = t->keyword->unit;
	double d, limit, over;

	if (!number_of(t->value, &d) || !number_of(k, &limit))
		return 0;
	over = unit[0] == '>' ? d - limit : limit - d;
	if (unit[1] == '=' ? over >= 0 : over > 0)
		return 0;
	return violation(t, "must be %s %.*s", unit, (int)k->n, k->s);
}

/* ---- strings ---- */

/* minLength, maxItems and the like. */
static int check_size(const struct at *t, const struct json *k)
{
	bool most = str_starts(t->keyword->name, STR("max"));
	size_t have = json_is(t->value, J_STR)
			      ? utf8_count((struct str){ t->value->s, t->value->n })
			      : t->value->n;
	double limit;

	if (!json_is(t->value, t->keyword->type) || !number_of(k, &limit) || !(limit >= 0))
		return 0;
	limit = (double)(uint64_t)(limit < 1e15 ? limit : 1e15);
	if (most ? (double)have <= limit : (double)have >= limit)
		return 0;
	return violation(t, "must NOT have %s than %.0f %s", most ? "more" : "fewer", limit,
			 t->keyword->unit);
}

/* Each pattern has limits of its own (base/regex.h), but a schema may have thousands. */
static bool has_time(struct check *c)
{
	int64_t now = clock_cpu_us();

	if (!c->until_us)
		c->until_us = now + PATTERNS_US;
	c->gave_up = c->gave_up || now > c->until_us;
	return !c->gave_up;
}

/* A pattern that cannot be compiled, or does not come to an end, says nothing. */
static bool pattern_fails(struct check *c, struct str pattern, struct str s)
{
	AUTO(regex_free) struct regex *re = NULL;

	return has_time(c) && regex_compile(pattern, 0, &re, NULL) == 0 &&
	       regex_test(re, s, NULL) == REGEX_NO;
}

static int check_pattern(const struct at *t, const struct json *k)
{
	if (!json_is(t->value, J_STR) || !json_is(k, J_STR) ||
	    !pattern_fails(t->c, json_str(k, STR("")), json_str(t->value, STR(""))))
		return 0;
	return violation(t, "must match pattern \"%.*s\"", (int)k->n, k->s);
}

static const struct format {
	const char *name, *pattern;
} formats[] = {
	{ "date-time",
	  "^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])[Tt ]([01]\\d|2[0-3]):[0-5]\\d:"
	  "([0-5]\\d|60)(\\.\\d+)?([Zz]|[+-]([01]\\d|2[0-3]):[0-5]\\d)$" },
	{ "email", "^[^\\s@]+@[^\\s@.]+(\\.[^\\s@.]+)*$" },
	{ "uri", "^[A-Za-z][A-Za-z0-9+.-]*:[^\\s<>\"{}|\\\\^`]*$" },
};

static int check_format(const struct at *t, const struct json *k)
{
	struct str name = json_str(k, STR(""));

	for (size_t i = 0; i < ARRAY_LEN(formats) && json_is(t->value, J_STR); i++)
		if (str_eqz(name, formats[i].name) &&
		    pattern_fails(t->c, str_from(formats[i].pattern), json_str(t->value, STR(""))))
			return violation(t, "must match format \"%s\"", formats[i].name);
	return 0;
}

/* ---- arrays ---- */

static int check_items_from(const struct at *t, const struct json *schema, size_t first)
{
	int r = 0;

	for (size_t i = first; i < t->value->n && r == 0; i++)
		r = check_item(t, schema, i, t->err);
	return r;
}

static int check_tuple(const struct at *t, const struct json *k)
{
	int r = 0;

	for (size_t i = 0; i < t->value->n && i < k->n && r == 0; i++)
		r = check_item(t, &k->items[i], i, t->err);
	return r;
}

/* draft 7: a schema or a list of them with additionalItems; 2020-12: what follows prefixItems. */
static int check_items(const struct at *t, const struct json *k)
{
	const struct json *more = json_getz(t->schema, "additionalItems");
	const struct json *prefix = json_getz(t->schema, "prefixItems");
	int r;

	if (!json_is(t->value, J_ARR))
		return 0;
	if (!json_is(k, J_ARR))
		return check_items_from(t, k, json_is(prefix, J_ARR) ? prefix->n : 0);
	r = check_tuple(t, k);
	if (r < 0 || !more || t->value->n <= k->n)
		return r;
	if (json_is_false(more))
		return violation(t, "must NOT have more than %zu items", k->n);
	return check_items_from(t, more, k->n);
}

static int check_prefix_items(const struct at *t, const struct json *k)
{
	return json_is(t->value, J_ARR) && json_is(k, J_ARR) ? check_tuple(t, k) : 0;
}

static int check_contains(const struct at *t, const struct json *k)
{
	if (!json_is(t->value, J_ARR))
		return 0;
	for (size_t i = 0; i < t->value->n; i++)
		if (check_item(t, k, i, NULL) == 0)
			return 0;
	return violation(t, "must contain at least 1 valid item(s)");
}

static int check_unique(const struct at *t, const struct json *k)
{
	if (!json_is(t->value, J_ARR) || !json_is_true(k))
		return 0;
	for (size_t i = 1; i < t->value->n; i++)
		for (size_t j = 0; j < i; j++) {
			if (++t->c->steps > STEPS_MAX * 16)
				return 0;
			if (json_equal(&t->value->items[i], &t->value->items[j]))
				return violation(t,
						 "must NOT have duplicate items (items ## %zu and "
						 "%zu are identical)",
						 j, i);
		}
	return 0;
}

/* ---- objects ---- */

static int check_required(const struct at *t, const struct json *k)
{
	if (!json_is(t->value, J_OBJ) || !json_is(k, J_ARR))
		return 0;
	for (size_t i = 0; i < k->n; i++) {
		struct str name = json_str(&k->items[i], STR(""));

		if (json_is(&k->items[i], J_STR) && !json_get(t->value, name))
			return violation(t, "must have required property '%.*s'", STR_ARG(name));
	}
	return 0;
}

static int check_properties(const struct at *t, const struct json *k)
{
	int r = 0;

	if (!json_is(t->value, J_OBJ) || !json_is(k, J_OBJ))
		return 0;
	for (size_t i = 0; i < k->n && r == 0; i++) {
		const struct json_member *m = json_member(t->value, k->members[i].key);

		if (m)
			r = check_member(t, &k->members[i].v, m);
	}
	return r;
}

static int check_pattern_properties(const struct at *t, const struct json *k)
{
	int r = 0;

	if (!json_is(t->value, J_OBJ) || !json_is(k, J_OBJ))
		return 0;
	for (size_t i = 0; i < k->n; i++) {
		AUTO(regex_free) struct regex *re = NULL;

		if (regex_compile(k->members[i].key, 0, &re, NULL) < 0)
			continue;
		for (size_t j = 0; j < t->value->n && r == 0 && has_time(t->c); j++)
			if (regex_test(re, t->value->members[j].key, NULL) == REGEX_YES)
				r = check_member(t, &k->members[i].v, &t->value->members[j]);
	}
	return r;
}

/* Is it named by properties or patternProperties? */
static bool is_named(const struct at *t, struct str key)
{
	const struct json *patterns = json_getz(t->schema, "patternProperties");

	if (json_get(json_getz(t->schema, "properties"), key))
		return true;
	for (size_t i = 0; json_is(patterns, J_OBJ) && i < patterns->n; i++) {
		AUTO(regex_free) struct regex *re = NULL;

		if (!has_time(t->c) || regex_compile(patterns->members[i].key, 0, &re, NULL) < 0 ||
		    regex_test(re, key, NULL) == REGEX_YES)
			return true;
	}
	return false;
}

static int check_additional(const struct at *t, const struct json *k)
{
	int r = 0;

	for (size_t i = 0; json_is(t->value, J_OBJ) && i < t->value->n && r == 0; i++) {
		const struct json_member *m = &t->value->members[i];

		if (is_named(t, m->key))
			continue;
		r = json_is_false(k) ? violation(t, "must NOT have additional properties")
				     : check_member(t, k, m);
	}
	return r;
}

static int check_names(const struct at *t, const struct json *k)
{
	for (size_t i = 0; json_is(t->value, J_OBJ) && i < t->value->n; i++) {
		struct str key = t->value->members[i].key;
		const struct json name = { .type = J_STR, .s = key.p, .n = key.n };

		if (check_value(t->c, k, &name, t->place, NULL) < 0)
			return violation(t, "property name '%.*s' must be valid", STR_ARG(key));
	}
	return 0;
}

/* dependencies, and what 2019-09 has split it into. */
static int check_dependencies(const struct at *t, const struct json *k)
{
	int r = 0;

	if (!json_is(t->value, J_OBJ) || !json_is(k, J_OBJ))
		return 0;
	for (size_t i = 0; i < k->n && r == 0; i++) {
		const struct json_member *m = &k->members[i];

		if (!json_get(t->value, m->key))
			continue;
		if (!json_is(&m->v, J_ARR))
			r = check_other(t, &m->v, t->err);
		for (size_t j = 0; json_is(&m->v, J_ARR) && j < m->v.n && r == 0; j++) {
			struct str name = json_str(json_at(&m->v, j), STR(""));

			if (!json_get(t->value, name))
				r = violation(t,
					      "must have property %.*s when property %.*s is "
					      "present",
					      STR_ARG(name), STR_ARG(m->key));
		}
	}
	return r;
}

/* ---- combinations ---- */

static int check_all(const struct at *t, const struct json *k)
{
	int r = 0;

	for (size_t i = 0; json_is(k, J_ARR) && i < k->n && r == 0; i++)
		r = check_other(t, &k->items[i], t->err);
	return r;
}

static int check_any(const struct at *t, const struct json *k)
{
	if (!json_is(k, J_ARR) || k->n == 0)
		return 0;
	for (size_t i = 0; i < k->n; i++)
		if (check_other(t, &k->items[i], NULL) == 0)
			return 0;
	return violation(t, "must match a schema in anyOf");
}

static int check_one(const struct at *t, const struct json *k)
{
	size_t n = 0;

	if (!json_is(k, J_ARR) || k->n == 0)
		return 0;
	for (size_t i = 0; i < k->n; i++)
		n += check_other(t, &k->items[i], NULL) == 0;
	return n == 1 ? 0 : violation(t, "must match exactly one schema in oneOf");
}

static int check_not(const struct at *t, const struct json *k)
{
	if (check_other(t, k, NULL) < 0 || t->c->gave_up)
		return 0;
	return violation(t, "must NOT be valid");
}

static int check_if(const struct at *t, const struct json *k)
{
	bool yes = check_other(t, k, NULL) == 0;
	const struct json *branch = json_get(t->schema, yes ? STR("then") : STR("else"));

	if (!branch || check_other(t, branch, NULL) == 0)
		return 0;
	return violation(t, "must match \"%s\" schema", yes ? "then" : "else");
}

/* ---- references ---- */

/* %2F and the like; RFC 6901 in a URI fragment. */
static struct str unescape(struct str s, struct buf *out)
{
	for (size_t i = 0; i < s.n; i++) {
		char hex[3] = { i + 2 < s.n ? s.p[i + 1] : 0, str_at(s, i + 2), 0 };

		if (s.p[i] == '%' && char_hex(hex[0]) >= 0 && char_hex(hex[1]) >= 0) {
			buf_addc(out, (char)strtol(hex, NULL, 16));
			i += 2;
		} else {
			buf_addc(out, s.p[i]);
		}
	}
	return buf_str(out);
}

/* The schema that calls itself so ("$id": "#foo"), anywhere that schemas are. */
static const struct json *find_id(const struct json *v, struct str id, unsigned depth)
{
	const struct json *found = NULL;

	if (depth == 0 || !v)
		return NULL;
	if (v->type == J_OBJ && str_eq(json_get_str(v, "$id"), id))
		return v;
	for (size_t i = 0; v->type == J_ARR && i < v->n && !found; i++)
		found = find_id(&v->items[i], id, depth - 1);
	for (size_t i = 0; v->type == J_OBJ && i < v->n && !found; i++)
		if (!str_eq(v->members[i].key, STR("enum")) &&
		    !str_eq(v->members[i].key, STR("const")))
			found = find_id(&v->members[i].v, id, depth - 1);
	return found;
}

/* What is not in this document says nothing. */
static int check_ref(const struct at *t, struct str ref)
{
	AUTO(buf_done) struct buf plain = { 0 };
	const struct json *schema;

	if (str_eq(ref, STR("#")))
		schema = t->c->root;
	else if (str_starts(ref, STR("#/")))
		schema = json_pointer(t->c->root, unescape(str_sub(ref, 1, ref.n), &plain));
	else
		schema = find_id(t->c->root, ref, ENUM_DEPTH);
	return schema ? check_other(t, schema, t->err) : 0;
}

/* ---- all of it ---- */

static const struct keyword keywords[] = {
	{ STR("type"), check_type },
	{ STR("enum"), check_enum },
	{ STR("const"), check_const },
	{ STR("maximum"), check_bound, "<=" },
	{ STR("minimum"), check_bound, ">=" },
	{ STR("exclusiveMaximum"), check_bound, "<" },
	{ STR("exclusiveMinimum"), check_bound, ">" },
	{ STR("multipleOf"), check_multiple },
	{ STR("maxLength"), check_size, "characters", J_STR },
	{ STR("minLength"), check_size, "characters", J_STR },
	{ STR("pattern"), check_pattern },
	{ STR("format"), check_format },
	{ STR("maxProperties"), check_size, "properties", J_OBJ },
	{ STR("minProperties"), check_size, "properties", J_OBJ },
	{ STR("required"), check_required },
	{ STR("maxItems"), check_size, "items", J_ARR },
	{ STR("minItems"), check_size, "items", J_ARR },
	{ STR("uniqueItems"), check_unique },
	{ STR("propertyNames"), check_names },
	{ STR("additionalProperties"), check_additional },
	{ STR("dependencies"), check_dependencies },
	{ STR("dependentRequired"), check_dependencies },
	{ STR("dependentSchemas"), check_dependencies },
	{ STR("properties"), check_properties },
	{ STR("patternProperties"), check_pattern_properties },
	{ STR("prefixItems"), check_prefix_items },
	{ STR("items"), check_items },
	{ STR("contains"), check_contains },
	{ STR("not"), check_not },
	{ STR("anyOf"), check_any },
	{ STR("oneOf"), check_one },
	{ STR("allOf"), check_all },
	{ STR("if"), check_if },
};

static int check_value(struct check *c, const struct json *schema, const struct json *value,
		       const struct place *place, struct err *err)
{
	struct at t = { c, schema, value, place, err, NULL };
	const struct json *ref = json_getz(schema, "$ref");
	int r = 0;

	if (json_is_false(schema))
		return violation(&t, "boolean schema is false");
	if (!json_is(schema, J_OBJ))
		return 0;
	if (c->depth >= DEPTH_MAX || ++c->steps > STEPS_MAX) {
		c->gave_up = true;
		return 0;
	}
	c->depth++;
	/* In draft 7 a reference makes its neighbours void. */
	if (json_is(ref, J_STR))
		r = check_ref(&t, json_str(ref, STR("")));
	for (size_t i = 0; i < ARRAY_LEN(keywords) && r == 0 && !json_is(ref, J_STR); i++) {
		const struct json *k = json_get(schema, keywords[i].name);

		t.keyword = &keywords[i];
		if (k)
			r = t.keyword->check(&t, k);
	}
	c->depth--;
	return r;
}

int schema_check(const struct json *schema, const struct json *value, const char *root,
		 struct err *err)
{
	struct check c = { .root = schema };
	const struct place place = { .root = root };
	struct err violated;
	int r = check_value(&c, schema, value, &place, &violated);

	/* An unfinished check proves nothing against the value. */
	if (r == 0 || c.gave_up)
		return 0;
	return err_set(err, violated.code, "%s", violated.text);
}

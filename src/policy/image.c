/*
 * The structures as they are in memory, with places in the image for pointers; 0 is NULL.  What
 * a structure points to comes before it, so that a place is known when it is written down.
 */
#include "policy/image.h"

#include <stddef.h>

#include "base/json.h"
#include "base/vec.h"
#include "policy/impl.h"

/* A member of a structure that points to something. */
struct part {
	enum part_kind {
		PART_Z,
		PART_STR,
		PART_LIST, /* of strings, NULL-terminated */
		PART_VALUE, /* JSON */
		PART_REGEX,
		PART_OBJECT,
	} kind;
	size_t at;
	const struct form *form; /* of an object */
	size_t n_at; /* the member that says how many objects there are; 0: one */
};

struct form {
	size_t size;
	const struct part *parts;
	size_t n;
};

typedef size_t place;

struct image {
	struct buf *out; /* when it is written */
	struct arena *arena;
	struct policy *policy; /* when it is read */
	struct str bytes;
};

struct head {
	struct str pack, version, about;
	const struct rule *rules;
	size_t n;
};

static const struct part effect_parts[] = {
	{ PART_LIST, offsetof(struct effect_test, target) },
	{ PART_LIST, offsetof(struct effect_test, words) },
};
static const struct form effect_form = { sizeof(struct effect_test), effect_parts,
					 ARRAY_LEN(effect_parts) };

static const struct form test_form;
static const struct part test_parts[] = {
	{ PART_STR, offsetof(struct member_test, pointer) },
	{ PART_VALUE, offsetof(struct member_test, equals) },
	{ PART_VALUE, offsetof(struct member_test, in) },
	{ PART_REGEX, offsetof(struct member_test, regex) },
	{ PART_LIST, offsetof(struct member_test, globs) },
	{ PART_OBJECT, offsetof(struct member_test, of), &test_form,
	  offsetof(struct member_test, n) },
};
static const struct form test_form = { sizeof(struct member_test), test_parts,
				       ARRAY_LEN(test_parts) };

static const struct part rule_parts[] = {
	{ PART_LIST, offsetof(struct rule, tools) },
	{ PART_Z, offsetof(struct rule, server) },
	{ PART_Z, offsetof(struct rule, server_tool) },
	{ PART_LIST, offsetof(struct rule, agents) },
	{ PART_REGEX, offsetof(struct rule, command) },
	{ PART_REGEX, offsetof(struct rule, args) },
	{ PART_OBJECT, offsetof(struct rule, members), &test_form },
	{ PART_OBJECT, offsetof(struct rule, effect), &effect_form },
	{ PART_Z, offsetof(struct rule, name) },
	{ PART_Z, offsetof(struct rule, message) },
	{ PART_Z, offsetof(struct rule, instead) },
	{ PART_Z, offsetof(struct rule, context) },
	{ PART_VALUE, offsetof(struct rule, rewrite) },
};
static const struct form rule_form = { sizeof(struct rule), rule_parts, ARRAY_LEN(rule_parts) };

static const struct part head_parts[] = {
	{ PART_STR, offsetof(struct head, pack) },
	{ PART_STR, offsetof(struct head, version) },
	{ PART_STR, offsetof(struct head, about) },
	{ PART_OBJECT, offsetof(struct head, rules), &rule_form, offsetof(struct head, n) },
};
static const struct form head_form = { sizeof(struct head), head_parts, ARRAY_LEN(head_parts) };

/* How many objects a part of this object points to. */
static size_t part_count(const struct part *part, const char *object)
{
	size_t n = 1;

	if (part->n_at)
		memcpy(&n, object + part->n_at, sizeof n);
	return n;
}

/* ---- writing ---- */

static place put(struct image *m, const void *bytes, size_t n)
{
	place at = m->out->n;

	buf_add(m->out, bytes, n);
	return at;
}

static place put_text(struct image *m, struct str s)
{
	place at = put(m, s.p, s.n);

	buf_addc(m->out, '\0');
	return at;
}

static place put_list(struct image *m, const char *const *list)
{
	place *places;
	size_t n = 0;

	while (list[n])
		n++;
	places = ARENA_ARRAY(m->arena, place, n + 1);
	places[0] = n;
	for (size_t i = 0; i < n; i++)
		places[i + 1] = put_text(m, str_from(list[i]));
	return put(m, places, (n + 1) * sizeof *places);
}

static place put_objects(struct image *m, const void *objects, size_t n, const struct form *form);

static place put_part(struct image *m, const struct part *part, const char *object)
{
	const void *to;
	struct str s;

	memcpy(&to, object + part->at, sizeof to);
	if (!to)
		return 0;
	switch (part->kind) {
	case PART_Z:
		return put_text(m, str_from(to));
	case PART_STR:
		memcpy(&s, object + part->at, sizeof s);
		return put_text(m, s);
	case PART_LIST:
		return put_list(m, to);
	case PART_VALUE:
		return put_text(m, json_text(m->arena, to, JSON_COMPACT));
	case PART_REGEX:
		return put_text(m, regex_pattern(to));
	case PART_OBJECT:
		return put_objects(m, to, part_count(part, object), part->form);
	}
	BUG();
}

static place put_objects(struct image *m, const void *objects, size_t n, const struct form *form)
{
	char *own = memcpy(arena_alloc(m->arena, n * form->size), objects, n * form->size);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < form->n; k++) {
			char *object = own + i * form->size;
			place at = put_part(m, &form->parts[k], object);

			memcpy(object + form->parts[k].at, &at, sizeof at);
		}
	return put(m, own, n * form->size);
}

bool policy_image_write(struct buf *out, const struct policy *p)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct image m = { .out = out, .arena = &a };
	struct rule *rules = ARENA_ARRAY(&a, struct rule, p->rules.n);
	struct head head = { p->pack, p->version, p->about, rules, p->rules.n };
	place at = 0;

	(void)put(&m, &at, sizeof at); /* 0 is NULL; the head's place, once it is known */
	for (size_t i = 0; i < p->rules.n; i++) {
		rules[i] = p->rules.p[i];
		if (rules[i].prefix || rules[i].fits || rules[i].from)
			return false;
		rules[i].file = NULL;
		rules[i].priority -= tiers[rules[i].tier].policies;
		rules[i].tier = 0;
	}
	at = put_objects(&m, &head, 1, &head_form);
	memcpy(out->p, &at, sizeof at);
	return true;
}

/* ---- reading ---- */

static const char *text_at(const struct image *m, place at)
{
	return m->bytes.p + at;
}

static const char *const *take_list(struct image *m, place at)
{
	const char **list;
	place n;

	memcpy(&n, text_at(m, at), sizeof n);
	list = ARENA_ARRAY(m->arena, const char *, n + 1);
	for (size_t i = 0; i < n; i++) {
		place one;

		memcpy(&one, text_at(m, at + (i + 1) * sizeof one), sizeof one);
		list[i] = text_at(m, one);
	}
	return list;
}

static void take_objects(struct image *m, char *to, place at, size_t n, const struct form *form);

static const void *take_part(struct image *m, const struct part *part, const char *object, place at)
{
	size_t n = part_count(part, object);
	const struct json *v = NULL;
	char *own;

	switch (part->kind) {
	case PART_Z:
	case PART_STR:
		return text_at(m, at);
	case PART_LIST:
		return take_list(m, at);
	case PART_VALUE:
		if (json_parse(m->arena, str_from(text_at(m, at)), JSON_BORROW, &v, NULL) < 0)
			BUG();
		return v;
	case PART_REGEX:
		return *VEC_ADD(&m->policy->regexes) = regex_later(str_from(text_at(m, at)), 0);
	case PART_OBJECT:
		own = arena_raw(m->arena, n * part->form->size);
		take_objects(m, own, at, n, part->form);
		return own;
	}
	BUG();
}

static void take_objects(struct image *m, char *to, place at, size_t n, const struct form *form)
{
	memcpy(to, text_at(m, at), n * form->size);
	for (size_t i = 0; i < n; i++, to += form->size)
		for (size_t k = 0; k < form->n; k++) {
			const struct part *part = &form->parts[k];
			const void *found;

			memcpy(&at, to + part->at, sizeof at);
			found = at ? take_part(m, part, to, at) : NULL;
			memcpy(to + part->at, &found, sizeof found);
		}
}

void policy_image_read(struct policy *p, struct str image, const char *path, enum tl_tier tier)
{
	struct image m = { .arena = &p->arena, .policy = p, .bytes = image };
	const char *file = arena_z(&p->arena, str_from(path));
	struct head head;
	place at;

	memcpy(&at, image.p, sizeof at);
	take_objects(&m, (char *)&head, at, 1, &head_form);
	p->pack = head.pack;
	p->version = head.version;
	p->about = head.about;
	for (size_t i = 0; i < head.n; i++) {
		struct rule rule = head.rules[i];

		rule.file = file;
		rule.tier = tier;
		rule.priority += tiers[tier].policies;
		policy_add(p, &rule);
	}
}

/* A value: its type, its place, its bytes, items or members; numbers in groups of 7 bits. */
#include "base/json_image.h"

enum { DEPTH_MAX = 100, GROUP_BITS = 7, MORE = 1 << GROUP_BITS };

static void put(struct buf *out, size_t n)
{
	for (; n >= MORE; n >>= GROUP_BITS)
		buf_addc(out, (char)(n | MORE));
	buf_addc(out, (char)n);
}

static void put_text(struct buf *out, struct str s)
{
	put(out, s.n);
	buf_adds(out, s);
}

void json_image_write(struct buf *out, const struct json *v)
{
	buf_addc(out, (char)v->type);
	put(out, v->pos);
	if (v->type == J_BOOL)
		put(out, v->yes);
	else if (v->type == J_STR || v->type == J_NUM)
		put_text(out, (struct str){ v->s, v->n });
	else if (v->type != J_NULL)
		put(out, v->n);
	for (size_t i = 0; v->type == J_ARR && i < v->n; i++)
		json_image_write(out, &v->items[i]);
	for (size_t i = 0; v->type == J_OBJ && i < v->n; i++) {
		put_text(out, v->members[i].key);
		put(out, v->members[i].pos);
		json_image_write(out, &v->members[i].v);
	}
}

struct image {
	struct arena *a;
	struct str rest;
	bool bad;
};

static size_t take(struct image *m)
{
	size_t n = 0;

	for (unsigned shift = 0; m->rest.n && shift < 32; shift += GROUP_BITS) {
		size_t c = (unsigned char)m->rest.p[0];

		m->rest = str_sub(m->rest, 1, m->rest.n);
		n |= (c & (MORE - 1)) << shift;
		if (!(c & MORE))
			return n;
	}
	m->bad = true;
	return 0;
}

/* A number of things that take a byte at least. */
static size_t take_count(struct image *m)
{
	size_t n = take(m);

	m->bad |= n > m->rest.n;
	return m->bad ? 0 : n;
}

static struct str take_text(struct image *m)
{
	size_t n = take_count(m);
	struct str s = str_sub(m->rest, 0, n);

	m->rest = str_sub(m->rest, n, m->rest.n);
	return s;
}

static struct json take_value(struct image *m, unsigned depth)
{
	struct json v = { .type = (uint8_t)take(m), .pos = (uint32_t)take(m) };
	struct json_member *members;
	struct json *items;
	struct str text;
	uint32_t pos = v.pos;

	m->bad |= depth > DEPTH_MAX || v.type > J_OBJ;
	if (m->bad)
		return (struct json){ .type = J_NULL };
	switch ((enum json_type)v.type) {
	case J_NULL:
		break;
	case J_BOOL:
		v.yes = take(m);
		break;
	case J_NUM:
	case J_STR:
		text = take_text(m);
		v.s = text.p;
		v.n = text.n;
		break;
	case J_ARR:
		v.n = take_count(m);
		v.items = items = ARENA_ARRAY(m->a, struct json, v.n);
		for (size_t i = 0; i < v.n; i++)
			items[i] = take_value(m, depth + 1);
		break;
	case J_OBJ:
		v.n = take_count(m);
		members = ARENA_ARRAY(m->a, struct json_member, v.n);
		for (size_t i = 0; i < v.n; i++) {
			members[i].key = take_text(m);
			members[i].pos = (uint32_t)take(m);
			members[i].v = take_value(m, depth + 1);
		}
		v = *json_new_members(m->a, members, v.n);
		v.pos = pos;
		break;
	}
	return v;
}

const struct json *json_image_read(struct arena *a, struct str bytes)
{
	struct image m = { .a = a, .rest = bytes };
	struct json *v = ARENA_NEW(a, struct json);

	*v = take_value(&m, 0);
	return m.bad || m.rest.n ? NULL : v;
}

/* Writing JSON values. */
#include "base/json_impl.h"

/* A buffer opened up, so that the usual addition is one comparison and one copy. */
struct out {
	struct buf *buf;
	char *p, *end;
	size_t start; /* the buffer's length before, for when not everything fits */
	unsigned style;
};

static void out_open(struct out *o, struct buf *buf, unsigned style)
{
	*o = (struct out){ .buf = buf, .start = buf->n, .style = style };
	if (buf->max || buf->cap <= buf->n)
		return; /* out_grow() knows */
	o->p = buf->p + buf->n;
	o->end = buf->p + buf->cap - 1; /* one byte is the buffer's */
}

static int out_close(struct out *o)
{
	if (o->buf->full) {
		o->buf->n = o->start;
		return -E_LIMIT;
	}
	if (o->p)
		o->buf->n = (size_t)(o->p - o->buf->p);
	return 0;
}

static bool out_grow(struct out *o, size_t n)
{
	struct buf *b = o->buf;
	size_t room;

	if (b->full)
		return false;
	if (o->p)
		b->n = (size_t)(o->p - b->p);
	if (b->max && n > b->max - min_size(b->n, b->max)) {
		b->full = true;
		return false;
	}
	o->p = buf_reserve(b, n);
	if (!o->p)
		return false;
	room = b->cap - 1 - b->n; /* one byte is the buffer's */
	if (b->max)
		room = min_size(room, b->max - b->n);
	o->end = o->p + room;
	return true;
}

/* Is there room for n bytes at o->p? */
static inline bool out_room(struct out *o, size_t n)
{
	return LIKELY((size_t)(o->end - o->p) >= n && o->p) || out_grow(o, n);
}

static inline void out_add(struct out *o, const char *p, size_t n)
{
	if (!out_room(o, n))
		return;
	json_copy(o->p, p, n);
	o->p += n;
}

static inline void out_c(struct out *o, char c)
{
	if (out_room(o, 1))
		*o->p++ = c;
}

static void out_u(struct out *o, uint32_t unit)
{
	static const char hex[] = "0123456789abcdef";
	char z[6] = {
		'\\',          'u', hex[unit >> 12 & 15], hex[unit >> 8 & 15], hex[unit >> 4 & 15],
		hex[unit & 15]
	};

	out_add(o, z, sizeof z);
}

/* Bytes of a small array, which json_copy() would be thought to read past. */
static void out_small(struct out *o, const char *p, size_t n)
{
	if (!out_room(o, n))
		return;
	memcpy(o->p, p, n);
	o->p += n;
}

static void out_char(struct out *o, uint32_t cp)
{
	char enc[4];

	out_small(o, enc, utf8_encode(cp, enc));
}

/* One character that is not ASCII; returns how many bytes of the string it took. */
static size_t out_wide(struct out *o, const char *p, const char *end)
{
	size_t len, low_len;
	uint32_t cp = utf8_decode(p, (size_t)(end - p), true, &len), low = 0;

	if ((cp & 0xfffff800) != 0xd800) {
		out_char(o, cp);
		return len;
	}
	/* Two halves that were put side by side are one character, as in JavaScript's strings. */
	if (cp < 0xdc00 && end - p >= 6)
		low = utf8_decode(p + len, (size_t)(end - p) - len, true, &low_len);
	if ((low & 0xfffffc00) != 0xdc00) {
		out_u(o, cp);
		return len;
	}
	cp = 0x10000 + ((cp & 0x3ff) << 10) + (low & 0x3ff);
	out_char(o, cp);
	return len + 3;
}

/* A string without escapes. */
static inline void out_plain(struct out *o, const char *p, size_t n)
{
	if (!out_room(o, n + 2))
		return;
	*o->p++ = '"';
	json_copy(o->p, p, n);
	o->p += n;
	*o->p++ = '"';
}

/* A string that may need escapes. */
static void out_string(struct out *o, const char *p, size_t n)
{
	/* What is after the backslash; 0 when \u is needed. */
	static const char letters[256] = {
		['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
		['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't',
	};
	const char *end = n ? p + n : p, *run = p;
	bool high = false;

	p = json_scan(p, end, &high);
	if (LIKELY(p == end && !high)) {
		out_plain(o, run, n);
		return;
	}
	out_c(o, '"');
	while (run < end) {
		if (!high || json_utf8_ok(run, p)) {
			out_add(o, run, (size_t)(p - run));
		} else {
			while (run < p)
				if (*run & 0x80)
					run += out_wide(o, run, p);
				else
					out_c(o, *run++);
		}
		for (; p < end && json_is_special((unsigned char)*p); p++) {
			const char z[2] = { '\\', letters[(unsigned char)*p] };

			if (z[1])
				out_add(o, z, sizeof z);
			else
				out_u(o, (unsigned char)*p);
		}
		run = p;
		high = false;
		p = json_scan(p, end, &high);
	}
	out_c(o, '"');
}

static inline void out_str(struct out *o, const char *p, size_t n, bool plain)
{
	if (plain)
		out_plain(o, p, n);
	else
		out_string(o, p, n);
}

static void out_line(struct out *o, unsigned depth)
{
	if (!(o->style & JSON_PRETTY) || !out_room(o, 1 + 2 * (size_t)depth))
		return;
	*o->p++ = '\n';
	memset(o->p, ' ', 2 * (size_t)depth);
	o->p += 2 * (size_t)depth;
}

static void out_value(struct out *o, const struct json *v, unsigned depth);

static inline void out_member(struct out *o, const struct json_member *m, unsigned depth)
{
	out_line(o, depth);
	out_str(o, m->key.p, m->key.n, m->plain);
	if (o->style & JSON_PRETTY)
		out_add(o, ": ", 2);
	else
		out_c(o, ':');
	out_value(o, &m->v, depth);
}

/* An array index in the sense of ECMA-262: canonical, below 2^32 - 1. */
static bool array_index(struct str key, uint32_t *ret_i)
{
	uint64_t i = 0;

	if (key.n == 0 || key.n > 10 || (key.p[0] == '0' && key.n > 1))
		return false;
	for (size_t k = 0; k < key.n; k++) {
		if (key.p[k] < '0' || key.p[k] > '9')
			return false;
		i = i * 10 + (unsigned)(key.p[k] - '0');
	}
	if (i >= UINT32_MAX)
		return false;
	*ret_i = (uint32_t)i;
	return true;
}

struct numbered {
	uint32_t i;
	const struct json_member *m;
};

static int numbered_cmp(const void *a, const void *b)
{
	uint32_t x = ((const struct numbered *)a)->i, y = ((const struct numbered *)b)->i;

	return x < y ? -1 : x > y;
}

/* The members of an object in JavaScript's order: array indices ascending, then the others. */
static void out_members_js(struct out *o, const struct json *v, unsigned depth)
{
	AUTO(free) struct numbered *first = xmalloc(v->n * sizeof *first);
	size_t n = 0, written = 0;
	uint32_t i;

	for (size_t k = 0; k < v->n; k++)
		if (array_index(v->members[k].key, &i))
			first[n++] = (struct numbered){ i, &v->members[k] };
	qsort(first, n, sizeof *first, numbered_cmp);
	for (size_t k = 0; k < n; k++) {
		if (written++)
			out_c(o, ',');
		out_member(o, first[k].m, depth);
	}
	for (size_t k = 0; k < v->n; k++) {
		if (array_index(v->members[k].key, &i))
			continue;
		if (written++)
			out_c(o, ',');
		out_member(o, &v->members[k], depth);
	}
}

static void out_object(struct out *o, const struct json *v, unsigned depth)
{
	bool moved = false; /* JavaScript writes keys that are array indices first */
	uint32_t index;

	if (v->written && o->style == JSON_COMPACT) {
		struct str text = json_kept_text(v);

		out_add(o, text.p, text.n);
		return;
	}
	out_c(o, '{');
	for (size_t i = 0; (o->style & JSON_JS) && i < v->n && !moved; i++)
		moved = array_index(v->members[i].key, &index);
	if (moved) {
		out_members_js(o, v, depth + 1);
	} else {
		for (size_t i = 0; i < v->n; i++) {
			if (i)
				out_c(o, ',');
			out_member(o, &v->members[i], depth + 1);
		}
	}
	if (v->n)
		out_line(o, depth);
	out_c(o, '}');
}

static void out_value(struct out *o, const struct json *v, unsigned depth)
{
	char z[JSON_NUM_MAX];

	switch ((enum json_type)v->type) {
	case J_NULL:
		out_add(o, "null", 4);
		return;
	case J_BOOL:
		out_add(o, v->yes ? "true" : "false", v->yes ? 4 : 5);
		return;
	case J_NUM:
		if (!(o->style & JSON_JS) || json_num_canonical(v->s, v->n))
			out_add(o, v->s, v->n);
		else
			out_small(o, z, json_num_print(json_num(v, 0), z));
		return;
	case J_STR:
		out_str(o, v->s, v->n, v->plain);
		return;
	case J_ARR:
		out_c(o, '[');
		for (size_t i = 0; i < v->n; i++) {
			if (i)
				out_c(o, ',');
			out_line(o, depth + 1);
			out_value(o, &v->items[i], depth + 1);
		}
		if (v->n)
			out_line(o, depth);
		out_c(o, ']');
		return;
	case J_OBJ:
		out_object(o, v, depth);
		return;
	}
	BUG();
}

int json_write_at(struct buf *out, const struct json *v, unsigned style, unsigned depth)
{
	struct out o;

	out_open(&o, out, style);
	out_value(&o, v, depth);
	return out_close(&o);
}

int json_write(struct buf *out, const struct json *v, unsigned style)
{
	return json_write_at(out, v, style, 0);
}

/* Outside of strings JSON is ASCII: what is hidden is in a string, and may be an escape. */
void json_visible(struct buf *out, struct str json)
{
	size_t len, from = 0;

	for (size_t i = 0; i < json.n; i += len) {
		uint32_t cp = utf8_decode(json.p + i, json.n - i, true, &len);
		bool malformed = (cp == 0xfffd && len != 3) || (cp >= 0xd800 && cp <= 0xdfff);

		if ((unsigned char)json.p[i] < 0x7f || !(malformed || utf8_is_hidden(cp)))
			continue;
		buf_adds(out, str_sub(json, from, i));
		buf_addf(out, "\\u%04x", cp);
		from = i + len;
	}
	buf_adds(out, str_sub(json, from, json.n));
}

int json_write_str(struct buf *out, struct str s)
{
	struct out o;

	out_open(&o, out, JSON_COMPACT);
	out_string(&o, s.p, s.n);
	return out_close(&o);
}

int json_write_key(struct buf *out, struct str key, unsigned style)
{
	struct out o;

	out_open(&o, out, style);
	out_str(&o, key.p, key.n, json_is_plain(key));
	out_add(&o, ": ", style & JSON_PRETTY ? 2 : 1);
	return out_close(&o);
}

void json_write_uint(struct buf *out, uint64_t i)
{
	char z[20];
	size_t at = sizeof z;

	do
		z[--at] = (char)('0' + i % 10);
	while (i /= 10);
	buf_add(out, z + at, sizeof z - at);
}

void json_write_num(struct buf *out, double d)
{
	char z[JSON_NUM_MAX];

	buf_add(out, z, json_num_print(d, z));
}

struct str json_text(struct arena *a, const struct json *v, unsigned style)
{
	AUTO(buf_done) struct buf out = { 0 };

	(void)json_write(&out, v, style);
	return arena_str(a, buf_str(&out));
}

/*
 * Making values out of others, and comparing them.  Nothing is changed in place: a value that
 * differs is a new one that shares what it can with the old.
 */
#include "base/err.h"
#include "base/json_impl.h"
#include "base/vec.h"

/* A longer text costs more memory than it saves time: most of it is strings, quickly written. */
enum { KEPT_MAX = 64 << 10 };

struct members {
	struct json_member *p;
	size_t n, cap;
};

static const struct json null_value = { .type = J_NULL };

bool json_holds(const struct json *arr, struct str s, size_t *ret_i)
{
	for (size_t i = 0; json_at(arr, i); i++)
		if (json_is(json_at(arr, i), J_STR) && str_eq(json_str(json_at(arr, i), s), s)) {
			if (ret_i)
				*ret_i = i;
			return true;
		}
	return false;
}

const char *json_type_name(const struct json *v)
{
	static const char *const names[] = {
		[J_NULL] = "null",  [J_BOOL] = "boolean", [J_NUM] = "number",
		[J_STR] = "string", [J_ARR] = "array",    [J_OBJ] = "object",
	};

	return v ? names[v->type] : "nothing";
}

const char *json_what(const struct json *v)
{
	static const char *const names[] = {
		[J_NULL] = "null",    [J_BOOL] = "a boolean", [J_NUM] = "a number",
		[J_STR] = "a string", [J_ARR] = "an array",   [J_OBJ] = "an object",
	};

	return v ? names[v->type] : "nothing";
}

bool json_pointer_token(struct str raw, struct buf *out)
{
	buf_clear(out);
	for (size_t i = 0; i < raw.n; i++) {
		char c = raw.p[i];

		if (c == '~') {
			i++;
			if (i == raw.n || (raw.p[i] != '0' && raw.p[i] != '1'))
				return false;
			c = raw.p[i] == '0' ? '~' : '/';
		}
		buf_addc(out, c);
	}
	return true;
}

bool json_pointer_index(struct str token, size_t *ret_i)
{
	int64_t i;

	if (token.n == 0 || token.p[0] == '-' || (token.p[0] == '0' && token.n > 1) ||
	    !str_to_int(token, &i))
		return false;
	*ret_i = (size_t)i;
	return true;
}

const struct json *json_pointer(const struct json *v, struct str pointer)
{
	AUTO(buf_done) struct buf token = { 0 };
	struct str rest, raw;
	size_t i;

	if (pointer.n == 0)
		return v;
	if (pointer.p[0] != '/')
		return NULL;
	rest = str_sub(pointer, 1, pointer.n);
	while (v && str_split(&rest, '/', &raw)) {
		if (!json_pointer_token(raw, &token))
			return NULL;
		if (!json_is(v, J_ARR))
			v = json_get(v, buf_str(&token));
		else
			v = json_pointer_index(buf_str(&token), &i) ? json_at(v, i) : NULL;
	}
	return v;
}

bool json_equal(const struct json *a, const struct json *b)
{
	if (!a || !b)
		return a == b;
	if (a->type != b->type || (a->n != b->n && a->type != J_NUM))
		return false;
	switch ((enum json_type)a->type) {
	case J_NULL:
		return true;
	case J_BOOL:
		return a->yes == b->yes;
	case J_NUM:
		/* Those too large for a double are all the same infinity; only their texts tell. */
		return str_eq((struct str){ a->s, a->n }, (struct str){ b->s, b->n }) ||
		       (json_num(a, 0) == json_num(b, 0) && __builtin_isfinite(json_num(a, 0)));
	case J_STR:
		return str_eq((struct str){ a->s, a->n }, (struct str){ b->s, b->n });
	case J_ARR:
		for (size_t i = 0; i < a->n; i++)
			if (!json_equal(&a->items[i], &b->items[i]))
				return false;
		return true;
	case J_OBJ:
		for (size_t i = 0; i < a->n; i++)
			if (!json_equal(&a->members[i].v, json_get(b, a->members[i].key)))
				return false;
		return true;
	}
	return false;
}

static const struct json *make(struct arena *a, struct json v)
{
	struct json *own = arena_raw(a, sizeof *own);

	*own = v;
	return own;
}

const struct json *json_new_str(struct arena *a, struct str s)
{
	struct json v = { .type = J_STR, .plain = json_is_plain(s), .n = s.n, .s = s.p };

	return make(a, v);
}

const struct json *json_new_copy(struct arena *a, struct str s)
{
	return json_new_str(a, arena_str(a, s));
}

static const struct json *make_num(struct arena *a, struct str text)
{
	struct str own = arena_str(a, text);

	return make(a, (struct json){ .type = J_NUM, .n = own.n, .s = own.p });
}

const struct json *json_new_num(struct arena *a, double d)
{
	char z[JSON_NUM_MAX];

	if (!__builtin_isfinite(d))
		return json_new_null(a);
	return make_num(a, (struct str){ z, json_num_print(d, z) });
}

const struct json *json_new_int(struct arena *a, int64_t i)
{
	AUTO(buf_done) struct buf z = { 0 };

	buf_addf(&z, "%lld", (long long)i);
	return make_num(a, buf_str(&z));
}

const struct json *json_new_bool(struct arena *a, bool b)
{
	return make(a, (struct json){ .type = J_BOOL, .yes = b });
}

const struct json *json_new_null(struct arena *a)
{
	return make(a, null_value);
}

const struct json *json_new_arr(struct arena *a, const struct json *const *items, size_t n)
{
	struct json *own = n ? arena_raw(a, n * sizeof *own) : NULL;

	for (size_t i = 0; i < n; i++)
		own[i] = items[i] ? *items[i] : null_value;
	return make(a, (struct json){ .type = J_ARR, .n = n, .items = own });
}

const struct json *json_append(struct arena *a, const struct json *arr, const struct json *item)
{
	size_t n = json_is(arr, J_ARR) ? arr->n : 0;
	struct json *own = arena_raw(a, (n + 1) * sizeof *own);

	for (size_t i = 0; i < n; i++)
		own[i] = *json_at(arr, i);
	own[n] = *item;
	return make(a, (struct json){ .type = J_ARR, .n = n + 1, .items = own });
}

const struct json *json_new_obj(struct arena *a)
{
	return make(a, (struct json){ .type = J_OBJ });
}

static void add_member(struct members *list, struct str key, const struct json *v)
{
	*VEC_ADD(list) = (struct json_member){
		.key = key,
		.plain = json_is_plain(key),
		.v = v ? *v : null_value,
	};
}

static const struct json *finish(struct arena *a, struct members *list)
{
	struct json *v = arena_raw(a, sizeof *v);

	*v = (struct json){ .type = J_OBJ };
	json_finish_object(a, list->p, list->n, v);
	free(list->p);
	*list = (struct members){ 0 };
	return v;
}

static size_t member_count(const struct json *obj)
{
	return json_is(obj, J_OBJ) ? obj->n : 0;
}

const struct json *json_set(struct arena *a, const struct json *obj, struct str key,
			    const struct json *v)
{
	struct members list = { 0 };

	for (size_t i = 0; i < member_count(obj); i++)
		*VEC_ADD(&list) = obj->members[i];
	add_member(&list, key, v); /* a repeated key takes the old place */
	return finish(a, &list);
}

const struct json *json_without(struct arena *a, const struct json *obj, struct str key)
{
	const struct json_member *gone = json_member(obj, key);
	struct members list = { 0 };

	if (!gone)
		return obj;
	for (size_t i = 0; i < obj->n; i++)
		if (&obj->members[i] != gone)
			*VEC_ADD(&list) = obj->members[i];
	return finish(a, &list);
}

const struct json *json_new_members(struct arena *a, const struct json_member *members, size_t n)
{
	struct members list = { 0 };

	for (size_t i = 0; i < n; i++)
		*VEC_ADD(&list) = members[i];
	return finish(a, &list);
}

const struct json *json_overlay(struct arena *a, const struct json *base, const struct json *patch)
{
	struct members list = { 0 };

	for (size_t i = 0; i < member_count(base); i++)
		*VEC_ADD(&list) = base->members[i];
	for (size_t i = 0; i < member_count(patch); i++)
		*VEC_ADD(&list) = patch->members[i];
	return finish(a, &list);
}

const struct json *json_merge_patch(struct arena *a, const struct json *target,
				    const struct json *patch)
{
	struct members list = { 0 };

	if (!json_is(patch, J_OBJ))
		return patch ? patch : target;
	for (size_t i = 0; i < member_count(target); i++)
		if (!json_member(patch, target->members[i].key))
			*VEC_ADD(&list) = target->members[i];
		else if (!json_is(json_get(patch, target->members[i].key), J_NULL))
			add_member(&list, target->members[i].key, NULL); /* keeps the place */
	for (size_t i = 0; i < patch->n; i++) {
		const struct json_member *m = &patch->members[i];

		if (m->v.type != J_NULL)
			add_member(&list, m->key,
				   json_merge_patch(a, json_get(target, m->key), &m->v));
	}
	return finish(a, &list);
}

static void dup_into(struct arena *a, const struct json *v, struct json *to);

/* Room for the members of an object that has no index, behind its text when it knows one. */
static struct json_member *new_members(struct arena *a, size_t n, struct str text)
{
	struct json_kept *kept;

	if (!text.p)
		return n ? arena_raw(a, n * sizeof *kept->members) : NULL;
	kept = arena_raw(a, sizeof *kept + n * sizeof *kept->members);
	kept->text = arena_str(a, text);
	return kept->members;
}

static void dup_members(struct arena *a, const struct json *v, struct json_member *to)
{
	for (size_t i = 0; i < v->n; i++) {
		to[i] = v->members[i];
		to[i].key = arena_str(a, to[i].key);
		dup_into(a, &v->members[i].v, &to[i].v);
	}
}

static void dup_into(struct arena *a, const struct json *v, struct json *to)
{
	*to = *v;
	if (v->type == J_STR || v->type == J_NUM) {
		to->s = arena_z(a, (struct str){ v->s, v->n });
	} else if (v->type == J_ARR) {
		struct json *items = v->n ? arena_raw(a, v->n * sizeof *items) : NULL;

		for (size_t i = 0; i < v->n; i++)
			dup_into(a, &v->items[i], &items[i]);
		to->items = items;
	} else if (v->type == J_OBJ) {
		struct str text = v->written ? json_kept_text(v) : (struct str){ 0 };

		to->yes = false;
		if (v->wide) {
			AUTO(free) struct json_member *list = xmalloc(v->n * sizeof *list);

			dup_members(a, v, list);
			json_finish_object(a, list, v->n, to);
		} else {
			struct json_member *members = new_members(a, v->n, text);

			dup_members(a, v, members);
			to->members = members;
		}
	}
}

const struct json *json_dup(struct arena *a, const struct json *v)
{
	struct json *own;

	if (!v)
		return NULL;
	own = arena_raw(a, sizeof *own);
	dup_into(a, v, own);
	return own;
}

const struct json *json_with_text(struct arena *a, const struct json *v)
{
	AUTO(buf_done) struct buf text = { 0 };
	struct json_member *members;
	struct json own;

	if (!json_is(v, J_OBJ) || v->n == 0 || v->wide || v->written)
		return v;
	(void)json_write(&text, v, JSON_COMPACT);
	if (text.n > KEPT_MAX)
		return v;
	members = new_members(a, v->n, buf_str(&text));
	memcpy(members, v->members, v->n * sizeof *members);
	own = *v;
	own.written = true;
	own.members = members;
	return make(a, own);
}

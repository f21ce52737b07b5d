/* The streaming JSON writer: puts commas, colons and line breaks where they belong. */
#include "base/json_impl.h"

/* What is between the previous thing and a new value or key. */
static void jw_before(struct jw *w)
{
	struct jw_level *level;

	if (w->after_key) {
		w->after_key = false;
		return;
	}
	if (w->depth == 0)
		return;
	level = &w->levels[w->depth - 1];
	if (level->some)
		buf_addc(w->out, ',');
	level->some = true;
	if (w->pretty)
		buf_addf(w->out, "\n%*s", (int)(2 * w->depth), "");
}

static void jw_open(struct jw *w, char open, char close)
{
	jw_before(w);
	if (w->depth == JW_MAX_DEPTH)
		BUG();
	buf_addc(w->out, open);
	w->levels[w->depth++] = (struct jw_level){ .close = close };
}

void jw_obj(struct jw *w)
{
	jw_open(w, '{', '}');
}

void jw_arr(struct jw *w)
{
	jw_open(w, '[', ']');
}

void jw_end(struct jw *w)
{
	struct jw_level *level;

	if (w->depth == 0 || w->after_key)
		BUG();
	level = &w->levels[--w->depth];
	if (w->pretty && level->some)
		buf_addf(w->out, "\n%*s", (int)(2 * w->depth), "");
	buf_addc(w->out, level->close);
}

void jw_keys(struct jw *w, struct str key)
{
	if (w->after_key || w->depth == 0 || w->levels[w->depth - 1].close != '}')
		BUG();
	jw_before(w);
	(void)json_write_key(w->out, key, w->pretty ? JSON_PRETTY : JSON_COMPACT);
	w->after_key = true;
}

void jw_key(struct jw *w, const char *key)
{
	jw_keys(w, str_from(key));
}

void jw_str(struct jw *w, struct str s)
{
	jw_before(w);
	(void)json_write_str(w->out, s);
}

void jw_raw(struct jw *w, struct str json_text)
{
	jw_before(w);
	buf_adds(w->out, json_text);
}

void jw_members(struct jw *w, const struct json *obj)
{
	if (obj->written && !w->pretty) {
		struct str text = json_kept_text(obj);

		jw_before(w);
		buf_adds(w->out, str_sub(text, 1, text.n - 1));
		return;
	}
	for (size_t i = 0; i < obj->n; i++) {
		jw_keys(w, obj->members[i].key);
		jw_json(w, &obj->members[i].v);
	}
}

void jw_null(struct jw *w)
{
	jw_raw(w, STR("null"));
}

void jw_z(struct jw *w, const char *z)
{
	if (z)
		jw_str(w, str_from(z));
	else
		jw_null(w);
}

void jw_int(struct jw *w, int64_t i)
{
	jw_before(w);
	if (i < 0)
		buf_addc(w->out, '-');
	json_write_uint(w->out, i < 0 ? -(uint64_t)i : (uint64_t)i);
}

void jw_num(struct jw *w, double d)
{
	jw_before(w);
	json_write_num(w->out, d);
}

void jw_bool(struct jw *w, bool b)
{
	jw_raw(w, b ? STR("true") : STR("false"));
}

void jw_json(struct jw *w, const struct json *v)
{
	if (!v) {
		jw_null(w);
		return;
	}
	jw_before(w);
	(void)json_write_at(w->out, v, w->pretty ? JSON_PRETTY : JSON_COMPACT, w->depth);
}

void jw_kv_str(struct jw *w, const char *key, struct str s)
{
	jw_key(w, key);
	jw_str(w, s);
}

void jw_kv_z(struct jw *w, const char *key, const char *z)
{
	jw_key(w, key);
	jw_z(w, z);
}

void jw_kv_int(struct jw *w, const char *key, int64_t i)
{
	jw_key(w, key);
	jw_int(w, i);
}

void jw_kv_bool(struct jw *w, const char *key, bool b)
{
	jw_key(w, key);
	jw_bool(w, b);
}

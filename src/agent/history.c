/* The conversation: contents as they are remembered, and as they go out. */
#include "agent/session_impl.h"
#include "base/json_pack.h"
#include "base/vec.h"

static size_t text_bytes(const struct json *v)
{
	size_t n = json_is(v, J_STR) ? v->n : 0;

	for (size_t i = 0; json_is(v, J_ARR) && i < v->n; i++)
		n += text_bytes(json_at(v, i));
	for (size_t i = 0; json_is(v, J_OBJ) && i < v->n; i++)
		n += v->members[i].key.n + text_bytes(&v->members[i].v);
	return n;
}

/* The content with parts that know their texts: each goes out with every request from now on. */
static const struct json *with_texts(struct arena *a, const struct json *content)
{
	const struct json *parts = json_getz(content, "parts"), **all;

	if (!json_is(parts, J_ARR))
		return content;
	all = ARENA_ARRAY(a, const struct json *, parts->n);
	for (size_t i = 0; i < parts->n; i++)
		all[i] = json_with_text(a, json_at(parts, i));
	return json_set(a, content, STR("parts"), json_new_arr(a, all, parts->n));
}

const struct json *history_add(struct session *s, const struct json *content)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *kept = json_dup(s->memory, with_texts(&a, content));

	*VEC_ADD(&s->history) = kept;
	s->history_bytes += text_bytes(kept);
	return kept;
}

void history_clear(struct session *s)
{
	s->history.n = 0;
	s->history_bytes = 0;
	s->prompt_tokens = 0;
}

const struct json *text_parts(struct arena *a, struct str text)
{
	const struct json *part = text_part(a, text);

	return json_new_arr(a, &part, 1);
}

const struct json *text_part(struct arena *a, struct str text)
{
	return json_set(a, NULL, STR("text"), json_new_str(a, text));
}

const struct json *content_new(struct arena *a, const char *role, const struct json *parts)
{
	const struct json *c = json_set(a, NULL, STR("role"), json_new_str(a, str_from(role)));

	return json_set(a, c, STR("parts"), parts);
}

struct str parts_text(struct arena *a, const struct json *parts)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t i = 0; json_is(parts, J_ARR) && i < parts->n; i++)
		buf_adds(&out, json_get_str(json_at(parts, i), "text"));
	return arena_str(a, buf_str(&out));
}

/* Parts under construction: of one content that goes out. */
struct joined {
	const struct json **p;
	size_t n, cap;
	const struct json *whole; /* the content that all of them are of; NULL = there is none */
};

static void add_part(struct joined *j, const struct json *part)
{
	*VEC_ADD(j) = part;
	j->whole = NULL;
}

static void flush(struct arena *a, struct contents *out, struct joined *j, struct str role)
{
	if (j->n == 0)
		return;
	/* Is it what content_new() would make of it? */
	if (j->whole && j->whole->n == 2 && str_eqz(j->whole->members[0].key, "role") &&
	    json_is(&j->whole->members[0].v, J_STR) && str_eqz(j->whole->members[1].key, "parts"))
		*VEC_ADD(out) = j->whole;
	else
		*VEC_ADD(out) = content_new(a, arena_z(a, role), json_new_arr(a, j->p, j->n));
	j->n = 0;
}

const struct json *history_contents(struct turn *t, struct arena *a)
{
	struct session *s = t->s;
	struct contents out = { 0 };
	struct joined j = { 0 };
	struct str role = STR("user");
	const struct json *contents;

	if (s->context_part)
		add_part(&j, s->context_part);
	if (s->instructions)
		add_part(&j, s->instructions);
	for (size_t i = 0; i < s->history.n; i++) {
		const struct json *c = s->history.p[i];
		struct str now = json_str(json_getz(c, "role"), STR("user"));
		const struct json *parts;

		if (!str_eq(now, role))
			flush(a, &out, &j, role);
		role = now;
		parts = json_getz(c, "parts");
		j.whole = j.n ? NULL : c;
		for (size_t k = 0; json_is(parts, J_ARR) && k < parts->n; k++)
			*VEC_ADD(&j) = json_at(parts, k);
		if (c == t->user && t->context.n)
			add_part(&j, text_part(a, t->context));
	}
	flush(a, &out, &j, role);
	contents = json_new_arr(a, out.p, out.n);
	free(out.p);
	free(j.p);
	return contents;
}

static void collect_results(const struct json *contents, struct contents *ret)
{
	for (size_t i = 0; json_at(contents, i); i++) {
		const struct json *parts = json_getz(json_at(contents, i), "parts"), *part;

		for (size_t k = 0; (part = json_at(parts, k)); k++)
			if (json_getz(part, "functionResponse"))
				*VEC_ADD(ret) = part;
	}
}

/* The content with the results that are others now, the first of which is the one at *at. */
static const struct json *with_results(struct arena *a, const struct json *content,
				       const struct contents *old, const struct contents *now,
				       size_t *at)
{
	const struct json *parts = json_getz(content, "parts"), *part;
	struct json_list all = { 0 };
	bool changed = false;

	for (size_t i = 0; (part = json_at(parts, i)); i++) {
		if (json_getz(part, "functionResponse") && *at < old->n) {
			changed |= !json_equal(old->p[*at], now->p[*at]);
			part = now->p[(*at)++];
		}
		json_list_add(&all, part);
	}
	parts = json_list_take(a, &all);
	return changed ? json_set(a, content, STR("parts"), parts) : content;
}

void history_take_results(struct turn *t, const struct json *before, const struct json *after)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct session *s = t->s;
	struct contents old = { 0 }, now = { 0 };
	size_t at = 0;

	if (before != after) {
		collect_results(before, &old);
		collect_results(after, &now);
	}
	for (size_t i = 0; i < s->history.n && at < old.n && old.n == now.n; i++) {
		const struct json *was = s->history.p[i];
		const struct json *is = with_results(&a, was, &old, &now, &at);

		if (is == was)
			continue;
		is = json_dup(s->memory, with_texts(&a, is));
		s->history_bytes += text_bytes(is) - text_bytes(was);
		s->history.p[i] = is;
		t->user = t->user == was ? is : t->user;
	}
	if (at && at == old.n) {
		struct json_list from = { 0 }, to = { 0 };

		for (size_t i = 0; i < old.n; i++)
			if (!json_equal(old.p[i], now.p[i])) {
				json_list_add(&from, old.p[i]);
				json_list_add(&to, now.p[i]);
			}
		if (from.n)
			transcript_results(s->transcript, json_list_take(&a, &from),
					   json_list_take(&a, &to));
		free(from.p);
		free(to.p);
	}
	free(old.p);
	free(now.p);
}

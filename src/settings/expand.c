#include "settings/expand.h"

#include "base/env.h"

/* A variable in a text. */
struct variable {
	struct str name, dflt; /* dflt.p NULL = it has no default */
	bool braced;
	size_t end; /* behind it */
};

static bool variable_at(const struct expansion *x, struct str s, size_t at, struct variable *ret_v)
{
	struct variable v = { .braced = at + 1 < s.n && s.p[at + 1] == '{' };
	size_t from = at + 1 + v.braced, to = from;
	ptrdiff_t close = v.braced ? str_chr(s, '}', from) : -1;

	if (v.braced && close < 0)
		return false;
	if (v.braced && x->any_name)
		to = (size_t)close;
	else if ((from < s.n && char_is_word(s.p[from]) && !char_is_digit(s.p[from])) ||
		 x->any_name)
		while (to < s.n && char_is_word(s.p[to]))
			to++;
	v.name = str_sub(s, from, to);
	v.end = v.braced ? (size_t)close + 1 : to;
	if (v.braced && str_starts(str_sub(s, to, (size_t)close), STR(":-")))
		v.dflt = str_sub(s, to + 2, (size_t)close);
	*ret_v = v;
	return v.name.n > 0;
}

struct str expand(struct expansion *x, struct arena *a, struct str text)
{
	AUTO(buf_done) struct buf out = BUF_INIT(.max = x->room);
	size_t i = 0;

	if (str_chr(text, '$', 0) < 0)
		return text;
	while (i < text.n && !out.full) {
		struct variable v;
		struct str value = { 0 };

		if (text.p[i] == '$' && variable_at(x, text, i, &v)) {
			const char *known = x->value(x->data, v.name, v.braced);

			value = v.dflt.p || !x->unset_is_empty ? v.dflt : STR("");
			if (known)
				value = str_from(known);
		}
		if (value.p)
			buf_adds(&out, value);
		else
			buf_addc(&out, text.p[i]);
		i = value.p ? v.end : i + 1;
	}
	if (out.full || (x->room && out.n >= x->room)) {
		x->full = true;
		return text;
	}
	x->room -= x->room ? out.n : 0;
	return arena_str(a, buf_str(&out));
}

const struct json *expand_json(struct expansion *x, struct arena *a, const struct json *v)
{
	if (v->type == J_STR)
		return json_new_str(a, expand(x, a, json_str(v, STR(""))));
	if (v->type == J_ARR) {
		const struct json **items = ARENA_ARRAY(a, const struct json *, v->n + 1);

		for (size_t i = 0; i < v->n; i++)
			items[i] = expand_json(x, a, json_at(v, i));
		return json_new_arr(a, items, v->n);
	}
	if (v->type != J_OBJ)
		return v;
	struct json_member *members = ARENA_ARRAY(a, struct json_member, v->n + 1);
	for (size_t i = 0; i < v->n; i++) {
		members[i] = v->members[i];
		if (!x->skip || !str_eqz(members[i].key, x->skip))
			members[i].v = *expand_json(x, a, &v->members[i].v);
	}
	return json_new_members(a, members, v->n);
}

static const char *from_env(const void *env, struct str name, bool braced)
{
	(void)braced;
	return env_find(env, name);
}

struct expansion expand_from(const char *const *env)
{
	return (struct expansion){ .value = from_env, .data = env };
}

/* Values of a policy file, and what is said where one is wrong. */
#include "policy/reader.h"

#include "base/vec.h"

int reader_fail(const struct reader *r, size_t pos, const char *what)
{
	struct json_where where = json_locate(r->text, pos);

	return err_set_at(r->err, E_CONFIG, r->path, where.line, where.column, "%s", what);
}

int reader_strings(struct reader *r, const struct json *v, const char *what,
		   const char *const **ret)
{
	size_t n = json_is(v, J_ARR) ? v->n : 1;
	const char **list = ARENA_ARRAY(&r->policy->arena, const char *, n + 1);

	for (size_t i = 0; i < n; i++) {
		const struct json *item = json_is(v, J_ARR) ? json_at(v, i) : v;
		struct str s = json_str(item, STR(""));

		if (s.n == 0 || memchr(s.p, '\0', s.n))
			return reader_fail(r, item->pos, what);
		list[i] = arena_z(&r->policy->arena, s);
	}
	if (n == 0)
		return reader_fail(r, v->pos, what);
	*ret = list;
	return 0;
}

int reader_bool(struct reader *r, const struct json *v, bool *ret)
{
	if (!json_is(v, J_BOOL))
		return reader_fail(r, v->pos, "expected true or false here");
	*ret = v->yes;
	return 0;
}

int reader_regex(struct reader *r, const struct json *v, bool anchored, const struct regex **ret)
{
	struct policy *p = r->policy;
	struct str s = json_str(v, STR(""));
	struct err err = { 0 };
	struct regex *re;

	if (s.n == 0)
		return reader_fail(r, v->pos, "expected a regular expression here");
	if (anchored)
		s = arena_printf(&p->arena, "^(?:%.*s)", STR_ARG(s));
	if (regex_compile(s, 0, &re, &err) < 0)
		return reader_fail(r, v->pos, err.text);
	*VEC_ADD(&p->regexes) = re;
	*ret = re;
	return 0;
}

/* What an index, a key or a slice in brackets gives. */
#include "effects/code_act.h"
#include "effects/code_reader.h"

static int64_t min_int(int64_t x, int64_t y)
{
	return x < y ? x : y;
}

static int64_t max_int(int64_t x, int64_t y)
{
	return x > y ? x : y;
}

static struct code_value sliced(struct code *c, struct code_value v, unsigned open, unsigned close)
{
	int64_t from = 0, to = INT64_MAX;
	bool reversed = false, known = true;
	unsigned colons = 0;

	for (unsigned i = open + 1; i < close; i++) {
		struct code_value n = { .kind = VALUE_TEXT, .text = c->t[i].text };
		int64_t k = 0;
		bool minus = token_is(&c->t[i], "-");

		if (token_is(&c->t[i], ":") || token_is(&c->t[i], "::") ||
		    token_is(&c->t[i], "..")) { /* &words[1..] of Rust */
			colons += token_is(&c->t[i], "::") ? 2 : 1;
			continue;
		}
		if (minus && i + 1 < close)
			n.text = c->t[++i].text;
		if (!value_int(&n, &k))
			known = false;
		k = minus ? -k : k;
		if (colons == 0)
			from = k;
		else if (colons == 1)
			to = k;
		else
			reversed = k == -1;
	}
	if (v.kind == VALUE_LIST && known && !reversed && !(v.flags & VALUE_ANY)) {
		from = from < 0 ? max_int(from + v.n, 0) : min_int(from, v.n);
		to = to < 0 ? max_int(to + v.n, 0) : min_int(to, v.n);
		v.items += from;
		v.n = to > from ? (unsigned)(to - from) : 0;
	}
	if (v.kind == VALUE_LIST)
		return v;
	if (!known || v.kind != VALUE_TEXT || (v.flags & VALUE_WALKED))
		return v.flags & VALUE_WALKED ? v : value_unknown(v.flags);
	if (reversed) {
		char *p = arena_raw(c->e->arena, v.text.n + 1);

		for (size_t i = 0; i < v.text.n; i++)
			p[i] = v.text.p[v.text.n - 1 - i];
		v.text.p = p;
		return v;
	}
	if (from < 0)
		from = from + (int64_t)v.text.n < 0 ? 0 : from + (int64_t)v.text.n;
	if (to < 0)
		to = to + (int64_t)v.text.n < 0 ? 0 : to + (int64_t)v.text.n;
	v.text = str_sub(v.text, (size_t)from, (size_t)to);
	return v;
}

/* @x{qw(a b)}, @x[1, 2] of Perl: one item for each index; the first of them has been read. */
static struct code_value picked(struct code *c, const struct code_value *v, struct code_value first,
				unsigned close)
{
	struct code_value items[CODE_ARGS_MAX], index;
	unsigned n = 0;
	int64_t at;

	for (index = first;; index = code_expression(c)) {
		bool list = index.kind == VALUE_LIST && !(index.flags & VALUE_ANY);

		for (unsigned i = 0; i < (list ? index.n : 1) && n < CODE_ARGS_MAX; i++) {
			const struct code_value *one = list ? &index.items[i] : &index;

			items[n++] = v->kind == VALUE_LIST && value_int(one, &at)
					     ? value_item(v, at)
				     : value_is_known(one) ? code_member(c, v, one->text)
							   : value_element(c->e->arena, v);
		}
		if (c->i >= close || !token_is(code_at(c, 0), ",") || n == CODE_ARGS_MAX)
			break;
		c->i++;
	}
	return value_list(c->e->arena, items, n);
}

/* What a pattern has found, or something else. */
static bool may_be_match(const struct code_value *v)
{
	bool any = v->kind == VALUE_LIST && (v->flags & VALUE_ANY) && v->n > 1, match = false;

	for (unsigned i = 0; any && i < v->n; i++)
		match |= str_eqz(v->items[i].type, TYPE_MATCH);
	return match;
}

struct code_value code_subscript(struct code *c, struct code_value v)
{
	unsigned open = c->i, close = closing_at(c), end = c->end;
	struct code_value index;
	struct str base = c->lvalue;
	int64_t n;
	bool slice = false;

	for (unsigned i = open + 1;
	     (is_language(c, CODE_PYTHON) || is_language(c, CODE_COMPILED)) && i < close && !slice;
	     i++) {
		slice = token_is(&c->t[i], ":") || token_is(&c->t[i], "::") ||
			(token_is(&c->t[i], "..") && is_language(c, CODE_COMPILED));
		if (c->t[i].match > i)
			i = c->t[i].match;
	}
	if (slice) {
		c->i = min_size(close + 1, end);
		c->lvalue = (struct str){ 0 };
		return sliced(c, v, open, close);
	}
	c->i++;
	c->end = close;
	if (token_is(&c->t[open], "{") && c->i + 1 == close && c->t[c->i].kind == TOKEN_NAME &&
	    str_chr(STR("$@"), c->t[c->i].text.p[0], 0) < 0)
		index = value_text(c->t[c->i].text); /* a bare key */
	else
		index = code_expression(c);
	if (is_language(c, CODE_PERL) && v.kind == VALUE_LIST &&
	    (token_is(code_at(c, 0), ",") ||
	     (index.kind == VALUE_LIST && !(index.flags & VALUE_ANY) && index.n)))
		index = picked(c, &v, index, close), slice = true;
	c->end = end;
	c->i = min_size(close + 1, end);
	c->lvalue = (struct str){ 0 };
	if (slice)
		return index;
	if (v.kind == VALUE_FUNCTION && is_language(c, CODE_RUBY)) { /* f[x] */
		struct code_args args = { .p = { { .value = index } },
					  .n = 1,
					  .at = c->t[open].at,
					  .end = c->t[c->i - 1].end };

		return code_call(c, v, NULL, &args);
	}
	c->holder_key = value_is_known(&index) ? index.text : (struct str){ 0 };
	if (may_be_match(&v) && value_int(&index, &n) && n > 0)
		return value_part(c->e->arena, &v, (unsigned)n);
	if (v.kind == VALUE_LIST && value_int(&index, &n))
		return value_item(&v, is_language(c, CODE_LUA) ? n - 1 : n);
	if (v.kind == VALUE_NAME && is_language(c, CODE_RUBY)) { /* Dir["*"] */
		const struct code_function *f = code_function_find(
			c, arena_printf(c->e->arena, "%.*s.[]", STR_ARG(v.type)), false);
		struct code_args args = { .p = { { .value = index } }, .n = 1 };

		if (f)
			return code_act(c, f, NULL, &args);
	}
	if (v.kind == VALUE_TEXT &&
	    ((v.flags & VALUE_WALKED) || str_starts(v.type, STR(TYPE_REPOSITORY "-"))))
		return v; /* repo.branches["x"] is of that repository */
	if (value_is_known(&index) && !(index.flags & VALUE_NUMBER)) {
		const struct code_function *f =
			v.kind == VALUE_NAME ? code_function_find(c, v.type, false) : NULL;
		struct code_args args = { .p = { { .value = index } }, .n = 1 };

		if (f && f->act == GIVES_ENV) {
			struct code_value set = code_act(c, f, NULL, &args);

			c->lvalue = arena_printf(c->e->arena, "%.*s.%.*s", STR_ARG(v.type),
						 STR_ARG(index.text));
			return set;
		}
		return code_member(c, &v, index.text);
	}
	if (v.kind == VALUE_TEXT && value_int(&index, &n) && value_is_known(&v)) {
		if (n < 0)
			n += (int64_t)v.text.n;
		if (n >= 0 && n < (int64_t)v.text.n)
			return value_text(str_sub(v.text, (size_t)n, (size_t)n + 1));
	}
	c->lvalue = base.n && v.kind == VALUE_NAME ? (struct str){ 0 } : c->lvalue;
	return v.kind == VALUE_LIST ? value_element(c->e->arena, &v) : value_unknown(v.flags);
}

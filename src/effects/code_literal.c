/* What is in brackets: functions without a name, lists, comprehensions. */
#include "base/words.h"
#include "effects/code_reader.h"

/* ---- functions in expressions ---- */

static unsigned statement_end(struct code *c, unsigned i)
{
	unsigned from = i;

	for (; i < c->end && c->budget > i - from; i++) {
		const struct code_token *t = &c->t[i];

		if (t->match > i && t->match < c->end)
			i = t->match;
		else if (t->kind == TOKEN_OPERATOR && strchr(",;)]}", t->text.p[0]))
			break;
		else if (t->line && has(c, SYNTAX_LINES) && i > c->i)
			break;
	}
	if (c->budget <= i - from)
		i = c->end; /* all of it */
	else
		c->budget -= i - from;
	return i;
}

/* A body at `body`: braces, or one expression. */
struct code_value code_function_at(struct code *c, unsigned params, unsigned params_end,
				   unsigned body)
{
	c->i = body;
	if (token_is(code_at(c, 0), "{")) {
		unsigned close = closing_at(c);

		c->i = min_size(close + 1, c->end);
		return code_define(c, STR(""), params, params_end, body + 1, close, false);
	}
	c->i = statement_end(c, body);
	return code_define(c, STR(""), params, params_end, body, c->i, true);
}

/* { x -> ... }, { (a: T, b) in ... }: where the parameters of a closure end. */
static unsigned closure_parameters(const struct code *c, unsigned from, unsigned close)
{
	for (unsigned i = from; i < close && i < from + 12 && (i == from || !c->t[i].line); i++)
		if (token_is(&c->t[i], "->") || token_is(&c->t[i], "in"))
			return i;
		else if (c->t[i].kind != TOKEN_NAME && !strchr(",:()<>.?", c->t[i].text.p[0]))
			break;
	return from;
}

/* { String path -> ... }, { List<String> argv -> ... } */
static bool has_types_first(const struct code *c, unsigned params, unsigned end)
{
	for (unsigned i = params; i + 1 < end; i++)
		if ((c->t[i].kind == TOKEN_NAME || token_is(&c->t[i], ">")) &&
		    c->t[i + 1].kind == TOKEN_NAME)
			return true;
	return false;
}

/* { |x| ... }, do |x| ... end */
struct code_value code_block_literal(struct code *c)
{
	unsigned close = closing_at(c), params, params_end;

	c->i++;
	params = params_end = c->i;
	if (is_language(c, CODE_COMPILED)) {
		params_end = closure_parameters(c, c->i, close);
		c->i = params_end > params ? params_end + 1 : params;
	} else if (is_language(c, CODE_JULIA)) { /* do x, y */
		while (c->i < close && !code_at(c, 0)->line)
			c->i++;
		params_end = c->i;
	} else if (skip(c, "|")) {
		params = c->i;
		while (c->i < close && !token_is(code_at(c, 0), "|"))
			c->i++;
		params_end = c->i++;
	}
	params = min_size(params, close);
	struct code_value v = code_define(c, STR(""), params, min_size(params_end, close),
					  min_size(c->i, close), close, false);

	c->fns[v.n].types_first = is_language(c, CODE_COMPILED) &&
				  has_types_first(c, params, min_size(params_end, close));
	c->i = min_size(close + 1, c->end);
	return v;
}

/* def f = { a -> ... }, val f = { ... } of Groovy, Kotlin and Swift: no list begins there. */
static bool is_closure(const struct code *c)
{
	const struct code_token *t = code_at(c, 0);

	if (!is_language(c, CODE_COMPILED) || !token_is(t, "{") || !c->i || closing_at(c) >= c->end)
		return false;
	if (closure_parameters(c, c->i + 1, closing_at(c)) > c->i + 1)
		return token_is(t - 1, "=") || token_is(t - 1, "(") || token_is(t - 1, ",") ||
		       token_is(t - 1, ":") || token_is(t - 1, "return");
	return c->i > 2 && token_is(t - 1, "=") && t[-2].kind == TOKEN_NAME &&
	       t[-3].kind == TOKEN_NAME && word_in_text(t[-3].text, "def val var Closure");
}

/* function (a) { }, sub { }, function(a) ... end, fn(a) => x, lambda a: x */
bool code_function_literal(struct code *c, struct code_value *ret)
{
	const struct code_token *t = code_at(c, 0);
	unsigned params, params_end;

	if (token_is(t, "lambda") && is_language(c, CODE_PYTHON)) {
		params = ++c->i;
		while (c->i < c->end && !token_is(code_at(c, 0), ":"))
			c->i++;
		params_end = c->i;
		*ret = code_function_at(c, params, params_end, min_size(c->i + 1, c->end));
		return true;
	}
	if ((is_language(c, CODE_RUBY) &&
	     (token_is(t, "->") || token_is(t, "lambda") || token_is(t, "proc")))) {
		params = params_end = ++c->i;
		if (token_is(code_at(c, 0), "(")) {
			params = c->i + 1;
			params_end = closing_at(c);
			c->i = min_size(params_end + 1, c->end);
		}
		while (token_is(t, "->") &&
		       (code_at(c, 0)->kind == TOKEN_NAME ||
			token_is(code_at(c, 0), ",")) && /* -> x, y { } */
		       !token_is(code_at(c, 0), "do"))
			params_end = ++c->i;
		if (!token_is(code_at(c, 0), "{") && !token_is(code_at(c, 0), "do"))
			return false;
		*ret = code_block_literal(c);
		if (params_end > params) {
			c->fns[ret->n].params = params;
			c->fns[ret->n].nparams_end = params_end;
		}
		return true;
	}
	if (is_closure(c)) {
		*ret = code_block_literal(c);
		return true;
	}
	if (token_is(t, "sub") && is_language(c, CODE_PERL) && token_is(code_at(c, 1), "{")) {
		*ret = code_function_at(c, c->i + 1, c->i + 1, c->i + 1);
		return true;
	}
	if (token_is(t, "function") || (token_is(t, "fn") && is_language(c, CODE_PHP)) ||
	    (is_language(c, CODE_COMPILED) && (token_is(t, "func") || token_is(t, "fun")) &&
	     token_is(code_at(c, 1), "("))) {
		unsigned whole = closing_at(c); /* Lua: of the keyword */

		c->i++;
		skip(c, "*");
		if (code_at(c, 0)->kind == TOKEN_NAME && !is_language(c, CODE_LUA))
			c->i++;
		if (!token_is(code_at(c, 0), "("))
			return false;
		params = c->i + 1;
		params_end = closing_at(c);
		c->i = min_size(params_end + 1, c->end);
		if (is_language(c, CODE_LUA) || is_language(c, CODE_JULIA)) {
			*ret = code_define(c, STR(""), params, params_end, c->i, whole, false);
			c->i = min_size(whole + 1, c->end);
			return true;
		}
		while (c->i < c->end && !is_language(c, CODE_R) && !token_is(code_at(c, 0), "{") &&
		       !token_is(code_at(c, 0), "=>") && !token_is(code_at(c, 0), ";"))
			c->i++;
		skip(c, "=>");
		*ret = code_function_at(c, params, params_end, c->i);
		return true;
	}
	return false;
}

/* Where the arrow is behind parameters: (a) => x, (a: T): Promise<void> => x; 0: none is. */
static unsigned arrow_behind(const struct code *c, unsigned close, const char *arrow)
{
	unsigned i = close + 1;
	bool typed = close == c->i + 1;

	for (unsigned k = c->i; k < close; k++)
		typed |= token_is(&c->t[k], ":");
	if (i < c->end && token_is(&c->t[i], ":") && typed && is_language(c, CODE_JAVASCRIPT))
		while (i < c->end && i < close + 14 && !token_is(&c->t[i], arrow) &&
		       !token_is(&c->t[i], ";") && !c->t[i].line)
			i = c->t[i].match > i ? c->t[i].match + 1 : i + 1;
	return i < c->end && token_is(&c->t[i], arrow) ? i : 0;
}

/* x => ..., (x, y) => ... */
bool code_arrow(struct code *c, struct code_value *ret)
{
	unsigned params = c->i, params_end = c->i + 1;

	if (!has(c, SYNTAX_TEMPLATE) && !is_language(c, CODE_JULIA))
		return false;
	const char *arrow =
		is_language(c, CODE_JULIA) ? "->"
		: is_language(c, CODE_COMPILED) &&
				(token_is(code_at(c, 1), "->") ||
				 (token_is(code_at(c, 0), "(") && closing_at(c) + 1 < c->end &&
				  token_is(&c->t[closing_at(c) + 1], "->")))
			? "->"
			: "=>";

	if (is_language(c, CODE_COMPILED) && token_is(code_at(c, 0), "|") &&
	    code_at(c, 1)->kind == TOKEN_NAME) { /* |x| ... */
		for (params_end = params + 1;
		     params_end < c->end && !token_is(&c->t[params_end], "|");)
			params_end++;
		*ret = code_function_at(c, params + 1, params_end,
					min_size(params_end + 1, c->end));
		return true;
	}
	if (token_is(code_at(c, 0), "(")) {
		unsigned at;

		params_end = closing_at(c);
		at = arrow_behind(c, params_end, arrow);
		if (!at)
			return false;
		*ret = code_function_at(c, params + 1, params_end, at + 1);
		return true;
	}
	if (code_at(c, 0)->kind != TOKEN_NAME || !token_is(code_at(c, 1), arrow))
		return false;
	*ret = code_function_at(c, params, params_end, c->i + 2);
	return true;
}

/* ---- lists ---- */

/* What a comprehension gives each time; of {k: v} with its key, where that is known. */
static struct code_value each_of(struct code *c, bool is_pair)
{
	struct code_value v = code_assignable(c, 2), key = v;

	if (!is_pair || !skip(c, ":"))
		return v;
	v = code_assignable(c, 2);
	v.key = value_is_known(&key) ? key.text : (struct str){ 0 };
	return v;
}

/* Where the condition of a comprehension ends: with its bracket, or at the next for or if. */
static unsigned condition_end(const struct code *c, unsigned close)
{
	unsigned i = c->i;

	while (i < close && !token_is(&c->t[i], "for") && !token_is(&c->t[i], "if"))
		i = c->t[i].match > i ? c->t[i].match + 1 : i + 1;
	return min_size(i, close);
}

/* for c in "text" */
static struct code_value characters(struct code *c, struct code_value v)
{
	struct code_value *items;
	size_t n = v.text.n;

	if (!value_is_known(&v) || (v.flags & (VALUE_WALKED | VALUE_NUMBER)) || !n || v.type.n ||
	    n > CODE_ITEMS_MAX || c->budget < n)
		return v;
	c->budget -= n;
	items = arena_raw(c->e->arena, n * sizeof *items);
	for (size_t i = 0; i < n; i++)
		items[i] = value_text(str_sub(v.text, i, i + 1));
	return value_list(c->e->arena, items, n);
}

/*
 * The "for x in y if z" of a comprehension, which follows what it is for: its names have
 * their values when that is read.  True when the bracket at the cursor has one.
 */
bool code_comprehension(struct code *c, unsigned close)
{
	unsigned open = c->i, loop = c->t[open].loop, was = c->chosen_level, count = 0;
	struct code_value over = value_unknown(0), v;
	unsigned names = 0, in = 0;
	bool is_pair;

	if (!(is_language(c, CODE_PYTHON) || is_language(c, CODE_JULIA)) || loop <= open ||
	    loop >= close)
		return false;
	for (unsigned i = loop; i < close; count++) {
		names = in = i + 1;
		while (in < close && !token_is(&c->t[in], "in"))
			in++;
		c->i = min_size(in + 1, close);
		over = code_assignable(c, 3);
		over = code_walked_keys(c, &over);
		over = characters(c, over);
		code_bind(c, names, in, value_element(c->e->arena, &over));
		while (c->i < close && !token_is(code_at(c, 0), "for")) {
			unsigned at = c->i;

			if (skip(c, "if"))
				code_condition(c, condition_end(c, close));
			else
				(void)code_assignable(c, 3);
			if (c->i == at)
				c->i++;
		}
		i = c->i;
	}
	c->i = open + 1;
	is_pair = token_is(&c->t[open], "{");
	if (count == 1 && over.kind == VALUE_LIST && !(over.flags & VALUE_ANY) && over.n &&
	    c->budget > over.n * (loop - open)) {
		/* A known list: item by item. */
		struct code_value *items = arena_raw(c->e->arena, (over.n + 1) * sizeof *items);

		c->budget -= over.n * (loop - open);
		for (unsigned i = 0; i < over.n; i++) {
			code_bind(c, names, in, over.items[i]);
			c->i = open + 1;
			items[i] = each_of(c, is_pair);
		}
		v = value_list(c->e->arena, items, over.n);
	} else {
		unsigned times = c->times;

		c->times = code_times(c, names, in, in, close, open + 1, loop);
		v = each_of(c, is_pair);
		c->times = times;
		if (c->chosen_level != was && (v.flags & VALUE_WALKED))
			v.flags |= VALUE_CHOSEN;
		if (!(v.flags & VALUE_WALKED)) {
			v = value_list(c->e->arena, &v, 1);
			v.flags |= VALUE_ANY;
		}
	}
	c->chosen_level = was;
	c->last = v;
	return true;
}

/* Perl: qw(a b), @x and (a, b) are no list of their own within another. */
static bool is_flat(const struct code *c, const struct code_token *t)
{
	return is_language(c, CODE_PERL) && (t->kind == TOKEN_WORDS || token_is(t, "(") ||
					     (t->kind == TOKEN_NAME && strchr("@%", t->text.p[0])));
}

/* { name(x) { ... }, async name() { ... }, get name() { ... } }: its key; the cursor is there. */
static bool method_of_object(struct code *c, struct str *ret_key, struct code_value *ret)
{
	unsigned n = 0, open, close;
	bool property = token_is(code_at(c, 0), "get");

	if (!is_language(c, CODE_JAVASCRIPT))
		return false;
	while (n < 3 && !token_is(code_at(c, n + 1), "(") &&
	       (token_is(code_at(c, n), "async") || token_is(code_at(c, n), "get") ||
		token_is(code_at(c, n), "set") || token_is(code_at(c, n), "*")))
		n++;
	open = c->i + n + 1;
	close = code_at(c, n + 1)->match;
	if (code_at(c, n)->kind != TOKEN_NAME || token_is(code_at(c, n), "function") ||
	    !token_is(code_at(c, n + 1), "(") || close <= open || close + 1 >= c->end ||
	    !token_is(&c->t[close + 1], "{"))
		return false;
	*ret_key = code_at(c, n)->text;
	*ret = code_function_at(c, open + 1, close, close + 1);
	c->fns[ret->n].name = *ret_key;
	c->fns[ret->n].property = property && n;
	return true;
}

/* Where the value is behind the key that begins at the cursor: 0 = no key does. */
static unsigned behind_key(const struct code *c, unsigned close, bool keys)
{
	/* What comes behind a key that is an expression: NULL = only one in brackets may be. */
	const char *mark = has(c, SYNTAX_SIGILS) ? "=>" : NULL;
	unsigned i = c->i;

	if (is_language(c, CODE_PYTHON) || is_language(c, CODE_COMPILED))
		mark = keys ? ":" : NULL;
	if (keys && token_is(&c->t[i], "[") && has(c, SYNTAX_LONG_BRACKETS | SYNTAX_TEMPLATE)) {
		i = c->t[i].match + 1;
		return i > c->i + 2 && i < close &&
				       (token_is(&c->t[i], "=") || token_is(&c->t[i], ":"))
			       ? i + 1
			       : 0;
	}
	for (; mark && i < close && !token_is(&c->t[i], ",") && !token_is(&c->t[i], "lambda") &&
	       !token_is(&c->t[i], "?");
	     i++)
		if (c->t[i].match > i)
			i = c->t[i].match;
		else if (token_is(&c->t[i], mark))
			return i > c->i ? i + 1 : 0;
	return 0;
}

/* {HOME / "x": text}, [join(home, "x") => text], {[key]: text}: the cursor goes to the value. */
static struct str computed_key(struct code *c, unsigned close, unsigned value)
{
	struct code_value key;

	c->end = value - 1;
	key = code_expression(c);
	c->end = close;
	c->i = value;
	if (key.kind == VALUE_LIST && key.n == 1 && !(key.flags & VALUE_ANY)) /* [key] */
		key = key.items[0];
	return value_flat(c->e->arena, &key);
}

/* Up to `close`: what a bracket holds.  {} and tables have keys. */
struct code_value code_items(struct code *c, bool keys)
{
	struct code_value items[32], v;
	struct code_value *all = items;
	size_t n = 0, cap = ARRAY_LEN(items);
	unsigned close = closing_at(c), end = c->end;

	c->end = close;
	if (code_comprehension(c, close)) {
		c->i = min_size(close + 1, end);
		c->end = end;
		return c->last;
	}
	c->i++;
	while (c->i < close) {
		unsigned at = c->i;
		struct str key = { 0 };
		const struct code_token *t = code_at(c, 0), *next = code_at(c, 1);

		if (keys &&
		    ((t->kind == TOKEN_NAME && !is_language(c, CODE_PYTHON)) ||
		     (t->kind == TOKEN_TEXT && t->parts == PARTS_NONE) ||
		     t->kind == TOKEN_NUMBER) &&
		    (token_is(next, ":") || token_is(next, "=>") ||
		     (token_is(next, "=") && is_language(c, CODE_LUA)))) {
			key = t->text;
			c->i += 2;
		} else if (token_is(t, ":") && token_is(code_at(c, 2), "=>")) {
			key = next->text;
			c->i += 3;
		} else if (((t->kind == TOKEN_TEXT && t->parts == PARTS_NONE) ||
			    (t->kind == TOKEN_NAME && !strchr("$@%", t->text.p[0]))) &&
			   token_is(next, "=>") && !has(c, SYNTAX_TEMPLATE)) {
			key = t->text;
			c->i += 2;
		} else if (keys && t->kind == TOKEN_NAME && is_language(c, CODE_JAVASCRIPT) &&
			   (token_is(next, ",") || next->kind == TOKEN_END)) {
			key = t->text;
		} else if (keys || has(c, SYNTAX_SIGILS)) {
			unsigned value = behind_key(c, close, keys);

			key = value ? computed_key(c, close, value) : key;
		}
		if (!keys || key.n || !method_of_object(c, &key, &v))
			v = code_expression(c);
		if ((code_is_spread(c, t) || is_flat(c, t)) && v.kind == VALUE_LIST &&
		    !(v.flags & VALUE_ANY)) {
			for (unsigned k = 0; k < v.n && n < cap; k++)
				all[n++] = v.items[k];
			if (!skip(c, ",") && c->i == at)
				c->i++;
			continue;
		}
		v.key = key;
		if (n == cap && cap < CODE_ITEMS_MAX) {
			struct code_value *more = arena_raw(c->e->arena, 2 * cap * sizeof *more);

			memcpy(more, all, n * sizeof *more);
			all = more;
			cap *= 2;
		}
		if (n < cap && c->i > at)
			all[n++] = v;
		if (!skip(c, ",") && c->i == at)
			c->i++;
		/* {get x() {...}}: what follows a key may be a body */
	}
	c->i = min_size(close + 1, end);
	c->end = end;
	return value_literal(c->e->arena, all, n);
}

/* ( ... ): a list, or the one that is in it. */
struct code_value code_group(struct code *c)
{
	unsigned open = c->i, close = closing_at(c);
	struct code_value v = code_items(c, false);

	if (is_language(c, CODE_JAVASCRIPT) && v.kind == VALUE_LIST && v.n > 1 &&
	    !(v.flags & VALUE_ANY) && token_is(code_at(c, 0), "("))
		return v.items[v.n - 1]; /* (0, eval)(x) */
	if (v.kind != VALUE_LIST || v.n != 1 || (v.flags & VALUE_ANY) || v.items[0].key.n)
		return v;
	if (is_language(c, CODE_PERL) && v.items[0].kind == VALUE_LIST && open > 1 &&
	    ((token_is(&c->t[open - 1], "=") && str_starts(c->t[open - 2].text, STR("@"))) ||
	     (close == open + 2 && str_starts(c->t[open + 1].text, STR("@")) &&
	      str_starts(c->t[open - 1].text, STR("$"))))) /* @x = ({...}), for my $y (@x) */
		return v;
	if (close > open + 1 && token_is(&c->t[close - 1], ",") && is_language(c, CODE_PYTHON))
		return v;
	return v.items[0];
}

#include "effects/code.h"

static bool is_language(const struct code *c, enum code_language l)
{
	return c->g->language == l;
}

static bool has(const struct code *c, unsigned syntax)
{
	return c->g->syntax & syntax;
}

/* The index of what closes the bracket at the cursor, or the end. */
static unsigned closing_at(const struct code *c)
{
	unsigned m = c->i < c->end ? c->t[c->i].match : 0;

	return m > c->i && m < c->end ? m : c->end;
}

static bool skip(struct code *c, const char *text)
{
	if (!token_is(code_at(c, 0), text))
		return false;
	c->i++;
	return true;
}

/* ---- text with parts ---- */

/* The code in a text's ${...}: at its "{". */
static size_t part_end(struct str s, size_t i)
{
	unsigned depth = 0;

	for (; i < s.n; i++) {
		if (s.p[i] == '{' || s.p[i] == '[')
			depth++;
		else if ((s.p[i] == '}' || s.p[i] == ']') && --depth == 0)
			return i;
	}
	return s.n;
}

static struct code_value part_value(struct code *c, struct str text, bool python)
{
	struct code inner = *c;
	struct code_tokens t;
	struct code_value v;

	/* In front of a conversion: {x!r}, {x:>10}; {x=} */
	if (python)
		for (size_t i = 0, depth = 0; i < text.n; i++) {
			if (strchr("([{", text.p[i]) && text.p[i])
				depth++;
			else if (strchr(")]}", text.p[i]) && text.p[i] && depth)
				depth--;
			else if (!depth && (text.p[i] == ':' ||
					    (text.p[i] == '!' && str_sub(text, i + 1, i + 2).n &&
					     text.p[i + 1] != '='))) {
				text.n = i;
				break;
			}
		}
	if (c->nesting >= CODE_NESTING_MAX || c->budget < text.n)
		return value_unknown(0);
	c->budget -= text.n;
	code_lex(&t, c->g, c->e->arena, text);
	inner = *c;
	inner.text = text;
	inner.t = t.p;
	inner.i = 0;
	inner.end = t.n - 1;
	inner.nesting++;
	inner.statement = false;
	v = code_expression(&inner);
	/* All but the place belongs to the whole. */
	inner.text = c->text;
	inner.t = c->t;
	inner.i = c->i;
	inner.end = c->end;
	inner.nesting = c->nesting;
	inner.statement = c->statement;
	*c = inner;
	return v;
}

/* A variable in text: $x, ${x}, $x[0], $x->{y}, @x, {$x}. */
static struct code_value sigil_part(struct code *c, struct str s, size_t *i)
{
	size_t from = *i, to = from + 1;
	struct code_value v;

	if (s.p[from] == '{' || (to < s.n && s.p[to] == '{')) {
		size_t open = s.p[from] == '{' ? from : to, end = part_end(s, open);
		struct str inside = str_sub(s, open + 1, end);
		bool name = s.p[from] != '{' && inside.n && char_is_word(inside.p[0]);

		*i = min_size(end + 1, s.n);
		if (name)
			inside = arena_printf(c->e->arena, "%c%.*s", s.p[from], STR_ARG(inside));
		return part_value(c, inside, false);
	}
	while (to < s.n &&
	       (char_is_word(s.p[to]) || (s.p[to] == ':' && to + 2 < s.n && s.p[to + 1] == ':')))
		to++;
	while (to < s.n && (s.p[to] == '[' || s.p[to] == '{' ||
			    (s.p[to] == '-' && to + 2 < s.n && s.p[to + 1] == '>' &&
			     (strchr("[{", s.p[to + 2]) || is_language(c, CODE_PHP))))) {
		if (s.p[to] == '-') {
			to += 2;
			while (to < s.n && char_is_word(s.p[to]))
				to++;
		} else {
			to = min_size(part_end(s, to) + 1, s.n);
		}
	}
	v = part_value(c, str_sub(s, from, to), false);
	*i = to;
	return s.p[from] == '@' ? value_join_all(c->e->arena, v, STR(" ")) : v;
}

static bool begins_part(enum code_parts parts, struct str s, size_t i)
{
	char c = s.p[i], next = i + 1 < s.n ? s.p[i + 1] : '\0';

	switch (parts) {
	case PARTS_NONE:
		return false;
	case PARTS_BRACES:
		return c == '{' && next != '{';
	case PARTS_DOLLAR_BRACES:
		return c == '$' && next == '{';
	case PARTS_HASH_BRACES:
		return c == '#' && next == '{';
	case PARTS_SIGILS:
		return ((c == '$' || c == '@') &&
			((char_is_word(next) && !(c == '@' && char_is_digit(next))) ||
			 next == '{')) ||
		       (c == '{' && next == '$');
	}
	return false;
}

struct code_value code_text_value(struct code *c, const struct code_token *t)
{
	struct arena *a = c->e->arena;
	struct code_value v = value_text(STR(""));
	size_t from = 0, i = 0;
	bool any = false;

	while (t->parts != PARTS_NONE && i < t->text.n) {
		struct code_value part, text;

		if (t->text.p[i] == '\\' && t->escapes != ESCAPES_NONE) {
			i += 2;
			continue;
		}
		if (t->parts == PARTS_BRACES && i + 1 < t->text.n && t->text.p[i] == '{' &&
		    t->text.p[i + 1] == '{') {
			i += 2;
			continue;
		}
		if (!begins_part(t->parts, t->text, i)) {
			i++;
			continue;
		}
		text = value_text(code_unescape(a, str_sub(t->text, from, i), t->escapes));
		if (t->parts == PARTS_SIGILS) {
			part = sigil_part(c, t->text, &i);
		} else {
			size_t open = i + (t->parts != PARTS_BRACES);
			size_t end = part_end(t->text, open);

			part = part_value(c, str_sub(t->text, open + 1, end),
					  t->parts == PARTS_BRACES);
			i = min_size(end + 1, t->text.n);
		}
		v = value_join(a, any ? value_join(a, v, STR(""), text) : text, STR(""), part);
		any = true;
		from = i;
	}
	if (!any)
		return value_text(code_unescape(a, t->text, t->escapes));
	return value_join(
		a, v, STR(""),
		value_text(code_unescape(a, str_sub(t->text, from, t->text.n), t->escapes)));
}

/* ---- functions that stand in expressions ---- */

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
static struct code_value define_at(struct code *c, unsigned params, unsigned params_end,
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

/* { |x| ... }, do |x| ... end */
static struct code_value ruby_block(struct code *c)
{
	unsigned close = closing_at(c), params, params_end;

	c->i++;
	params = params_end = c->i;
	if (skip(c, "|")) {
		params = c->i;
		while (c->i < close && !token_is(code_at(c, 0), "|"))
			c->i++;
		params_end = c->i++;
	}
	params = min_size(params, close);
	struct code_value v = code_define(c, STR(""), params, min_size(params_end, close),
					  min_size(c->i, close), close, false);

	c->i = min_size(close + 1, c->end);
	return v;
}

/* function (a) { }, sub { }, function(a) ... end, fn(a) => x, lambda a: x */
static bool function_literal(struct code *c, struct code_value *ret)
{
	const struct code_token *t = code_at(c, 0);
	unsigned params, params_end;

	if (token_is(t, "lambda") && is_language(c, CODE_PYTHON)) {
		params = ++c->i;
		while (c->i < c->end && !token_is(code_at(c, 0), ":"))
			c->i++;
		params_end = c->i;
		*ret = define_at(c, params, params_end, min_size(c->i + 1, c->end));
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
		if (!token_is(code_at(c, 0), "{") && !token_is(code_at(c, 0), "do"))
			return false;
		*ret = ruby_block(c);
		return true;
	}
	if (token_is(t, "sub") && is_language(c, CODE_PERL) && token_is(code_at(c, 1), "{")) {
		*ret = define_at(c, c->i + 1, c->i + 1, c->i + 1);
		return true;
	}
	if (token_is(t, "function") || (token_is(t, "fn") && is_language(c, CODE_PHP))) {
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
		if (is_language(c, CODE_LUA)) {
			*ret = code_define(c, STR(""), params, params_end, c->i, whole, false);
			c->i = min_size(whole + 1, c->end);
			return true;
		}
		while (c->i < c->end && !token_is(code_at(c, 0), "{") &&
		       !token_is(code_at(c, 0), "=>") && !token_is(code_at(c, 0), ";"))
			c->i++;
		skip(c, "=>");
		*ret = define_at(c, params, params_end, c->i);
		return true;
	}
	return false;
}

/* x => ..., (x, y) => ... */
static bool arrow(struct code *c, struct code_value *ret)
{
	unsigned params = c->i, params_end = c->i + 1;

	if (!has(c, SYNTAX_TEMPLATE))
		return false;
	if (token_is(code_at(c, 0), "(")) {
		params_end = closing_at(c);
		if (params_end + 1 >= c->end || !token_is(&c->t[params_end + 1], "=>"))
			return false;
		*ret = define_at(c, params + 1, params_end, params_end + 2);
		return true;
	}
	if (code_at(c, 0)->kind != TOKEN_NAME || !token_is(code_at(c, 1), "=>"))
		return false;
	*ret = define_at(c, params, params_end, c->i + 2);
	return true;
}

/* ---- lists ---- */

/*
 * The "for x in y if z" of a comprehension, which stands behind what it is for: its names have
 * their values when that is read.  True when the bracket at the cursor has one.
 */
static bool comprehension(struct code *c, unsigned close)
{
	unsigned open = c->i, loop = c->t[open].loop, was = c->chosen_level, count = 0;
	struct code_value over = value_unknown(0), v;
	unsigned names = 0, in = 0;

	if (!is_language(c, CODE_PYTHON) || loop <= open || loop >= close)
		return false;
	for (unsigned i = loop; i < close; count++) {
		names = in = i + 1;
		while (in < close && !token_is(&c->t[in], "in"))
			in++;
		c->i = min_size(in + 1, close);
		over = code_assignable(c, 3);
		code_bind(c, names, in, value_element(c->e->arena, &over));
		while (c->i < close && !token_is(code_at(c, 0), "for")) {
			unsigned at = c->i;

			if (token_is(code_at(c, 0), "if"))
				c->chosen_level = c->level + 1;
			if (!skip(c, "if"))
				(void)code_assignable(c, 3);
			if (c->i == at)
				c->i++;
		}
		i = c->i;
	}
	c->i = open + 1;
	if (count == 1 && over.kind == VALUE_LIST && !(over.flags & VALUE_ANY) && over.n > 1 &&
	    c->budget > over.n * (loop - open)) {
		/* A known list: item by item. */
		struct code_value *items = arena_raw(c->e->arena, (over.n + 1) * sizeof *items);

		c->budget -= over.n * (loop - open);
		for (unsigned i = 0; i < over.n; i++) {
			code_bind(c, names, in, over.items[i]);
			c->i = open + 1;
			items[i] = code_assignable(c, 2);
		}
		v = value_list(c->e->arena, items, over.n);
	} else {
		v = code_assignable(c, 2);
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

/* Up to `close`: what a bracket holds.  {} and tables have keys. */
static struct code_value items_value(struct code *c, bool keys)
{
	struct code_value items[CODE_ITEMS_MAX < 32 ? CODE_ITEMS_MAX : 32], v;
	struct code_value *all = items;
	size_t n = 0, cap = ARRAY_LEN(items);
	unsigned close = closing_at(c), end = c->end;

	c->end = close;
	if (comprehension(c, close)) {
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
		    (t->kind == TOKEN_NAME || t->kind == TOKEN_TEXT || t->kind == TOKEN_NUMBER) &&
		    (token_is(next, ":") || token_is(next, "=>") ||
		     (token_is(next, "=") && is_language(c, CODE_LUA)))) {
			key = t->text;
			c->i += 2;
		} else if (token_is(t, ":") && token_is(code_at(c, 2), "=>")) {
			key = next->text;
			c->i += 3;
		} else if (t->kind == TOKEN_TEXT && token_is(next, "=>")) {
			key = t->text;
			c->i += 2;
		} else if (keys && t->kind == TOKEN_NAME && is_language(c, CODE_JAVASCRIPT) &&
			   (token_is(next, ",") || token_is(next, "}"))) {
			key = t->text;
		}
		v = code_expression(c);
		v.key = key;
		if (n == cap && cap < CODE_ITEMS_MAX) {
			struct code_value *more =
				arena_raw(c->e->arena, CODE_ITEMS_MAX * sizeof *more);

			memcpy(more, all, n * sizeof *more);
			all = more;
			cap = CODE_ITEMS_MAX;
		}
		if (n < cap && c->i > at)
			all[n++] = v;
		if (!skip(c, ",") && c->i == at)
			c->i++;
		/* {get x() {...}}: what follows a key may be a body */
	}
	c->i = min_size(close + 1, end);
	c->end = end;
	return value_list(c->e->arena, all, n);
}

/* ( ... ): a list, or the one that is in it. */
static struct code_value group(struct code *c)
{
	unsigned open = c->i, close = closing_at(c);
	struct code_value v = items_value(c, false);

	if (v.kind != VALUE_LIST || v.n != 1 || (v.flags & VALUE_ANY) || v.items[0].key.n)
		return v;
	if (close > open + 1 && token_is(&c->t[close - 1], ",") && is_language(c, CODE_PYTHON))
		return v;
	return v.items[0];
}

/* ---- operands ---- */

static bool among(const struct code_token *t, const char *const *words)
{
	if (t->kind == TOKEN_NAME)
		for (; *words; words++)
			if (str_eqz(t->text, *words))
				return true;
	return false;
}

static const char *const prefixes[] = { "not",    "new",    "await",  "typeof",  "void",  "delete",
					"yield",  "return", "async",  "defined", "clone", "throw",
					"local",  "my",     "our",    "const",   "let",   "var",
					"static", "raise",  "assert", "del",     "then",  NULL };
static const char *const stops[] = { "if", "unless", "for",    "foreach", "while", "until",
				     "in", "and",    "or",     "else",    "elif",  "elsif",
				     "do", "end",    "except", "rescue",  "then",  "is",
				     "of", "as",     "xor",    NULL };

/* May an argument of a call without parentheses begin here? */
static bool begins_argument(const struct code *c)
{
	const struct code_token *t = code_at(c, 0), *next = code_at(c, 1);

	if (t->line && has(c, SYNTAX_LINES))
		return false;
	switch (t->kind) {
	case TOKEN_TEXT:
	case TOKEN_WORDS:
	case TOKEN_COMMAND:
	case TOKEN_NUMBER:
	case TOKEN_REGEX:
		return true;
	case TOKEN_NAME:
		return !among(t, stops) && !token_is(t, "x") && !token_is(t, "eq") &&
		       !token_is(t, "ne") && !token_is(t, "cmp");
	default:
		break;
	}
	if (!t->space)
		return false;
	if (token_is(t, "<") && is_language(c, CODE_PERL))
		return true;
	if (token_is(t, "::") || token_is(t, "->"))
		return !next->space;
	return (token_is(t, "[") || token_is(t, ":") || token_is(t, "-") || token_is(t, "*") ||
		token_is(t, "&") || token_is(t, "\\")) &&
	       !next->space;
}

/* A name that has no value; all of the environment is secret. */
static struct code_value named(struct str name)
{
	static const char *const environments[] = { "os.environ", "process.env", "ENV",    "%ENV",
						    "$_ENV",      "$_SERVER",    "ENVIRON" };
	struct code_value v = value_name(name);

	for (size_t i = 0; i < ARRAY_LEN(environments); i++)
		if (str_eqz(name, environments[i]))
			v.flags = VALUE_SECRET;
	return v;
}

/* A name: a keyword that begins an operand, a variable, or what it stands for. */
static struct code_value name_value(struct code *c)
{
	const struct code_token *t = code_at(c, 0);
	struct code_value v, *var;
	struct str name = t->text;

	if (function_literal(c, &v))
		return v;
	if (among(t, prefixes) && code_variable(c, name)) {
		c->i++;
		c->lvalue = name;
		return *code_variable(c, name);
	}
	if (among(t, prefixes) && !token_is(code_at(c, 1), "(") && !token_is(code_at(c, 1), "=") &&
	    !token_is(code_at(c, 1), ".")) {
		c->i++;
		return code_assignable(c, 8);
	}
	if (among(t, prefixes) && !token_is(t, "delete") && !token_is(t, "local") &&
	    token_is(code_at(c, 1), "(")) {
		c->i++;
		return code_assignable(c, 8);
	}
	if (token_is(t, "do") && token_is(code_at(c, 1), "{")) {
		unsigned close, end = c->end;

		c->i++;
		close = closing_at(c);
		c->i++;
		c->end = close;
		code_run(c);
		c->end = end;
		c->i = min_size(close + 1, end);
		return value_unknown(0);
	}
	c->i++;
	if (has(c, SYNTAX_SIGILS) && name.n > 1 && c->i < c->end && is_language(c, CODE_PERL) &&
	    name.p[0] == '$') {
		/* $x[0] is a part of @x, $x{y} of %x */
		const char *sigil = token_is(code_at(c, 0), "[")   ? "@"
				    : token_is(code_at(c, 0), "{") ? "%"
								   : NULL;

		if (sigil)
			name = arena_printf(c->e->arena, "%s%.*s", sigil,
					    STR_ARG(str_sub(name, 1, name.n)));
	}
	if (name.n > 1 && name.p[0] == '&' && is_language(c, CODE_PERL))
		name = str_sub(name, 1, name.n);
	c->lvalue = name;
	var = code_variable(c, name);
	return var ? *var : named(name);
}

static struct code_value angle(struct code *c)
{
	unsigned i = c->i + 1;
	struct str inside;
	struct code_value v;

	while (i < c->end && i < c->i + 12 && !token_is(&c->t[i], ">"))
		i++;
	if (i >= c->end || !token_is(&c->t[i], ">")) {
		c->i++;
		return value_unknown(0);
	}
	inside = str_sub(c->text, c->t[c->i].at + 1, c->t[i].at);
	c->i = i + 1;
	if (str_chr(inside, '*', 0) < 0)
		return value_unknown(0);
	v = value_text(inside);
	v.flags = VALUE_WALKED;
	return v;
}

static struct code_value operand(struct code *c)
{
	const struct code_token *t = code_at(c, 0);
	struct code_value v;

	c->lvalue = (struct str){ 0 };
	if (arrow(c, &v))
		return v;
	switch ((enum code_token_kind)t->kind) {
	case TOKEN_END:
		return value_unknown(0);
	case TOKEN_NAME:
		return name_value(c);
	case TOKEN_NUMBER:
		c->i++;
		v = value_text(t->text);
		v.flags = VALUE_NUMBER;
		return v;
	case TOKEN_TEXT:
		c->i++;
		v = code_text_value(c, t);
		while (code_at(c, 0)->kind == TOKEN_TEXT && !code_at(c, 0)->line &&
		       !has(c, SYNTAX_SIGILS)) {
			struct code_value next = code_text_value(c, code_at(c, 0));

			v = value_join(c->e->arena, v, STR(""), next);
			c->i++;
		}
		c->lvalue = (struct str){ 0 };
		return v;
	case TOKEN_COMMAND:
		c->i++;
		v = code_text_value(c, t);
		code_shell(c, &v);
		return value_unknown(v.flags);
	case TOKEN_WORDS: {
		struct code_value words[64];
		size_t n = 0;
		struct str rest = t->text;

		c->i++;
		while (n < ARRAY_LEN(words) && (rest = str_trim(rest)).n) {
			size_t k = 0;

			while (k < rest.n && !strchr(" \t\n", rest.p[k]))
				k++;
			words[n++] = value_text(str_sub(rest, 0, k));
			rest = str_sub(rest, k, rest.n);
		}
		return value_list(c->e->arena, words, n);
	}
	case TOKEN_REGEX:
		c->i++;
		v = value_unknown(0);
		v.type = STR("regex");
		return v;
	case TOKEN_OPERATOR:
		break;
	}
	if (token_is(t, "("))
		return group(c);
	if (token_is(t, "[") || token_is(t, "{"))
		return items_value(c, token_is(t, "{"));
	if (token_is(t, "->") && function_literal(c, &v))
		return v;
	if (token_is(t, "<") && is_language(c, CODE_PERL))
		return angle(c);
	if (token_is(t, ":") && code_at(c, 1)->kind == TOKEN_NAME && !code_at(c, 1)->space &&
	    is_language(c, CODE_RUBY)) {
		c->i += 2;
		return value_text(c->t[c->i - 1].text);
	}
	if (strchr("-!+~*&\\@.:", t->text.p[0]) && t->text.n <= 3 && !token_is(t, "::") &&
	    (t->text.n == 1 || token_is(t, "...") || token_is(t, "**") || token_is(t, "++") ||
	     token_is(t, "--"))) {
		c->i++;
		v = code_assignable(c, 8);
		if (token_is(t, "-") && (v.flags & VALUE_NUMBER))
			v = value_join(c->e->arena, value_text(STR("-")), STR(""), v),
			v.flags |= VALUE_NUMBER;
		else if (token_is(t, "!") || token_is(t, "~"))
			v = value_unknown(0);
		return v;
	}
	if (token_is(t, "::")) {
		c->i++;
		return operand(c);
	}
	return value_unknown(0);
}

/* ---- what follows an operand ---- */

static bool is_all_names(struct str s)
{
	static const char *const scopes[] = {
		"",       "builtins",       "__builtins__", "sys.modules", "globalThis", "global",
		"window", "self.__class__", "_G",           "Kernel",      "GLOBALS",    "$GLOBALS"
	};

	for (size_t i = 0; i < ARRAY_LEN(scopes); i++)
		if (str_eqz(s, scopes[i]))
			return true;
	return false;
}

enum { NAME_MAX_BYTES = 512 };

static struct code_value member(struct code *c, const struct code_value *of, struct str name)
{
	const struct code_value *m = value_member(of, name);
	struct code_value *var, v;

	if (m) {
		v = *m;
		v.key = (struct str){ 0 };
		return v;
	}
	if (of->kind != VALUE_NAME || of->type.n > NAME_MAX_BYTES)
		return value_unknown(of->flags);
	if (str_eqz(name, "__dict__") || str_eqz(name, "default"))
		return *of;
	if ((of->flags & VALUE_SECRET) &&
	    !code_function_find(
		    c, arena_printf(c->e->arena, "%.*s.%.*s", STR_ARG(of->type), STR_ARG(name)),
		    false)) { /* process.env.HOME */
		const struct code_function *f = code_function_find(c, of->type, false);
		struct code_args args = { .p = { { .value = value_text(name) } }, .n = 1 };

		if (f && f->act == GIVES_ENV)
			return code_act(c, f, NULL, &args);
	}
	c->lvalue = is_all_names(of->type) ? name
					   : arena_printf(c->e->arena, "%.*s.%.*s",
							  STR_ARG(of->type), STR_ARG(name));
	var = code_variable(c, c->lvalue);
	return var ? *var : named(c->lvalue);
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

		if (token_is(&c->t[i], ":") || token_is(&c->t[i], "::")) {
			colons += c->t[i].text.n;
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

/* x[...] */
static struct code_value subscript(struct code *c, struct code_value v)
{
	unsigned open = c->i, close = closing_at(c), end = c->end;
	struct code_value index;
	struct str base = c->lvalue;
	int64_t n;
	bool slice = false;

	for (unsigned i = open + 1; is_language(c, CODE_PYTHON) && i < close && !slice; i++) {
		slice = token_is(&c->t[i], ":") || token_is(&c->t[i], "::");
		if (c->t[i].match > i)
			i = c->t[i].match;
	}
	if (slice) {
		c->i = min_size(close + 1, end);
		c->lvalue = (struct str){ 0 };
		if (v.kind == VALUE_LIST)
			return v;
		return sliced(c, v, open, close);
	}
	c->i++;
	c->end = close;
	if (token_is(&c->t[open], "{") && c->i + 1 == close && c->t[c->i].kind == TOKEN_NAME &&
	    str_chr(STR("$@"), c->t[c->i].text.p[0], 0) < 0)
		index = value_text(c->t[c->i].text); /* a bare key */
	else
		index = code_expression(c);
	c->end = end;
	c->i = min_size(close + 1, end);
	c->lvalue = (struct str){ 0 };
	if (v.kind == VALUE_LIST && value_int(&index, &n))
		return value_item(&v, is_language(c, CODE_LUA) ? n - 1 : n);
	if (v.kind == VALUE_NAME && str_eqz(v.type, "Dir") && is_language(c, CODE_RUBY)) {
		struct code_args args = { .p = { { .value = index } }, .n = 1 };

		return code_act(c, code_function_find(c, STR("Dir.glob"), false), NULL, &args);
	}
	if (value_is_known(&index) && !(index.flags & VALUE_NUMBER)) {
		const struct code_function *f =
			v.kind == VALUE_NAME ? code_function_find(c, v.type, false) : NULL;
		struct code_args args = { .p = { { .value = index } }, .n = 1 };

		if (f && f->act == GIVES_ENV)
			return code_act(c, f, NULL, &args);
		return member(c, &v, index.text);
	}
	if (v.kind == VALUE_TEXT && (v.flags & VALUE_WALKED))
		return v;
	if (v.kind == VALUE_TEXT && value_int(&index, &n) && value_is_known(&v)) {
		if (n < 0)
			n += (int64_t)v.text.n;
		if (n >= 0 && n < (int64_t)v.text.n)
			return value_text(str_sub(v.text, (size_t)n, (size_t)n + 1));
	}
	c->lvalue = base.n && v.kind == VALUE_NAME ? (struct str){ 0 } : c->lvalue;
	return v.kind == VALUE_LIST ? value_element(c->e->arena, &v) : value_unknown(v.flags);
}

/* The operator that reaches into an object here, or 0 tokens. */
static unsigned access_length(const struct code *c)
{
	const struct code_token *t = code_at(c, 0), *next = code_at(c, 1);

	if (t->kind != TOKEN_OPERATOR || next->kind == TOKEN_END)
		return 0;
	if (token_is(t, "->") || token_is(t, "?."))
		return 1;
	if (token_is(t, "::") && next->kind == TOKEN_NAME)
		return 1;
	if (token_is(t, "&") && token_is(next, ".") && !next->space)
		return 2;
	if (token_is(t, ".") && next->kind == TOKEN_NAME && !has(c, SYNTAX_DOT_JOINS))
		return 1;
	return token_is(t, ":") && is_language(c, CODE_LUA) && next->kind == TOKEN_NAME &&
	       (token_is(code_at(c, 2), "(") || code_at(c, 2)->kind == TOKEN_TEXT);
}

/* Does a call begin here, of what has just been read? */
static bool begins_call(const struct code *c, const struct code_value *v, bool method)
{
	const struct code_token *t = code_at(c, 0);
	bool callable = v->kind == VALUE_NAME || v->kind == VALUE_FUNCTION || method;

	if (t->line && has(c, SYNTAX_LINES))
		return false;
	if (token_is(t, "("))
		return !(has(c, SYNTAX_ADJACENT_JOINS) && t->space);
	if (!callable)
		return false;
	if (t->kind == TOKEN_TEXT && !t->space && t->parts == PARTS_DOLLAR_BRACES)
		return true;
	if (is_language(c, CODE_LUA))
		return t->kind == TOKEN_TEXT || token_is(t, "{");
	if (!t->space && !token_is(t, "<"))
		return false;
	if (has(c, SYNTAX_BARE_CALLS)) {
		if ((token_is(t, "{") || token_is(t, "do")) && !c->in_print)
			return t->match > c->i;
		return begins_argument(c);
	}
	if (token_is(t, "{"))
		return str_eqz(v->type, "grep") || str_eqz(v->type, "map") ||
		       str_eqz(v->type, "sort");
	return has(c, SYNTAX_KNOWN_BARE_CALLS) && v->kind == VALUE_NAME && v->type.n &&
	       v->type.p[0] != '$' && begins_argument(c);
}

static bool is_known_bare(const struct code *c, const struct code_value *v)
{
	const struct code_function *f =
		v->kind == VALUE_NAME ? code_function_find(c, v->type, false) : NULL;

	return f && !(f->flags & FN_NEVER_BARE);
}

static struct code_value call_here(struct code *c, struct code_value f, struct code_value *self,
				   unsigned at)
{
	struct code_args args = { .at = at };

	if (token_is(code_at(c, 0), "(")) {
		code_arguments(c, &args, ")");
	} else if (is_language(c, CODE_LUA) || code_at(c, 0)->parts == PARTS_DOLLAR_BRACES) {
		if (code_at(c, 0)->parts == PARTS_DOLLAR_BRACES && f.kind == VALUE_NAME) {
			struct str tag = arena_printf(c->e->arena, "%.*s`", STR_ARG(f.type));

			f.type = code_function_find(c, tag, false) ? tag : f.type;
		}
		args.p[args.n++].value = operand(c);
		args.end = c->i ? c->t[c->i - 1].end : 0;
	} else if (token_is(code_at(c, 0), "{") && is_language(c, CODE_PERL)) {
		unsigned body = c->i;

		args.p[args.n++].value = define_at(c, body, body, body);
		code_arguments(c, &args, NULL);
	} else if (!token_is(code_at(c, 0), "{") && !token_is(code_at(c, 0), "do")) {
		code_arguments(c, &args, NULL);
	}
	if (is_language(c, CODE_RUBY) && !c->in_print && args.n < CODE_ARGS_MAX &&
	    (token_is(code_at(c, 0), "{") || token_is(code_at(c, 0), "do")) &&
	    closing_at(c) < c->end && !(code_at(c, 0)->line))
		args.p[args.n++].value = ruby_block(c);
	return code_call(c, f, self, &args);
}

/* A method or an attribute of an object: its name is at the cursor. */
static struct code_value of_object(struct code *c, struct code_value self, unsigned at)
{
	struct str name = code_at(c, 0)->text;
	struct code_value f, v;
	const struct code_function *row;

	c->i++;
	v = member(c, &self, name);
	/* An attribute that has a value, or a name. */
	if (self.kind == VALUE_NAME && v.kind != VALUE_NAME) {
		if (v.kind == VALUE_FUNCTION && begins_call(c, &v, true))
			return call_here(c, v, NULL, at);
		return v;
	}
	if (v.kind == VALUE_FUNCTION && begins_call(c, &v, true))
		return call_here(c, v, NULL, at);
	f = self.kind == VALUE_NAME ? v
				    : value_name(arena_printf(c->e->arena, "%.*s.%.*s",
							      STR_ARG(self.type), STR_ARG(name)));
	if (begins_call(c, &f, true)) {
		struct str lvalue = c->lvalue;
		struct code_value result = call_here(c, f, &self, at);

		c->lvalue = lvalue;
		c->lvalue.n = 0;
		return result;
	}
	row = code_function_find(c, f.type, self.kind == VALUE_NAME ? false : true);
	if (!row && has(c, SYNTAX_BARE_CALLS))
		row = code_function_find(c, f.type, true);
	if (row && row->act >= GIVES_SELF && (row->act < GIVES_MODULE || row->act == GIVES_CONST) &&
	    !(self.kind == VALUE_NAME && row->act == GIVES_ENV)) {
		struct code_args none = { .at = at, .end = c->t[c->i - 1].end };

		return code_act(c, row, &self, &none);
	}
	if (row && has(c, SYNTAX_BARE_CALLS) && !token_is(code_at(c, 0), "=")) {
		struct code_args none = { .at = at, .end = c->t[c->i - 1].end };

		return code_act(c, row, &self, &none);
	}
	return v;
}

static struct code_value postfix(struct code *c)
{
	unsigned at = code_at(c, 0)->at, first = c->i;
	struct code_value v = operand(c);

	if (c->i == first)
		return v;
	for (;;) {
		const struct code_token *t = code_at(c, 0);
		unsigned n = access_length(c);
		bool more = !t->line || !has(c, SYNTAX_LINES);

		if (n && (more || token_is(t, ".") || token_is(t, "?.") || token_is(t, "&"))) {
			c->i += n;
			if (code_at(c, 0)->kind == TOKEN_NAME &&
			    !(has(c, SYNTAX_DOT_JOINS) && code_at(c, 0)->text.p[0] == '$')) {
				v = of_object(c, v, at);
				continue;
			}
			if (token_is(code_at(c, 0), "(") || token_is(code_at(c, 0), "[") ||
			    token_is(code_at(c, 0), "{"))
				continue; /* ?.( ?.[ ->[ ->{ */
			if (token_is(code_at(c, 0), "@") || token_is(code_at(c, 0), "*"))
				c->i++;
			v = value_unknown(v.flags);
			continue;
		}
		if (token_is(t, "[") && more &&
		    !(t->space && has(c, SYNTAX_BARE_CALLS) && v.kind == VALUE_NAME)) {
			v = subscript(c, v);
			continue;
		}
		if (token_is(t, "{") && !t->space && is_language(c, CODE_PERL) && c->i > first &&
		    (c->t[c->i - 1].kind == TOKEN_NAME || token_is(&c->t[c->i - 1], "->") ||
		     token_is(&c->t[c->i - 1], "}") || token_is(&c->t[c->i - 1], "]"))) {
			v = subscript(c, v);
			continue;
		}
		if (begins_call(c, &v, false) &&
		    (token_is(t, "(") || !has(c, SYNTAX_KNOWN_BARE_CALLS) ||
		     is_known_bare(c, &v))) {
			v = call_here(c, v, NULL, at);
			c->lvalue = (struct str){ 0 };
			continue;
		}
		if ((token_is(t, "++") || token_is(t, "--")) && more) {
			c->i++;
			v = value_unknown(0);
			continue;
		}
		if (token_is(t, "!") && is_language(c, CODE_JAVASCRIPT) && !t->space && more) {
			c->i++; /* TypeScript */
			continue;
		}
		break;
	}
	/* A function of the table that needs no arguments: Perl's `fork`, Ruby's `fork`. */
	if (v.kind == VALUE_NAME && c->i == first + 1 &&
	    has(c, SYNTAX_KNOWN_BARE_CALLS | SYNTAX_BARE_CALLS) && is_known_bare(c, &v) &&
	    !token_is(code_at(c, 0), "=") && !token_is(code_at(c, 0), "=>")) {
		struct code_args none = { .at = at, .end = c->t[first].end };

		v = code_call(c, v, NULL, &none);
	}
	return v;
}

/* ---- operators ---- */

enum {
	LEVEL_ASSIGN = 1,
	LEVEL_CHOICE,
	LEVEL_OR,
	LEVEL_COMPARE,
	LEVEL_BITS,
	LEVEL_ADD,
	LEVEL_TIMES
};

static unsigned operator_level(const struct code *c, const struct code_token *t)
{
	static const struct {
		const char *text;
		unsigned char level;
	} operators[] = {
		{ "=", LEVEL_ASSIGN },
		{ "+=", LEVEL_ASSIGN },
		{ ".=", LEVEL_ASSIGN },
		{ ":=", LEVEL_ASSIGN },
		{ "||=", LEVEL_ASSIGN },
		{ "?\?=", LEVEL_ASSIGN },
		{ "-=", LEVEL_ASSIGN },
		{ "*=", LEVEL_ASSIGN },
		{ "/=", LEVEL_ASSIGN },
		{ "//=", LEVEL_ASSIGN },
		{ "|=", LEVEL_ASSIGN },
		{ "%=", LEVEL_ASSIGN },
		{ "&&=", LEVEL_ASSIGN },
		{ "?", LEVEL_CHOICE },
		{ "||", LEVEL_OR },
		{ "&&", LEVEL_OR },
		{ "?\?", LEVEL_OR },
		{ "==", LEVEL_COMPARE },
		{ "!=", LEVEL_COMPARE },
		{ "===", LEVEL_COMPARE },
		{ "!==", LEVEL_COMPARE },
		{ "<", LEVEL_COMPARE },
		{ ">", LEVEL_COMPARE },
		{ "<=", LEVEL_COMPARE },
		{ ">=", LEVEL_COMPARE },
		{ "=~", LEVEL_COMPARE },
		{ "!~", LEVEL_COMPARE },
		{ "~=", LEVEL_COMPARE },
		{ "<=>", LEVEL_COMPARE },
		{ "|", LEVEL_BITS },
		{ "&", LEVEL_BITS },
		{ "^", LEVEL_BITS },
		{ "<<", LEVEL_BITS },
		{ ">>", LEVEL_BITS },
		{ "~", LEVEL_BITS },
		{ "+", LEVEL_ADD },
		{ "-", LEVEL_ADD },
		{ ".", LEVEL_ADD },
		{ "..", LEVEL_ADD },
		{ "...", LEVEL_ADD },
		{ "*", LEVEL_TIMES },
		{ "/", LEVEL_TIMES },
		{ "%", LEVEL_TIMES },
		{ "//", LEVEL_TIMES },
		{ "**", LEVEL_TIMES },
		{ "x", LEVEL_TIMES },
		{ "and", LEVEL_OR },
		{ "or", LEVEL_OR },
		{ "in", LEVEL_COMPARE },
		{ "is", LEVEL_COMPARE },
		{ "eq", LEVEL_COMPARE },
		{ "ne", LEVEL_COMPARE },
		{ "instanceof", LEVEL_COMPARE },
		{ "xor", LEVEL_OR },
		{ "lt", LEVEL_COMPARE },
		{ "gt", LEVEL_COMPARE },
	};

	if (t->kind != TOKEN_OPERATOR && t->kind != TOKEN_NAME)
		return 0;
	if (t->kind == TOKEN_NAME &&
	    (t->text.n > 10 || (token_is(t, "x") && !is_language(c, CODE_PERL))))
		return 0;
	if (token_is(t, "if") && is_language(c, CODE_PYTHON))
		return LEVEL_CHOICE;
	if (token_is(t, "not") && is_language(c, CODE_PYTHON) && token_is(code_at(c, 1), "in"))
		return LEVEL_COMPARE;
	if (token_is(t, "~") && !is_language(c, CODE_AWK))
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(operators); i++)
		if (token_is(t, operators[i].text))
			return operators[i].level;
	return 0;
}

static struct code_value add_values(struct code *c, struct code_value x, struct code_value y)
{
	struct arena *a = c->e->arena;
	int64_t m, n;

	if ((x.flags & VALUE_NUMBER) && (y.flags & VALUE_NUMBER) && value_int(&x, &m) &&
	    value_int(&y, &n) && m < INT32_MAX && n < INT32_MAX)
		return value_number(a, m + n);
	if (x.kind == VALUE_LIST && y.kind == VALUE_LIST && !((x.flags | y.flags) & VALUE_ANY)) {
		struct code_value v = { .kind = VALUE_LIST,
					.flags = (x.flags | y.flags) & VALUE_TAINTS };

		v.items = arena_raw(a, (x.n + y.n + 1) * sizeof *v.items);
		for (unsigned i = 0; i < x.n; i++)
			v.items[v.n++] = x.items[i];
		for (unsigned i = 0; i < y.n && v.n < CODE_ITEMS_MAX; i++)
			v.items[v.n++] = y.items[i];
		return v;
	}
	if (x.kind == VALUE_LIST && !(x.flags & VALUE_ANY))
		return x; /* and something unknown */
	if (x.kind == VALUE_NAME)
		x = value_unknown(x.flags);
	if (y.kind == VALUE_NAME)
		y = value_unknown(y.flags);
	if (x.kind == VALUE_UNKNOWN && y.kind == VALUE_UNKNOWN)
		return value_unknown(x.flags | y.flags);
	return value_join(a, x, STR(""), y);
}

/* "%s/%s" % (x, y), and format() of other languages. */
static struct code_value percent(struct code *c, struct code_value format, struct code_value arg)
{
	struct arena *a = c->e->arena;
	struct code_value v = value_text(STR(""));
	size_t from = 0, n = 0;

	if (!value_is_known(&format))
		return value_unknown(format.flags | arg.flags);
	for (size_t i = 0; i + 1 < format.text.n; i++) {
		struct code_value part;

		if (format.text.p[i] != '%' || format.text.p[i + 1] == '%') {
			i += format.text.p[i] == '%';
			continue;
		}
		part = arg.kind == VALUE_LIST && !(arg.flags & VALUE_ANY)
			       ? value_item(&arg, (int64_t)n)
			       : arg;
		n++;
		v = value_join(a, v, STR(""), value_text(str_sub(format.text, from, i)));
		v = value_join(a, v, STR(""), part);
		while (i + 1 < format.text.n && !strchr("sdrxif", format.text.p[i + 1]))
			i++;
		from = min_size(i + 2, format.text.n);
		i++;
	}
	return value_join(a, v, STR(""), value_text(str_sub(format.text, from, format.text.n)));
}

static struct code_value combine(struct code *c, const struct code_token *op, unsigned level,
				 struct code_value x, struct code_value y)
{
	struct arena *a = c->e->arena;

	if (level == LEVEL_OR) {
		if (token_is(op, "and") || token_is(op, "&&"))
			return y;
		if (x.kind == VALUE_UNKNOWN || x.kind == VALUE_NAME)
			return y.kind == VALUE_TEXT && x.kind == VALUE_UNKNOWN
				       ? value_either(a, x, y)
				       : y;
		return x;
	}
	if (level == LEVEL_COMPARE)
		return value_unknown(0);
	if (token_is(op, "+") || (token_is(op, ".") && has(c, SYNTAX_DOT_JOINS)) ||
	    (token_is(op, "..") && is_language(c, CODE_LUA)) ||
	    (token_is(op, "<<") && is_language(c, CODE_RUBY)))
		return add_values(c, x, y);
	if (token_is(op, "/") && (x.type.n || y.type.n || x.kind == VALUE_TEXT) &&
	    !(x.flags & VALUE_NUMBER))
		return value_path(a, x, y);
	if (token_is(op, "%") && x.kind == VALUE_TEXT && !(x.flags & VALUE_NUMBER))
		return percent(c, x, y);
	if (token_is(op, "*") || token_is(op, "x")) {
		int64_t n;

		if (x.kind == VALUE_TEXT && !(x.flags & VALUE_NUMBER) && value_int(&y, &n) &&
		    n >= 0 && n < 16) {
			struct code_value v = value_text(STR(""));

			while (n-- > 0)
				v = value_join(a, v, STR(""), x);
			return v;
		}
	}
	return value_unknown(x.flags | y.flags);
}

static struct code_value choice(struct code *c, struct code_value x, bool python)
{
	struct code_value y;

	if (python) { /* x if condition else y */
		(void)code_assignable(c, LEVEL_OR);
		if (!skip(c, "else"))
			return x;
		y = code_assignable(c, LEVEL_CHOICE);
		return value_either(c->e->arena, x, y);
	}
	if (token_is(code_at(c, 0), ":")) { /* x ?: y */
		c->i++;
		y = code_expression(c);
		return value_either(c->e->arena, x, y);
	}
	x = code_expression(c);
	if (!skip(c, ":"))
		return x;
	y = code_expression(c);
	return value_either(c->e->arena, x, y);
}

static struct code_value assigned(struct code *c, const struct code_token *op, struct str name,
				  struct code_value x)
{
	struct code_value y = code_expression(c);

	if (token_is(op, "+=") || token_is(op, ".="))
		y = add_values(c, x.kind == VALUE_NAME ? value_unknown(0) : x, y);
	else if (!token_is(op, "=") && !token_is(op, ":=") && !token_is(op, "||=") &&
		 !token_is(op, "?\?="))
		y = token_is(op, "/=") && x.kind == VALUE_TEXT ? value_path(c->e->arena, x, y)
							       : value_unknown(x.flags | y.flags);
	if (name.n)
		code_assign(c, name, y);
	return y;
}

struct code_value code_assignable(struct code *c, int lowest)
{
	struct code_value x;
	struct str name;

	if (c->nesting >= CODE_NESTING_MAX) {
		c->i = min_size(closing_at(c), c->end);
		if (c->i < c->end)
			c->i++;
		return value_unknown(0);
	}
	c->nesting++;
	x = postfix(c);
	name = c->lvalue;
	for (;;) {
		const struct code_token *op = code_at(c, 0);
		unsigned level = operator_level(c, op);
		struct code_value y;

		if (op->line && has(c, SYNTAX_LINES) &&
		    (has(c, SYNTAX_INDENT) || op->kind != TOKEN_OPERATOR ||
		     strchr("-*&<:", op->text.p[0])))
			break;
		if (level == 0 && has(c, SYNTAX_ADJACENT_JOINS) && lowest <= LEVEL_ADD &&
		    begins_argument(c) && !token_is(op, "getline")) {
			unsigned at = c->i;

			y = code_assignable(c, LEVEL_ADD + 1);
			if (c->i == at)
				break;
			x = add_values(c, x, y);
			continue;
		}
		if (level == 0 || level < (unsigned)lowest)
			break;
		c->i++;
		if (token_is(op, "not") || token_is(op, "is"))
			skip(c, token_is(op, "is") ? "not" : "in");
		if (level == LEVEL_ASSIGN) {
			x = assigned(c, op, name, x);
			break;
		}
		if (level == LEVEL_CHOICE) {
			x = choice(c, x, token_is(op, "if"));
			continue;
		}
		y = code_assignable(c, (int)level + 1);
		if (c->g->language == CODE_AWK && token_is(op, "|")) {
			code_shell(c, c->in_print ? &y : &x);
			x = value_unknown(0);
			continue;
		}
		x = combine(c, op, level, x, y);
		name = (struct str){ 0 };
	}
	c->nesting--;
	return x;
}

struct code_value code_expression(struct code *c)
{
	return code_assignable(c, LEVEL_ASSIGN);
}

void code_arguments(struct code *c, struct code_args *args, const char *closer)
{
	unsigned end = c->end, close = closing_at(c);
	bool print = c->in_print;

	c->in_print = c->in_print && !closer;
	if (closer) {
		if (comprehension(c, close)) {
			c->end = close;
			args->p[args->n].value = c->last;
			args->n++;
			c->i = close;
		} else {
			c->end = close;
			c->i++;
		}
	}
	while (c->i < c->end) {
		unsigned at = c->i;
		const struct code_token *t = code_at(c, 0), *next = code_at(c, 1);
		struct code_arg arg = { 0 };

		if (!closer && t->line && has(c, SYNTAX_LINES) && args->n &&
		    !token_is(&c->t[c->i - 1], ","))
			break;
		if ((t->kind == TOKEN_NAME || t->kind == TOKEN_TEXT) &&
		    ((token_is(next, "=") && is_language(c, CODE_PYTHON)) ||
		     (token_is(next, ":") && (has(c, SYNTAX_PERCENT) || is_language(c, CODE_PHP)) &&
		      !next->space) ||
		     token_is(next, "=>")) &&
		    !(token_is(next, "=>") && has(c, SYNTAX_TEMPLATE))) {
			arg.key = t->text;
			c->i += 2;
		} else if (token_is(t, ":") && token_is(code_at(c, 2), "=>")) {
			arg.key = next->text;
			c->i += 3;
		}
		arg.value = code_expression(c);
		if (args->n < CODE_ARGS_MAX && (c->i > at || !closer))
			args->p[args->n++] = arg;
		if (!closer && !token_is(code_at(c, 0), ","))
			break;
		if (!skip(c, ",") && c->i == at)
			c->i++;
	}
	if (closer) {
		c->i = min_size(close + 1, end);
		c->end = end;
	}
	c->in_print = print;
	args->end = c->i ? c->t[c->i - 1].end : 0;
}

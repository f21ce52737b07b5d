/* Functions, methods and classes, where the text defines them. */
#include "effects/code_reader.h"

/* Seen before: functions are there before what calls them. */
static bool is_defined(struct code *c, struct str name, unsigned body)
{
	const struct code_value *v = code_variable(c, name);

	for (unsigned i = 0; v && i < value_functions(v); i++) {
		const struct code_defined *d = &c->fns[value_function(v, i)->n];

		if (d->t == c->t && d->body == body)
			return true;
	}
	return false;
}

/* A method has the name of one of another class: which of them is called is not known. */
static struct code_value with_other_classes(struct code *c, struct str name, struct code_value f)
{
	const struct code_value *v = code_variable(c, name);

	return c->class.n && v && value_functions(v) &&
			       !str_eq(c->fns[value_function(v, 0)->n].class, c->class)
		       ? value_either(c->e->arena, *v, f)
		       : f;
}

/* fun f(x: T): U = ...: where the expression begins, or 0. */
static unsigned expression_body(const struct code *c)
{
	for (unsigned i = c->i; i + 1 < c->end && !c->t[i].line; i++)
		if (token_is(&c->t[i], "=") || token_is(&c->t[i], "=>"))
			return i + 1;
		else if (c->t[i].kind != TOKEN_NAME && !strchr(":.<>?,", c->t[i].text.p[0]))
			return 0;
	return 0;
}

/* Up to the next line that does not go on with ".". */
static unsigned statement_end(const struct code *c, unsigned i)
{
	for (; i < c->end; i++) {
		if (c->t[i].match > i)
			i = c->t[i].match;
		if (i + 1 < c->end && ((c->t[i + 1].line && !token_is(&c->t[i + 1], ".")) ||
				       token_is(&c->t[i + 1], ";") || token_is(&c->t[i + 1], "}")))
			return i + 1;
	}
	return c->end;
}

/* What decorators replace is replaced in the function behind them. */
static void take_mocks(struct code *c, struct code_defined *d)
{
	if (!c->decorates)
		return;
	while (c->nmocks > c->mocks_before && d->nmocks < ARRAY_LEN(d->mocks))
		d->mocks[d->nmocks++] = c->mocks[--c->nmocks];
	c->nmocks = c->mocks_before;
	c->decorates = false;
	d->decorated = true;
}

/* What the text itself defines takes the function, and may keep it. */
static void decorate(struct code *c, struct code_value f)
{
	unsigned n = c->ndecorators;

	c->ndecorators = 0;
	while (n-- > 0) {
		struct code_args args = {
			.p = { { .value = f } }, .n = 1, .at = c->t[c->i].at, .end = c->t[c->i].end
		};

		(void)code_call(c, c->decorators[n], NULL, &args);
	}
}

void code_definition(struct code *c, const struct code_token *opener)
{
	struct str name = { 0 }, self = { 0 };
	unsigned params, params_end, body, end;
	struct code_value f;

	if (is_language(c, CODE_COMPILED) && token_is(code_at(c, 0), "(")) { /* func (r *T) name( */
		self = code_at(c, 1)->text;
		c->i = min_size(closing_at(c) + 1, c->end);
	}

	while (code_at(c, 0)->kind == TOKEN_NAME || token_is(code_at(c, 0), ".") ||
	       token_is(code_at(c, 0), ":") || token_is(code_at(c, 0), "*") ||
	       token_is(code_at(c, 0), "#")) {
		if (code_at(c, 0)->line && c->i && &c->t[c->i] != opener && name.n)
			break;
		if (token_is(code_at(c, 0), ".") && is_language(c, CODE_COMPILED))
			self = STR("this"); /* fun String.run() */
		if (code_at(c, 0)->kind == TOKEN_NAME) {
			if (name.n && c->t[c->i - 1].kind == TOKEN_NAME)
				break; /* Ruby's parameters without brackets */
			name = code_at(c, 0)->text;
		}
		c->i++;
	}
	params = params_end = c->i;
	if (token_is(code_at(c, 0), "(")) {
		params = c->i + 1;
		params_end = c->t[c->i].match ? min_size(c->t[c->i].match, c->end) : c->end;
		c->i = min_size(params_end + 1, c->end);
	} else if (is_language(c, CODE_RUBY)) {
		while (c->i < c->end && !code_at(c, 0)->line && !token_is(code_at(c, 0), ";") &&
		       !token_is(code_at(c, 0), "="))
			c->i++;
		params_end = c->i;
	}
	if (is_language(c, CODE_COMPILED) && (body = expression_body(c))) {
		end = statement_end(c, body);
		if (!is_defined(c, name, body)) {
			f = code_define(c, name, params, params_end, body, end, true);
			c->fns[f.n].self = self;
			code_set(c, name, f);
		}
		c->i = end;
		return;
	}
	if (!has(c, SYNTAX_END))
		c->i = code_head_end(c, c->i);
	end = code_block_end(c, opener);
	body = c->i;
	if ((token_is(code_at(c, 0), "{") && !is_language(c, CODE_RUBY)) ||
	    token_is(code_at(c, 0), ";"))
		body = min_size(body + 1, c->end);
	if (c->class.n && (str_eqz(name, "__init__") || str_eqz(name, "constructor") ||
			   str_eqz(name, "__construct") || str_eqz(name, "initialize")))
		name = str_eqz(name, "initialize")
			       ? arena_printf(c->e->arena, "%.*s.new", STR_ARG(c->class))
			       : c->class;
	if (!is_defined(c, name, min_size(body, end))) {
		f = code_define(c, name, params, params_end, min_size(body, end), end, false);
		c->fns[f.n].self = self;
		c->fns[f.n].property =
			opener > c->t && (token_is(opener - 1, "property") ||
					  token_is(opener - 1, "cached_property") ||
					  (token_is(opener - 1, "get") && !opener->line));
		c->fns[f.n].types_first = params > 1 && opener == &c->t[params - 2];
		c->fns[f.n].class = c->class;
		take_mocks(c, &c->fns[f.n]);
		c->fns[f.n].routed = c->routes;
		c->fns[f.n].registered = c->registers;
		c->routes = c->registers = false;
		code_set(c, name, with_other_classes(c, name, f));
		decorate(c, f);
	}
	c->ndecorators = 0;
	c->i = end;
	if (c->i < c->end && (token_is(code_at(c, 0), "}") || token_is(code_at(c, 0), "end")))
		c->i++;
}

/* What may come between a method's parameters and its body: `: void`, `throws X, Y`. */
static bool body_follows(const struct code *c, unsigned i)
{
	bool typed = i < c->end && (token_is(&c->t[i], ":") || token_is(&c->t[i], "throws") ||
				    token_is(&c->t[i], "async"));

	for (unsigned end = min_size(c->end, i + 12); typed && i < end; i++)
		if (c->t[i].line || token_is(&c->t[i], "{"))
			break;
		else if (c->t[i].kind != TOKEN_NAME && !strchr(":,.<>[]|?", c->t[i].text.p[0]))
			return false;
	return i < c->end && token_is(&c->t[i], "{");
}

/* A method: `name(...) {`, `static List<String> name(...) {`; the cursor goes to its name. */
bool code_method(struct code *c)
{
	static const char *const none[] = { "switch", "catch", "new",   "return", "throw",
					    "else",   "await", "yield", "case" };
	unsigned ahead = 0, close;

	if (!has(c, SYNTAX_TEMPLATE))
		return false;
	while (is_language(c, CODE_COMPILED) && ahead < 8 &&
	       !token_is(code_at(c, ahead + 1), "(") &&
	       (code_at(c, ahead)->kind == TOKEN_NAME ||
		(ahead && code_at(c, ahead)->kind == TOKEN_OPERATOR &&
		 strchr("<>[],?", code_at(c, ahead)->text.p[0]))))
		ahead++;
	for (size_t i = 0; i < ARRAY_LEN(none); i++)
		for (unsigned k = 0; k <= ahead; k++)
			if (token_is(code_at(c, k), none[i]))
				return false;
	close = code_at(c, ahead + 1)->match;
	if (code_at(c, ahead)->kind != TOKEN_NAME || !token_is(code_at(c, ahead + 1), "(") ||
	    !close || !body_follows(c, close + 1))
		return false;
	c->i += ahead;
	return true;
}

bool code_short_definition(struct code *c)
{
	unsigned open = c->i + 1, close = code_at(c, 1)->match, end;
	struct str name = code_at(c, 0)->text;

	if (code_at(c, 0)->kind != TOKEN_NAME || !token_is(code_at(c, 1), "(") || close <= open ||
	    close + 2 >= c->end || !token_is(&c->t[close + 1], "="))
		return false;
	end = statement_end(c, close + 2);
	code_set(c, name, code_define(c, name, open + 1, close, close + 2, end, true));
	c->i = end;
	return true;
}

/* `name: type = value`: the value, or NULL; `i` is where the type begins. */
static struct code_value *field_default(struct code *c, unsigned i)
{
	unsigned was = c->i;
	struct code_value *v = NULL;

	while (i < c->end && !c->t[i].line && !token_is(&c->t[i], "="))
		i = c->t[i].match > i ? c->t[i].match + 1 : i + 1;
	if (i < c->end && token_is(&c->t[i], "=")) {
		v = ARENA_NEW(c->e->arena, struct code_value);
		c->i = i + 1;
		*v = code_expression(c);
		c->i = was;
	}
	return v;
}

static bool is_enum(const struct code *c, const struct code_token *opener, unsigned body)
{
	for (const struct code_token *t = opener; t < &c->t[body]; t++)
		if (token_is(t, "Enum") || token_is(t, "StrEnum") || token_is(t, "IntEnum"))
			return true;
	return false;
}

/* class X(Enum): A = "x": a loop over it gives what has a name and a value */
static void enumerate(struct code *c, const struct code_token *opener, unsigned body)
{
	struct code_value all[CODE_ARGS_MAX], one[2], v;
	unsigned n = 0, was = c->i;

	for (unsigned i = body; i + 2 < c->end && n < ARRAY_LEN(all); i++) {
		const struct code_token *t = &c->t[i];

		if (t->line && (t->indent <= opener->indent || token_is(t, "def")))
			break;
		if (!t->line || t->kind != TOKEN_NAME || !token_is(&c->t[i + 1], "="))
			continue;
		c->i = i + 2;
		one[0] = value_text(t->text);
		one[0].key = STR("name");
		one[1] = code_expression(c);
		one[1].key = STR("value");
		all[n] = value_list(c->e->arena, one, 2);
		code_set(
			c,
			arena_printf(c->e->arena, "%.*s.%.*s", STR_ARG(c->class), STR_ARG(t->text)),
			all[n++]);
	}
	c->i = was;
	v = value_list(c->e->arena, all, n);
	if (n)
		code_set(c, c->class, v);
}

void code_class_fields(struct code *c, const struct code_token *opener)
{
	struct code_value names[CODE_ARGS_MAX], v = { .kind = VALUE_CLASS };
	unsigned n = 0, body = c->i + 1;

	for (unsigned i = body; i + 1 < c->end && n < ARRAY_LEN(names); i++) {
		const struct code_token *t = &c->t[i];

		if (t->line &&
		    (t->indent <= opener->indent || token_is(t, "def") || token_is(t, "@")))
			break;
		if (t->line && t->kind == TOKEN_NAME && token_is(&c->t[i + 1], ":")) {
			names[n] = value_text(t->text);
			names[n++].items = field_default(c, i + 2);
		}
	}
	if (!n && is_enum(c, opener, body))
		enumerate(c, opener, body);
	if (!n)
		return;
	v.n = n;
	v.items = value_list(c->e->arena, names, n).items;
	code_set(c, c->class, v);
}

enum { CLASSES_MAX = 64, BASES_DEEP = 8 };

static const struct code_class *class_of(const struct code *c, struct str name)
{
	for (unsigned i = c->nclasses; i-- > 0;)
		if (str_eq(c->classes[i].name, name))
			return &c->classes[i];
	return NULL;
}

void code_class(struct code *c, unsigned name)
{
	struct code_class *class;

	if (c->nclasses >= CLASSES_MAX)
		return;
	ARENA_ROOM(c->e->arena, c->classes, c->nclasses, c->capclasses);
	class = &c->classes[c->nclasses++];
	*class = (struct code_class){ .name = c->t[name].text };
	for (unsigned i = name + 1; i < c->i && class->nbases < ARRAY_LEN(class->bases); i++)
		if (c->t[i].kind == TOKEN_NAME && char_is_upper(c->t[i].text.p[0]))
			class->bases[class->nbases++] = c->t[i].text;
}

void code_struct(struct code *c)
{
	struct code_value names[CODE_ARGS_MAX], v = { .kind = VALUE_CLASS };
	struct str name = code_at(c, 1)->text;
	unsigned close;

	c->i += 3;
	close = closing_at(c);
	for (unsigned i = c->i + 1; i < close && v.n < ARRAY_LEN(names); i++) {
		const struct code_token *t = &c->t[i];
		bool listed = token_is(t - 1, ",") && !(t - 1)->line; /* a, b string */

		if (t->match > i)
			i = t->match;
		else if (t->kind == TOKEN_NAME &&
			 (t->line || listed || i == c->i + 1 || token_is(t - 1, ";")))
			names[v.n++] = value_text(t->text);
	}
	v.items = value_list(c->e->arena, names, v.n).items;
	code_set(c, name, v);
	c->i = min_size(close + 1, c->end);
}

/* The name of a field, of those up to the token: `val a: T`, `T a`. */
static struct str field_name(const struct code *c, unsigned from, unsigned to)
{
	struct str name = { 0 };

	for (unsigned i = from; i < to && !token_is(&c->t[i], ":") && !token_is(&c->t[i], "=");
	     i++) {
		if (c->t[i].kind == TOKEN_NAME)
			name = c->t[i].text;
		if (c->t[i].match > i)
			i = c->t[i].match;
	}
	return name;
}

void code_record(struct code *c)
{
	static const char *const words[] = { "class", "record", "struct" };
	struct code_value names[CODE_ARGS_MAX], v = { .kind = VALUE_CLASS };
	struct str name = code_at(c, 1)->text;
	unsigned open = c->i + 2, close, from;
	bool word = false;

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		word |= token_is(code_at(c, 0), words[i]);
	if (!word || code_at(c, 1)->kind != TOKEN_NAME || open >= c->end || !c->t[open].match)
		return;
	close = min_size(c->t[open].match, c->end);
	if (token_is(code_at(c, 2), "{") && token_is(code_at(c, 0), "struct") &&
	    (token_is(code_at(c, 3), "let") || token_is(code_at(c, 3), "var"))) {
		for (unsigned i = open; i < close; i++) /* Swift: made with names, if not by init */
			if (token_is(&c->t[i], "init"))
				return;
		code_set(c, name, v);
		return;
	}
	if (!token_is(code_at(c, 2), "("))
		return;
	for (unsigned i = from = open + 1; i <= close && v.n < ARRAY_LEN(names); i++) {
		if (i == close || token_is(&c->t[i], ",")) {
			struct str field = field_name(c, from, i);

			if (field.n)
				names[v.n++] = value_text(field);
			from = i + 1;
		} else if (c->t[i].match > i) {
			i = c->t[i].match;
		}
	}
	v.items = value_list(c->e->arena, names, v.n).items;
	code_set(c, name, v);
}

static const struct code_value *constructor(struct code *c, struct str name, bool above,
					    unsigned depth)
{
	const struct code_class *class = class_of(c, name);
	const struct code_value *v = NULL;

	if (!above) /* Ruby calls it X.new. */
		v = code_variable(c, is_language(c, CODE_RUBY)
					     ? arena_printf(c->e->arena, "%.*s.new", STR_ARG(name))
					     : name);
	if (v && !value_functions(v) && v->kind != VALUE_CLASS)
		v = NULL;
	for (unsigned i = 0; !v && class && depth && i < class->nbases; i++)
		v = constructor(c, class->bases[i], false, depth - 1);
	return v;
}

const struct code_value *code_constructor(struct code *c, struct str class, bool above)
{
	return class.n ? constructor(c, class, above, BASES_DEEP) : NULL;
}

/* Go's (r *T) in front of a method's name. */
static bool is_receiver(const struct code *c)
{
	return is_language(c, CODE_COMPILED) && token_is(code_at(c, 0), "(") &&
	       closing_at(c) + 1 < c->end && c->t[closing_at(c) + 1].kind == TOKEN_NAME;
}

void code_hoist(struct code *c)
{
	unsigned was = c->i;

	if (!is_language(c, CODE_JAVASCRIPT) && !is_language(c, CODE_PERL) &&
	    !is_language(c, CODE_PHP) && !is_language(c, CODE_COMPILED))
		return;
	while (c->i + 2 < c->end) {
		const struct code_token *t = code_at(c, 0), *before = c->i ? t - 1 : NULL;
		bool word = is_language(c, CODE_PERL) ? token_is(t, "sub")
			    : is_language(c, CODE_COMPILED)
				    ? token_is(t, "func") || token_is(t, "fn") || token_is(t, "fun")
				    : token_is(t, "function");

		c->i++;
		if (word && (code_at(c, 0)->kind == TOKEN_NAME || is_receiver(c)) &&
		    (!before || t->line || token_is(before, "async") || token_is(before, ";") ||
		     token_is(before, "}") || token_is(before, "export")))
			code_definition(c, t);
	}
	c->i = was;
}

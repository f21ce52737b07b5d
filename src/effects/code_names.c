/* The names of a text and what they mean. */
#include "effects/code_reader.h"

static struct code_variable *slot(struct code *c, struct str name)
{
	size_t i = str_hash(STR_HASH, name) & (c->capvars - 1);

	while (c->vars[i].name.p && !str_eq(c->vars[i].name, name))
		i = (i + 1) & (c->capvars - 1);
	return &c->vars[i];
}

struct code_value *code_variable(struct code *c, struct str name)
{
	struct code_variable *v = c->nvars && name.n ? slot(c, name) : NULL;

	return v && v->name.p ? &v->value : NULL;
}

static struct code_variable *variable_make(struct code *c, struct str name)
{
	struct code_variable *v;

	if (2 * c->nvars >= c->capvars) {
		struct code_variable *old = c->vars;
		unsigned n = c->capvars;

		c->capvars = n ? 2 * n : 16;
		c->vars = ARENA_ARRAY(c->e->arena, struct code_variable, c->capvars);
		for (unsigned i = 0; i < n; i++)
			if (old[i].name.p)
				*slot(c, old[i].name) = old[i];
	}
	v = slot(c, name);
	if (!v->name.p) {
		v->name = name;
		v->level = c->level;
		v->block = c->block;
		c->nvars++;
	}
	return v;
}

void code_set(struct code *c, struct str name, struct code_value value)
{
	struct code_variable *v;

	if (name.n == 0 || (name.n == 1 && name.p[0] == '_'))
		return;
	value.key = (struct str){ 0 };
	v = variable_make(c, name);
	v->value = value;
	v->level = c->level;
	v->block = c->block;
}

void code_assign(struct code *c, struct str name, struct code_value value)
{
	struct code_value *old = code_variable(c, name);
	struct code_variable *v;

	if (!old) {
		code_set(c, name, value);
		return;
	}
	v = slot(c, name);
	/* In a branch, it may be what it was. */
	if (c->level > c->base && v->block != c->block && old->kind != VALUE_FUNCTION &&
	    value.kind != VALUE_FUNCTION && v->level + 1 >= c->base) {
		value.key = (struct str){ 0 };
		v->value = value_either(c->e->arena, v->value, value);
		v->block = c->block;
	} else {
		code_set(c, name, value);
	}
}

/* The names in a range of tokens get the value, or its parts when there are several. */
void code_bind(struct code *c, unsigned from, unsigned to, struct code_value v)
{
	struct str names[8];
	size_t n = 0, rest = SIZE_MAX; /* the name that gets all others: [a, ...b], a, *b */
	bool several, parts;

	for (unsigned i = from; i < to && n < ARRAY_LEN(names); i++) {
		const struct code_token *t = &c->t[i];

		if (token_is(t, ":") || token_is(t, "=")) { /* a type, a default */
			while (i + 1 < to && !token_is(&c->t[i + 1], ","))
				i++;
			continue;
		}
		if (token_is(t, "...") || token_is(t, "*"))
			rest = n;
		if (t->kind == TOKEN_NAME && !token_is(t, "my") && !token_is(t, "our") &&
		    !token_is(t, "const") && !token_is(t, "let") && !token_is(t, "var") &&
		    !token_is(t, "local") && !token_is(t, "auto"))
			names[n++] = t->text;
	}
	several = v.kind == VALUE_LIST && !(v.flags & VALUE_ANY); /* not: one of several */
	if (n > 1 && has(c, SYNTAX_SIGILS | SYNTAX_LONG_BRACKETS) && !several) {
		/* foreach (x as $key => $value), for k, v in pairs(x) */
		for (size_t i = 0; i + 1 < n; i++)
			code_set(c, names[i], value_unknown(v.flags));
		code_set(c, names[n - 1], v);
		return;
	}
	parts = n > 1 && several;
	for (size_t i = 0; i < n; i++)
		code_set(c, names[i],
			 parts && i == rest && i < v.n
				 ? value_list(c->e->arena, v.items + i, v.n - i)
			 : !parts || (names[i].p[0] == '@' && i == 0)
				 ? (n == 1 && several && names[i].p[0] == '$' ? value_item(&v, 0)
									      : v)
				 : value_item(&v, (int64_t)i));
}

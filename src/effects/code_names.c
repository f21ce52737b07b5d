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
		v->block = v->born = c->block;
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
	/* In a branch, it may be what it was; what a loop makes anew each time is no branch. */
	if (!(c->loop && v->born >= c->loop && v->block < c->round) && c->level > c->base &&
	    v->block != c->block && old->kind != VALUE_FUNCTION && value.kind != VALUE_FUNCTION &&
	    v->level + 1 >= c->base) {
		value.key = (struct str){ 0 };
		v->value = value_either(c->e->arena, v->value, value);
		v->block = c->block;
	} else {
		code_set(c, name, value);
	}
}

void code_hold(struct code *c, struct str name, unsigned taints)
{
	struct code_value *of = taints & VALUE_TAINTS ? code_variable(c, name) : NULL;

	if (of && of->kind != VALUE_NAME && value_functions(of) == 0)
		of->flags |= taints & VALUE_TAINTS;
}

void code_put(struct code *c, struct str name, struct str key, struct code_value value)
{
	struct code_value *of = code_variable(c, name), v;
	unsigned taints = value.flags & VALUE_TAINTS, i = 0;
	bool more = !key.n;

	if (!of) {
		if (taints)
			code_set(c, name, value_unknown(taints));
		return;
	}
	if (of->kind != VALUE_LIST || (of->flags & VALUE_ANY) || of->n >= CODE_ELEMENTS_MAX ||
	    (key.n && of->n && !of->items[0].key.n) ||
	    (more && of->n && value.kind == VALUE_TEXT && !value_is_known(&value))) {
		of->flags |= taints;
		return;
	}
	v = value_list(c->e->arena, of->items, of->n);
	if (more && (of->n ? of->items[0].key.n != 0
			   : !is_language(c, CODE_PHP) && !is_language(c, CODE_LUA)))
		key = STR("\1"); /* some key; else $x[] = y, x[#x + 1] = y */
	while (i < v.n && (more || !str_eq(v.items[i].key, key)))
		i++;
	if (i == v.n) { /* one more */
		v.items = arena_raw(c->e->arena, (v.n + 1) * sizeof *v.items);
		memcpy(v.items, of->items, v.n * sizeof *v.items);
		v.n++;
	} else if (c->level > c->base || (c->calls && value.kind == VALUE_UNKNOWN)) {
		/* a branch, perhaps; or what is called back */
		v.items[i].key = value.key = (struct str){ 0 };
		value = value_either(c->e->arena, v.items[i], value);
	}
	value.key = key;
	v.items[i] = value;
	v.flags = of->flags | taints;
	v.type = of->type;
	*of = v;
}

bool code_has_name(const struct code *c, const char *names)
{
	const struct code_token *t = c->t;

	while (t->kind != TOKEN_END && !(t->kind == TOKEN_NAME && word_in_text(t->text, names)))
		t++;
	return t->kind != TOKEN_END;
}

struct str code_module(struct str name)
{
	if (str_starts(name, STR("node:")))
		name = str_sub(name, 5, name.n);
	if (str_eqz(name, "fs/promises") || str_eqz(name, "fs-extra") ||
	    str_eqz(name, "graceful-fs"))
		return STR("fs");
	return name;
}

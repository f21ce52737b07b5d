/* Functions made of others: with arguments, of an object, by a name that is put together. */
#include "effects/code_act.h"
#include "effects/code_reader.h"

struct code_value code_bind_function(struct code *c, struct code_bound bound)
{
	struct code_value f = code_define(c, STR(""), c->i, c->i, c->i, c->i, false);
	struct code_bound *b = ARENA_NEW(c->e->arena, struct code_bound);

	*b = bound;
	c->fns[f.n].bound = b;
	c->fns[f.n].called = true; /* it has no text of its own */
	f.flags = bound.of.flags & VALUE_TAINTS;
	return f;
}

struct code_value code_call_method(struct code *c, struct code_value self, struct str name,
				   struct code_args *args)
{
	struct code_value v = code_member(c, &self, name);

	if (self.kind == VALUE_NAME || v.kind == VALUE_FUNCTION)
		return code_call(c, v, NULL, args);
	return code_call(c,
			 value_name(arena_printf(c->e->arena, "%.*s.%.*s", STR_ARG(self.type),
						 STR_ARG(name))),
			 &self, args);
}

/* What it was made with comes first. */
static struct code_args with_given(const struct code_bound *b, const struct code_args *args)
{
	struct code_args all = { .at = args->at, .end = args->end, .more = args->more };

	for (unsigned i = 0; i < b->ngiven; i++)
		all.p[all.n++] = b->given[i];
	for (unsigned i = 0; i < args->n; i++)
		if (all.n < CODE_ARGS_MAX)
			all.p[all.n++] = args->p[i];
		else
			all.more = true;
	return all;
}

struct code_value code_call_bound(struct code *c, const struct code_bound *b,
				  const struct code_args *args)
{
	struct code_value of = b->of;
	struct code_args all, rest = *args;

	if (c->budget < 8)
		return value_unknown(0);
	c->budget -= 8;
	if (b->of_argument) { /* methodcaller("x")(object) */
		of = args->n ? args->p[0].value : value_unknown(0);
		if (rest.n)
			memmove(rest.p, rest.p + 1, --rest.n * sizeof *rest.p);
	}
	if (b->member)
		return b->name.n ? code_member(c, &of, b->name) : value_element(c->e->arena, &of);
	all = with_given(b, &rest);
	return b->name.n ? code_call_method(c, of, b->name, &all) : code_call(c, of, NULL, &all);
}

bool code_is_method(struct code *c, const struct code_value *of, struct str name)
{
	struct str any = arena_printf(c->e->arena, "%.*s.%.*s", STR_ARG(of->type), STR_ARG(name));
	const struct code_function *row = code_function_find(c, any, true);
	const struct code_value *own = code_variable(c, name);

	return (row && row->act < GIVES_SELF) || (own && value_functions(own)) ||
	       (of->flags & VALUE_CLIENT);
}

struct code_value code_attribute(struct code *c, const struct code_value *of,
				 const struct code_value *name)
{
	struct code_value v, *var;
	struct str full;

	if (name->kind == VALUE_LIST && (name->flags & VALUE_ANY) && name->n) {
		v = code_attribute(c, of, &name->items[0]);
		for (unsigned i = 1; i < name->n && i < CODE_ALTERNATIVES_MAX; i++)
			v = value_either(c->e->arena, v, code_attribute(c, of, &name->items[i]));
		return v;
	}
	if (!value_is_known(name))
		return value_unknown(of->flags);
	if (of->kind != VALUE_NAME) {
		if (value_attribute(c->e->arena, of, name->text, &v))
			return v;
		return code_is_method(c, of, name->text)
			       ? code_bind_function(
					 c, (struct code_bound){ .of = *of, .name = name->text })
			       : value_unknown(of->flags);
	}
	full = of->type.n && !str_eqz(of->type, "__builtins__") && !str_eqz(of->type, "builtins")
		       ? arena_printf(c->e->arena, "%.*s.%.*s", STR_ARG(of->type),
				      STR_ARG(name->text))
		       : name->text;
	var = code_variable(c, full);
	return var ? *var : value_name(full);
}

/* Something that can be called, as far as that is known. */
static bool is_callable(const struct code *c, const struct code_value *v)
{
	if (v->kind == VALUE_LIST && (v->flags & VALUE_ANY) && v->n)
		return is_callable(c, &v->items[0]);
	return v->kind == VALUE_FUNCTION || v->kind == VALUE_CLASS ||
	       (v->kind == VALUE_NAME && code_function_find(c, v->type, false));
}

struct code_value act_bound(const struct act *x)
{
	bool call = strcmp(x->f->type, "call") == 0, method = strcmp(x->f->type, "method") == 0;
	const struct code_value *of = x->f->arg < 0 ? x->self : act_positional(x->args, 0);
	struct code_bound b = { .of_argument = !call, .member = !call && !method };
	unsigned first = x->f->arg >= 0 || (x->f->flags & FN_OTHER);

	if (!of || (call && !is_callable(x->c, of)) || (!call && !value_is_known(of)))
		return of ? *of : value_unknown(0);
	if (call)
		b.of = *of;
	else
		b.name = of->text;
	b.given = ARENA_ARRAY(x->c->e->arena, struct code_arg, CODE_ARGS_MAX);
	for (unsigned i = first; i < x->args->n; i++)
		b.given[b.ngiven++] = x->args->p[i];
	return code_bind_function(x->c, b);
}

/* What a call in code is given: its arguments, and what they carry with them. */
#include "effects/code_act.h"

#include "base/words.h"

/* ---- arguments ---- */

const struct code_value *act_positional(const struct code_args *args, unsigned want)
{
	for (unsigned i = 0; i < args->n; i++)
		if (!args->p[i].key.n && want-- == 0)
			return &args->p[i].value;
	return NULL;
}

const struct code_value *act_keyed(const struct code_args *args, const char *key)
{
	for (unsigned i = 0; i < args->n; i++) {
		if (str_eqz(args->p[i].key, key))
			return &args->p[i].value;
		/* An object of options. */
		if (!args->p[i].key.n && args->p[i].value.kind == VALUE_LIST) {
			const struct code_value *m = value_member(&args->p[i].value, str_from(key));

			if (m)
				return m;
		}
	}
	return NULL;
}

const struct code_value *act_argument(const struct act *x, int i)
{
	static const char *const keys[] = { "at",     "atPath", "fileURLWithPath",
					    "args",   "cmd",    "command",
					    "path",   "file",   "filename",
					    "url",    "src",    "source",
					    "name",   "target", "fd",
					    "text",   "dir",    "sql",
					    "to_path" };
	const struct code_value *v;

	if (i < 0)
		return x->self;
	v = act_positional(x->args, (unsigned)i);
	for (size_t k = 0; !v && i == x->f->arg && k < ARRAY_LEN(keys); k++)
		v = act_keyed(x->args, keys[k]);
	if (!v && (x->f->flags & FN_DEFAULT))
		v = code_variable(x->c, STR("$_"));
	return v;
}

bool act_is_true(const struct code_value *v)
{
	return v &&
	       !(v->kind == VALUE_NAME &&
		 (str_eqz(v->type, "False") || str_eqz(v->type, "FALSE") ||
		  str_eqz(v->type, "false") || str_eqz(v->type, "None"))) &&
	       !(v->kind == VALUE_TEXT && str_eqz(v->text, "0"));
}

bool act_is_flag(const struct act *x, const char *key)
{
	return act_is_true(act_keyed(x->args, key));
}

/* Of a value without the members that are named. */
static unsigned taints_but(const struct code_value *v, struct str key, const char *names,
			   unsigned depth)
{
	unsigned items = 0, counted = 0;

	if (key.n && word_in_text(key, names))
		return 0;
	if (v->kind != VALUE_LIST || !depth)
		return v->flags & VALUE_TAINTS;
	for (unsigned i = 0; i < v->n; i++) {
		items |= v->items[i].flags;
		counted |= taints_but(&v->items[i], v->items[i].key, names, depth - 1);
	}
	return ((v->flags & ~items) | counted) & VALUE_TAINTS;
}

unsigned act_taints_but(const struct act *x, const char *names)
{
	unsigned flags = x->self ? x->self->flags : 0;

	for (unsigned i = 0; i < x->args->n; i++)
		flags |= taints_but(&x->args->p[i].value, x->args->p[i].key, names, 4);
	return flags & VALUE_TAINTS;
}

unsigned act_taints(const struct act *x)
{
	unsigned flags = x->self ? x->self->flags : 0;

	for (unsigned i = 0; i < x->args->n; i++)
		flags |= x->args->p[i].value.flags;
	return flags & VALUE_TAINTS;
}

struct code_value act_typed(const struct act *x, struct code_value v)
{
	if (x->f->type)
		v.type = str_from(x->f->type);
	return v;
}

#include "effects/code.h"

/* ---- the tables ---- */

/* "a.b.c|d|e" has the names a.b.c, a.b.d and a.b.e; `module` is what stands before the last one. */
static bool names_hold(const char *names, struct str module, struct str last)
{
	const char *p = names, *first;

	if (module.n) {
		if (names[0] != module.p[0] || strncmp(names, module.p, module.n) != 0)
			return false;
		p += module.n;
		if (p[0] != '.' && !(p[0] == ':' && p[1] == ':'))
			return false;
		p += p[0] == ':' ? 2 : 1;
	}
	for (first = p; *first && *first != '|'; first++)
		if (*first == '.' || *first == ':')
			return false; /* a longer module */
	for (;; p++) {
		size_t n = strcspn(p, "|");

		if (n == last.n && memcmp(p, last.p, n) == 0)
			return true;
		p += n;
		if (!*p)
			return false;
	}
}

const struct code_function *code_function_find(const struct code *c, struct str name, bool method)
{
	struct str module = { 0 }, last = name;
	bool unknown = name.n && name.p[0] == '.'; /* of an object that is not known */

	for (size_t i = name.n; i-- > 0;)
		if (name.p[i] == '.' || (name.p[i] == ':' && i && name.p[i - 1] == ':')) {
			module = str_sub(name, 0, i - (name.p[i] == ':'));
			last = str_sub(name, i + 1, name.n);
			break;
		}
	for (const struct code_function *f = c->g->functions; f->names && !unknown; f++)
		if (f->names[0] != '.' && names_hold(f->names, module, last))
			return f;
	if (method)
		for (const struct code_function *f = c->g->functions; f->names; f++)
			if (f->names[0] == '.' && names_hold(f->names + 1, STR(""), last))
				return f;
	return NULL;
}

/* ---- calls ---- */

static unsigned taints(const struct code_value *self, const struct code_args *args)
{
	unsigned flags = self ? self->flags : 0;

	for (unsigned i = 0; i < args->n; i++)
		flags |= args->p[i].value.flags;
	return flags & VALUE_TAINTS;
}

/* Functions among the arguments are called by what they are given to. */
static void call_back(struct code *c, const struct code_args *args, struct code_value with,
		      bool last)
{
	for (unsigned i = 0; i < args->n; i++) {
		struct code_value p[3] = { value_unknown(0), value_unknown(0), with };
		const struct code_value *f = &args->p[i].value;

		if (f->kind == VALUE_NAME &&
		    (with.kind != VALUE_UNKNOWN || (with.flags & VALUE_FETCHED))) {
			struct code_args one = {
				.p = { { .value = with } }, .n = 1, .at = args->at, .end = args->end
			};

			(void)code_call(c, *f, NULL, &one);
		}
		if (f->kind != VALUE_FUNCTION)
			continue;
		if (!last)
			(void)code_call_defined(c, f, &p[2], 1);
		else { /* (error, result), or (result) */
			const struct code_defined *d = &c->fns[f->n];
			bool two = false;

			for (unsigned k = d->params; k < d->nparams_end; k++)
				two |= token_is(&d->t[k], ",");
			(void)code_call_defined(c, f, &p[two ? 1 : 2], two ? 2 : 1);
		}
	}
}

static struct code_value call_function(struct code *c, const struct code_value *f,
				       const struct code_args *args)
{
	struct code_value values[CODE_ARGS_MAX];

	for (unsigned i = 0; i < args->n; i++)
		values[i] = args->p[i].value;
	return code_call_defined(c, f, values, args->n);
}

static void drop_first(struct code_args *args)
{
	if (args->n)
		memmove(args->p, args->p + 1, --args->n * sizeof *args->p);
}

/* find(f, folder): what is in it, and below */
static struct code_value walk_call(struct code *c, const struct code_args *args)
{
	for (unsigned i = 1; i < args->n; i++) {
		struct code_value v = args->p[i].value;

		if (v.kind != VALUE_TEXT)
			continue;
		v = value_path(c->e->arena, v, value_text(STR("*")));
		v.flags |= VALUE_WALKED | VALUE_RECURSIVE;
		code_set(c, STR("$File::Find::name"), v);
		call_back(c, args, v, false);
	}
	return value_unknown(0);
}

/* map(f, list) */
static struct code_value map_call(struct code *c, const struct code_args *args)
{
	struct code_value list = args->n > 1 ? args->p[1].value : value_unknown(0), *items;
	struct code_args one = { .n = 1, .at = args->at, .end = args->end };

	if (args->n && list.kind != VALUE_LIST) { /* call(f, x) */
		one = *args;
		drop_first(&one);
		return code_call(c, args->p[0].value, NULL, &one);
	}
	if ((list.flags & VALUE_ANY) || c->budget < 8 * list.n) {
		one.p[0].value = value_element(c->e->arena, &list);
		return args->n ? code_call(c, args->p[0].value, NULL, &one) : value_unknown(0);
	}
	c->budget -= 8 * list.n;
	items = ARENA_ARRAY(c->e->arena, struct code_value, list.n + 1);
	for (unsigned i = 0; i < list.n; i++) {
		one.p[0].value = list.items[i];
		items[i] = code_call(c, args->p[0].value, NULL, &one);
	}
	return value_list(c->e->arena, items, list.n);
}

static struct str last_name(struct str name)
{
	for (size_t i = name.n; i-- > 0;)
		if (name.p[i] == '.' || name.p[i] == ':')
			return str_sub(name, i + 1, name.n);
	return name;
}

static const struct code_function *find_starred(const struct code *c, struct str name)
{
	const struct code_function *f = NULL;

	for (unsigned i = 0; i < c->nstars && !f; i++)
		f = code_function_find(
			c,
			arena_printf(c->e->arena, "%.*s.%.*s", STR_ARG(c->stars[i]), STR_ARG(name)),
			false);
	return f;
}

struct code_value code_call(struct code *c, struct code_value f, struct code_value *self,
			    struct code_args *args)
{
	const struct code_function *row = NULL;
	struct code_value *var, v;

	if (f.kind == VALUE_TEXT && c->g->language == CODE_PHP && value_is_known(&f))
		f = value_name(f.text); /* $name(...) */
	if (f.kind == VALUE_FUNCTION)
		return call_function(c, &f, args);
	if (f.kind == VALUE_LIST && (f.flags & VALUE_ANY)) {
		v = value_unknown(0);
		for (unsigned i = 0; i < f.n; i++)
			v = code_call(c, f.items[i], self, args);
		return v;
	}
	if (f.kind == VALUE_NAME && self && args->n && !code_function_find(c, f.type, false) &&
	    (str_eqz(last_name(f.type), "call") || str_eqz(last_name(f.type), "apply")) &&
	    (self->kind == VALUE_NAME || self->kind == VALUE_FUNCTION)) { /* f.call(this, x) */
		struct code_args rest = *args;

		if (c->g->language == CODE_JAVASCRIPT)
			drop_first(&rest);
		return code_call(c, *self, NULL, &rest);
	}
	if (f.kind == VALUE_NAME) {
		row = code_function_find(c, f.type, false);
		if (!row && !self)
			row = find_starred(c, f.type);
		var = row ? NULL : code_variable(c, last_name(f.type));
		if (var && var->kind == VALUE_FUNCTION)
			return call_function(c, var, args);
		if (!row && self)
			row = code_function_find(c, f.type, true);
	}
	if (row && row->act == CALLS_ARG)
		return map_call(c, args);
	if (row && row->act == CALLS_WALK)
		return walk_call(c, args);
	if (row && row->act == GIVES_ATTRIBUTE && self && row->arg < 0 && args->n > 1) {
		struct code_args rest = *args; /* send(:name, x) */

		v = code_act(c, row, self, args);
		drop_first(&rest);
		return v.kind == VALUE_NAME ? code_call(c, v, NULL, &rest) : v;
	}
	if (row) {
		v = code_act(c, row, self, args);
		if (row->act < CALLS_WITH_SELF)
			call_back(c, args, v, true);
		else if (row->act == CALLS_WITH_SELF && self)
			call_back(c, args, *self, false);
		else if (row->act == CALLS_INPUT)
			call_back(c, args, code_input(c, false), false);
		else if (row->act == CALLS_WITH_ITEMS && self)
			call_back(c, args, value_element(c->e->arena, self), false);
		else
			call_back(c, args, value_unknown(0), true);
		return v;
	}
	v = value_unknown(taints(self, args));
	call_back(c, args, v, true);
	return v;
}

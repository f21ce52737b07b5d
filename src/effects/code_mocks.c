/* Functions that a test replaces: their calls do nothing. */
#include "effects/address.h"
#include "effects/code_act.h"

static void add(struct code *c, struct str name)
{
	if (name.n && c->nmocks < ARRAY_LEN(c->mocks))
		c->mocks[c->nmocks++] = name;
}

/* patch("os.kill"), setattr(os, "kill", f), stub(fs, "rmSync"): its name, or that of a module. */
void mocks_add(const struct act *x)
{
	struct arena *a = x->c->e->arena;
	const struct code_value *of = act_positional(x->args, 0),
				*name = act_positional(x->args, 1);

	if (x->f->flags & FN_DEFAULT) {
		add(x->c, str_from(x->f->type));
		return;
	}
	for (unsigned i = 0; i < x->args->n; i++) /* mock(remove_tree => sub { ... }) */
		if (x->args->p[i].value.kind == VALUE_FUNCTION)
			add(x->c, x->args->p[i].key);
	if (!of)
		return;
	if (of->kind == VALUE_NAME && name && name->kind == VALUE_TEXT)
		add(x->c, arena_printf(a, "%.*s.%.*s", STR_ARG(of->type), STR_ARG(name->text)));
	else if (of->kind == VALUE_TEXT && (x->f->flags & FN_ALL))
		add(x->c, arena_printf(a, "%.*s.", STR_ARG(code_module(of->text))));
	else if (value_is_known(of))
		add(x->c, of->text);
}

/* *CORE::GLOBAL::system = sub { ... }, *File::Path::rmtree = sub { ... } */
void mocks_assign(struct code *c, struct str name)
{
	for (size_t i = name.n; i-- > 1;)
		if (name.p[i] == ':' && name.p[i - 1] == ':') {
			add(c, str_sub(name, i + 1, name.n));
			return;
		}
}

/* nock("https://api.example.com"): requests to it go nowhere. */
void mocks_add_host(struct code *c, struct str url)
{
	struct str host = address_host(url);

	if (host.n)
		add(c, arena_printf(c->e->arena, "//%.*s", STR_ARG(host)));
}

bool mocks_hold_host(const struct code *c, struct str host)
{
	for (unsigned i = 0; host.n && i < c->nmocks; i++)
		if (str_starts(c->mocks[i], STR("//")) &&
		    str_eq(str_sub(c->mocks[i], 2, c->mocks[i].n), host))
			return true;
	return false;
}

/* spyOn(fs, "rmSync"): it is called all the same, until something else is said. */
struct code_value mocks_spy(const struct act *x)
{
	unsigned n = x->c->nmocks;
	struct code_value v = value_unknown(0);

	mocks_add(x);
	v.type = str_from(x->f->type);
	if (x->c->nmocks > n)
		v.text = x->c->mocks[n];
	x->c->nmocks = n;
	return v;
}

void mocks_replace(const struct act *x)
{
	if (x->self)
		add(x->c, x->self->text);
}

static struct str last_of(struct str name)
{
	for (size_t i = name.n; i-- > 0;)
		if (name.p[i] == '.' || name.p[i] == ':')
			return str_sub(name, i + 1, name.n);
	return name;
}

bool mocks_hold(const struct code *c, struct str name)
{
	for (unsigned i = 0; i < c->nmocks; i++) {
		struct str mock = c->mocks[i];

		/* "app.clean.rmtree" is the name of shutil.rmtree in a module. */
		if (str_ends(mock, STR(".")) ? str_starts(name, mock)
					     : str_eq(last_of(mock), last_of(name)))
			return true;
	}
	return false;
}

bool mocks_hold_module(const struct code *c, struct str name)
{
	for (unsigned i = 0; i < c->nmocks; i++) {
		struct str mock = c->mocks[i], module = str_sub(mock, 0, mock.n ? mock.n - 1 : 0);

		if (str_ends(mock, STR(".")) &&
		    (str_starts(name, mock) || (module.n && str_eq(name, module))))
			return true;
	}
	return false;
}

/* The way back of a migration runs when somebody asks for it, not with the file. */
bool mocks_is_way_back(const struct code *c, const struct code_defined *d)
{
	bool back = str_eqz(d->name, "down") || str_eqz(d->name, "downgrade");

	for (unsigned i = 0; back && i < c->nfns; i++)
		if (str_eqz(c->fns[i].name, "up") || str_eqz(c->fns[i].name, "upgrade"))
			return true;
	return false;
}

/* Does a function that the code defines refuse some arguments? */
bool mocks_may_raise(struct code *c, struct str name)
{
	const struct code_value *v = code_variable(c, name);

	if (!v || v->kind != VALUE_FUNCTION)
		return false;
	for (unsigned i = c->fns[v->n].body; i < c->fns[v->n].end; i++)
		if (token_is(&c->fns[v->n].t[i], "raise"))
			return true;
	return false;
}

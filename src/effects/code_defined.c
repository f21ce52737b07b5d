/* Functions that a text defines, and their calls. */
#include "base/words.h"
#include "effects/code_reader.h"

struct code_value code_define(struct code *c, struct str name, unsigned params, unsigned params_end,
			      unsigned body, unsigned end, bool expression)
{
	struct code_value f = { .kind = VALUE_FUNCTION };

	ARENA_ROOM(c->e->arena, c->fns, c->nfns, c->capfns);
	f.n = c->nfns;
	c->fns[c->nfns++] = (struct code_defined){
		.t = c->t,
		.text = c->text,
		.params = params,
		.nparams_end = params_end,
		.body = body,
		.end = max_size(end, body),
		.name = name,
		.expression = expression,
	};
	return f;
}

enum { PARAMS_MAX = 12, RUNNING_MAX = 10 };

struct saved {
	struct str name;
	struct code_value value;
	bool there;
};

static struct saved saved_of(struct code *c, struct str name)
{
	struct code_value *was = code_variable(c, name);

	return (struct saved){ name, was ? *was : value_unknown(0), was != NULL };
}

/*
 * `name string`, `name: T`, `args ...string`, `vararg args: T`, `_ args: T...`; of a method that
 * no word begins `String... args`.
 */
static const struct code_token *typed_parameter(const struct code_defined *d, unsigned i,
						unsigned end, bool *ret_rest)
{
	const struct code_token *t = &d->t[i], *last = t;

	bool types_first = d->types_first, colon = false;

	for (unsigned k = i; k < end && !token_is(&d->t[k], "="); k++) {
		*ret_rest |= token_is(&d->t[k], "...") || token_is(&d->t[k], "vararg") ||
			     (token_is(&d->t[k], "params") && k + 1 < end);
		colon |= token_is(&d->t[k], ":");
		if (!colon && d->t[k].kind == TOKEN_NAME)
			last = &d->t[k];
	}
	return types_first || colon ? last : t;
}

/* on_message(client, userdata, msg): what somebody else writes comes in */
static bool hears_others(struct str name)
{
	static const char *const names[] = { "on_message",    "on_data",      "on_privmsg",
					     "on_pubmsg",     "on_command",   "handle_message",
					     "data_received", "on_text",      "datagram_received",
					     "dataReceived",  "handle_update" };

	return WORD_IN(name, names);
}

/* from invoke import task: what decorated functions are given runs commands */
static bool is_task(const struct code *c)
{
	const struct code_value *v = code_variable((struct code *)c, STR("task"));

	return v && v->kind == VALUE_NAME &&
	       (str_eqz(v->type, "invoke.task") || str_eqz(v->type, "fabric.task"));
}

/* What pytest, or a request, gives a function that nothing in the text calls. */
static struct code_value fixture(struct code *c, const struct code_defined *d, struct str name)
{
	const struct code_value *own = code_variable(c, name);
	bool known = c->uncalled && is_language(c, CODE_PYTHON) &&
		     (str_eqz(name, "monkeypatch") || str_eqz(name, "mocker"));

	if (c->uncalled && is_language(c, CODE_PYTHON) &&
	    (str_eqz(name, "tmp_path") || str_eqz(name, "tmpdir"))) {
		struct code_value v = value_text(STR("/tmp/\1"));

		v.type = STR("pathlib.Path");
		return v;
	}
	/* @pytest.fixture def db(): yield x; def test_it(db): ... */
	if (c->uncalled && is_language(c, CODE_PYTHON) && own && own->kind == VALUE_FUNCTION &&
	    c->fns[own->n].decorated) {
		struct code_value v = code_call_defined(c, own, NULL, 0);

		return value_element(c->e->arena, &v);
	}
	if (d->decorated && is_task(c) && (str_eqz(name, "c") || str_eqz(name, "ctx"))) {
		struct code_value v = value_unknown(0);

		v.type = STR("invoke");
		return v;
	}
	if (is_language(c, CODE_COMPILED) &&
	    word_in_text(d->name, "visitFile postVisitDirectory preVisitDirectory") &&
	    code_variable(c, STR(CODE_WALKED)))
		return *code_variable(c, STR(CODE_WALKED));
	if (d->decorated && value_member(&c->options, name)) /* @click.option("--name", ...) */
		return *value_member(&c->options, name);
	return known ? value_name(name)
		     : value_unknown(d->routed || hears_others(d->name) ? VALUE_FETCHED : 0);
}

/* Of those behind *args, which are given by their names. */
static const struct code_value *named_argument(const struct code_value *args, size_t n,
					       struct str name)
{
	for (size_t i = 0; i < n; i++)
		if (args[i].key.n && str_eq(args[i].key, name))
			return &args[i];
	return NULL;
}

/* Gives the parameters their values; keeps what the names were. */
static size_t bind_parameters(struct code *c, const struct code_defined *d,
			      const struct code_value *args, size_t n, struct saved *saved)
{
	size_t count = 0, arg = 0, positional = n;

	if (is_language(c, CODE_PERL)) {
		saved[count++] = saved_of(c, STR("@_"));
		code_set(c, STR("@_"), n ? value_list(c->e->arena, args, n) : value_unknown(0));
		code_set(c, STR("$_"), n ? args[0] : value_unknown(0));
		return count;
	}
	if (is_language(c, CODE_COMPILED) && d->params == d->nparams_end && n) {
		saved[count++] = saved_of(c, STR("it"));
		code_set(c, STR("it"), args[0]);
	}
	for (unsigned i = d->params; i < d->nparams_end && count < PARAMS_MAX; i++) {
		const struct code_token *t = &d->t[i];
		const struct code_value *given = NULL;
		struct code_value v;
		unsigned end = i;
		bool rest = false, property = false;

		while (end < d->nparams_end && !token_is(&d->t[end], ",")) {
			if (d->t[end].match > end)
				end = d->t[end].match;
			end++;
		}
		if ((token_is(t, "{") || token_is(t, "[") || token_is(t, "(")) && t->match < end &&
		    t->match > i) { /* ({ name, cmd }), ([key, value]) */
			for (unsigned k = i + 1; k < t->match && count < PARAMS_MAX; k++)
				if (d->t[k].kind == TOKEN_NAME)
					saved[count++] = saved_of(c, d->t[k].text);
			code_bind(c, i, t->match + 1, arg < n ? args[arg] : value_unknown(0));
			arg++;
			i = end;
			continue;
		}
		while (i < end && (t->kind != TOKEN_NAME ||
				   (is_language(c, CODE_PHP) && t->text.p[0] != '$'))) {
			rest |= token_is(t, "*") || token_is(t, "...");
			t = &d->t[++i];
		}
		while (i + 1 < end && is_language(c, CODE_JAVASCRIPT) &&
		       d->t[i + 1].kind == TOKEN_NAME) { /* private readonly name: of TypeScript */
			property = true;
			t = &d->t[++i];
		}
		if (i >= end && rest && is_language(c, CODE_LUA)) {
			saved[count++] = saved_of(c, STR("..."));
			code_set(c, STR("..."),
				 value_list(c->e->arena, args + min_size(arg, n),
					    n - min_size(arg, n)));
		}
		if (i >= end)
			continue;
		if (count == 0 && arg == 0 && (token_is(t, "self") || token_is(t, "cls"))) {
			i = end;
			continue;
		}
		if (is_language(c, CODE_COMPILED))
			t = typed_parameter(d, i, end, &rest);
		while (rest && positional > arg && args[positional - 1].key.n)
			positional--;
		if (!rest && positional < n && (given = named_argument(args, n, t->text)))
			v = *given;
		else
			v = rest && positional == arg + 1 && is_language(c, CODE_COMPILED) &&
					    args[arg].kind == VALUE_LIST
				    ? args[arg] /* params string[] args */
			    : rest && positional > arg
				    ? value_list(c->e->arena, args + arg, positional - arg)
			    : arg < positional ? args[arg]
					       : fixture(c, d, t->text);
		if (!given && arg >= positional && !rest)
			for (unsigned k = i + 1; k + 1 < end; k++)
				if (token_is(&d->t[k], "=") ||
				    (token_is(&d->t[k], ":") && is_language(c, CODE_RUBY))) {
					c->i = k + 1;
					c->end = end;
					v = code_expression(c);
					break;
				}
		arg++;
		if (c->chosen_level && (v.flags & VALUE_WALKED)) /* if wanted(p): f(p) */
			v.flags |= VALUE_CHOSEN;
		saved[count++] = saved_of(c, t->text);
		code_set(c, t->text, v);
		if (property)
			code_set(c, arena_printf(c->e->arena, "this.%.*s", STR_ARG(t->text)), v);
		i = end;
	}
	return count;
}

/* setImmediate(go) in go: again and again, without a pause. */
static bool calls_itself(const struct code *c, const struct code_defined *d)
{
	unsigned end = min_size(d->end, d->body + 200);

	if (!is_language(c, CODE_JAVASCRIPT) || !d->name.n)
		return false;
	for (unsigned i = d->body; i + 2 < end; i++)
		if ((token_is(&d->t[i], "setImmediate") || token_is(&d->t[i], "nextTick")) &&
		    token_is(&d->t[i + 1], "(") && d->t[i + 2].kind == TOKEN_NAME &&
		    str_eq(d->t[i + 2].text, d->name))
			return true;
	return false;
}

/* A function that a function gives keeps what that was given: a copy of it does. */
static void capture(struct code *c, struct code_value *f, const struct saved *saved, size_t n,
		    unsigned before)
{
	struct code_defined d;

	if (f->kind != VALUE_FUNCTION || f->n < before || !n || c->budget < n)
		return;
	c->budget -= n;
	d = c->fns[f->n];
	c->fns[f->n].called = true; /* the copy is */
	*f = code_define(c, d.name, d.params, d.nparams_end, d.body, d.end, d.expression);
	d.captured = ARENA_ARRAY(c->e->arena, struct code_variable, n);
	d.ncaptured = 0;
	for (size_t i = 0; i < n; i++) {
		const struct code_value *v = code_variable(c, saved[i].name);

		if (v)
			d.captured[d.ncaptured++] =
				(struct code_variable){ .name = saved[i].name, .value = *v };
	}
	c->fns[f->n] = d;
}

void code_capture_around(struct code *c, const struct code_value *f)
{
	struct code_defined *d = &c->fns[f->n];
	unsigned n = 0;

	if (d->captured || c->budget < c->capvars)
		return;
	c->budget -= c->capvars;
	d->captured = ARENA_ARRAY(c->e->arena, struct code_variable, PARAMS_MAX);
	for (unsigned i = 0; i < c->capvars && n < PARAMS_MAX; i++)
		if (c->vars[i].name.p && c->vars[i].level == c->level && c->level)
			d->captured[n++] = (struct code_variable){ .name = c->vars[i].name,
								   .value = c->vars[i].value };
	d->ncaptured = n;
}

/* The same, of a function that was made of another. */
static struct code_value call_made(struct code *c, const struct code_bound *b,
				   const struct code_value *values, size_t n)
{
	struct code_args args = { .at = code_at(c, 0)->at, .end = code_at(c, 0)->end };

	for (size_t i = 0; i < n && args.n < CODE_ARGS_MAX; i++)
		args.p[args.n++].value = values[i];
	return code_call_bound(c, b, &args);
}

/* What its last expression gives, it gives: of Rust and Kotlin where no ";" follows. */
static bool ends_with_value(const struct code *c, const struct code_defined *d)
{
	return has(c, SYNTAX_KNOWN_BARE_CALLS | SYNTAX_BARE_CALLS) || is_language(c, CODE_R) ||
	       is_language(c, CODE_JULIA) ||
	       (is_language(c, CODE_COMPILED) && d->end > d->body &&
		!token_is(&d->t[d->end - 1], ";"));
}

struct code_value code_call_defined(struct code *c, const struct code_value *f,
				    const struct code_value *args, size_t n)
{
	struct code_defined d = c->fns[f->n];
	struct code was = *c;
	struct saved saved[PARAMS_MAX + 1];
	struct code_value result;
	unsigned defined = c->nfns, taints = 0;
	size_t count;

	if (d.bound)
		return call_made(c, d.bound, args, n);
	for (size_t i = 0; i < n; i++)
		taints |= args[i].flags;
	if (d.running || c->calls >= RUNNING_MAX || c->nesting + 2 >= CODE_NESTING_MAX ||
	    c->budget < d.end - d.body + 8)
		return value_unknown(taints); /* itself, or a method of the same name */
	c->budget -= d.end - d.body + 8;
	c->fns[f->n].running = true;
	c->fns[f->n].called |= !d.routed || c->uncalled; /* requests call it, too */
	c->calls++;
	c->class = d.class.n ? d.class : c->class;
	c->nesting++;
	c->t = d.t;
	c->loop_end = CODE_NO_END;
	c->text = d.text;
	c->level = c->base = c->level + 1;
	c->hammers |= calls_itself(c, &d);
	c->bare = false;
	c->returned = c->last = value_unknown(0);
	for (unsigned i = 0; i < d.nmocks && c->nmocks < ARRAY_LEN(c->mocks); i++)
		c->mocks[c->nmocks++] = d.mocks[i];
	for (unsigned i = 0; i < d.ncaptured; i++)
		code_set(c, d.captured[i].name, d.captured[i].value);
	count = bind_parameters(c, &d, args, n, saved);
	c->chosen_level = 0;
	c->i = d.body;
	c->end = d.end;
	if (d.expression) {
		result = code_expression(c);
		/* `x => a(x), b(x)` and Python's tuples end there. */
	} else {
		code_run(c);
		result = c->returned.kind == VALUE_UNKNOWN && !(c->returned.flags & VALUE_TAINTS) &&
					 ends_with_value(c, &d)
				 ? c->last
				 : c->returned;
	}
	capture(c, &result, saved, count, defined);
	for (size_t i = 0; i < count; i++)
		code_set(c, saved[i].name,
			 saved[i].there ? saved[i].value : value_name(saved[i].name));
	c->fns[f->n].running = false;
	c->nmocks = was.nmocks;
	c->calls = was.calls;
	c->class = was.class;
	c->nesting = was.nesting;
	c->t = was.t;
	c->text = was.text;
	c->i = was.i;
	c->end = was.end;
	code_environ_return(c, was.level);
	c->level = was.level;
	c->base = was.base;
	c->chosen_level = was.chosen_level;
	c->loop_level = was.loop_level;
	c->loop_end = was.loop_end;
	c->chosen_suffix = was.chosen_suffix;
	c->returned = was.returned;
	c->last = was.last;
	c->in_print = was.in_print;
	c->hammers = was.hammers;
	c->bare = was.bare;
	return result;
}

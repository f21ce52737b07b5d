#include "base/words.h"
#include "effects/code_act.h"
#include "effects/code_cloud.h"
#include "effects/code_reader.h"

/* ---- the tables ---- */

/* "a.b.c|d|e" has the names a.b.c, a.b.d and a.b.e; `module` is what comes before the last one. */
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

static const struct code_function *find_row(const struct code *c, struct str name, bool method)
{
	struct str module = { 0 }, last = name;
	bool unknown = name.n && name.p[0] == '.'; /* of an object that is not known */

	if (str_chr(name, '\0', 0) >= 0) /* no name of a table is a text with an end in it */
		return NULL;
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

const struct code_function *code_function_find(const struct code *c, struct str name, bool method)
{
	struct code_found *f = &c->found[(str_hash(STR_HASH, name) + method) % CODE_FOUND];

	/* Code says the same few names again and again; the tables are long. */
	if (!f->name.p || f->method != method || !str_eq(f->name, name))
		*f = (struct code_found){ arena_str(c->e->arena, name), method,
					  find_row(c, name, method) };
	return f->row;
}

/* ---- calls ---- */

static unsigned taints(const struct code_value *self, const struct code_args *args)
{
	unsigned flags = self ? self->flags : 0;

	for (unsigned i = 0; i < args->n; i++)
		flags |= args->p[i].value.flags;
	return flags & VALUE_TAINTS;
}

/* What connects with a password, or checks one, does not give it back. */
static bool uses_up(struct str name)
{
	static const char *const names[] = { "connect",
					     "create_engine",
					     "login",
					     "authenticate",
					     "auth",
					     "createPool",
					     "createConnection",
					     "auth_password",
					     "open_session",
					     "ftp_login",
					     "ssh2_auth_password",
					     "basic_auth",
					     "HTTPBasicAuth",
					     "ftp_ssl_login" };
	static const char *const ends[] = { "Client", "Connection", "Pool",
					    "Engine", "Session",    "Credentials" };

	return WORD_IN(name, names) || TEXT_ENDS(name, ends);
}

/* login(user, word), connect(host, password=word): with one word after another? */
static void log_in(struct code *c, struct str name, struct code_value *self, struct code_args *args)
{
	const struct code_function none = { 0 };
	struct act x = { c, &none, self, args };
	bool positional = !str_starts(name, STR("connect")) && (taints(NULL, args) & VALUE_TRIED);
	const struct code_value *host = act_keyed(args, "host") ?: act_positional(args, 0);

	if (self && self->text.n)
		host = self;
	if (positional || act_tries_passwords(args))
		act_attack(&x, act_url_host(&x, host));
}

static struct str last_name(struct str name)
{
	for (size_t i = name.n; i-- > 0;)
		if (name.p[i] == '.' || name.p[i] == ':')
			return str_sub(name, i + 1, name.n);
	return name;
}

static bool has_more_parameters(const struct code *c, const struct code_value *f)
{
	const struct code_defined *d = &c->fns[f->n];

	for (unsigned k = d->params; k < d->nparams_end; k++) {
		if (token_is(&d->t[k], ","))
			return true;
		if (d->t[k].match > k)
			k = d->t[k].match;
	}
	return false;
}

/* each { |password| ... } */
static struct code_value as_tried(struct code *c, const struct code_value *f, struct code_value v)
{
	const struct code_defined *d = &c->fns[f->n];

	return d->params < d->nparams_end && d->t[d->params].kind == TOKEN_NAME &&
			       word_in_text(d->t[d->params].text,
					    "pw pass password passwd pwd passphrase $pw $pass")
		       ? value_with(c->e->arena, v, VALUE_TRIED, 1)
		       : v;
}

/* Ruby's blocks take a pair apart: { |key, value| ... } */
static struct code_value call_with(struct code *c, const struct code_value *f,
				   struct code_value with)
{
	struct code_value parts[2];

	with = as_tried(c, f, with);
	if (c->g->language == CODE_COMPILED && with.key.n && has_more_parameters(c, f)) {
		parts[0] = value_text(with.key); /* [a: x].each { name, value -> ... } */
		parts[1] = with;
		return code_call_defined(c, f, parts, 2);
	}
	if ((c->g->language != CODE_RUBY && c->g->language != CODE_COMPILED) ||
	    with.kind != VALUE_LIST || !has_more_parameters(c, f))
		return code_call_defined(c, f, &with, 1);
	parts[0] = value_part(c->e->arena, &with, 0);
	parts[1] = value_part(c->e->arena, &with, 1);
	return code_call_defined(c, f, parts, 2);
}

/* ProcessHandle::destroy, File::delete: of each, where the table has no function of that name. */
static bool call_reference(struct code *c, struct str name, struct code_value with,
			   const struct code_args *args)
{
	struct code_args none = { .at = args->at, .end = args->end };
	struct str last = last_name(name);

	if (c->g->language != CODE_COMPILED || last.n == name.n ||
	    code_function_find(c, name, false))
		return false;
	(void)code_call(c,
			value_name(arena_printf(c->e->arena, "%.*s.%.*s", STR_ARG(with.type),
						STR_ARG(last))),
			&with, &none);
	return true;
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

			if (!call_reference(c, f->type, with, args))
				(void)code_call(c, *f, NULL, &one);
		}
		if (f->kind != VALUE_FUNCTION)
			continue;
		if (!last)
			call_with(c, f, with);
		else { /* (error, result), or (result); what is not known may be the default */
			bool two = has_more_parameters(c, f);
			bool known;

			p[2] = as_tried(c, f, with);
			known = p[2].kind != VALUE_UNKNOWN || (p[2].flags & VALUE_TAINTS) ||
				p[2].type.n;
			(void)code_call_defined(c, f, &p[two ? 1 : 2], !known ? 0 : two ? 2 : 1);
		}
	}
}

/* The same for each parameter: (update, context) */
static void call_with_all(struct code *c, const struct code_args *args, struct code_value with)
{
	const struct code_value all[] = { with, with, with };

	for (unsigned i = 0; i < args->n; i++)
		if (args->p[i].value.kind == VALUE_FUNCTION)
			(void)code_call_defined(c, &args->p[i].value, all, ARRAY_LEN(all));
}

/* Which parameter has that name? */
static unsigned parameter_index(const struct code_defined *d, struct str name, unsigned not_found)
{
	unsigned n = 0;

	for (unsigned k = d->params; k < d->nparams_end; k++) {
		if (d->t[k].kind == TOKEN_NAME && str_eq(d->t[k].text, name))
			return n;
		while (k < d->nparams_end && !token_is(&d->t[k], ","))
			k = d->t[k].match > k ? d->t[k].match + 1 : k + 1;
		n += !(n == 0 && token_is(&d->t[d->params], "self") && k <= d->params + 1);
	}
	return not_found;
}

/* each_path { |p| ... }: what "yield" calls in it */
static struct code_value call_with_block(struct code *c, const struct code_value *f,
					 const struct code_value *self,
					 const struct code_value *values, unsigned n)
{
	const struct code_value *was = code_variable(c, STR("yield"));
	struct code_value old = was ? *was : value_unknown(0), v;

	(void)self;
	code_set(c, STR("yield"), values[n - 1]);
	v = code_call_defined(c, f, values, n);
	code_set(c, STR("yield"), old);
	return v;
}

/* What a method calls its object. */
static struct str object_name(const struct code *c, const struct code_defined *d)
{
	bool self = c->g->language == CODE_PYTHON || c->g->language == CODE_LUA;

	for (unsigned i = d->params; c->g->language == CODE_COMPILED && i < d->nparams_end; i++)
		self |= token_is(&d->t[i], "self"); /* &mut self */
	return d->self.n ? d->self : self ? STR("self") : STR("this");
}

/* def f(*args, cwd): what comes behind is given by its name. */
static bool takes_rest(const struct code *c, const struct code_defined *d)
{
	for (unsigned i = d->params; c->g->language == CODE_PYTHON && i + 1 < d->nparams_end; i++)
		if (token_is(&d->t[i], "*") && d->t[i + 1].kind == TOKEN_NAME &&
		    (i == d->params || token_is(&d->t[i - 1], ",")))
			return true;
	return false;
}

static struct code_value call_function(struct code *c, const struct code_value *f,
				       const struct code_value *self, const struct code_args *args)
{
	struct str this = object_name(c, &c->fns[f->n]);
	struct code_value values[CODE_ARGS_MAX] = { 0 }, v, *was = NULL, old;
	bool rest = takes_rest(c, &c->fns[f->n]);
	unsigned n = 0;

	if (c->fns[f->n].bound)
		return code_call_bound(c, c->fns[f->n].bound, args);
	if (c->g->language == CODE_PERL && self) /* a method is given its object first */
		values[n++] = *self;
	for (unsigned i = 0, before = n; i < args->n && i + before < CODE_ARGS_MAX; i++) {
		unsigned at = args->p[i].key.n && !before
				      ? parameter_index(&c->fns[f->n], args->p[i].key, i)
				      : i + before;

		at = at < CODE_ARGS_MAX ? at : i;
		if (rest && args->p[i].key.n) /* def f(*args, cwd): f("a", "b", cwd="c") */
			at = i;
		values[at] = args->p[i].value;
		if (c->g->language == CODE_PERL || (rest && args->p[i].key.n))
			values[at].key = args->p[i].key;
		n = max_size(n, at + 1);
	}
	if (c->g->language == CODE_RUBY && n && values[n - 1].kind == VALUE_FUNCTION &&
	    !c->fns[values[n - 1].n].name.n)
		return call_with_block(c, f, self, values, n);
	if (!self ||
	    (self->kind != VALUE_LIST && !(self->kind == VALUE_TEXT && c->fns[f->n].self.n)))
		return code_call_defined(c, f, values, n);
	was = code_variable(c, this);
	old = was ? *was : value_name(this);
	code_set(c, this, *self);
	v = code_call_defined(c, f, values, n);
	code_set(c, this, old);
	return v;
}

/* All that it may be. */
static struct code_value call_functions(struct code *c, struct code_value f,
					const struct code_value *self, const struct code_args *args)
{
	struct code_value v = call_function(c, value_function(&f, 0), self, args);

	for (unsigned i = 1; i < value_functions(&f); i++)
		v = value_either(c->e->arena, v,
				 call_function(c, value_function(&f, i), self, args));
	return v;
}

/* An object of a class that has no more than fields. */
static struct code_value call_class(struct code *c, const struct code_value *class,
				    const struct code_args *args)
{
	struct code_value v = value_list(c->e->arena, NULL, 0);

	v.items = ARENA_ARRAY(c->e->arena, struct code_value, CODE_ARGS_MAX);
	for (unsigned i = 0; i < args->n; i++) {
		struct code_value one = args->p[i].value;

		one.key = args->p[i].key.n ? args->p[i].key
			  : i < class->n   ? class->items[i].text
					   : (struct str){ 0 };
		v.items[v.n++] = one;
		v.flags |= one.flags & VALUE_TAINTS;
	}
	for (unsigned i = 0; i < class->n && v.n < CODE_ARGS_MAX; i++)
		if (class->items[i].items && !value_member(&v, class->items[i].text)) {
			v.items[v.n] = *class->items[i].items;
			v.items[v.n++].key = class->items[i].text;
		}
	return v;
}

static void drop_first(struct code_args *args)
{
	if (args->n)
		memmove(args->p, args->p + 1, --args->n * sizeof *args->p);
}

/* apply(this, [a, b]): each item is an argument; what is no list is one. */
static void spread(struct code_args *args, const struct code_value *list)
{
	bool items = list->kind == VALUE_LIST && !(list->flags & VALUE_ANY);

	if (!items)
		args->p[args->n++].value = *list;
	for (unsigned i = 0; items && i < list->n && args->n < CODE_ARGS_MAX; i++)
		args->p[args->n++].value = list->items[i];
}

/* find(f, folder): what is in it, and below */
static struct code_value walk_call(struct code *c, const struct code_args *args)
{
	const struct code_value *wanted =
		args->n ? value_member(&args->p[0].value, STR("wanted")) : NULL;

	for (unsigned i = c->g->language == CODE_PERL; i < args->n; i++) {
		struct code_value v = args->p[i].value;

		if (v.kind == VALUE_LIST && c->g->language == CODE_PERL)
			v = value_element(c->e->arena, &v);
		if (v.kind != VALUE_TEXT && !(v.kind == VALUE_LIST && (v.flags & VALUE_ANY)))
			continue;
		v = value_path(c->e->arena, v, value_text(STR("*")));
		v.flags |= VALUE_WALKED | VALUE_RECURSIVE;
		code_set(c, STR(CODE_WALKED), v);
		if (wanted && wanted->kind == VALUE_FUNCTION)
			(void)code_call_defined(c, wanted, &v, 1);
		else
			call_back(c, args, v, false);
	}
	return value_unknown(0);
}

static struct code_value value_pairs_of_keyed(struct code *c, struct code_value v)
{
	if (act_is_environment(c, &v))
		return act_environment_pairs(c->e->arena);
	return v.kind == VALUE_LIST && v.n && v.items[0].key.n ? value_pairs(c->e->arena, &v) : v;
}

/* 200.times { ... } */
static void call_times(struct code *c, const struct code_args *args,
		       const struct code_value *number)
{
	const struct code_value *f = args->n ? &args->p[0].value : NULL;
	const struct code_defined *d = f && f->kind == VALUE_FUNCTION ? &c->fns[f->n] : NULL;
	unsigned was = c->times;
	int64_t n;

	if (d && d->params == d->nparams_end && value_int(number, &n) && n > 1 &&
	    !code_waits(d->t + d->body, d->t + d->end).waits)
		c->times = (unsigned)min_size(c->times * min_size((size_t)n, CODE_TIMES_MAX),
					      CODE_TIMES_MAX);
	call_back(c, args, value_unknown(VALUE_TRIED), false);
	c->times = was;
}

/* What is called now is called for each item of what is not known; gives what to go back to. */
static unsigned enter_loop(struct code *c)
{
	unsigned level = c->loop_level;

	c->loop_level = level ?: max_size(c->level, 1);
	return level;
}

/* .each { |x| ... }: one by one where the list is known, and short enough. */
static void call_with_items(struct code *c, const struct code_args *args,
			    const struct code_value *self)
{
	struct code_value v = c->g->language == CODE_RUBY ? value_pairs_of_keyed(c, *self) : *self;
	unsigned loop = c->loop, round = c->round;

	if (c->g->language == CODE_RUBY && args->n == 1 && args->p[0].value.kind == VALUE_TEXT) {
		struct code_value each = value_element(c->e->arena, self); /* .each(&:delete) */
		struct code_args none = { .at = args->at, .end = args->end };

		(void)code_call(
			c,
			value_name(arena_printf(c->e->arena, "%.*s.%.*s", STR_ARG(each.type),
						STR_ARG(args->p[0].value.text))),
			&each, &none);
		return;
	}
	if (v.flags & VALUE_NUMBER) {
		call_times(c, args, &v);
		return;
	}
	if (v.kind != VALUE_LIST || (v.flags & VALUE_ANY) || v.n < 2 || v.n > CODE_LOOP_MAX) {
		unsigned level = enter_loop(c);

		call_back(c, args, value_element(c->e->arena, &v), false);
		c->loop_level = level;
		return;
	}
	c->loop = ++c->block;
	for (unsigned i = 0; i < v.n; i++) {
		c->round = ++c->block;
		call_back(c, args, v.items[i], false);
	}
	c->loop = loop;
	c->round = round;
}

/* map, each_page, autoPagingEach: what it is given is called for one item after another. */
static bool is_for_each(struct str name)
{
	return str_find_icase(name, STR("map"), 0) >= 0 ||
	       str_find_icase(name, STR("each"), 0) >= 0;
}

/* starmap(f, [(a, b), ...]): with the items of each */
static struct code_value call_spread(struct code *c, struct code_value f,
				     const struct code_args *args)
{
	const struct code_value list = args->n ? args->p[0].value : value_unknown(0);
	bool known = list.kind == VALUE_LIST && !(list.flags & VALUE_ANY);
	unsigned n = known ? min_size(list.n, CODE_LOOP_MAX) : 1;
	struct code_args one = { .at = args->at, .end = args->end };
	struct code_value v = value_unknown(0);

	for (unsigned i = 0; i < n && c->budget > 8; i++) {
		struct code_value item = known ? list.items[i] : value_element(c->e->arena, &list);

		c->budget -= 8;
		one.n = 0;
		spread(&one, &item);
		v = code_call(c, f, NULL, &one);
	}
	return v;
}

/* map(f, list) */
static struct code_value map_call(struct code *c, const struct code_args *args, bool each)
{
	struct code_value list = args->n > 1 ? args->p[1].value : value_unknown(0), *items, v;
	struct code_args one = { .n = 1, .at = args->at, .end = args->end };
	unsigned level = c->loop_level;
	bool known = false;

	if (args->n && c->g->language == CODE_RUBY)
		list = value_pairs_of_keyed(c, list);
	if (args->n &&
	    (list.kind != VALUE_LIST || (list.flags & VALUE_ANY) || c->budget < 8 * list.n)) {
		one = *args;
		drop_first(&one); /* call(f, x), too */
		if (list.kind == VALUE_LIST)
			one.p[0].value = value_element(c->e->arena, &list), one.n = 1;
		if (each)
			(void)enter_loop(c);
		v = code_call(c, args->p[0].value, NULL, &one);
		c->loop_level = level;
		return v;
	}
	c->budget -= 8 * list.n;
	items = ARENA_ARRAY(c->e->arena, struct code_value, list.n + 1);
	for (unsigned i = 0; i < list.n; i++) {
		one.p[0].value = list.items[i];
		if (args->p[0].value.kind == VALUE_FUNCTION)
			items[i] = call_with(c, &args->p[0].value, list.items[i]);
		else
			items[i] = code_call(c, args->p[0].value, NULL, &one);
		known |= items[i].kind != VALUE_UNKNOWN;
	}
	return known || !list.n ? value_list(c->e->arena, items, list.n)
				: value_unknown(list.flags);
}

static struct code_value backwards(struct code *c, struct code_value list)
{
	if (list.kind != VALUE_LIST || list.n > CODE_LOOP_MAX)
		return list;
	list = value_list(c->e->arena, list.items, list.n);
	for (unsigned i = 0; i < list.n / 2; i++) {
		struct code_value one = list.items[i];

		list.items[i] = list.items[list.n - 1 - i];
		list.items[list.n - 1 - i] = one;
	}
	return list;
}

/* list.reduce(f, first): item after item where the list is known, and short enough. */
static struct code_value fold(struct code *c, const struct code_value *f,
			      const struct code_value *of, const struct code_value *first,
			      bool from_end)
{
	const struct code_value turned = from_end ? backwards(c, *of) : *of, *list = &turned;
	bool known = list->kind == VALUE_LIST && !(list->flags & VALUE_ANY) && list->n &&
		     list->n <= CODE_LOOP_MAX && c->budget > 8 * list->n;
	struct code_value given[] = { first   ? *first
				      : known ? list->items[0]
					      : value_unknown(0),
				      value_element(c->e->arena, list) };

	if (f->kind != VALUE_FUNCTION) /* :+, add */
		return known ? value_join_all(c->e->arena, *list, STR(""))
			     : value_unknown(list->flags);
	if (!known)
		return code_call_defined(c, f, given, 2);
	c->budget -= 8 * list->n;
	for (unsigned i = !first; i < list->n; i++) {
		given[1] = list->items[i];
		given[0] = code_call_defined(c, f, given, 2);
	}
	return given[0];
}

/* sh.terraform("destroy"), plumbum.cmd.rm("-rf", path), local["rm"]("-rf", path) */
static bool is_program_module(const struct code *c, struct str name)
{
	return (str_starts(name, STR("sh.")) || str_starts(name, STR("plumbum.cmd.")) ||
		str_starts(name, STR("plumbum.local."))) &&
	       str_find(name, STR(".bake"), 0) < 0 && !code_function_find(c, name, false);
}

/* google.cloud.compute_v1.InstancesClient */
static bool is_cloud_client(struct str name)
{
	return str_ends(name, STR("Client")) &&
	       (str_starts(name, STR("azure.mgmt.")) ||
		(str_starts(name, STR("google.cloud.")) && str_find(name, STR("_v1"), 0) > 0));
}

static const struct code_function destroys = { .act = ACT_CLOUD },
				  empties = { .act = ACT_DATABASE, .arg = 9 };

/* setInterval(f, 10): so often that nobody only looks whether something has changed. */
static bool is_without_pause(const struct code_args *args)
{
	int64_t ms;

	return args->n == 1 || (args->n > 1 && value_int(&args->p[1].value, &ms) && ms < 100);
}

/* new Promise((resolve) => resolve(x)): x */
static struct code_value settled(struct code *c, const struct code_args *args)
{
	struct code_value was = c->settled, v;

	c->settled = value_unknown(0);
	call_back(c, args, value_name(STR("Promise.settled")), false);
	v = c->settled;
	c->settled = was;
	return v;
}

/* x.apply { f() }: of x */
static void call_on(struct code *c, const struct code_args *args, struct code_value self)
{
	const struct code_value *was = code_variable(c, STR("this"));
	struct code_value old = was ? *was : value_name(STR("this"));

	code_set(c, STR("this"), self);
	call_back(c, args, self, false);
	code_set(c, STR("this"), old);
	if (!args->n) /* process.run() */
		act_start_program(c);
}

/* What a row of the table does, and then what it calls back. */
static struct code_value call_row(struct code *c, const struct code_function *row,
				  struct code_value *self, struct code_args *args)
{
	bool again = c->again, hammers = c->hammers;
	struct code_value v;

	v = code_act(c, row, self, args);
	if (row->act == ACT_EVAL && (row->flags & FN_OTHER)) {
		c->again = true;
		c->hammers |= is_without_pause(args);
	}
	if (row->act == GIVES_NAMED)
		return v;
	if (row->act == GIVES_APPENDED || row->act == GIVES_BOUND)
		; /* called later, if ever */
	else if (row->act < CALLS_WITH_SELF)
		call_back(c, args, v, true);
	else if (row->act == CALLS_WITH_SELF && self && c->g->language == CODE_COMPILED)
		call_on(c, args, *self);
	else if (row->act == CALLS_WITH_SELF && self)
		call_back(c, args, *self, false);
	else if (row->act == CALLS_PROMISE)
		v = settled(c, args);
	else if (row->act == CALLS_INPUT)
		call_back(c, args,
			  self && (self->flags & VALUE_FETCHED) ? value_unknown(VALUE_FETCHED)
								: code_input(c, false),
			  false);
	else if (row->act == CALLS_SERVER && (row->flags & FN_ALL))
		call_with_all(c, args, value_unknown(VALUE_FETCHED));
	else if (row->act == CALLS_SERVER)
		call_back(c, args, value_unknown(VALUE_FETCHED), false);
	else if (row->act == CALLS_WITH_ITEMS && self)
		call_with_items(c, args, self);
	else
		call_back(c, args, value_unknown(0), true);
	c->again = again;
	c->hammers = hammers;
	return v;
}

/* An object that can be called, or a module whose functions are programs; false: neither. */
static bool call_of_python(struct code *c, const struct code_value *f, struct code_args *args,
			   struct code_value *ret)
{
	struct code_value *var = code_variable(c, STR("__call__"));

	if ((f->kind == VALUE_LIST || f->kind == VALUE_UNKNOWN) && var && value_functions(var)) {
		*ret = call_functions(c, *var, f->kind == VALUE_LIST ? f : NULL, args);
		return true;
	}
	if (f->kind == VALUE_NAME && str_eqz(f->type, "cls") &&
	    (var = code_variable(c, c->class))) {
		*ret = code_call(c, *var, NULL, args);
		return true;
	}
	/* What a decorator has put into a list or a table is called from there. */
	for (unsigned i = 0; f->kind == VALUE_UNKNOWN && !f->type.n && args->n && i < c->nfns;
	     i++) {
		struct code_value registered = { .kind = VALUE_FUNCTION, .n = i };

		if (c->fns[i].registered && !c->fns[i].called)
			(void)call_function(c, &registered, NULL, args);
	}
	if (f->kind == VALUE_NAME && is_program_module(c, f->type)) {
		const struct code_function program = { .act = ACT_ARGV,
						       .flags = FN_DEFAULT,
						       .type = arena_z(c->e->arena,
								       last_name(f->type)) };

		*ret = code_act(c, &program, NULL, args);
		return true;
	}
	return false;
}

static bool is_in_memory(const struct code_value *v)
{
	return v && (str_eqz(v->type, TYPE_EMULATOR) ||
		     (v->kind == VALUE_TEXT &&
		      (effect_database_in_memory(v->text) || str_ends(v->text, STR(":memory:")))));
}

/* new PrismaClient(): where the code itself has set that it connects to a database of tests */
static bool is_told_of_tests(const struct code *c, const struct code_args *args)
{
	struct str url;

	return !act_keyed(args, "datasourceUrl") && !act_keyed(args, "datasources") &&
	       !act_keyed(args, "adapter") && code_environ_find(c, STR("DATABASE_URL"), &url) &&
	       (effect_database_places(c->e->world, url) & PLACE_TEMP);
}

/* What a test works on instead of a cloud or a database. */
static void see_stands_in(struct code *c, const struct code_value *f, const struct code_args *args)
{
	if (f->kind != VALUE_NAME)
		return;
	if (word_in_text(last_name(f->type), "connect createConnection create_engine from_url "
					     "Client MongoClient establish_connection "
					     "getConnection SqliteConnection DataSource Sequelize "
					     "Pool createPool PDO open_in_memory")) {
		bool stands_in = str_eqz(last_name(f->type), "open_in_memory");

		for (unsigned i = 0; i < args->n; i++)
			stands_in |= is_in_memory(&args->p[i].value) ||
				     is_in_memory(value_member(&args->p[i].value, STR("database"))
							  ?: value_member(&args->p[i].value,
									  STR("storage")));
		c->emulated |= stands_in;
		c->elsewhere |= !stands_in;
	}
	c->emulated |= str_eqz(last_name(f->type), "UseInMemoryDatabase");
	if (str_eqz(last_name(f->type), "PrismaClient") && is_told_of_tests(c, args))
		c->emulated = true;
	else
		c->elsewhere |= str_eqz(last_name(f->type), "PrismaClient");
	if (str_eqz(f->type, "nock") && args->n && args->p[0].value.kind == VALUE_TEXT)
		mocks_add_host(c, args->p[0].value.text);
	c->simulated |= str_starts(f->type, STR("moto.mock")) ||
			str_starts(f->type, STR("aws-sdk-client-mock"));
}

/* A method of a client of a service, of what that gives, or of a module that was given a key. */
static bool is_of_service(const struct code *c, const struct code_value *self, struct str name,
			  const struct code_args *args)
{
	if (self && (self->kind != VALUE_NAME || (self->flags & VALUE_REMOTE)))
		return (self->flags & (VALUE_REMOTE | VALUE_KEY)) && !(self->flags & VALUE_HERE) &&
		       !str_eqz(self->type, "requests");
	return (self || c->keyed.n) &&
	       (cloud_client(c, name, &(struct code_args){ .at = args->at }) & VALUE_REMOTE);
}

/* What replaces something: a function of that name that the code defines does not. */
static bool is_of_tests(const struct code_function *row)
{
	return row->act == GIVES_MOCK || (row->type && !strcmp(row->type, TYPE_EMULATOR));
}

/* The row of a name, unless a variable holds what it means. */
static const struct code_function *row_of(struct code *c, struct str name,
					  const struct code_value *self,
					  const struct code_args *args, struct code_value **ret_var)
{
	const struct code_function *row = code_function_find(c, name, false);
	struct str last = last_name(name);
	/* "@aws-sdk/client-s3.DeleteBucketCommand" */
	bool method =
		self || (last.n < name.n && name.p[0] == '@' && last.n && char_is_upper(last.p[0]));

	for (unsigned i = 0; !row && !self && i < c->nstars; i++)
		row = code_function_find(
			c,
			arena_printf(c->e->arena, "%.*s.%.*s", STR_ARG(c->stars[i]), STR_ARG(name)),
			false);
	*ret_var = row && !is_of_tests(row) ? NULL : code_variable(c, last);
	/* FILES.to_h { ... } in a method to_h: not itself */
	if (*ret_var && self && (*ret_var)->kind == VALUE_FUNCTION &&
	    c->fns[(*ret_var)->n].running && code_function_find(c, name, true))
		*ret_var = NULL;
	if (*ret_var && value_functions(*ret_var))
		return NULL;
	if (row || (*ret_var && value_functions(*ret_var)))
		return row;
	if (method)
		row = code_function_find(c, name, true);
	if (row || *ret_var)
		return row;
	if (method && cloud_destroys(c->e->arena, last))
		return &destroys;
	/* db.delete(users), where the schema defines users and no .where() follows */
	if (self && (self->flags & (VALUE_REMOTE | VALUE_KEY)) && str_eqz(last, "delete") &&
	    args->n == 1 && args->p[0].value.kind == VALUE_NAME &&
	    str_find(args->p[0].value.type, STR("schema"), 0) >= 0 && !token_is(code_at(c, 0), "."))
		return &empties;
	if (!is_of_service(c, self, name, args))
		return NULL;
	return cloud_destroys_there(c, last, args) || (self && (self->flags & VALUE_KEPT) &&
						       cloud_removes(c->e->arena, last))
		       ? &destroys
		       : NULL;
}

/* map(f, list), lapply(list, f) */
static struct code_value map_call_row(struct code *c, const struct code_function *row,
				      const struct code_args *args, bool each)
{
	struct code_args turned = *args;
	struct code_value f;
	bool block = c->g->language == CODE_JULIA && args->n == 2 &&
		     args->p[1].value.kind == VALUE_FUNCTION; /* foreach(list) do x */

	for (int i = 0; i < row->arg; i++) /* call_later(1, f, x) */
		drop_first(&turned);
	if ((row->flags & FN_ALL) && turned.n) {
		f = turned.p[0].value;
		drop_first(&turned);
		return call_spread(c, f, &turned);
	}
	if ((!(row->flags & FN_OTHER) && !block) || args->n < 2)
		return map_call(c, &turned, each);
	turned.p[0] = args->p[1];
	turned.p[1] = args->p[0];
	return map_call(c, &turned, true);
}

/* f.call(this, x), f.apply(this, [x]), method.invoke(object, x): a call of f; false: it is none. */
static bool call_applied(struct code *c, const struct code_value *f, struct code_value *self,
			 struct code_args *args, struct code_value *ret)
{
	bool compiled = c->g->language == CODE_COMPILED;
	const char *known = compiled ? "call apply accept test run invoke Invoke" : "call apply";
	struct code_args rest = *args;

	if (f->kind == VALUE_NAME && str_eqz(f->type, "Reflect.apply") && args->n > 2) {
		rest.n = 0;
		spread(&rest, &args->p[2].value);
		*ret = code_call(c, args->p[0].value, NULL, &rest);
		return true;
	}
	if (f->kind != VALUE_NAME || !self || !args->n || c->g->language == CODE_PHP ||
	    (self->kind != VALUE_NAME && self->kind != VALUE_FUNCTION) ||
	    !word_in_text(last_name(f->type), known) || code_function_find(c, f->type, false))
		return false;
	compiled &= args->n > 1 && word_in_text(last_name(f->type), "invoke Invoke");
	if (compiled || c->g->language == CODE_JAVASCRIPT)
		drop_first(&rest);
	if (!compiled && str_eqz(last_name(f->type), "apply") && rest.n == 1) {
		rest.n = 0;
		spread(&rest, &args->p[args->n - 1].value);
	}
	*ret = code_call(c, *self, compiled ? &args->p[0].value : NULL, &rest);
	return true;
}

/* super(x), super().__init__(x), parent::__construct(x), Base.__init__(self, x) */
static bool is_of_base(const struct code *c, struct str name, struct str *ret_class)
{
	*ret_class = c->class;
	if (str_eqz(name, "super") || str_eqz(name, "parent.__construct") ||
	    str_eqz(name, ".__init__"))
		return true;
	if (!str_ends(name, STR(".__init__")))
		return false;
	*ret_class = str_sub(name, 0, name.n - sizeof ".__init__" + 1);
	return true;
}

/* An object of a class whose constructor is in one above it; false: it is none. */
static bool call_constructor(struct code *c, struct str name, const struct code_args *args,
			     struct code_value *ret)
{
	struct code_args rest = *args;
	const struct code_value *f;
	struct str class;
	bool base = is_of_base(c, name, &class), above = base && str_eq(class, c->class);

	if (!c->nclasses)
		return false;
	if (base && !above) /* self comes first */
		drop_first(&rest);
	if (!base)
		class = c->g->language == CODE_RUBY && str_ends(name, STR(".new"))
				? str_sub(name, 0, name.n - 4)
				: name;
	f = code_constructor(c, class, above);
	if (!f)
		return false;
	*ret = code_call(c, *f, NULL, &rest);
	return true;
}

/* map.set(key, value), map.put(key, value) of a list with keys that a variable holds. */
static bool puts_into(struct code *c, struct str method, const struct code_value *self,
		      const struct code_args *args)
{
	const struct code_value *of = code_variable(c, args->of);

	if (!self || self->kind != VALUE_LIST || !of || of->kind != VALUE_LIST || args->n != 2 ||
	    !word_in_text(method, "set put putIfAbsent store"))
		return false;
	code_put(c, args->of, value_is_known(&args->p[0].value) ? args->p[0].value.text : STR(""),
		 args->p[1].value);
	return true;
}

/* map.get(key) of such a list, in Java and Kotlin */
static bool gets_from(const struct code *c, struct str method, const struct code_value *self,
		      const struct code_args *args, struct code_value *ret)
{
	const struct code_value *m;

	if (c->g->language != CODE_COMPILED || !self || self->kind != VALUE_LIST || !args->n ||
	    !value_is_known(&args->p[0].value) ||
	    !word_in_text(method, "get getOrDefault getValue GetValueOrDefault"))
		return false;
	m = value_member(self, args->p[0].value.text);
	if (m)
		*ret = *m;
	return m != NULL;
}

/* bus.on("full", f), bus.emit("full", x) of the text itself */
static bool emits(struct code *c, struct str method, const struct code_args *args,
		  struct code_value *ret)
{
	const struct code_value *event = args->n > 1 ? &args->p[0].value : NULL, *f;
	struct code_args rest = *args;
	struct str name;

	if (c->g->language != CODE_JAVASCRIPT || !event || !value_is_known(event) ||
	    !word_in_text(method, "on once addListener emit"))
		return false;
	name = arena_printf(c->e->arena, "on %.*s", STR_ARG(event->text));
	f = code_variable(c, name);
	if (!str_eqz(method, "emit")) {
		if (args->p[1].value.kind == VALUE_FUNCTION)
			code_set(c, name, args->p[1].value);
		return false;
	}
	if (!f)
		return false;
	drop_first(&rest);
	*ret = code_call(c, *f, NULL, &rest);
	return true;
}

#define TYPE_PROXY "proxy"

/* new Proxy(object, { get(object, name) { return f } }), and x.name(...) of what that gives */
static bool call_proxy(struct code *c, struct str name, const struct code_value *self,
		       struct code_args *args, struct code_value *ret)
{
	struct code_args get = { .n = 2, .at = args->at, .end = args->end };
	const struct code_value *f;

	if (c->g->language != CODE_JAVASCRIPT)
		return false;
	if (!self && str_eqz(name, "Proxy") && args->n == 2 &&
	    args->p[1].value.kind == VALUE_LIST) {
		f = value_member(&args->p[1].value, STR("get"));
		if (!f || f->kind != VALUE_FUNCTION)
			return false;
		code_set(c, STR("Proxy.get"), *f);
		*ret = value_unknown(0);
		ret->type = STR(TYPE_PROXY);
		return true;
	}
	f = self && str_eqz(self->type, TYPE_PROXY) ? code_variable(c, STR("Proxy.get")) : NULL;
	if (!f || f->kind != VALUE_FUNCTION)
		return false;
	get.p[1].value = value_text(last_name(name));
	*ret = code_call(c, code_call(c, *f, NULL, &get), NULL, args);
	return true;
}

/* What a class does for each name that it has no method of: method_missing, __call. */
static bool call_missing(struct code *c, struct str name, struct code_value *self,
			 const struct code_args *args, struct code_value *ret)
{
	static const struct {
		enum code_language language;
		const char *name;
		bool list; /* the arguments are one */
	} handlers[] = { { CODE_RUBY, "method_missing", false },
			 { CODE_PHP, "__call", true },
			 { CODE_PHP, "__callStatic", true },
			 { CODE_PERL, "AUTOLOAD", false } };
	struct code_args all = *args;

	for (size_t i = 0; i < ARRAY_LEN(handlers); i++) {
		const struct code_value *f = handlers[i].language == c->g->language
						     ? code_variable(c, str_from(handlers[i].name))
						     : NULL;
		struct code_value items[CODE_ARGS_MAX];

		if (!f || !value_functions(f))
			continue;
		if (c->g->language == CODE_PERL) { /* a variable has the name */
			code_set(c, STR("$AUTOLOAD"), value_text(name));
			*ret = code_call(c, *f, self, &all);
			return true;
		}
		for (unsigned k = 0; k < args->n; k++)
			items[k] = args->p[k].value;
		all.p[0] = (struct code_arg){ .value = value_text(name) };
		all.n = 1;
		if (handlers[i].list)
			all.p[all.n++].value = value_list(c->e->arena, items, args->n);
		for (unsigned k = 0; !handlers[i].list && k + 1 < CODE_ARGS_MAX && k < args->n; k++)
			all.p[all.n++].value = items[k];
		*ret = code_call(c, *f, NULL, &all);
		return true;
	}
	return false;
}

/* list.map(f) */
static struct code_value map_method(struct code *c, const struct code_value *self,
				    const struct code_args *args)
{
	/* System.getenv().map { it.key }: a name with its value */
	struct code_value all = c->g->language == CODE_COMPILED && act_is_environment(c, self)
					? act_environment_pairs(c->e->arena).items[0]
					: *self;
	unsigned f = c->g->language == CODE_RUBY ? args->n - 1 : 0; /* each_with_object({}) { } */
	struct code_args both = {
		.p = { args->p[f], { .value = all } }, .n = 2, .at = args->at, .end = args->end
	};
	struct code_value v = map_call(c, &both, true);

	if (self->kind == VALUE_UNKNOWN ||
	    (c->names_told && v.kind == VALUE_UNKNOWN)) { /* a list of what f gives */
		v = value_list(c->e->arena, &v, 1);
		v.flags |= VALUE_ANY;
		return v;
	}
	return v.kind == VALUE_UNKNOWN ? *self : v;
}

/* split(" ") in fun String.run(): of the text that it is called for */
static bool is_of_this(const struct code *c, struct str name)
{
	const struct code_value *this = c->calls && c->g->language == CODE_COMPILED
						? code_variable((struct code *)c, STR("this"))
						: NULL;

	return this && (this->kind == VALUE_TEXT || this->kind == VALUE_UNKNOWN) &&
	       !code_function_find(c, name, false) && code_function_find(c, name, true) &&
	       !code_variable((struct code *)c, name);
}

/* What no table knows: it may give what it is given. */
static struct code_value call_unknown(struct code *c, struct code_value f, struct code_value *self,
				      struct code_args *args)
{
	unsigned level = c->loop_level;
	struct code_value v;

	c->secret_used |= (taints(NULL, args) & VALUE_SECRET) != 0;
	if (f.kind == VALUE_NAME && is_of_service(c, self, f.type, args))
		cloud_sends(c, last_name(f.type), args);
	v = value_unknown((taints(self, args) & ~(unsigned)VALUE_TYPED) | f.flags);
	if (f.kind == VALUE_NAME) {
		v.flags |= cloud_client(c, f.type, args);
		v.flags |= cloud_kept(c->e->arena, last_name(f.type),
				      v.flags | (self ? self->flags & VALUE_KEPT : 0));
	}
	if (f.kind == VALUE_NAME && uses_up(last_name(f.type))) {
		v.flags &= ~(unsigned)VALUE_SECRET;
		log_in(c, last_name(f.type), self, args);
		code_hold(c, args->of, v.flags & VALUE_CLIENT); /* c.connect("mq.example.com") */
		if (self && (str_eqz(self->type, "mailbox") ||
			     (self->kind == VALUE_TEXT && str_find(self->text, STR("://"), 0) > 0)))
			v = *self; /* engine.connect() */
	} else if (self)
		code_hold(c, args->of, taints(NULL, args));
	if (f.kind == VALUE_NAME && is_cloud_client(f.type))
		v.type = STR(TYPE_CLOUD_CLIENT);
	if (f.kind == VALUE_NAME && is_for_each(last_name(f.type)))
		(void)enter_loop(c);
	call_back(c, args, v, true);
	c->loop_level = level;
	return v;
}

static struct code_value call_value(struct code *c, struct code_value f, struct code_value *self,
				    struct code_args *args)
{
	const struct code_function *row = NULL;
	struct code_value *var, v;

	if (f.kind == VALUE_TEXT && value_is_known(&f) &&
	    (c->g->language == CODE_PHP || c->g->language == CODE_PERL || c->g->language == CODE_R))
		f = value_name(f.text); /* $name(...), &$name(...) */
	if (f.kind == VALUE_FUNCTION)
		return call_function(c, &f, self, args);
	if (f.kind == VALUE_CLASS)
		return call_class(c, &f, args);
	if (f.kind == VALUE_LIST && (f.flags & VALUE_ANY)) {
		v = value_unknown(0);
		for (unsigned i = 0; i < f.n; i++) {
			struct code_value one = code_call(c, f.items[i], self, args);

			v = i ? value_either(c->e->arena, v, one) : one;
		}
		return v;
	}
	if (c->g->language == CODE_PYTHON && call_of_python(c, &f, args, &v))
		return v;
	if (call_applied(c, &f, self, args, &v))
		return v;
	see_stands_in(c, &f, args);
	if (f.kind == VALUE_NAME && cloud_call(c, f.type, self, args, &v))
		return v;
	if (f.kind == VALUE_NAME && puts_into(c, last_name(f.type), self, args))
		return *self;
	if (f.kind == VALUE_NAME && gets_from(c, last_name(f.type), self, args, &v))
		return v;
	if (f.kind == VALUE_NAME && call_proxy(c, f.type, self, args, &v))
		return v;
	if (f.kind == VALUE_NAME && self && emits(c, last_name(f.type), args, &v))
		return v;
	if (f.kind == VALUE_NAME && !self && is_of_this(c, f.type))
		self = code_variable(c, STR("this"));
	if (f.kind == VALUE_NAME) {
		row = row_of(c, f.type, self, args, &var);
		if (var && value_functions(var))
			return call_functions(c, *var, self, args);
		if (!row && !var &&
		    (call_constructor(c, f.type, args, &v) ||
		     (self && call_missing(c, last_name(f.type), self, args, &v))))
			return v;
	}
	if (row && c->nmocks && mocks_hold(c, f.type))
		return value_unknown(0);
	if (row && row->act == CALLS_ARG)
		return map_call_row(c, row, args, is_for_each(last_name(f.type)));
	if (row && row->act == CALLS_WITH_ITEMS && (row->flags & FN_OTHER) && self && args->n)
		return map_method(c, self, args);
	if (row && row->act == CALLS_WITH_ITEMS && (row->flags & FN_KEYED)) {
		bool method = row->names[0] == '.'; /* or reduce(f, list, first) */
		bool block = args->n > 1 && c->g->language == CODE_RUBY;
		unsigned first = block ? 0 : method ? 1 : 2;

		if (args->n && (method ? self != NULL : args->n > 1))
			return fold(c, &args->p[block].value, method ? self : &args->p[1].value,
				    args->n > first + block ? &args->p[first].value : NULL,
				    row->flags & FN_ALL);
	}
	if (row && row->act == CALLS_WALK)
		return walk_call(c, args);
	if (row && row->act == GIVES_ATTRIBUTE && row->arg < 0 && args->n > 1 &&
	    c->g->language != CODE_COMPILED) {
		struct code_args rest = *args; /* send(:name, x) */

		v = code_act(c, row, self, args);
		drop_first(&rest);
		return v.kind == VALUE_NAME || value_functions(&v) ? code_call(c, v, NULL, &rest)
								   : v;
	}
	if (row) {
		v = call_row(c, row, self, args);
		if (self && v.kind == VALUE_UNKNOWN)
			v.flags |= cloud_kept(c->e->arena, last_name(f.type),
					      v.flags | (self->flags & VALUE_KEPT));
		return v;
	}
	return call_unknown(c, f, self, args);
}

struct code_value code_call(struct code *c, struct code_value f, struct code_value *self,
			    struct code_args *args)
{
	struct code_value v;

	/* str(str): what is called back may be what calls. */
	if (c->nesting >= CODE_NESTING_MAX || effects_no_stack())
		return value_unknown(taints(self, args));
	c->nesting++;
	v = call_value(c, f, self, args);
	c->nesting--;
	return v;
}

#include "effects/code_act.h"

#include "base/words.h"
#include "effects/address.h"
#include "effects/code_cloud.h"
#include "effects/code_reader.h"

static struct code_value env_value(const struct code *c, struct str name)
{
	static const char *const homes[] = { "HOME", "USERPROFILE", "user.home" };
	struct code_value key = { .flags = VALUE_KEY | VALUE_ITSELF };
	struct str set;

	for (size_t i = 0; i < ARRAY_LEN(homes); i++)
		if (str_eqz(name, homes[i]))
			return value_text(code_home(c));
	if (str_eqz(name, "PWD"))
		return value_text(effects_cwd(c->e));
	if (code_environ_find(c, name, &set) || code_environment(c, name, &set))
		return value_text(set);
	for (const char *const *v = c->e->world->env; v && *v; v++) {
		struct str s = str_from(*v);

		if (s.n > name.n && s.p[name.n] == '=' && str_starts(s, name))
			return value_text(str_sub(s, name.n + 1, s.n));
	}
	return is_secret_name(name) ? key : value_unknown(0);
}

static struct code_value expanded(const struct act *x);

/* ("x", "~"), ("..", __dir__) */
static struct code_value in_folder(const struct act *x, struct code_value folder,
				   struct code_value v)
{
	struct code_args args = { .p = { { .value = value_path(x->c->e->arena, folder, v) } },
				  .n = 1 };

	return expanded(&(struct act){ x->c, x->f, x->self, &args });
}

/* Of each alternative. */
static struct code_value expanded_each(const struct act *x, const struct code_value *v)
{
	struct code_value out = value_unknown(0), one;
	struct code_args args = { .n = 1 };

	for (unsigned i = 0; i < v->n && i < CODE_ALTERNATIVES_MAX; i++) {
		args.p[0].value = v->items[i];
		one = v->items[i].kind == VALUE_TEXT
			      ? expanded(&(struct act){ x->c, x->f, &v->items[i], &args })
			      : v->items[i];
		out = i ? value_either(x->c->e->arena, out, one) : one;
	}
	return out;
}

/* ~ and $X, ${X} */
static struct code_value expanded(const struct act *x)
{
	const struct code_value *v = act_argument(x, x->f->arg);
	struct arena *a = x->c->e->arena;
	struct code_value out = value_text(STR(""));
	struct str s;
	size_t from = 0;

	if (v && v->kind == VALUE_LIST && (v->flags & VALUE_ANY))
		return expanded_each(x, v);
	if (!v || v->kind != VALUE_TEXT)
		return v ? *v : value_unknown(0);
	s = v->text;
	if (act_positional(x->args, 1) && s.n && !strchr("/~$", s.p[0])) /* ("..", __dir__) */
		return in_folder(x, *act_positional(x->args, 1), *v);
	if (s.n && s.p[0] == '~' && (s.n == 1 || s.p[1] == '/')) {
		out.text = code_home(x->c);
		from = 1;
	} else if (s.n && s.p[0] == '~') {
		out.text = STR("/home/");
		from = 1;
	}
	for (size_t i = from; i < s.n; i++) {
		size_t name = i + 1, end;

		if (s.p[i] != '$' || name >= s.n)
			continue;
		name += s.p[name] == '{';
		for (end = name; end < s.n && char_is_word(s.p[end]);)
			end++;
		if (end == name)
			continue;
		out = value_join(a, out, str_sub(s, from, i),
				 env_value(x->c, str_sub(s, name, end)));
		from = min_size(end + (s.p[name - 1] == '{'), s.n);
		i = from - 1;
	}
	out = value_join(a, out, STR(""), value_text(str_sub(s, from, s.n)));
	out.type = v->type;
	out.flags = v->flags;
	return out;
}

static struct code_value joined_path(const struct act *x)
{
	struct arena *a = x->c->e->arena;
	struct code_value v = value_text(STR(""));
	bool any = false;

	for (unsigned i = 0; i < x->args->n; i++) {
		struct code_value p = x->args->p[i].value;

		if (x->args->p[i].key.n || p.kind == VALUE_FUNCTION)
			continue;
		if (p.kind == VALUE_LIST && !(p.flags & VALUE_ANY)) {
			for (unsigned k = 0; k < p.n; k++)
				v = any || k ? value_path(a, v, p.items[k]) : p.items[k];
			any = true;
			continue;
		}
		v = any ? value_path(a, v, p) : p;
		any = true;
	}
	if (v.kind == VALUE_NAME)
		v = value_unknown(v.flags);
	return v;
}

static struct code_value attribute(const struct act *x)
{
	const struct code_value *of = act_positional(x->args, 0),
				*name = act_positional(x->args, 1);
	const struct code_value own = value_name(STR("")); /* send(:x) */

	if (x->f->arg < 0)
		of = x->self ?: &own, name = act_positional(x->args, 0);
	if (!of || !name)
		return value_unknown(of ? of->flags : 0);
	return code_attribute(x->c, of, name);
}

/* d.get(key, default): any of its values where the key is not known. */
static struct code_value keyed_member(const struct act *x)
{
	const struct code_value *key = act_positional(x->args, 0),
				*otherwise = act_positional(x->args, 1), *m;
	struct code_value v;
	int64_t n;

	if (x->self && x->self->kind == VALUE_LIST && str_eqz(x->self->type, TYPE_MATCH) &&
	    !otherwise) /* group(), group(1) */
		return !key                               ? value_item(x->self, 0)
		       : value_int(key, &n)               ? value_item(x->self, n)
		       : value_member(x->self, key->text) ? *value_member(x->self, key->text)
							  : value_unknown(act_taints(x));
	if (x->self && x->self->kind == VALUE_LIST && !key) /* pop(), get() of a queue */
		return value_element(x->c->e->arena, x->self);
	if (!x->self || x->self->kind != VALUE_LIST || !key)
		return value_unknown(act_taints(x));
	m = value_is_known(key) ? value_member(x->self, key->text) : NULL;
	v = m ? *m : value_element(x->c->e->arena, x->self);
	v.key = (struct str){ 0 };
	return m || !otherwise ? v : value_either(x->c->e->arena, v, *otherwise);
}

/* line.slice(0, line.indexOf("=")): a name, and no more. */
static bool is_before_equals(const struct act *x)
{
	const struct code_value *from = act_positional(x->args, 0),
				*to = act_positional(x->args, 1);
	int64_t n;

	if (x->f->arg >= 0 || !from || !to || !value_int(from, &n) || n ||
	    !str_eqz(to->type, TYPE_EQUALS))
		return false;
	x->c->names_told = true;
	return true;
}

enum { CHARACTERS_FEW = 4 };

/* s.slice(0, 4): too little of a secret to be one */
static bool is_short(const struct act *x)
{
	const struct code_value *from = act_positional(x->args, 0),
				*to = act_positional(x->args, 1);
	int64_t m, n;

	return x->f->arg < 0 && from && to && value_int(from, &m) && value_int(to, &n) && m >= 0 &&
	       n >= 0 && n - m <= CHARACTERS_FEW;
}

static struct code_value rest_of(struct code_value v, const struct code_value *from)
{
	int64_t n = 0;

	if (from && !value_int(from, &n))
		return v.kind == VALUE_LIST ? v : value_unknown(v.flags);
	if (v.kind == VALUE_TEXT && !(v.flags & VALUE_WALKED) && n >= 0)
		v.text = str_sub(v.text, (size_t)n, v.text.n);
	if (v.kind == VALUE_LIST && !(v.flags & VALUE_ANY) && n > 0) {
		unsigned skip = (unsigned)min_size((size_t)n, v.n);

		v.items += skip;
		v.n -= skip;
	}
	return v;
}

static struct code_value shift(const struct act *x)
{
	const struct code_value *v = act_positional(x->args, 0);
	struct code_value *list = v ? NULL : code_variable(x->c, STR("@_"));
	struct code_value first;

	if (x->f->arg < 0) /* ARGV.first */
		v = x->self;
	if (v && v->kind == VALUE_LIST)
		return value_item(v, 0);
	if (x->f->arg < 0)
		return v ? *v : value_unknown(0);
	if (!v && !list) /* outside of functions */
		list = code_variable(x->c, STR("@ARGV"));

	if (!list || list->kind != VALUE_LIST || list->n == 0)
		return value_unknown(0);
	first = list->items[0];
	list->items++;
	list->n--;
	return first;
}

struct code_value code_home_expanded(const struct code *c, struct code_value v)
{
	if (v.text.n == 1 || (v.text.n && v.text.p[1] == '/'))
		v.text = arena_printf(c->e->arena, "%.*s%.*s", STR_ARG(code_home(c)),
				      STR_ARG(str_sub(v.text, 1, v.text.n)));
	return v;
}

/* The first argument of push(@x, ...), save(x): its name. */
static struct str pushed_to(const struct act *x)
{
	struct str s = str_sub(x->c->text, x->args->at, x->args->end);
	ptrdiff_t open = -1;
	size_t i = 0, from;
	int depth = 0;

	for (size_t k = s.n; k-- > 0 && open < 0;) {
		depth += s.p[k] == ')' ? 1 : s.p[k] == '(' ? -1 : 0;
		open = s.p[k] == '(' && !depth ? (ptrdiff_t)k : -1;
	}

	while (i < s.n && s.p[i] != '@' && s.p[i] != '$')
		i++;
	if (i == s.n && open >= 0)
		i = (size_t)open + 1;
	if (i < s.n && char_is_word(s.p[i])) {
		for (from = i; i < s.n && char_is_word(s.p[i]);)
			i++;
		return str_sub(s, from, i);
	}
	for (from = i++; i < s.n && char_is_word(s.p[i]);)
		i++;
	return str_sub(s, from, i);
}

static struct code_value items_of(const struct act *x)
{
	struct code_value items[CODE_ARGS_MAX];
	unsigned n = 0;

	if (x->f->act == GIVES_ITEMS_OF && (x->f->flags & FN_KEYED) && x->args->n &&
	    !(x->args->p[0].value.flags & VALUE_NUMBER)) /* TreeMap(map) */
		return x->args->p[0].value;
	for (; !(x->f->act == GIVES_ITEMS_OF && (x->f->flags & (FN_OTHER | FN_KEYED))) &&
	       n < x->args->n;
	     n++)
		items[n] = x->args->p[n].value;
	return value_list(x->c->e->arena, items, n);
}

/* Map.of(key, value, key, value) */
static struct code_value in_turn(const struct act *x)
{
	struct code_value v = items_of(x);
	unsigned n = 0;

	for (unsigned i = 0; i + 1 < v.n; i += 2) {
		struct str key = value_is_known(&v.items[i]) ? v.items[i].text : STR("");

		v.items[n] = v.items[i + 1];
		v.items[n++].key = key;
	}
	v.n = n;
	return v;
}

/* dict(a=x, b=y) */
static struct code_value named_items(const struct act *x)
{
	struct code_value v = items_of(x);

	for (unsigned i = 0; i < v.n; i++)
		v.items[i].key = x->args->p[i].key;
	return v;
}

/* dict(a=1), dict(os.environ, a=1) */
static bool names_items(const struct code_args *args)
{
	const struct code_value *first = act_positional(args, 0);

	return args->n && args->p[args->n - 1].key.n && (!first || first->kind != VALUE_LIST);
}

/* chain(x, y): of what is walked through, either */
static struct code_value chained(const struct act *x)
{
	struct code_value items[CODE_ELEMENTS_MAX], v;
	unsigned n = 0;
	bool walked = false;

	for (unsigned i = 0; i < x->args->n; i++) {
		v = x->args->p[i].value;
		walked |= v.kind != VALUE_LIST || (v.flags & VALUE_ANY);
		if (v.kind != VALUE_LIST && n < CODE_ELEMENTS_MAX)
			items[n++] = v;
		for (unsigned k = 0; v.kind == VALUE_LIST && k < v.n && n < CODE_ELEMENTS_MAX; k++)
			items[n++] = v.items[k];
	}
	v = value_list(x->c->e->arena, items, n);
	v.flags |= walked ? VALUE_ANY : 0;
	return v;
}

enum { COMBINATIONS_FEW = 8 };

/* product(x, y): [a, b] for each a in x and b in y */
static struct code_value product(const struct act *x)
{
	struct code_value items[CODE_ELEMENTS_MAX], tuple[CODE_ARGS_MAX], v;
	unsigned all = x->args->n != 0;

	for (unsigned i = 0; i < x->args->n; i++) {
		const struct code_value *one = &x->args->p[i].value;
		bool known = one->kind == VALUE_LIST && !(one->flags & VALUE_ANY) &&
			     !x->args->p[i].key.n;

		all = known && all <= CODE_ELEMENTS_MAX ? all * one->n : 0;
	}
	if (!all || all > CODE_ELEMENTS_MAX)
		return value_unknown(act_taints(x) | VALUE_TRIED);
	for (unsigned k = 0; k < all; k++) {
		unsigned rest = k;

		for (unsigned i = x->args->n; i-- > 0;) {
			const struct code_value *one = &x->args->p[i].value;

			tuple[i] = one->items[rest % one->n];
			tuple[i].flags |= all > COMBINATIONS_FEW ? VALUE_TRIED : 0;
			rest /= one->n;
		}
		items[k] = value_list(x->c->e->arena, tuple, x->args->n);
	}
	v = value_list(x->c->e->arena, items, all);
	return v;
}

/* field(default_factory=lambda: ["a"]) */
static struct code_value field(const struct act *x)
{
	const struct code_value *v = act_keyed(x->args, "default") ?: act_positional(x->args, 0),
				*f = act_keyed(x->args, "default_factory");

	if (v || !f || f->kind != VALUE_FUNCTION)
		return v ? *v : value_unknown(0);
	return code_call_defined(x->c, f, NULL, 0);
}

/* Longer lists are not followed: each time, all of it is copied. */
static struct code_value appended(const struct act *x)
{
	bool function = x->f->flags & FN_OTHER;
	struct str name = function ? pushed_to(x) : x->args->of;
	struct code_value *to = code_variable(x->c, name);
	struct code_value items[CODE_ELEMENTS_MAX], v, own;
	bool endless = x->c->forever;
	unsigned n = 0;

	if (x->self && str_eqz(x->self->type, "ArgumentList"))
		act_add_word(x->c, x->args);
	/* Each time a big piece more. */
	for (unsigned i = 0; (x->c->again || x->c->fills) && i < x->args->n; i++)
		endless |= str_eqz(x->args->p[i].value.type, TYPE_MEMORY);
	if (endless) /* all memory */
		act_add(x, (struct effect){ .kind = EFFECT_EXHAUST });
	if (x->self && x->self->kind == VALUE_LIST && !(to && to->kind == VALUE_LIST)) {
		own = *x->self; /* Command::new("rm").arg("-rf") */
		to = &own;
	}
	if (function && !to && x->args->n && x->args->p[0].value.kind == VALUE_LIST) {
		own = x->args->p[0].value; /* append(list, x) of Go */
		to = &own;
	}
	if (!to || to->kind != VALUE_LIST || (to->flags & VALUE_ANY) ||
	    to->n + CODE_ARGS_MAX >= CODE_ELEMENTS_MAX) {
		code_hold(x->c, name, act_taints(x));
		return value_unknown(act_taints(x));
	}
	for (; n < to->n; n++)
		items[n] = to->items[n];
	for (unsigned i = function; i < x->args->n; i++) {
		v = x->args->p[i].value;
		if (v.kind != VALUE_LIST || (v.flags & VALUE_ANY) || x->f->arg >= 0)
			items[n++] = v;
		for (unsigned k = 0;
		     v.kind == VALUE_LIST && !(v.flags & VALUE_ANY) && x->f->arg < 0 && k < v.n &&
		     n < CODE_ELEMENTS_MAX - CODE_ARGS_MAX;
		     k++)
			items[n++] = v.items[k]; /* extend() */
	}
	own = value_list(x->c->e->arena, items, n);
	own.type = to->type;
	*to = own;
	return own;
}

static void keep_option(struct code *c, struct code_value v, struct str name)
{
	struct code_value *to = &c->options;

	if (to->n >= CODE_ELEMENTS_MAX)
		return;
	if (!to->items) {
		to->kind = VALUE_LIST;
		to->items = ARENA_ARRAY(c->e->arena, struct code_value, CODE_ELEMENTS_MAX);
	}
	v.key = name;
	to->items[to->n++] = v;
}

/* add_argument("-r", "--dry-run", default=...); FN_KEYED: set_defaults(func=f) */
static void add_option(const struct act *x)
{
	const struct code_value *v = act_keyed(x->args, "default"), *name;
	struct str key;
	char *p;

	for (unsigned i = 0; (x->f->flags & FN_KEYED) && i < x->args->n; i++)
		if (x->args->p[i].key.n)
			keep_option(x->c, x->args->p[i].value, x->args->p[i].key);
	name = act_keyed(x->args, "dest");
	for (unsigned i = 0; i < x->args->n && !name; i++)
		if (!x->args->p[i].key.n && x->args->p[i].value.kind == VALUE_TEXT &&
		    !(x->args->p[i].value.text.n == 2 && x->args->p[i].value.text.p[0] == '-'))
			name = &x->args->p[i].value;
	if (!v || !name)
		return;
	key = name->text;
	while (str_starts(key, STR("-")))
		key = str_sub(key, 1, key.n);
	p = arena_z(x->c->e->arena, key);
	for (size_t i = 0; i < key.n; i++)
		p[i] = p[i] == '-' ? '_' : p[i];
	keep_option(x->c, *v, (struct str){ p, key.n });
}

/* namedtuple("T", "a b"), namedtuple("T", ["a", "b"]), Struct.new(:a, :b) */
static struct code_value fields(const struct act *x)
{
	struct code_value names[CODE_ELEMENTS_MAX], v = { .kind = VALUE_CLASS };
	unsigned n = 0;

	for (unsigned i = (unsigned)x->f->arg; i < x->args->n; i++) {
		struct code_value one = x->args->p[i].value;
		struct str rest = one.kind == VALUE_TEXT ? one.text : STR(""), name;

		for (unsigned k = 0; one.kind == VALUE_LIST && k < one.n && n < ARRAY_LEN(names);
		     k++)
			names[n++] = one.items[k];
		while (n < ARRAY_LEN(names) && str_split(&rest, ' ', &name))
			if (str_trim(name).n)
				names[n++] = value_text(str_trim(name));
	}
	v.n = n;
	v.items = value_list(x->c->e->arena, names, n).items;
	return v;
}

/* Of the environment, values are secret and names are not. */
struct code_value act_environment_pairs(struct arena *a)
{
	static const char *const keys[] = { "key", "value", "Key", "Value" };
	struct code_value pair[ARRAY_LEN(keys)], v;

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		pair[i] = value_unknown(i % 2 ? VALUE_SECRET : 0);
		pair[i].key = str_from(keys[i]);
	}
	v = value_list(a, pair, ARRAY_LEN(pair));
	v = value_list(a, &v, 1);
	v.flags |= VALUE_ANY;
	return v;
}

struct code_value code_walked_keys(struct code *c, const struct code_value *of)
{
	if (is_language(c, CODE_COMPILED)) { /* for ((k, v) in System.getenv()) */
		struct code_value pairs = act_environment_pairs(c->e->arena);

		return act_is_environment(c, of) ? pairs : *of;
	}
	if (is_language(c, CODE_JULIA)) /* for (k, v) in ENV */
		return act_is_environment(c, of) ? act_environment_pairs(c->e->arena) : *of;
	return act_is_environment(c, of) ? value_unknown(0) : value_keys(c->e->arena, of);
}

/* csv.writer(f), wave.open(buffer): its text is the variable, or the path. */
static struct code_value view(const struct act *x)
{
	const struct code_value *of = act_positional(x->args, 0);

	if (of && of->kind == VALUE_TEXT && !str_eqz(of->type, "file"))
		return *of;
	return value_text(pushed_to(x));
}

/* setenv("HOME", x), environ.update(HOME=x), putenv("HOME=x") */
static void exported(const struct act *x, const struct code_value *v)
{
	const struct code_value *to = act_positional(x->args, (unsigned)x->f->arg + 1);
	struct code_value part;
	ptrdiff_t eq;

	for (unsigned i = 0; (x->f->flags & FN_ALL) && i < x->args->n; i++) {
		part = x->args->p[i].value;
		if (x->args->p[i].key.n)
			code_environ_set(x->c, x->args->p[i].key, &part);
		else
			code_environ_set_all(x->c, &part);
	}
	if ((x->f->flags & FN_ALL) || !v || v->kind != VALUE_TEXT)
		return;
	eq = str_chr(v->text, '=', 0);
	part = value_text(str_sub(v->text, (size_t)eq + 1, v->text.n));
	if (to)
		code_environ_set(x->c, v->text, to);
	else if (eq > 0)
		code_environ_set(x->c, str_sub(v->text, 0, (size_t)eq), &part);
}

/* Stubber(client): it asks no service. */
static void stands_in(struct code_value *client)
{
	if (!client)
		return;
	client->type = STR(TYPE_EMULATOR);
	client->flags &= ~(unsigned)(VALUE_CLIENT | VALUE_KEY);
}

/* image.save(path), writer.writerows(rows): what is written is in there from then on. */
static void held(const struct act *x)
{
	struct str name = x->f->arg < 0 && x->self ? x->self->text : pushed_to(x);
	const struct code_value path = value_text(name);

	if (x->f->flags & FN_OTHER) { /* buffer.WriteString(text) */
		code_put(x->c, x->args->of, STR(""), value_unknown(act_taints(x)));
		return;
	}
	code_hold(x->c, name, act_taints(x));
	if (act_tries_passwords(x->args)) /* curl_setopt($c, CURLOPT_POSTFIELDS, ...) */
		act_attack(x, (struct str){ 0 });
	act_remember(x->c, code_variable(x->c, name) ?: &path, act_taints(x));
	act_remember(x->c, act_positional(x->args, 0), act_taints(x));
}

/* getpass("[sudo] password: ") is what only sudo asks; of another question, the answer is told. */
static bool is_told(const struct act *x)
{
	const struct code_value *v = act_argument(x, x->f->arg);

	return (x->f->flags & FN_DEFAULT) &&
	       (!v || v->kind != VALUE_TEXT || str_find(v->text, STR("sudo"), 0) < 0);
}

/* define_method(:clean) { ... }, let(:client) { ... } */
static void name_function(const struct act *x, const struct code_value *name)
{
	const struct code_value *f = x->args->n ? &x->args->p[x->args->n - 1].value : NULL;

	if (!name || !value_is_known(name) || f->kind != VALUE_FUNCTION)
		return;
	code_capture_around(x->c, f);
	x->c->fns[f->n].name = name->text;
	code_set(x->c, name->text, *f);
}

/* What a value is worth, whatever it is: where it came from, what it hides, who holds it. */
static struct code_value gives_origin(const struct act *x)
{
	const struct code_value *v = act_argument(x, x->f->arg);
	struct code_value packed, other;
	int64_t size;

	switch ((unsigned)x->f->act) {
	case GIVES_MEMBER:
		return keyed_member(x);
	case GIVES_MEMORY:
		return v && value_int(v, &size) && size >= CODE_MEMORY_BIG ? code_memory()
									   : value_unknown(0);
	case GIVES_PACKED:
		packed = v ? *v : value_unknown(0);
		packed.type = STR(TYPE_PACKED);
		return packed;
	case GIVES_VIEW:
		return act_typed(x, view(x));
	case GIVES_HELD:
		held(x);
		return value_unknown(0);
	case GIVES_SETTLED:
		x->c->settled = x->c->settled.kind == VALUE_UNKNOWN && !x->c->settled.flags
					? (v ? *v : value_unknown(0))
					: value_either(x->c->e->arena, x->c->settled,
						       v ? *v : value_unknown(0));
		return value_unknown(0);
	case GIVES_MOCK:
		if (x->f->flags & FN_OTHER)
			stands_in(code_variable(x->c, pushed_to(x)));
		else
			mocks_add(x);
		return value_unknown(0);
	case GIVES_EXPORTED:
		exported(x, v);
		return value_unknown(0);
	case GIVES_NAMED:
		name_function(x, v);
		return value_unknown(0);
	case GIVES_SPY:
		if (!(x->f->flags & FN_OTHER))
			return mocks_spy(x);
		mocks_replace(x);
		return value_unknown(0);
	case GIVES_FACT:
		other = act_typed(x, value_unknown(0));
		if (v && value_is_known(v) && str_eqz(v->text, "=")) /* where the name ends */
			other.type = STR(TYPE_EQUALS);
		return other;
	case GIVES_SECRET:
		if (((x->f->flags & FN_ALL) && (x->c->endless || x->c->again)) ||
		    ((x->f->flags & FN_KEYED) && act_is_flag(x, "input")))
			act_listen(x);
		return act_typed(x, value_unknown(is_told(x) ? 0 : VALUE_SECRET));
	case GIVES_TRIED:
		v = act_positional(x->args, 1) ?: act_positional(x->args, 0); /* range(4) */
		return act_typed(
			x, value_unknown(act_taints(x) | (v && value_is_few(v) ? 0 : VALUE_TRIED)));
	case GIVES_FETCHED:
		return act_typed(x, value_unknown(VALUE_FETCHED));
	default:
		return act_gives_text(x);
	}
}

/* filter(f, list), .filter(f): not where f asks for existence, or for a number. */
static bool filter_chooses(const struct act *x)
{
	const struct code_value *f = x->args->n ? &x->args->p[0].value : NULL;
	const struct code_defined *d = NULL;
	struct str suffix = { 0 };

	if (f && f->kind == VALUE_NAME) { /* what is not empty, or is there */
		static const char *const plain[] = { "Boolean",      "nonNull",     "isAlive",
						     "isFile",       "isDirectory", "exists",
						     "isRegularFile" };

		return !TEXT_ENDS(f->type, plain);
	}
	if (!f || f->kind != VALUE_FUNCTION)
		return true;
	d = &x->c->fns[f->n];
	return code_chooses(x->c, d->t + d->body, d->t + d->end, x->f->flags & FN_OTHER, &suffix);
}

/* import_module("m"), when "/tmp/x/m.py" was fetched */
static bool was_fetched_as_module(const struct code *c, const struct code_value *name)
{
	for (unsigned i = 0; i < c->nwritten && value_is_known(name); i++)
		if ((c->written[i].taints & VALUE_FETCHED) &&
		    str_ends(c->written[i].path,
			     arena_printf(c->e->arena, "/%.*s.py", STR_ARG(name->text))))
			return true;
	return false;
}

/* import(url), when what that says came from the network, or it is an address */
static bool is_fetched_module(const struct act *x, const struct code_value *v)
{
	return x->c->g->language == CODE_JAVASCRIPT &&
	       ((v->flags & VALUE_FETCHED) ||
		(v->kind == VALUE_TEXT &&
		 (str_starts(v->text, STR("https://")) || str_starts(v->text, STR("http://"))) &&
		 !address_is_local(address_host(v->text))));
}

/* import("data:text/javascript;base64,...") */
static void run_data(struct code *c, struct str url)
{
	ptrdiff_t comma = str_chr(url, ',', 0);
	struct str text, decoded;

	if (comma < 0 || str_chr(url, CODE_GAP, 0) >= 0)
		return;
	text = str_sub(url, (size_t)comma + 1, url.n);
	if (str_find(str_sub(url, 0, (size_t)comma), STR(";base64"), 0) >= 0 &&
	    code_unbase64(c->e->arena, text, &decoded))
		text = decoded;
	code_run_text(c, text);
}

/* httpx.Client(base_url="https://api.example.com"), axios.create({ baseURL: ... }) */
static const struct code_value *base_of(const struct code_args *args)
{
	static const char *const keys[] = { "base_url", "baseURL", "baseUrl", "base_uri",
					    "prefixUrl" };
	const struct code_value *v = NULL;

	for (size_t i = 0; i < ARRAY_LEN(keys) && !v; i++)
		v = act_keyed(args, keys[i]);
	return v && v->kind == VALUE_TEXT && str_find(v->text, STR("://"), 0) > 0 ? v : NULL;
}

static bool asks_itself(const struct act *x)
{
	const struct code_value *v = base_of(x->args);

	return v && address_is_local(address_host(v->text));
}

/* Modules, lists. */
static struct code_value gives_other(const struct act *x, const struct code_value *v)
{
	struct arena *a = x->c->e->arena;
	struct code_value of = v ? *v : value_unknown(0), other;

	switch ((unsigned)x->f->act) {
	case GIVES_MODULE:
		if (!v || of.kind == VALUE_NAME) /* globals(), vars(x) */
			return v ? of : value_name(STR(""));
		if (act_was_fetched(x->c, &of) || was_fetched_as_module(x->c, &of) ||
		    is_fetched_module(x, &of))
			act_add(x, (struct effect){ .kind = EFFECT_RUN_FETCHED });
		if (of.kind == VALUE_TEXT && str_starts(of.text, STR("data:"))) {
			run_data(x->c, of.text);
			return value_unknown(of.flags);
		}
		return value_is_known(&of) ? value_name(code_module(of.text))
					   : value_unknown(of.flags);
	case GIVES_ATTRIBUTE:
		return attribute(x);
	case GIVES_BOUND:
		return act_bound(x);
	case GIVES_CHOSEN:
		if (v && x->f->arg >= 0 && act_positional(x->args, 1))
			of = *act_positional(
				x->args,
				of.kind == VALUE_TEXT && (of.flags & VALUE_WALKED) ? 0 : 1);
		other = x->f->arg < 0 || !v ? (x->self ? *x->self : value_unknown(0)) : of;
		if ((other.flags & VALUE_WALKED) && filter_chooses(x))
			other.flags |= VALUE_CHOSEN;
		if (other.kind == VALUE_UNKNOWN && !other.type.n &&
		    x->c->g->language == CODE_COMPILED)
			other.type = STR("chosen"); /* of rows, not all */
		return other;
	case GIVES_INPUT:
		return v && !(v->kind == VALUE_NAME && code_is_input(v->type)) &&
				       !(v->kind == VALUE_TEXT && code_is_input(v->text))
			       ? value_unknown(of.flags)
			       : code_input(x->c, x->f->flags & FN_OTHER);
	case GIVES_ITEMS:
		return v ? of : value_unknown(0);
	case GIVES_ITEMS_OF:
		return act_typed(x, x->f->flags & FN_RECURSIVE ? in_turn(x) : items_of(x));
	case GIVES_PAIRS:
		return act_is_environment(x->c, &of) ? act_environment_pairs(a)
						     : value_pairs(a, &of);
	case GIVES_KEYS:
		other = act_is_environment(x->c, &of) ? value_unknown(0)
						      : code_walked_keys(x->c, &of);
		if (other.kind != VALUE_UNKNOWN || !(other.flags & VALUE_SECRET))
			return other;
		x->c->names_told = true;
		return value_unknown(other.flags & ~(unsigned)VALUE_SECRET);
	case GIVES_VALUES:
		return value_values(a, &of);
	case GIVES_CHAINED:
		return chained(x);
	case GIVES_PRODUCT:
		return product(x);
	case GIVES_FIELD:
		return field(x);
	case GIVES_APPENDED:
		return act_typed(x, appended(x));
	case GIVES_FIELDS:
		return fields(x);
	case GIVES_OPTION:
		add_option(x);
		return value_unknown(0);
	case GIVES_OPTIONS:
		v = x->f->flags & FN_KEYED ? act_keyed(x->args, "default") : NULL;
		return v ? *v : x->c->options;
	case GIVES_SHIFT:
		return shift(x);
	case GIVES_REST:
		other = rest_of(of, act_positional(x->args, x->f->arg < 0 ? 0 : 1));
		if (is_before_equals(x) || is_short(x))
			other.flags &= ~(unsigned)(VALUE_SECRET | VALUE_ITSELF);
		return other;
	case GIVES_CONST:
		if ((x->f->flags & FN_KEYED) && asks_itself(x))
			return value_unknown(0);
		if ((x->f->flags & FN_RECURSIVE) && v)
			return of;
		other = x->f->flags & FN_DEFAULT ? value_name(str_from(x->f->type))
						 : value_text(str_from(x->f->type));
		return x->f->flags & FN_ALL ? value_list(a, &other, 1) : other;
	case CALLS_WITH_SELF:
	case CALLS_WITH_ITEMS:
		return x->self ? *x->self : value_unknown(0);
	default:
		return gives_origin(x);
	}
}

static bool names_argument(const struct act *x, const char *name)
{
	for (unsigned i = 0; i < x->args->n; i++)
		if (x->args->p[i].value.kind == VALUE_NAME &&
		    str_ends(x->args->p[i].value.type, str_from(name)))
			return true;
	return false;
}

/* (name, password, uid, gid, quota, comment, full name, home, shell) */
static struct code_value account(struct arena *a, struct code_value home)
{
	struct code_value fields[9] = { [7] = home };

	return value_list(a, fields, ARRAY_LEN(fields));
}

struct code_value act_gives(const struct act *x)
{
	const struct code_value *v = act_argument(x, x->f->arg);
	struct arena *a = x->c->e->arena;
	struct code_value of = v ? *v : value_unknown(0), other;

	switch ((unsigned)x->f->act) {
	case GIVES_SELF:
		if (x->self && x->self->kind == VALUE_NAME && act_taints(x))
			return value_unknown(act_taints(x)); /* a module's function, not a method */
		return x->self ? act_typed(x, *x->self) : value_unknown(0);
	case GIVES_ARG:
		if ((x->f->flags & FN_ALL) && names_items(x->args))
			return named_items(x);
		for (int i = x->f->arg; v && v->kind == VALUE_FUNCTION && i < 3;)
			if ((v = act_argument(x, ++i)))
				of = *v;
		if ((x->f->flags & FN_KEYED) && act_is_environment(x->c, v))
			return value_unknown(0);
		if (v && (x->f->flags & FN_OTHER) &&
		    (v->kind == VALUE_NAME || act_is_environment(x->c, v))) {
			other = value_unknown(act_taints(x));
			if (act_is_environment(x->c, v))
				other.type = STR(TYPE_ENVIRONMENT);
			return other;
		}
		of.flags |= act_taints(x); /* Request(url, data=secret) */
		return v ? act_typed(x, of) : value_unknown(act_taints(x));
	case GIVES_OBJECT:
		other = x->f->arg < 0 && x->self ? *x->self : joined_path(x);
		if (other.kind == VALUE_NAME || (x->f->arg >= 0 && x->args->n == 0))
			other = value_text(STR("."));
		other = act_typed(x, base_of(x->args) ? value_text(base_of(x->args)->text) : other);
		if (names_argument(x, "AF_PACKET")) /* all that others send */
			act_listen(x), other.flags |= VALUE_SECRET;
		if ((str_starts(other.type, STR("aws")) || str_eqz(other.type, "ldap")) &&
		    cloud_is_emulated(x))
			other.type = STR(TYPE_EMULATOR);
		return other;
	case GIVES_PATH:
		other = x->f->arg < 0 && x->self ? value_path(a, *x->self, joined_path(x))
						 : joined_path(x);
		return act_typed(x, other);
	case GIVES_HOME:
		other = value_text(x->f->flags & FN_OTHER ? effects_home(x->c->e)
							  : code_home(x->c));
		if (x->f->flags & FN_KEYED)
			return value_path(a, other, value_text(str_from(x->f->type)));
		return act_typed(x, x->f->flags & FN_ALL ? account(a, other) : other);
	case GIVES_CWD:
		return act_typed(x, value_text(effects_cwd(x->c->e)));
	case GIVES_TEMP:
		return act_typed(x, value_text(STR("/tmp/\1")));
	case GIVES_EXPANDED:
		return act_typed(x, expanded(x));
	case GIVES_ENV:
		if (!v) {
			other = value_unknown(VALUE_SECRET);
			other.type = STR(TYPE_ENVIRONMENT);
			return other;
		}
		of = v->kind == VALUE_TEXT
			     ? env_value(x->c, v->text)
			     : value_unknown(x->c->loop_level ? VALUE_SECRET : 0); /* each */
		v = act_positional(x->args, (unsigned)x->f->arg + 1);
		/* get("X", ""): what it is when nothing sets it */
		return of.kind == VALUE_UNKNOWN && v && v->kind == VALUE_TEXT
			       ? value_either(a, of, *v)
			       : of;
	default:
		return gives_other(x, v);
	}
}

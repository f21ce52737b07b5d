/* Expressions: operators between operands, assignments, arguments. */
#include "base/words.h"
#include "effects/code_act.h"
#include "effects/code_reader.h"

enum {
	LEVEL_ASSIGN = 1,
	LEVEL_CHOICE,
	LEVEL_OR,
	LEVEL_COMPARE,
	LEVEL_BITS,
	LEVEL_ADD,
	LEVEL_TIMES,
	LEVEL_POWER
};

static unsigned operator_level(const struct code *c, const struct code_token *t)
{
	static const struct {
		const char *text;
		unsigned char level;
	} operators[] = {
		{ "=", LEVEL_ASSIGN },   { "+=", LEVEL_ASSIGN },   { ".=", LEVEL_ASSIGN },
		{ ":=", LEVEL_ASSIGN },  { "||=", LEVEL_ASSIGN },  { "?\?=", LEVEL_ASSIGN },
		{ "-=", LEVEL_ASSIGN },  { "*=", LEVEL_ASSIGN },   { "/=", LEVEL_ASSIGN },
		{ "//=", LEVEL_ASSIGN }, { "|=", LEVEL_ASSIGN },   { "%=", LEVEL_ASSIGN },
		{ "&&=", LEVEL_ASSIGN }, { "?", LEVEL_CHOICE },    { "||", LEVEL_OR },
		{ "&&", LEVEL_OR },      { "?\?", LEVEL_OR },      { "==", LEVEL_COMPARE },
		{ "!=", LEVEL_COMPARE }, { "===", LEVEL_COMPARE }, { "!==", LEVEL_COMPARE },
		{ "<", LEVEL_COMPARE },  { ">", LEVEL_COMPARE },   { "<=", LEVEL_COMPARE },
		{ ">=", LEVEL_COMPARE }, { "=~", LEVEL_COMPARE },  { "!~", LEVEL_COMPARE },
		{ "~=", LEVEL_COMPARE }, { "<=>", LEVEL_COMPARE }, { "|>", LEVEL_BITS },
		{ "|", LEVEL_BITS },     { "&", LEVEL_BITS },      { "^", LEVEL_BITS },
		{ "<<", LEVEL_BITS },    { ">>", LEVEL_BITS },     { "~", LEVEL_BITS },
		{ "+", LEVEL_ADD },      { "-", LEVEL_ADD },       { ".", LEVEL_ADD },
		{ "..", LEVEL_ADD },     { "...", LEVEL_ADD },     { "*", LEVEL_TIMES },
		{ "/", LEVEL_TIMES },    { "%", LEVEL_TIMES },     { "//", LEVEL_TIMES },
		{ "**", LEVEL_POWER },   { "x", LEVEL_TIMES },     { "and", LEVEL_OR },
		{ "or", LEVEL_OR },      { "in", LEVEL_COMPARE },  { "is", LEVEL_COMPARE },
		{ "eq", LEVEL_COMPARE }, { "ne", LEVEL_COMPARE },  { "instanceof", LEVEL_COMPARE },
		{ "xor", LEVEL_OR },     { "lt", LEVEL_COMPARE },  { "gt", LEVEL_COMPARE },
	};

	if (t->kind != TOKEN_OPERATOR && t->kind != TOKEN_NAME)
		return 0;
	if (t->kind == TOKEN_NAME &&
	    (t->text.n > 10 || (token_is(t, "x") && !is_language(c, CODE_PERL))))
		return 0;
	if (token_is(t, "if") && is_language(c, CODE_PYTHON))
		return LEVEL_CHOICE;
	if (token_is(t, "in") && is_language(c, CODE_COMPILED) &&
	    code_at(c, 1)->kind == TOKEN_OPERATOR && !strchr("([-", code_at(c, 1)->text.p[0]))
		return 0; /* InputStream in = ... */
	if (token_is(t, "not") && is_language(c, CODE_PYTHON) && token_is(code_at(c, 1), "in"))
		return LEVEL_COMPARE;
	if (token_is(t, "~") && !is_language(c, CODE_AWK))
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(operators); i++)
		if (token_is(t, operators[i].text))
			return operators[i].level;
	return 0;
}

static struct code_value add_values(struct code *c, struct code_value x, struct code_value y)
{
	struct arena *a = c->e->arena;
	int64_t m, n;

	if ((x.flags & VALUE_NUMBER) && (y.flags & VALUE_NUMBER) && value_int(&x, &m) &&
	    value_int(&y, &n) && m < INT32_MAX && n < INT32_MAX)
		return value_number(a, m + n);
	if (x.kind == VALUE_LIST && y.kind == VALUE_LIST && !((x.flags | y.flags) & VALUE_ANY)) {
		struct code_value v = { .kind = VALUE_LIST,
					.flags = (x.flags | y.flags) & VALUE_TAINTS };

		v.items = arena_raw(a, (x.n + y.n + 1) * sizeof *v.items);
		for (unsigned i = 0; i < x.n; i++)
			v.items[v.n++] = x.items[i];
		for (unsigned i = 0; i < y.n && v.n < CODE_ITEMS_MAX; i++)
			v.items[v.n++] = y.items[i];
		return v;
	}
	if (x.kind == VALUE_LIST && !(x.flags & VALUE_ANY))
		return x; /* and something unknown */
	if (x.kind == VALUE_NAME)
		x = value_unknown(x.flags);
	if (y.kind == VALUE_NAME)
		y = value_unknown(y.flags);
	if (x.kind == VALUE_UNKNOWN && y.kind == VALUE_UNKNOWN)
		return value_unknown(x.flags | y.flags);
	return value_join(a, x, STR(""), y);
}

struct code_value code_percent(struct code *c, struct code_value format, struct code_value arg)
{
	struct arena *a = c->e->arena;
	struct code_value v = value_text(STR(""));
	size_t from = 0, n = 0;

	if (!value_is_known(&format))
		return value_unknown(format.flags | arg.flags);
	for (size_t i = 0; i + 1 < format.text.n; i++) {
		struct code_value part;

		if (format.text.p[i] != '%' || format.text.p[i + 1] == '%') {
			i += format.text.p[i] == '%';
			continue;
		}
		part = arg.kind == VALUE_LIST && !(arg.flags & VALUE_ANY)
			       ? value_item(&arg, (int64_t)n)
			       : arg;
		n++;
		v = value_join(a, v, STR(""), value_text(str_sub(format.text, from, i)));
		v = value_join(a, v, STR(""), part);
		while (i + 1 < format.text.n && !strchr("sdrxifquw", format.text.p[i + 1]))
			i++;
		from = min_size(i + 2, format.text.n);
		i++;
	}
	return value_join(a, v, STR(""), value_text(str_sub(format.text, from, format.text.n)));
}

/* Of two numbers that are known. */
/* As far as numbers go here. */
static int64_t power(int64_t base, int64_t n)
{
	int64_t result = 1;

	while (n-- > 0 && result <= INT32_MAX)
		result *= base;
	return result;
}

static bool calculated(struct code *c, const struct code_token *op, const struct code_value *x,
		       const struct code_value *y, struct code_value *ret)
{
	int64_t m, n;

	if (!(x->flags & VALUE_NUMBER) || !(y->flags & VALUE_NUMBER) || !value_int(x, &m) ||
	    !value_int(y, &n) || m > INT32_MAX || n > INT32_MAX || m < INT32_MIN || n < INT32_MIN)
		return false;
	if (token_is(op, "-"))
		*ret = value_number(c->e->arena, m - n);
	else if (token_is(op, "^"))
		*ret = value_number(c->e->arena, m ^ n);
	else if (token_is(op, "%") && n > 0 && m >= 0)
		*ret = value_number(c->e->arena, m % n);
	else if (token_is(op, "*"))
		*ret = value_number(c->e->arena, m * n);
	else if (token_is(op, "<<") && m >= 0 && m <= 1 << 20 && n >= 0 && n <= 40)
		*ret = value_number(c->e->arena, m << n);
	else if (token_is(op, "**") && m >= 2 && n >= 0 && n <= 40)
		*ret = value_number(c->e->arena, power(m, n));
	else
		return false;
	return true;
}

static struct code_value combine(struct code *c, const struct code_token *op, unsigned level,
				 struct code_value x, struct code_value y)
{
	struct arena *a = c->e->arena;
	struct code_value z;
	struct str of = x.kind == VALUE_UNKNOWN ? x.type : (struct str){ 0 };

	if (level == LEVEL_OR) {
		if (token_is(op, "and") || token_is(op, "&&"))
			return y;
		if ((x.flags & VALUE_FETCHED) && x.kind != VALUE_TEXT) {
			x = value_unknown(x.flags); /* get(...) or die */
			x.type = of; /* connect(...) or die */
			return y.kind == VALUE_TEXT ? value_either(a, x, y) : x;
		}
		if (x.kind == VALUE_UNKNOWN && (x.flags & VALUE_TAINTS) && y.kind != VALUE_TEXT)
			return y.kind == VALUE_LIST && y.n ? value_either(a, x, y) : x;
		if (x.kind == VALUE_UNKNOWN || x.kind == VALUE_NAME)
			return y.kind == VALUE_TEXT && x.kind == VALUE_UNKNOWN
				       ? value_either(a, x, y)
				       : y;
		return x;
	}
	if (level == LEVEL_COMPARE && token_is(op, "=~") && is_language(c, CODE_PERL)) {
		/* my ($pid) = $line =~ /(\d+)/ */
		static const struct code_function finds = { .act = GIVES_MATCHED, .arg = ARG_SELF };
		struct code_args args = { .p = { { .value = y } }, .n = 1, .at = op->at };

		args.end = args.at;
		z = code_act(c, &finds, &x, &args);
		if (z.kind == VALUE_LIST && z.n) /* what is in brackets, without the whole */
			z = value_list(a, z.items + 1, z.n - 1);
		return z;
	}
	if (level == LEVEL_COMPARE)
		return value_unknown(0);
	if ((token_is(op, "..") || token_is(op, "...")) &&
	    (is_language(c, CODE_RUBY) || is_language(c, CODE_PERL)) && !value_is_few(&y))
		return value_unknown(VALUE_TRIED);
	if (token_is(op, "+") || (token_is(op, ".") && has(c, SYNTAX_DOT_JOINS)) ||
	    (token_is(op, "..") && is_language(c, CODE_LUA)) ||
	    (token_is(op, "<<") && is_language(c, CODE_RUBY)))
		return add_values(c, x, y);
	if (token_is(op, "/") && (x.type.n || y.type.n || x.kind == VALUE_TEXT) &&
	    !(x.flags & VALUE_NUMBER))
		return value_path(a, x, y);
	if (token_is(op, "%") && x.kind == VALUE_TEXT && !(x.flags & VALUE_NUMBER))
		return code_percent(c, x, y);
	if (token_is(op, "*") || token_is(op, "x")) {
		int64_t n;

		if (str_eqz(x.type, TYPE_MEMORY) ||
		    (x.kind == VALUE_TEXT && !(x.flags & VALUE_NUMBER) && value_int(&y, &n) &&
		     n >= CODE_MEMORY_BIG))
			return code_memory();
		if (x.kind == VALUE_TEXT && !(x.flags & VALUE_NUMBER) && value_int(&y, &n) &&
		    n >= 0 && n < 16) {
			struct code_value v = value_text(STR(""));

			while (n-- > 0)
				v = value_join(a, v, STR(""), x);
			return v;
		}
	}
	if (calculated(c, op, &x, &y, &z))
		return z;
	if (token_is(op, "-") && x.kind == VALUE_TEXT && (x.flags & VALUE_WALKED)) {
		x.flags |= code_are_few_names(&y) ? 0 : VALUE_CHOSEN; /* children - ["a"] */
		return x;
	}
	if (token_is(op, "^"))
		return value_unknown(x.flags | y.flags | VALUE_HIDDEN);
	return value_unknown(x.flags | y.flags);
}

/* A list of names that are no secrets' names, as the text has it. */
static bool lists_harmless(const struct code *c, const struct code_token *name)
{
	const struct code_value *v =
		name->kind == TOKEN_NAME ? code_variable((struct code *)c, name->text) : NULL;

	if (!v || v->kind != VALUE_LIST || (v->flags & VALUE_TAINTS) || !v->n)
		return false;
	for (unsigned i = 0; i < v->n; i++)
		if (v->items[i].kind != VALUE_TEXT || !value_is_known(&v->items[i]) ||
		    is_secret_name(v->items[i].text))
			return false;
	return true;
}

/* `x if k in NAMES else y`, `NAMES.has(k) ? x : y`: of the environment, what may be told. */
static struct code_value allowed(const struct code *c, unsigned from, unsigned to,
				 struct code_value x)
{
	static const char tests[] = "has includes include? contains";
	bool one = to >= from + 3 && token_is(&c->t[to - 2], "in") &&
		   !token_is(&c->t[to - 3], "not") && to == from + 3;
	unsigned open = to > from + 3 && token_is(&c->t[to - 1], ")") ? to - 1 : from;

	while (open > from + 2 && !token_is(&c->t[open], "("))
		open--;
	one = one ? lists_harmless(c, &c->t[to - 1])
		  : open == from + 3 && token_is(&c->t[open - 2], ".") &&
			      word_in_text(c->t[open - 1].text, tests) &&
			      lists_harmless(c, &c->t[open - 3]);
	return one && x.kind == VALUE_UNKNOWN ? value_unknown(x.flags & ~(unsigned)VALUE_SECRET)
					      : x;
}

/* `from`: where the expression begins. */
static struct code_value choice(struct code *c, struct code_value x, unsigned from, bool python)
{
	struct code_value y;
	unsigned at = c->i;

	if (python) { /* x if condition else y */
		(void)code_assignable(c, LEVEL_OR);
		x = allowed(c, at, c->i, x);
		if (!skip(c, "else"))
			return x;
		y = code_assignable(c, LEVEL_CHOICE);
		return value_either(c->e->arena, x, y);
	}
	if (token_is(code_at(c, 0), ":")) { /* x ?: y */
		c->i++;
		y = code_expression(c);
		return value_either(c->e->arena, x, y);
	}
	x = allowed(c, from, at - 1, code_expression(c));
	if (!skip(c, ":"))
		return x;
	y = code_expression(c);
	return value_either(c->e->arena, x, y);
}

static struct str last_part(struct str name)
{
	for (size_t i = name.n; i-- > 0;)
		if (name.p[i] == '.')
			return str_sub(name, i + 1, name.n);
	return name;
}

/* What a function of the table does with a value that has just been read. */
static struct code_value act_on(struct code *c, const struct code_function *row,
				struct code_value *self, struct code_value v)
{
	struct code_args args = { .p = { { .value = v } },
				  .n = 1,
				  .at = c->i ? c->t[c->i - 1].at : 0,
				  .end = c->i ? c->t[c->i - 1].end : 0 };

	return code_act(c, row, self, &args);
}

/* A list is longer by that from now on, and again and again: all memory. */
static void grows(struct code *c, struct code_value by)
{
	static const struct code_function appends = { .act = GIVES_APPENDED };

	if (c->forever || c->fills)
		(void)act_on(c, &appends, NULL, by);
}

/* Members of objects that start a program or ask a database, once they are told what. */
static const struct {
	const char *names;
	struct code_function row;
} members[] = {
	{ "FileName executableURL launchPath", { .act = GIVES_ARG } },
	{ "Arguments arguments", { .act = ACT_SHELL_OR_ARGV } },
	{ "CommandText", { .act = ACT_SQL } },
};

/* psi.FileName = "rm"; psi.Arguments = "-rf x" */
static void tell_object(struct code *c, struct str member, struct code_value v)
{
	const struct code_function *row = NULL;
	struct code_value program;

	for (size_t i = 0; i < ARRAY_LEN(members) && !row; i++)
		row = word_in_text(member, members[i].names) ? &members[i].row : NULL;
	if (!row || v.kind == VALUE_NAME)
		return;
	if (row->act == GIVES_ARG) {
		c->program = value_flat(c->e->arena, &v);
		c->program_ran = false;
		return;
	}
	program = value_text(c->program);
	if (row->act == ACT_SHELL_OR_ARGV && !c->program.n)
		return;
	c->program_ran |= row->act == ACT_SHELL_OR_ARGV;
	if (row->act == ACT_SHELL_OR_ARGV)
		v = v.kind == VALUE_LIST ? add_values(c, value_list(c->e->arena, &program, 1), v)
					 : value_join(c->e->arena, program, STR(" "), v);
	(void)act_on(c, row, NULL, v);
}

/* stripe.api_key = key: from then on the module asks its service.  s.verify = False */
static void see_setting(struct code *c, struct str name, struct str holder, struct str key,
			const struct code_value *v)
{
	struct str last = key.n ? key : last_part(name);
	bool off = token_is(&c->t[c->i - 1], "False") || token_is(&c->t[c->i - 1], "false") ||
		   (v->kind == VALUE_TEXT && str_eqz(v->text, "0"));
	struct str of = name.n > last.n ? str_sub(name, 0, name.n - last.n - 1) : holder;
	const struct code_value *var = code_variable(c, of), named = value_name(of);

	if ((v->flags & VALUE_KEY) && name.n > last.n + 1 &&
	    word_in_text(last, "api_key api_token access_token token"))
		c->keyed = of;
	/* os.environ, ENV, process.env, by whatever name it was imported */
	if (of.n && act_is_environment(c, var && var->kind == VALUE_NAME ? var : &named))
		code_environ_set(c, last, v);
	c->simulated |= str_ends(last, STR("_EMULATOR_HOST"));
	c->unverified |=
		(off && word_in_text(last, "verify verify_ssl check_hostname "
					   "NODE_TLS_REJECT_UNAUTHORIZED PYTHONHTTPSVERIFY")) ||
		(word_in_text(last, "verify_mode") && str_ends(v->type, STR("NONE")));
}

/* file << text, connection.outputStream << text of Groovy */
static void put_to(struct code *c, struct code_value *to, struct code_value v)
{
	static const struct code_function appends = { .act = ACT_WRITE, .arg = ARG_SELF },
					  sends = { .act = ACT_SEND, .arg = ARG_SELF };

	(void)act_on(c, str_eqz(to->type, "file") ? &appends : &sends, to, v);
}

/* What an object does with what is assigned to a member of it. */
static const struct {
	const char *type, *members; /* NULL: any */
	unsigned taints; /* 0: whatever it is */
	struct code_function row;
} holders[] = {
	/* request.body = secret, of a request that is sent when it is complete */
	{ "outgoing", NULL, VALUE_SECRET | VALUE_PRIVATE, { .act = ACT_SEND, .arg = ARG_SELF } },
	/* file.text = text */
	{ "file", "text bytes", 0, { .act = ACT_WRITE, .arg = ARG_SELF } },
	/* connection.requestMethod = "DELETE" */
	{ "url", "requestMethod", 0, { .act = ACT_REQUEST, .arg = ARG_SELF } },
};

static void tell_holder(struct code *c, struct str holder, struct str member, struct code_value v)
{
	const struct code_value *of = code_variable(c, holder);
	struct code_value self = of ? *of : value_unknown(0);

	for (size_t i = 0; i < ARRAY_LEN(holders); i++)
		if (str_eqz(self.type, holders[i].type) &&
		    (!holders[i].members || word_in_text(member, holders[i].members)) &&
		    (!holders[i].taints || (v.flags & holders[i].taints)))
			(void)act_on(c, &holders[i].row, &self, v);
}

static struct code_value assigned(struct code *c, const struct code_token *op, struct str name,
				  struct code_value x)
{
	static const struct code_function tells = { .act = ACT_TELL, .flags = FN_OTHER };
	struct str holder = c->holder, key = c->holder_key;
	struct code_value y = code_expression(c);

	/* x += [y], x .= y, x[] = y */
	if ((token_is(op, "+=") && y.kind == VALUE_LIST) ||
	    (str_eqz(y.type, TYPE_MEMORY) && (!token_is(op, "=") || holder.n)))
		grows(c, y);
	if (token_is(op, "+=") || token_is(op, ".="))
		y = add_values(c, x.kind == VALUE_NAME ? value_unknown(0) : x, y);
	else if (!token_is(op, "=") && !token_is(op, ":=") && !token_is(op, "||=") &&
		 !token_is(op, "?\?="))
		y = token_is(op, "/=") && x.kind == VALUE_TEXT ? value_path(c->e->arena, x, y)
							       : value_unknown(x.flags | y.flags);
	if (y.kind == VALUE_FUNCTION && !c->fns[y.n].name.n)
		c->fns[y.n].name = last_part(name);
	if (is_language(c, CODE_PERL) && y.kind == VALUE_FUNCTION)
		mocks_assign(c, name);
	if (name.n)
		code_assign(c, name, y);
	else if (holder.n)
		code_put(c, holder, key, y);
	see_setting(c, name, holder, key, &y);
	tell_holder(c, holder, key, y);
	if (is_language(c, CODE_COMPILED))
		tell_object(c, key.n ? key : last_part(name), y);
	if (is_language(c, CODE_COMPILED) && c->shell &&
	    (str_eqz(key, "Stdin") || str_ends(name, STR(".Stdin"))))
		(void)act_on(c, &tells, NULL, y);
	return y;
}

/* Go: f(list...) */
static bool is_spread_behind(const struct code *c, const struct code_token *t)
{
	return is_language(c, CODE_COMPILED) && token_is(t, "...") &&
	       code_at(c, 1)->kind == TOKEN_END;
}

static bool is_tainted_alone(const struct code_value *v)
{
	return v->kind == VALUE_UNKNOWN && (v->flags & VALUE_TAINTS);
}

/* x |> f, x |> f(y): the cursor is at f. */
static struct code_value piped(struct code *c, struct code_value x)
{
	struct code_args args = { .p = { { .value = x } }, .n = 1 };
	struct code_value f;

	c->piped = &x;
	f = code_operand(c);
	if (c->piped) /* it was not called yet */
		f = code_call(c, f, NULL, &args);
	c->piped = NULL;
	return f;
}

struct code_value code_assignable(struct code *c, int lowest)
{
	unsigned first;
	struct code_value x;
	struct str name;

	if (code_too_deep(c)) {
		c->i = min_size(closing_at(c), c->end);
		if (c->i < c->end)
			c->i++;
		return value_unknown(0);
	}
	c->nesting++;
	first = c->i;
	x = code_operand(c);
	name = c->lvalue;
	for (;;) {
		const struct code_token *op = code_at(c, 0);
		unsigned level = operator_level(c, op);
		struct code_value y;

		if ((token_is(op, "as") || token_is(op, "satisfies")) && !op->line &&
		    is_language(c, CODE_JAVASCRIPT) && code_at(c, 1)->kind == TOKEN_NAME) {
			c->i += 2; /* a type of TypeScript */
			continue;
		}
		if (op->line && has(c, SYNTAX_LINES) &&
		    (has(c, SYNTAX_INDENT) || op->kind != TOKEN_OPERATOR ||
		     strchr("-*&<:", op->text.p[0])))
			break;
		if (level == 0 && has(c, SYNTAX_ADJACENT_JOINS) && lowest <= LEVEL_ADD &&
		    code_begins_argument(c) && !token_is(op, "getline")) {
			unsigned at = c->i;

			y = code_assignable(c, LEVEL_ADD + 1);
			if (c->i == at)
				break;
			x = add_values(c, x, y);
			continue;
		}
		if (token_is(op, "to") && is_language(c, CODE_COMPILED) && !op->line &&
		    x.kind == VALUE_TEXT && lowest <= LEVEL_ADD) { /* a pair of Kotlin */
			struct code_value pair[2] = { x };

			c->i++;
			pair[1] = code_assignable(c, LEVEL_ADD + 1);
			pair[0].key = STR("first");
			pair[1].key = STR("second");
			x = value_list(c->e->arena, pair, 2);
			continue;
		}
		if (level == 0 || level < (unsigned)lowest)
			break;
		if (is_spread_behind(c, op))
			break;
		if (c->bare && level == LEVEL_OR && op->kind == TOKEN_NAME)
			break;
		c->i++;
		if (token_is(op, "not") || token_is(op, "is"))
			skip(c, token_is(op, "is") ? "not" : "in");
		if (level == LEVEL_ASSIGN) {
			x = assigned(c, op, name, x);
			break;
		}
		if (level == LEVEL_CHOICE) {
			x = choice(c, x, first, token_is(op, "if"));
			continue;
		}
		if (token_is(op, "|>")) {
			x = piped(c, x);
			continue;
		}
		y = code_assignable(c, (int)level + 1);
		if (name.n && token_is(op, "<<") && is_language(c, CODE_RUBY) &&
		    x.kind == VALUE_LIST && x.n < CODE_ELEMENTS_MAX) {
			grows(c, y);
			x = add_values(c, x, value_list(c->e->arena, &y, 1));
			code_set(c, name, x);
			continue;
		}
		if (is_language(c, CODE_COMPILED) && token_is(op, "<<") && x.type.n &&
		    (str_eqz(x.type, "file") || str_eqz(x.type, "outgoing"))) {
			put_to(c, &x, y);
			continue;
		}
		if (c->g->language == CODE_AWK && token_is(op, "|")) {
			code_shell(c, c->in_print ? &y : &x);
			x = value_unknown(0);
			continue;
		}
		x = combine(c, op, level, x, y);
		name = (struct str){ 0 };
	}
	c->nesting--;
	return x;
}

struct code_value code_expression(struct code *c)
{
	return code_assignable(c, LEVEL_ASSIGN);
}

void code_arguments(struct code *c, struct code_args *args, const char *closer)
{
	unsigned end = c->end, close = closing_at(c);
	bool print = c->in_print, bare = c->bare;

	c->bare = !closer && (is_language(c, CODE_PERL) || is_language(c, CODE_RUBY));
	c->in_print = c->in_print && !closer;
	if (closer) {
		if (code_comprehension(c, close)) {
			c->end = close;
			args->p[args->n].value = c->last;
			args->n++;
			c->i = close;
		} else {
			c->end = close;
			c->i++;
		}
	}
	while (c->i < c->end) {
		unsigned at = c->i;
		const struct code_token *t = code_at(c, 0), *next = code_at(c, 1);
		struct code_arg arg = { 0 };
		bool spread;

		if (!closer && t->line && has(c, SYNTAX_LINES) && args->n &&
		    !token_is(&c->t[c->i - 1], ","))
			break;
		if ((t->kind == TOKEN_NAME || t->kind == TOKEN_TEXT) &&
		    ((token_is(next, "=") &&
		      (is_language(c, CODE_PYTHON) || is_language(c, CODE_R) ||
		       is_language(c, CODE_JULIA))) ||
		     (token_is(next, ":") && !next->space &&
		      (has(c, SYNTAX_PERCENT) || is_language(c, CODE_PHP) ||
		       is_language(c, CODE_COMPILED))) ||
		     token_is(next, "=>")) &&
		    !(token_is(next, "=>") && has(c, SYNTAX_TEMPLATE))) {
			arg.key = t->text;
			c->i += 2;
		} else if (token_is(t, ":") && token_is(code_at(c, 2), "=>")) {
			arg.key = next->text;
			c->i += 3;
		}
		arg.value = code_expression(c);
		spread = code_is_spread(c, t) || is_spread_behind(c, code_at(c, 0));
		c->i += is_spread_behind(c, code_at(c, 0));
		if (spread && arg.value.kind == VALUE_LIST && !(arg.value.flags & VALUE_ANY) &&
		    !arg.key.n)
			for (unsigned k = 0; k < arg.value.n; k++)
				if (args->n < CODE_ARGS_MAX)
					args->p[args->n++] = (struct code_arg){
						.key = arg.value.items[k].key,
						.value = arg.value.items[k],
					};
				else
					args->more = true;
		else if (args->n < CODE_ARGS_MAX && (c->i > at || !closer))
			for (unsigned k = 0; k < (spread && is_tainted_alone(&arg.value) ? 3 : 1) &&
					     args->n < CODE_ARGS_MAX;
			     k++) /* of what is not known, any of them */
				args->p[args->n++] = arg;
		else
			args->more |= args->n == CODE_ARGS_MAX && c->i > at;
		if (!closer && !token_is(code_at(c, 0), ","))
			break;
		if (!skip(c, ",") && c->i == at)
			c->i++;
	}
	if (closer) {
		c->i = min_size(close + 1, end);
		c->end = end;
	}
	c->in_print = print;
	c->bare = bare;
	args->end = c->i ? c->t[c->i - 1].end : 0;
}
